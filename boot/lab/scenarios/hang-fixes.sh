#!/bin/sh
# SPDX-License-Identifier: MIT
# The bugs the series "hang" fixes, by the tests that reproduce them on a stock kernel.
# lab: series=hang config=hang variant=virtual-time timeout=600 dmesg=any
set -eu
fixed='KnownBugsTest.*ThatSignalsAnUnknownSyncobj*'
fixed=$fixed:'InjectedFaultTest.*JobInAnUnusableVm*:InjectedFaultTest.*JobOfAVmThatBecomesUnusable*'
fixed=$fixed:'InjectedFaultTest.*FlushLostInASuspend*:InjectedFaultTest.*ResetAskedForInAResume*'
fixed=$fixed:'SuspendTest.*'
panthor_device_tests --gtest_also_run_disabled_tests --gtest_filter="$fixed"
# The injected failures leave errors in the log; nothing may warn.
if dmesg | grep -E 'WARNING:|BUG:|Oops'; then exit 1; fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# The KUnit tests of the kernel series "heap", which ran when the driver was loaded.
# lab: variant=kunit series=heap timeout=120
set -eu
dmesg | grep -F '# panthor_va_heap: pass:6 fail:0 skip:0 total:6'

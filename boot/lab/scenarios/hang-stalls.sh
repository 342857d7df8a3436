#!/bin/sh
# SPDX-License-Identifier: MIT
# The stall detector names the stage, the dump is complete; what the series fixes stays fixed.
# lab: series=hang config=hang variant=virtual-time timeout=600
set -eu
panthor_device_tests --gtest_filter='StallTest.*'

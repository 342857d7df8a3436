#!/bin/sh
# SPDX-License-Identifier: MIT
# The device tests of libpanthor and the driver.
# lab: variant=virtual-time timeout=600 dmesg=any
set -eu
command -v panthor_device_tests >/dev/null || { echo "not built" && exit 77; }
exec panthor_device_tests

#!/bin/sh
# SPDX-License-Identifier: MIT
# The device tests of libpanthor and the driver.
# lab: variant=virtual-time timeout=600
set -eu
exec panthor_device_tests

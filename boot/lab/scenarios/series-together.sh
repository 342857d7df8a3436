#!/bin/sh
# SPDX-License-Identifier: MIT
# The series hang and heap in one kernel: each still does what its tests say. A fault that heap resolved is no fault that hang may name.
# lab: series=hang,heap config=hang variant=virtual-time timeout=600
set -eu
exec panthor_device_tests

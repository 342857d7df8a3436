#!/bin/sh
# SPDX-License-Identifier: MIT
# The series "hang" under KASAN, lockdep and UBSAN: no false alarm, stalls named, IGT, the device tests.
# lab: series=hang config=hang variant=debug timeout=3600
set -eu
here=$(dirname "$0")
READS=100 sh "$here/hang-quiet.sh"
sh "$here/hang-stalls.sh"
exec panthor_device_tests --gtest_filter='-StallTest.*'

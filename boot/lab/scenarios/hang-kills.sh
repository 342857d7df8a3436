#!/bin/sh
# SPDX-License-Identifier: MIT
# The same kills as in stress.sh with the series "hang": what is new computes, and nothing stalls for so long that it is reported.
# lab: series=hang config=hang variant=virtual-time timeout=900
# lab: long=KILLS=1000 long-timeout=7200
set -eu
sh "$(dirname "$0")/stress.sh"
if dmesg | grep 'stall: '; then exit 1; fi

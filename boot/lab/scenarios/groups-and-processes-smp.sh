#!/bin/sh
# SPDX-License-Identifier: MIT
# The same load as groups-and-processes, in wall time on two CPUs, where the driver's own threads race.
# lab: variant=smp cpus=2 timeout=300
set -eu
exec panthor-harness load --processes 8 --groups 8 --rounds 2

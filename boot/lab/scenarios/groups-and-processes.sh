#!/bin/sh
# SPDX-License-Identifier: MIT
# Eight processes at once, together 64 groups of mixed priorities on the GPU's eight slots; every job's result is checked.
# lab: variant=virtual-time timeout=300
set -eu
exec panthor-harness load --processes 8 --groups 8 --rounds 2

#!/bin/sh
# SPDX-License-Identifier: MIT
# The harness's smoke test on four CPUs.
# lab: variant=smp cpus=4 timeout=180
set -eu
[ "$(nproc)" -eq 4 ]
exec panthor-harness smoke

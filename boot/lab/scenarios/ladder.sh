#!/bin/sh
# SPDX-License-Identifier: MIT
# Every rung of the submit ladder holds on a healthy GPU.
# lab: variant=virtual-time timeout=300
set -eu
exec panthor-harness ladder

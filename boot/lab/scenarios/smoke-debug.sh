#!/bin/sh
# SPDX-License-Identifier: MIT
# The harness's smoke test under KASAN, lockdep and UBSAN.
# lab: variant=debug timeout=300
set -eu
exec panthor-harness smoke

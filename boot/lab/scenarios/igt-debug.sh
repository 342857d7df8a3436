#!/bin/sh
# SPDX-License-Identifier: MIT
# Upstream's IGT binaries under KASAN, lockdep and UBSAN.
# lab: variant=debug timeout=300
set -eu
for test in query gem vm group; do /usr/libexec/igt-gpu-tools/panthor/panthor_$test; done

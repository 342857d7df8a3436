#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in the guest: upstream.sh [ARGUMENTS…]: upstream's four IGT binaries with these arguments, up to the first that fails.
for test in query gem vm group; do
  "/usr/libexec/igt-gpu-tools/panthor/panthor_$test" "$@" || exit $?
done

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A full disk is told before a long step, not in the middle of it: exit code 12.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

unshare -m true 2>/dev/null || { echo "no mount namespaces for this user"; exit 77; }
mkdir "$SCRATCH/small"
# shellcheck disable=SC2016 # expanded inside the namespace
expect_exit 12 'not enough disk space' unshare -m sh -c 'mount -t tmpfs -o size=8m lab "$1" && PANTHOR_LAB_CACHE=$1/cache exec "$2" exec -- true' sh "$SCRATCH/small" "$LAB"

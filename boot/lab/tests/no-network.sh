#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Without a network and with an empty cache: one line, exit code 11.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

unshare -n true 2>/dev/null || { echo "no network namespaces for this user"; exit 77; }
expect_exit 11 'no network' unshare -n "$LAB" exec -- true
expect_exit 11 'no network' unshare -n "$LAB" kernel update
expect_exit 11 'no network' unshare -n "$LAB_ROOT/userspace/uapi/fetch-uapi"

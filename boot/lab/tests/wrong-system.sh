#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wrong architecture, or a distribution without apt: one line, exit codes 13 and 16.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

# shellcheck disable=SC2016 # the fake's own
fake_program uname 'case ${1:-} in -m) echo riscv64 ;; -s) echo Linux ;; *) echo Linux riscv64 ;; esac'
expect_exit 13 'needs x86_64 \(this is riscv64\)' "$LAB" exec --target uml -- true
expect_exit 13 'needs x86_64' "$LAB" run
expect_exit 13 'needs x86_64' "$LAB" test
rm "$SCRATCH/bin/uname"
load_library
have() { case $1 in apt-get | dpkg-query | ninja) return 1 ;; *) command -v "$1" >/dev/null ;; esac; }
expect_exit "$EX_PACKAGES" 'not a Debian system.*ninja' bash -c "$(declare -f have is_debian_like require_programs install_packages die); $(declare -p EX_PACKAGES); LAB_CACHE=/tmp; install_packages all"

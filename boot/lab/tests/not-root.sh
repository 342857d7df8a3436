#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Missing packages as an ordinary user: one line that names them, exit code 10.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

[ "$(id -u)" -eq 0 ] || { echo "needs root to become somebody else"; exit 77; }
# shellcheck disable=SC2016 # the fake's own
fake_program dpkg-query 'case $* in *" kmod") echo unknown ;; *) echo installed ;; esac'
chmod 755 "$SCRATCH" "$SCRATCH/bin"
mkdir "$SCRATCH/cache" && chown nobody "$SCRATCH/cache"
setpriv --reuid nobody --clear-groups test -x "$LAB" || { echo "this checkout is not readable for other users"; exit 77; }
expect_exit 10 'not root.*apt-get install kmod$' setpriv --reuid nobody --clear-groups "$LAB" exec -- true

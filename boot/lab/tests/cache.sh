#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Locks, atomic publishing, cleaning.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

load_library
slow() { sleep 1 && echo "$1" >>"$SCRATCH/order"; }
cache_locked thing slow first &
sleep 0.3
cache_locked thing slow second 2>"$SCRATCH/err"
wait
expect_equal "first second" "$(paste -sd' ' "$SCRATCH/order")" "one after the other"
grep -q 'another lab (process [0-9]*) is making this' "$SCRATCH/err" || fail "the waiting one says so"
(remove_tree /etc/passwd) 2>/dev/null && fail "remove_tree left the cache"
mkdir -p "$LAB_CACHE/a.partial" "$LAB_CACHE/a" && touch "$LAB_CACHE/a.partial/new" "$LAB_CACHE/a/old"
publish "$LAB_CACHE/a.partial" "$LAB_CACHE/a"
expect_equal new "$(ls "$LAB_CACHE/a")" "published as a whole"
exec 7>>"$LAB_CACHE/locks/in-use"
flock -s 7
expect_exit "$EX_LAB" 'another lab is using the cache \(in-use\)' "$LAB" clean --all
flock -u 7
mkdir -p "$LAB_CACHE/kernels/x.partial" "$LAB_CACHE/kernels/fresh" "$LAB_CACHE/kernels/stale"
touch -d '20 days ago' "$LAB_CACHE/kernels/stale"
"$LAB" clean 2>/dev/null
expect_equal fresh "$(ls "$LAB_CACHE/kernels")" "what is half-made or unused for long goes"
"$LAB" clean --all 2>/dev/null
expect_equal locks "$(ls "$LAB_CACHE")" "everything goes"

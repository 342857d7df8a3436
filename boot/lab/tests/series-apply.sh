#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each series applies to its base line by line, and all of them together, on every base whose tree is at hand: unpacked in the cache, or
# named with --source.
at_hand=${LAB_CACHE:-${PANTHOR_LAB_CACHE:-$HOME/.cache/panthor-lab}}
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

load_library

# tree_at_hand BASE: its tree; nothing if there is none.
tree_at_hand() {
  local tree=${TEST_SOURCE:-} resolved=$at_hand/sources/$1.resolved
  if [ -d "$tree" ] && [ "$(check_tree "$tree" "$tree")" = "$1" ]; then
    printf '%s\n' "$tree"
  elif [ -r "$resolved" ]; then
    tree=$at_hand/sources/$(config_value "$resolved" sha256 | cut -c1-16)/linux
    [ ! -d "$tree" ] || printf '%s\n' "$tree"
  fi
}

# expect_applies TREE BASE FUZZ NAME…: the patches of these series, in a copy of the files they touch.
expect_applies() {
  local tree=$1 base=$2 fuzz=$3 copy=$SCRATCH/copy patch file
  shift 3
  rm -rf "$copy" && mkdir "$copy"
  series_patches "$base" "$@" >"$SCRATCH/patches"
  [ -s "$SCRATCH/patches" ] || fail "$base: $*: no patches"
  (cd "$LAB_ROOT/kernel-patches/$base" && xargs sed -n 's,^--- a/,,p' <"$SCRATCH/patches") | sort -u | while read -r file; do
    [ ! -e "$tree/$file" ] || (cd "$tree" && cp --parents "$file" "$copy")
  done
  while read -r patch; do
    patch -d "$copy" -p1 --forward --fuzz="$fuzz" --no-backup-if-mismatch <"$LAB_ROOT/kernel-patches/$base/$patch" >"$SCRATCH/out" 2>&1 || {
      cat "$SCRATCH/out"
      fail "$base: $*: $patch does not apply to $tree"
    }
  done <"$SCRATCH/patches"
  printf 'ok: %s: %s: %d patches\n' "$base" "$*" "$(wc -l <"$SCRATCH/patches")"
}

found=0
for base in $(base_names); do
  tree=$(tree_at_hand "$base")
  [ -n "$tree" ] || continue
  found=1
  for name in $(series_names "$base"); do
    # What is for the lab alone is applied by the lab alone.
    if [ "$name" = "$TEST_SERIES" ]; then fuzz=2; else fuzz=0; fi
    expect_applies "$tree" "$base" "$fuzz" "$name"
  done
  mapfile -t names < <(series_names "$base")
  expect_applies "$tree" "$base" 2 "${names[@]}"
done
[ "$found" -eq 1 ] || { echo "cannot test here: no kernel tree is at hand (./lab build, or --source)" && exit 77; }

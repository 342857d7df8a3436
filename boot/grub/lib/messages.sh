# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Refusals: each has a name and an exit code in exit-codes.list, and one line with its reason.

# exit_code NAME
exit_code() { awk -v name="$1" '$2 == name { print $1 }' "$LAB_ROOT/boot/grub/exit-codes.list"; }

# refuse NAME TEXT…: ends with the code of NAME.
refuse() {
  local name=$1
  shift
  die "$(exit_code "$name")" "refused ($name): $*"
}

# would TEXT…: in a dry run, tells what would be done and succeeds; else fails.
would() {
  [ -n "${DRY:-}" ] || return 1
  printf 'would: %s\n' "$*"
}

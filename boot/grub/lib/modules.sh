# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What kmod's modinfo says about the panthor of a kernel release.

# module_file RELEASE NAME: its path; nothing if the release has no such module.
module_file() { { find "$MODULES/$1" -name "$2.ko" -o -name "$2.ko.zst" -o -name "$2.ko.xz" -o -name "$2.ko.gz" 2>/dev/null || true; } | head -n 1; }

# module_value FILE FIELD
module_value() { modinfo -F "$2" "$1" 2>/dev/null; }

# module_closure RELEASE NAME: NAME and all it depends on, one a line, as modprobe would load them.
module_closure() {
  local file name seen=' '
  local -a queue=("$2")
  while [ "${#queue[@]}" -gt 0 ]; do
    name=${queue[0]} queue=("${queue[@]:1}")
    case $seen in *" $name "*) continue ;; esac
    seen="$seen$name "
    printf '%s\n' "$name"
    file=$(module_file "$1" "$name")
    [ -z "$file" ] || mapfile -t -O "${#queue[@]}" queue < <(module_value "$file" depends | tr ',' '\n' | sed '/^$/d')
  done
}

# built_in RELEASE NAME: is it part of the kernel image?
built_in() { tr - _ 2>/dev/null <"$MODULES/$1/modules.builtin" | grep -q "/$(tr - _ <<<"$2")\.ko$"; }

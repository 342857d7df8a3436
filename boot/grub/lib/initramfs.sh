# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The candidate's initramfs, by the distribution's generator called directly: its hooks for installed kernels, which may rewrite the
# boot menu, are not run.

# Generator, the command that writes FILE for RELEASE, and the one that lists FILE.
readonly INITRAMFS_TOOLS="
dracut      dracut --force --kver RELEASE FILE     lsinitrd FILE
mkinitcpio  mkinitcpio -k RELEASE -g FILE          lsinitcpio FILE
mkinitramfs mkinitramfs -o FILE RELEASE            lsinitramfs FILE"

# initramfs_tool: the first that is installed.
initramfs_tool() {
  local name
  while read -r name _; do
    if [ -n "$name" ] && have_there "$name"; then
      printf '%s\n' "$name"
      return
    fi
  done <<<"$INITRAMFS_TOOLS"
  refuse no-initramfs "none of dracut, mkinitcpio, mkinitramfs is installed"
}

# initramfs_command TOOL make|list RELEASE FILE: the words of its command, one a line.
initramfs_command() {
  awk -v tool="$1" -v what="$2" -v release="$3" -v file="$4" '
    $1 == tool {
      for (i = 2; i <= NF; i++) {
        if ($i ~ /^lsinit/) listing = 1
        if ((what == "list") != (listing + 0)) continue
        print $i == "RELEASE" ? release : $i == "FILE" ? file : $i
      }
    }' <<<"$INITRAMFS_TOOLS"
}

# list_initramfs FILE: what is in it; fails if it cannot be read to its end.
list_initramfs() {
  local tool
  local -a command
  tool=$(initramfs_tool) || exit
  mapfile -t command < <(initramfs_command "$tool" list - "${1#"$ROOT"}")
  run_there "${command[@]}" 2>/dev/null
}

# make_initramfs RELEASE FILE: written aside, listed to its end, then renamed.
make_initramfs() {
  local tool partial
  local -a command
  tool=$(initramfs_tool) || exit
  partial=$(dirname "$2")/.$(basename "$2").partial
  mapfile -t command < <(initramfs_command "$tool" make "$1" "${partial#"$ROOT"}")
  run_there "${command[@]}" >"$WORK/initramfs.log" 2>&1 </dev/null || {
    drop "$partial"
    refuse no-initramfs "$tool failed: $(tail -n 1 "$WORK/initramfs.log")"
  }
  [ -s "$partial" ] && list_initramfs "$partial" >"$WORK/initramfs.list" && [ -s "$WORK/initramfs.list" ] || {
    drop "$partial"
    refuse no-initramfs "$tool left an initramfs that cannot be listed"
  }
  move "$partial" "$2"
}

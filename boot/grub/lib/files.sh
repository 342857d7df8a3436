# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Writes that a power cut cannot halve: a temporary file beside the target, and a rename, with the file system brought up to date for GRUB
# before and after it.

# flush PATH…: fsync of files and directories.
flush() { sync -- "$@" || refuse write "fsync of $* failed"; }

# put FILE: stdin becomes FILE in one step; the mode of a file that is replaced stays.
put() {
  local partial
  partial=$(dirname "$1")/.$(basename "$1").partial
  mkdir -p "$(dirname "$1")"
  cat >"$partial" || refuse write "$partial could not be written"
  # A FAT file system has no modes to keep, and says so.
  [ ! -e "$1" ] || [ "$(stat -c %a "$1")" = "$(stat -c %a "$partial")" ] || chmod --reference="$1" "$partial"
  move "$partial" "$1"
}

# put_program SOURCE FILE: the same for something that is run.
put_program() {
  local partial
  partial=$(dirname "$2")/.$(basename "$2").partial
  install -m 755 -- "$1" "$partial" || refuse write "$partial could not be written"
  move "$partial" "$2"
}

# flush_for_grub PATH: syncfs of its file system: data, and what the journal has, in its place (ext4: fs/ext4/super.c, ext4_sync_fs; then
# fs/sync.c, sync_filesystem writes the buffers back). GRUB does not replay a journal: what fsync has put there alone it does not see.
flush_for_grub() { sync -f -- "$1" || refuse write "syncfs of $1 failed"; }

# move FROM TO: a rename within one file system; TO may exist if it is a file. The blocks of a file system reach the disk in any order: with
# FROM in its place before the rename, the directory's old block and its new one both name a whole file. Until the new one is there GRUB
# reads the old file, so that one keeps a name, and with it its blocks (FAT has neither links nor a journal).
move() {
  local kept
  kept=$(dirname "$2")/.$(basename "$2").kept
  [ ! -f "$2" ] || ln -f -- "$2" "$kept" 2>/dev/null || rm -f -- "$kept"
  flush_for_grub "$(dirname "$2")"
  mv -f -T -- "$1" "$2" || refuse write "$1 could not be renamed to $2"
  flush_for_grub "$(dirname "$2")"
  rm -f -- "$kept"
}

# flush_tree DIRECTORY: everything in it.
flush_tree() { find "$1" -exec sync -- {} + || refuse write "fsync of $1 failed"; }

# drop PATH…: removes files or trees. A directory disappears under its name first, so that half of it is never seen.
drop() {
  local path gone
  for path in "$@"; do
    [ -e "$path" ] || [ -L "$path" ] || continue
    if [ -d "$path" ] && [ ! -L "$path" ]; then
      gone=$(dirname "$path")/.gone-$(basename "$path")
      rm -rf -- "$gone"
      mv -T -- "$path" "$gone"
      flush "$(dirname "$path")"
      rm -rf -- "$gone"
    else
      rm -f -- "$path"
      flush "$(dirname "$path")"
    fi
  done
}

# sums_good DIRECTORY FILE PATTERN: do the files of a sha256sum list whose names match have their sums? There must be one. BAD_FILE is the
# first that has not, or the list.
sums_good() {
  local wanted told
  BAD_FILE=${2##*/}
  wanted=$(grep -E -- "  $3\$" "$2" 2>/dev/null) || return 1
  told=$(cd "$1" && printf '%s\n' "$wanted" | LC_ALL=C sha256sum --check --strict --quiet 2>/dev/null) && return
  told=${told%%$'\n'*}
  [ -z "$told" ] || BAD_FILE=${told%: FAILED*}
  return 1
}

# need_room DIRECTORY MIB WHAT
need_room() {
  local free
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] || refuse no-space "$3 needs $2 MiB in $1, $free MiB are free"
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot explain ENTRY ENTRY
#:
#: What differs between two boot entries, without booting either: command line, devicetree, initramfs, configuration (IKCONFIG or
#: /boot/config-…), srcversion of panthor and of what it depends on. ENTRY is "default", a candidate's ID, or an id, title or path of
#: grub.cfg. Exit code 0 if nothing differs, else 1.
verb_explain() {
  local side
  parse_options "root quiet" "$@"
  [ "${#REST[@]}" -eq 2 ] || die "$EX_USAGE" "two entries (\"default\", a candidate's ID, or an id or title of grub.cfg)"
  DRY=yes EXPLAIN_DIFFERS=
  find_system
  for side in 0 1; do explain_side "$WORK/$side" "${REST[$side]}"; done
  section "command line" arguments
  section "devicetree" devicetree
  section "initramfs" initramfs
  section "panthor and what it depends on" modules
  explain_configs
  [ -z "$EXPLAIN_DIFFERS" ] || exit 1
}

readonly FIRMWARE_DECIDES='the one of the firmware'

# entry_spec NAME: what stands for it in grub.cfg.
entry_spec() {
  if [ "$1" = default ]; then
    printf '@default\n'
  elif [ -d "$BASE/$1" ]; then
    printf 'panthor-lab-%s\n' "$1"
  else
    printf '%s\n' "$1"
  fi
}

# explain_side DIRECTORY ENTRY: one text file an aspect, sorted, ready for diff.
explain_side() {
  local dir=$1 image initrd dtb release status=0
  mkdir -p "$dir"
  resolver "$GRUB_CFG" mode=files entry="$(entry_spec "$2")" >"$dir/files" 2>"$dir/complaint" || status=$?
  case $status in
    0) ;;
    4) refuse no-entry "grub.cfg has no entry \"$2\"" ;;
    *) refuse unjudged "$GRUB_CFG: $(head -n 1 "$dir/complaint")" ;;
  esac
  awk -F'\t' '/^linux/ { for (i = 3; i <= NF; i++) print $i; exit }' "$dir/files" | LC_ALL=C sort >"$dir/arguments"
  image=$(host_path "$(awk -F'\t' '/^linux/ { print $2; exit }' "$dir/files")") || refuse no-entry "the kernel of \"$2\" is not there"
  dtb=$(awk -F'\t' '/^(devicetree|fdt)/ { print $2; exit }' "$dir/files")
  initrd=$(awk -F'\t' '/^initrd/ { print $NF; exit }' "$dir/files")
  release=$(image_release "$image")
  if [ -z "$dtb" ]; then
    printf '%s\n' "$FIRMWARE_DECIDES" >"$dir/devicetree"
  else
    explain_devicetree "$(host_path "$dtb" || printf '%s' "$dtb")" >"$dir/devicetree"
  fi
  explain_initramfs "$initrd" "$release" >"$dir/initramfs"
  explain_modules "$release" >"$dir/modules"
  image_config "$image" "$release" >"$dir/config" || : >"$dir/config"
}

# explain_initramfs PATH RELEASE: names only, without the release in them, so that the same file of two kernels is the same.
explain_initramfs() {
  local file
  if [ -z "$1" ]; then
    printf 'none\n'
  elif file=$(host_path "$1") && list_initramfs "$file" >"$WORK/initramfs"; then
    sed "s/^.* //; s,$2,RELEASE,g" "$WORK/initramfs" | LC_ALL=C sort -u
  else
    printf '%s cannot be listed\n' "$1"
  fi
}

# section TITLE ASPECT: what differs, at most 60 lines of it.
section() {
  local lines
  if cmp -s "$WORK/0/$2" "$WORK/1/$2"; then
    printf '%s: the same\n' "$1"
    return
  fi
  EXPLAIN_DIFFERS=yes
  printf '%s:\n' "$1"
  if grep -qx "$FIRMWARE_DECIDES" "$WORK/0/$2" "$WORK/1/$2"; then
    paste -d: <(printf '  -\n  +\n') <(head -qn 1 "$WORK/0/$2" "$WORK/1/$2") | sed "s/:/ /; s,/dts-v1/;,its own,"
    return
  fi
  { diff "$WORK/0/$2" "$WORK/1/$2" || true; } | sed -n 's/^</  -/p; s/^>/  +/p' >"$WORK/section"
  head -n 60 "$WORK/section"
  lines=$(wc -l <"$WORK/section")
  [ "$lines" -le 60 ] || printf '  … and %d lines more\n' $((lines - 60))
}

explain_devicetree() {
  [ -s "$1" ] || { printf '%s is not there\n' "$1" && return; }
  if have dtc; then dtc -q -s -I dtb -O dts "$1"; else printf 'sha256 %s (dtc would show its text)\n' "$(file_sha256 "$1")"; fi
}

explain_modules() {
  local name file
  for name in $(module_closure "$1" panthor); do
    file=$(module_file "$1" "$name")
    if [ -n "$file" ]; then
      printf '%-20s %s\n' "$name" "$(module_value "$file" srcversion)"
    elif built_in "$1" "$name"; then
      printf '%-20s built in\n' "$name"
    else
      printf '%-20s absent\n' "$name"
    fi
  done
}

explain_configs() {
  local empty=
  [ -s "$WORK/0/config" ] || empty=${REST[0]}
  [ -s "$WORK/1/config" ] || empty=${REST[1]}
  if [ -n "$empty" ]; then
    printf 'configuration: %s has neither IKCONFIG nor a /boot/config-… file\n' "$empty"
    return
  fi
  printf 'configuration:\n'
  "$LAB_ROOT/boot/config-diff" "$WORK/0/config" "$WORK/1/config" | sed 's/^/  /' || EXPLAIN_DIFFERS=yes
}

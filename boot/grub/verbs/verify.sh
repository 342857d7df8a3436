# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot verify [ID]
#:
#: With ID: its files have their hashes, panthor's vermagic is the kernel's, its srcversion the one recorded at the build, and every
#: module it depends on is there. Without: the panthor that is loaded now is the one that was built for the running kernel.
verb_verify() {
  local id
  parse_options "root quiet" "$@"
  DRY=yes VERIFY_BAD=
  find_system
  have modinfo || refuse no-tool "modinfo (package kmod)"
  if [ "${#REST[@]}" -gt 0 ]; then
    need_candidate "${REST[0]}"
    verify_candidate "${REST[0]}"
  else
    verify_loaded
  fi
  [ -z "$VERIFY_BAD" ] || exit 1
}

# verdict_line WHAT WANTED GOT
verdict_line() {
  if [ "$2" = "$3" ]; then
    printf 'ok    %-22s %s\n' "$1" "$3"
  else
    printf 'WRONG %-22s %s instead of %s\n' "$1" "${3:-nothing}" "${2:-nothing}"
    VERIFY_BAD=yes
  fi
}

verify_candidate() {
  local dir=$BASE/$1 release module name
  check_candidate_files "$1"
  release=$(field release <"$dir/info")
  printf 'ok    %-22s %s\n' files "Image, devicetree, initramfs, modules"
  module=$(module_file "$release" panthor)
  [ -n "$module" ] || refuse modules "$MODULES/$release has no panthor module"
  verdict_line vermagic "$release" "$(module_value "$module" vermagic | cut -d' ' -f1)"
  verdict_line srcversion "$(field panthor_srcversion <"$dir/info")" "$(module_value "$module" srcversion)"
  for name in $(module_closure "$release" panthor | tail -n +2); do
    if [ -n "$(module_file "$release" "$name")" ] || built_in "$release" "$name"; then
      verdict_line "depends" "$name" "$name"
    else
      verdict_line "depends" "$name" ""
    fi
  done
}

verify_loaded() {
  local release info id=
  release=$(cat "$ROOT/proc/sys/kernel/osrelease" 2>/dev/null || uname -r)
  for info in "$BASE"/*/info; do
    [ ! -r "$info" ] || [ "$(field release <"$info")" != "$release" ] || id=$(basename "$(dirname "$info")")
  done
  [ -n "$id" ] || refuse no-candidate "the running kernel $release is none of ours"
  [ -r "$ROOT/sys/module/panthor/srcversion" ] || refuse modules "panthor is not loaded, or has no srcversion"
  printf 'ok    %-22s %s\n' candidate "$id"
  verdict_line "loaded srcversion" "$(field panthor_srcversion <"$BASE/$id/info")" "$(cat "$ROOT/sys/module/panthor/srcversion")"
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot disarm      the next boot is the default again
verb_disarm() {
  parse_options "root dry-run quiet" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "disarm takes no arguments"
  DRY=${OPT[dry-run]:-}
  find_system
  case $(environment_value next_entry) in
    '') say "nothing is armed" ;;
    panthor-lab-*) clear_next ;;
    *) refuse pending "next_entry is \"$(environment_value next_entry)\", which is not ours" ;;
  esac
  [ -n "$DRY" ] || drop "$BASE/state"
}

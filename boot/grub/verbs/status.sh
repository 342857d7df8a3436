# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot status      what is armed, what ran since, how it ended; exit code 1 if it ended badly
verb_status() {
  local found
  parse_options "root dry-run quiet" "$@"
  DRY=${OPT[dry-run]:-}
  [ -z "$DRY" ] && [ -w "${OPT[root]:-}/boot" ] || DRY=yes
  find_system
  STORY_BAD=
  found=$(judge "$GRUB_CFG" mode=default) || exit
  printf 'default: "%s"\n' "$(field title <<<"$found")"
  case $(state_value kind) in
    '') printf 'nothing was armed\n' ;;
    rehearsed) printf 'rehearsal: %s\n' "$(tail -n 1 "$BASE/rehearsals")" ;;
    *) if [ "$(state_value boot_id)" = "$(boot_id)" ]; then tell_pending; elif [ "$(state_value kind)" = rehearse ]; then settle_rehearsal; else tell_candidate; fi ;;
  esac
  [ -z "$STORY_BAD" ] || exit 1
}

# tell_pending: nothing has booted since.
tell_pending() {
  local next wanted
  next=$(environment_value next_entry)
  wanted=panthor-lab-$(state_value entry)
  if [ "$next" = "$wanted" ]; then
    tell GOOD "the next boot is $wanted, once (since $(state_value time))"
  else
    tell BAD "$wanted was being armed at $(state_value time) and that was not completed; the next boot is $([ -z "$next" ] && echo the default || echo "$next")"
  fi
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot arm ID
#:
#: The next boot, and only that one, is the candidate. Checked before: the chain from firmware to GRUB, a rehearsal with this GRUB, the
#: configured default and every file it boots, the candidate's entry, Image, devicetree, initramfs and modules.
#: What nothing can save: a hang between the end of the firmware and the probe of the watchdog. It needs the power switch.
verb_arm() {
  local id why
  parse_options "root dry-run quiet" "$@"
  [ "${#REST[@]}" -eq 1 ] || die "$EX_USAGE" "one candidate (panthor-boot list)"
  DRY=${OPT[dry-run]:-}
  id=${REST[0]}
  find_system
  need_candidate "$id"
  check_one_shot
  check_rehearsal
  check_candidate_files "$id"
  check_entry "$GRUB_CFG" "panthor-lab-$id"
  if [ -z "$DRY" ]; then
    # The fallback must be the default as it is today.
    renew_clone
    check_entry "$GRUB_CFG" "panthor-lab-$id"
    put_state arm "$id"
  fi
  set_next "panthor-lab-$id"
  [ -n "$DRY" ] || say "armed: the next boot is $id, once; then \"$(judge "$GRUB_CFG" mode=default | field title)\" again. A hang before the watchdog's driver needs the power switch."
}

check_rehearsal() {
  local why
  ! rehearsal_failed || refuse environment "the last rehearsal left next_entry in place: GRUB cannot write $GRUB_ENV, and the candidate would boot for ever"
  rehearsed && return
  why=$(unwritable_block)
  [ -z "$why" ] || refuse environment "GRUB cannot be expected to clear next_entry in $GRUB_ENV: $why. A rehearsal that succeeds would prove otherwise"
  refuse not-rehearsed "run panthor-boot rehearse and reboot first: it shows, without risk, that this GRUB clears next_entry"
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot rehearse
#:
#: Makes the next boot a clone of the default entry, once. After that reboot "panthor-boot status" tells whether GRUB itself read and
#: cleared next_entry; arm wants one success per installation of GRUB. Linux can write an environment block that GRUB cannot (btrfs,
#: LVM, RAID): a candidate would then boot again and again. The clone is harmless: it is the default kernel.
verb_rehearse() {
  local why
  parse_options "root dry-run quiet" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "rehearse takes no arguments"
  DRY=${OPT[dry-run]:-}
  find_system
  check_one_shot
  why=$(unwritable_block)
  [ -z "$why" ] || warn "note: GRUB probably cannot write $GRUB_ENV: $why. The rehearsal will show it, and boots the default in any case"
  if [ -n "$DRY" ]; then
    would "add the entry $CLONE, a clone of \"$(judge "$GRUB_CFG" mode=default | field title)\""
  else
    renew_clone
    check_entry "$GRUB_CFG" "$CLONE"
    put_state rehearse default
  fi
  set_next "$CLONE"
  [ -n "$DRY" ] || say "the next boot rehearses; reboot, then panthor-boot status"
}

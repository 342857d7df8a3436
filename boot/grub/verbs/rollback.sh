# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: panthor-boot rollback
#:
#: Takes all of panthor-lab out of GRUB's configuration: nothing is armed, the generator in /etc/grub.d and the verdict service are gone, grub.cfg is generated
#: without it (the default must stay; if the distribution's tool fails, the copy from before the first installation comes back).
#: The candidates' files stay; remove takes them away.
verb_rollback() {
  parse_options "root dry-run quiet" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "rollback takes no arguments"
  DRY=${OPT[dry-run]:-}
  find_system
  clear_next
  would "remove $ROOT$GENERATOR and generate grub.cfg without it" && return
  drop_service
  drop "$ROOT$GENERATOR" "$BASE/default.cfg" "$BASE/state"
  if ! (renew_config); then
    [ -s "$BASE/grub.cfg.before" ] || die 1 "grub.cfg could not be generated and there is no copy from before; the present one still boots the default"
    (prove_default "$GRUB_CFG" "$BASE/grub.cfg.before") || die 1 "neither a new grub.cfg nor the copy in $BASE/grub.cfg.before boots the present default; nothing was changed"
    put "$GRUB_CFG" <"$BASE/grub.cfg.before"
    say "grub.cfg is the copy from before the first installation"
  fi
  drop "$BASE/grub.cfg.before"
  say "GRUB's configuration no longer has anything of panthor-lab; candidates left: $(complete_candidates | paste -sd' ' | grep . || echo none)"
}

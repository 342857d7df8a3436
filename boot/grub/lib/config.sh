# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# grub.cfg: generated aside by the distribution's tool, proved, then renamed in.

readonly GENERATOR=/etc/grub.d/45_panthor-lab

# complete_candidates: the IDs whose installation was completed.
complete_candidates() {
  local conf
  for conf in "$BASE"/*/entry.conf; do
    [ ! -r "$conf" ] || basename "$(dirname "$conf")"
  done
}

# put_generator: the script that adds our entries whenever grub.cfg is generated, by us or by the distribution.
put_generator() {
  cmp -s "$LAB_ROOT/boot/grub/45_panthor-lab" "$ROOT$GENERATOR" && return
  put_program "$LAB_ROOT/boot/grub/45_panthor-lab" "$ROOT$GENERATOR"
}

# prove_default OLD NEW: both resolve the configured default to the same title, id and body.
prove_default() {
  local before after
  before=$(judge "$1" mode=default) || exit
  after=$(judge "$2" mode=default) || exit
  if [ "$(field title <<<"$before")" != "$(field title <<<"$after")" ] || [ "$(field id <<<"$before")" != "$(field id <<<"$after")" ]; then
    refuse default-moved "the default is \"$(field title <<<"$before")\" and would become \"$(field title <<<"$after")\" (GRUB_DEFAULT, or a grub.cfg that was not generated anew after the last change); nothing was changed"
  fi
  judge "$1" mode=body entry=@default >"$WORK/default.before" || exit
  judge "$2" mode=body entry=@default >"$WORK/default.after" || exit
  cmp -s "$WORK/default.before" "$WORK/default.after" ||
    refuse default-moved "the default entry \"$(field title <<<"$before")\" would boot something else: $(diff "$WORK/default.before" "$WORK/default.after" | grep -m1 '^>' | tr -s ' \t' ' ')"
}

# check_entry CONFIG ENTRY-ID: next_entry=ENTRY-ID boots exactly the entry with that id.
check_entry() {
  local found
  found=$(judge "$1" mode=default next_="$2") || exit
  [ "$(field id <<<"$found")" = "$2" ] || refuse entry-missing "${1#"$ROOT"} has no entry $2 (it would boot \"$(field title <<<"$found")\")"
}

# generate_config: grub.cfg as the distribution's tool makes it now, in $WORK/grub.cfg, checked by GRUB's own parser.
generate_config() {
  run_there "$(grub_tool mkconfig)" >"$WORK/grub.cfg" 2>"$WORK/mkconfig.log" </dev/null ||
    refuse generation "$(grub_tool mkconfig) failed: $(tail -n 1 "$WORK/mkconfig.log")"
  [ -s "$WORK/grub.cfg" ] || refuse generation "$(grub_tool mkconfig) wrote nothing"
  script_check <"$WORK/grub.cfg" 2>"$WORK/check.log" || refuse syntax "$(grub_tool script-check): $(head -n 1 "$WORK/check.log")"
}

script_check() { run_there "$(grub_tool script-check)"; }

# renew_config ID…: generates, proves that the default stays and that each ID's entry is there, and puts it in place.
renew_config() {
  local id
  generate_config
  prove_default "$GRUB_CFG" "$WORK/grub.cfg"
  check_next_entry "$WORK/grub.cfg"
  for id in "$@"; do check_entry "$WORK/grub.cfg" "panthor-lab-$id"; done
  if cmp -s "$WORK/grub.cfg" "$GRUB_CFG"; then return; fi
  # The configuration as it was before we first touched it is kept for rollback.
  [ -e "$BASE/grub.cfg.before" ] || put "$BASE/grub.cfg.before" <"$GRUB_CFG"
  put "$GRUB_CFG" <"$WORK/grub.cfg"
  say "grub.cfg is renewed; the default stays \"$(judge "$GRUB_CFG" mode=default | field title)\""
}

# renew_clone: the clone of the default entry, for the rehearsal and as fallback; then grub.cfg with it.
renew_clone() {
  clone_default "$GRUB_CFG" >"$WORK/clone.cfg" || exit
  script_check <"$WORK/clone.cfg" 2>"$WORK/check.log" || refuse syntax "the clone of the default entry: $(head -n 1 "$WORK/check.log")"
  cmp -s "$WORK/clone.cfg" "$BASE/default.cfg" || put "$BASE/default.cfg" <"$WORK/clone.cfg"
  put_generator
  # shellcheck disable=SC2046 # IDs have no blanks
  renew_config default $(complete_candidates)
}

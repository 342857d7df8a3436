# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# GRUB's environment block. The tools rewrite it in place, so they work on a copy that then takes its name in one step.

# environment_value NAME: empty too if the block is damaged (check_next_entry says so).
environment_value() { { run_there "$(grub_tool editenv)" "${GRUB_ENV#"$ROOT"}" list 2>/dev/null || true; } | field "$1"; }

# change_environment TOOL ARGS…: runs grub-TOOL on a copy, for which @env stands for the file and @dir for its boot directory.
change_environment() {
  local tool=$1 copy=$BASE/.environment argument grub
  local -a arguments=()
  shift
  grub=$(basename "$GRUB_DIR")
  drop "$copy"
  mkdir -p "$copy/$grub"
  if [ -e "$GRUB_ENV" ]; then
    cp -- "$GRUB_ENV" "$copy/$grub/grubenv"
  else
    run_there "$(grub_tool editenv)" "${copy#"$ROOT"}/$grub/grubenv" create || refuse write "grub-editenv could not make a block"
  fi
  for argument in "$@"; do
    case $argument in
      @env) argument=${copy#"$ROOT"}/$grub/grubenv ;;
      --boot-directory=@dir) argument=--boot-directory=${copy#"$ROOT"} ;;
    esac
    arguments+=("$argument")
  done
  run_there "$(grub_tool "$tool")" "${arguments[@]}" >"$WORK/environment.log" 2>&1 ||
    refuse write "$(grub_tool "$tool") failed: $(tail -n 1 "$WORK/environment.log")"
  [ "$(stat -c %s "$copy/$grub/grubenv")" -eq 1024 ] || refuse write "$(grub_tool "$tool") left no whole block"
  put "$GRUB_ENV" <"$copy/$grub/grubenv"
  drop "$copy"
}

# set_next ENTRY-ID: the next boot, once.
set_next() {
  would "set next_entry=$1 in $GRUB_ENV with $(grub_tool reboot)" && return
  # What GRUB noted about an earlier candidate is not about this one.
  [ -z "$(environment_value panthor_lab_failed)" ] || change_environment editenv @env unset panthor_lab_failed
  change_environment reboot --boot-directory=@dir "$1"
  [ "$(environment_value next_entry)" = "$1" ] || refuse write "next_entry is not in $GRUB_ENV"
}

# clear_next: takes our own next_entry away; another one is not ours to touch.
clear_next() {
  case $(environment_value next_entry) in panthor-lab-*) ;; *) return 0 ;; esac
  would "take next_entry out of $GRUB_ENV" && return
  change_environment editenv @env unset next_entry
}

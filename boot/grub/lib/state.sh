# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What was armed, and what became of it. The record is written before next_entry, so that status can tell a step that was cut.

# state_value KEY
state_value() { field "$1" 2>/dev/null <"$BASE/state" || true; }

# put_state KIND ENTRY: KIND rehearse or arm.
put_state() {
  printf 'kind=%s\nentry=%s\nboot_id=%s\ntime=%s\nearlier=%s\n' "$1" "$2" "$(boot_id)" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(boots_of "$2")" | put "$BASE/state"
}

# verdict_of ID BOOT: the verdict directory of one boot of a candidate; nothing if it left none.
verdict_of() { [ ! -d "$VERDICTS/$1/$2" ] || printf '%s\n' "$VERDICTS/$1/$2"; }

# boots_of ID: the boots of a candidate that left a verdict directory.
boots_of() { find "$VERDICTS/$1" -mindepth 1 -maxdepth 1 -type d -printf '%f ' 2>/dev/null || true; }

# armed_boot ID: the verdict directory of the boot since it was armed: the one that was not there then (clocks of boards are not trusted).
armed_boot() {
  local boot
  for boot in $(boots_of "$1"); do
    case " $(state_value earlier) " in *" $boot "*) ;; *) printf '%s\n' "$VERDICTS/$1/$boot" && return ;; esac
  done
}

# check_verdict: a running candidate must have recorded its verdict before something else is armed.
check_verdict() {
  local running
  running=$(running_entry)
  case $running in '' | default) return 0 ;; esac
  [ -s "$VERDICTS/$running/$(boot_id)/verdict" ] ||
    refuse no-verdict "candidate $running is running and has no verdict yet (systemctl status panthor-lab-verdict); wait for it, or reboot into the default first"
}

# check_nothing_pending: next_entry must be free, or ours and of another boot.
check_nothing_pending() {
  local next
  next=$(environment_value next_entry)
  [ -z "$next" ] || refuse pending "next_entry is already \"$next\"; take it back with panthor-boot disarm (or reboot)"
}

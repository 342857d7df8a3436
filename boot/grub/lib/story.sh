# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What became of a rehearsal or of an armed candidate, told from what is left: boot_id, the running command line, grubenv, verdicts.

# tell GOOD|BAD TEXT…: one line of the story; a bad one makes status end with 1.
tell() {
  [ "$1" = GOOD ] || STORY_BAD=yes
  shift
  printf '%s\n' "$*"
}

# settle_rehearsal: if a rehearsal has booted since, records what it showed, once. Takes a next_entry that GRUB left in place away.
settle_rehearsal() {
  local next running
  [ "$(state_value kind)" = rehearse ] && [ "$(state_value boot_id)" != "$(boot_id)" ] || return 0
  next=$(environment_value next_entry) running=$(running_entry)
  if [ "$running" = default ] && [ -z "$next" ]; then
    settle passed
    tell GOOD "the rehearsal passed: GRUB booted the clone of the default once and cleared next_entry"
  elif [ "$running" = default ]; then
    settle stuck
    tell BAD "the rehearsal failed: GRUB booted the clone but left next_entry in place; it cannot write $GRUB_ENV (see panthor-boot help arm)"
  elif [ -n "$next" ]; then
    settle ignored
    tell BAD "the rehearsal failed: the machine was rebooted and GRUB did not look at next_entry in $GRUB_ENV (another GRUB, another grub.cfg, or another boot loader was used)"
  else
    tell BAD "the rehearsal cannot be judged: next_entry is gone, but the running kernel is not the clone (rebooted more than once? run rehearse again)"
  fi
}

# settle passed|stuck|ignored
settle() {
  would "record the rehearsal as $1" && return
  record_rehearsal "$1"
  clear_next
  printf 'kind=rehearsed\nentry=default\nboot_id=%s\ntime=%s\n' "$(boot_id)" "$(state_value time)" | put "$BASE/state"
}

# tell_stages DIRECTORY: the stages a boot reached, and its verdict.
tell_stages() {
  local stage
  for stage in "$1"/stages/*; do
    [ ! -r "$stage" ] || printf '  %-18s %s\n' "$(basename "$stage" | sed 's/^[0-9]*-//')" "$(head -n 1 "$stage")"
  done
  [ ! -s "$1/verdict" ] || printf '  %-18s %s\n' verdict "$(head -n 1 "$1/verdict")"
}

# tell_candidate: the story of what was armed.
tell_candidate() {
  local id boot next running failed
  id=$(state_value entry) next=$(environment_value next_entry) running=$(running_entry) failed=$(environment_value panthor_lab_failed)
  if [ "$running" = "$id" ]; then
    boot=$(verdict_of "$id" "$(boot_id)")
    tell GOOD "candidate $id is running; the next boot is $([ -z "$next" ] && echo the default || echo "$next")"
    [ -z "$boot" ] || tell_stages "$boot"
    [ -z "$next" ] || tell BAD "next_entry is still set: GRUB could not clear it. panthor-boot disarm before the next reboot"
    return
  fi
  boot=$(armed_boot "$id")
  if [ -n "$boot" ]; then
    if [ -s "$boot/verdict" ]; then
      case $(head -n 1 "$boot/verdict") in
        pass*) tell GOOD "candidate $id booted and passed ($boot)" ;;
        *) tell BAD "candidate $id booted; its verdict is: $(head -n 1 "$boot/verdict") ($boot)" ;;
      esac
    else
      tell BAD "candidate $id booted and died after stage $(find "$boot/stages" -type f -printf '%f\n' 2>/dev/null | sort | tail -n 1 | sed 's/^[0-9]*-//') ($boot)"
    fi
    tell_stages "$boot"
  elif [ -n "$failed" ]; then
    tell BAD "GRUB could not load the $failed of candidate $id; the default booted"
  elif [ -n "$next" ]; then
    tell BAD "next_entry is still set after a reboot: GRUB did not look at $GRUB_ENV. panthor-boot disarm, then rehearse"
  else
    tell BAD "candidate $id left no trace: it died (panic, hang, power cut) before its root file system was mounted or just behind that. netconsole or a serial console would show where"
  fi
  [ -n "$boot" ] || tell_damage "$id"
  tell_pstore
}

# tell_damage ID: a file that is no longer what was armed may be why it did not come up.
tell_damage() {
  local refusal
  [ ! -r "$BASE/$1/entry.conf" ] || refusal=$( (check_candidate_files "$1") 2>&1) || printf '  %s\n' "${refusal#*): }"
}

# tell_pstore: what the dying kernel may have left, and why it died, where that can be read (systemd-pstore moves it to a directory).
tell_pstore() {
  local file words
  for file in "$ROOT"/sys/fs/pstore/dmesg-* "$ROOT"/var/lib/systemd/pstore/*; do
    [ -e "$file" ] && ! [ "$file" -ot "$BASE/state" ] || continue
    words=$(grep -rhoaEm1 'Kernel panic - .*|Unable to handle kernel .*|Internal error: .*|kernel BUG at .*' "$file" 2>/dev/null | head -n 1) || true
    printf '  pstore has %s%s\n' "$file" "${words:+: $words}"
  done
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# One try: arm, reboot, wait, collect, come back.

# armed COMMAND: a panthor-boot command whose refusal is ours too.
armed() {
  local status=0
  on_board "$PANTHOR_BOOT $1" || status=$?
  [ "$status" -ne 255 ] || die "$EX_LAB" "the connection to $HOST broke; panthor-remote $HOST status tells what is armed"
  [ "$status" -eq 0 ] || exit "$status"
}

try_rehearsal() {
  local before
  need_board
  before=$BOARD_BOOT
  armed rehearse
  reboot_board
  wait_for_boot "$before"
  on_board "$PANTHOR_BOOT status"
}

# story DIRECTORY: what panthor-boot on the board says; kept beside the results.
story() {
  local status=0
  on_board "$PANTHOR_BOOT status" >"$1/status" || status=$?
  cat "$1/status"
  return "$status"
}

# wait_for_verdict ID: on the candidate, until its verdict is there. 0: there; 1: it took too long; 2: the board is on another boot.
wait_for_verdict() {
  local left=$VERDICT_SECONDS boot=$BOARD_BOOT
  while [ "$left" -gt 0 ]; do
    if look; then
      [ "$BOARD_BOOT" = "$boot" ] || return 2
      ! on_board "test -s /var/lib/panthor-lab/verdicts/$1/$boot/verdict" 2>/dev/null || return 0
    fi
    sleep 5
    left=$((left - 5))
  done
  return 1
}

try_candidate() {
  local id=$1 dir=${OPT[collect]:-panthor-lab-$HOST-$1} before default wanted status=0
  need_board
  before=$BOARD_BOOT default=$BOARD_KERNEL
  wanted=$(on_board "sed -n s/^release=//p /boot/panthor-lab/$id/info" 2>/dev/null) || wanted=
  [ -n "$wanted" ] || die "$EX_USAGE" "$HOST has no candidate $id (ssh $HOST $PANTHOR_BOOT list)"
  mkdir -p "$dir"
  [ -n "${OPT[power-cycle]:-}" ] ||
    warn "note: a hang between the firmware's exit and the watchdog's driver needs someone at the power switch; --power-cycle CMD takes its place"
  armed "arm $id"
  reboot_board
  wait_for_boot "$before"
  if [ "$BOARD_KERNEL" != "$wanted" ]; then
    say "that is not $wanted: the candidate did not come up, or died and the board is back"
  else
    say "the candidate runs; waiting for its verdict"
    wait_for_verdict "$id" || status=$?
    collect "$dir" "$id"
    case $status in
      0)
        if [ -n "${OPT[stay]:-}" ] && grep -qx pass "$dir/$id/$BOARD_BOOT/verdict" 2>/dev/null; then
          say "passed; the board stays on it (results in $dir)"
          return 0
        fi
        before=$BOARD_BOOT
        reboot_board
        wait_for_boot "$before"
        ;;
      1)
        warn "no verdict in $VERDICT_SECONDS s; the board's own deadline reboots it"
        wait_for_boot "$BOARD_BOOT"
        ;;
      2) say "the board left the candidate by itself: $BOARD_KERNEL" ;;
    esac
  fi
  [ "$BOARD_KERNEL" != "$wanted" ] || die 1 "the board still boots $wanted: its default was $default. panthor-boot disarm there, at once"
  collect "$dir" "$id"
  status=0
  story "$dir" || status=$?
  say "the board is back on $BOARD_KERNEL; results in $dir"
  [ "$status" -eq 0 ] || exit 1
}

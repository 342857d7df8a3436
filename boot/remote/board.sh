# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The board behind ssh. Connections come and go; what counts is boot_id and the kernel's release.

# on_board COMMAND: runs it there as root; 255 if ssh itself failed.
on_board() {
  ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3 "$HOST" \
    "if [ \$(id -u) -eq 0 ]; then sh -c '$1'; else sudo -n sh -c '$1'; fi" </dev/null
}

# look: BOARD_BOOT and BOARD_KERNEL become what runs there now; fails if it cannot be reached.
look() {
  local seen
  seen=$(on_board 'cat /proc/sys/kernel/random/boot_id; uname -r' 2>/dev/null) || return 1
  BOARD_BOOT=$(sed -n 1p <<<"$seen") BOARD_KERNEL=$(sed -n 2p <<<"$seen")
  [ -n "$BOARD_BOOT" ] && [ -n "$BOARD_KERNEL" ]
}

# need_board: it must answer before anything is done.
need_board() { look || die "$EX_LAB" "$HOST cannot be reached by ssh as root, or with sudo without a password"; }

# reboot_board: detached, so that the connection may die with it. The board's own systemd does it in two seconds.
reboot_board() {
  on_board 'systemd-run --quiet --on-active=2 systemctl reboot || (setsid sh -c "sleep 2; systemctl reboot" >/dev/null 2>&1 &)' ||
    say "the connection broke while asking for the reboot; waiting all the same"
}

# wait_for_boot OLD-BOOT-ID: until another boot answers. Once, if that takes too long, the power is cycled. 124: it did not come back.
wait_for_boot() {
  local left=$BOOT_SECONDS cycled=
  while :; do
    if look && [ "$BOARD_BOOT" != "$1" ]; then
      say "a new boot answers: $BOARD_KERNEL"
      return
    fi
    if [ "$left" -le 0 ]; then
      [ -n "${OPT[power-cycle]:-}" ] && [ -z "$cycled" ] ||
        die "$EX_DEADLINE" "$HOST did not come back in $BOOT_SECONDS s${cycled:+, not even after its power was cycled}; $([ -n "$cycled" ] || echo 'cut its power: the default boots then (--power-cycle CMD does that)')"
      say "not back after $BOOT_SECONDS s: cycling its power"
      sh -c "${OPT[power-cycle]}" || warn "--power-cycle failed"
      cycled=yes left=$BOOT_SECONDS
    fi
    sleep 5
    left=$((left - 5))
  done
}

# collect DIRECTORY ID: the verdict directories of a candidate and what status says.
collect() {
  mkdir -p "$1"
  on_board "cd /var/lib/panthor-lab/verdicts 2>/dev/null && tar -c $2" 2>/dev/null | tar -x -C "$1" 2>/dev/null || warn "no verdict directory could be fetched yet"
}

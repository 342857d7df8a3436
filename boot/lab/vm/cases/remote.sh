# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2034 # read by play_case
#: full: one command from a PC, over a real ssh: arms, reboots, waits, collects the verdict, brings the board back
play() {
  local status=0
  mkdir "$MACHINE/bin"
  printf '#!/bin/sh\nexec /usr/bin/ssh -F %s/ssh.config "$@"\n' "$MACHINE" >"$MACHINE/bin/ssh"
  chmod +x "$MACHINE/bin/ssh"
  PATH=$MACHINE/bin:$PATH "$LAB_ROOT/boot/panthor-remote" board arm "$VM_ID" --command "$LAB_THERE/boot/panthor-boot" --collect "$MACHINE/collected" --wait "$BOOT_SECONDS" || status=$?
  # The candidate has no GPU here, so its verdict is bad, and that is what is told.
  [ "$status" -eq 1 ] || wrong "exit code $status"
  grep -q '^fail: panthor found no device' "$MACHINE/collected/$VM_ID"/*/verdict || wrong "no verdict was collected"
  [ -s "$(echo "$MACHINE/collected/$VM_ID"/*/dmesg)" ] || wrong "no kernel log was collected"
  machine_wait_boot none 60
  [ "$BOOT_KERNEL" = "$DEFAULT" ] || wrong "the board runs $BOOT_KERNEL"
  good "armed, tried, collected, back, by one command"
}

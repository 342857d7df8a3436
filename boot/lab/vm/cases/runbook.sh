# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2034 # read by play_case
#: full: docs/boot-runbook.md with Debian's package: dpkg, install, rehearse, arm, back, remove, rollback; nothing is left
fresh=yes

on_board() {
  printf '# %s\n' "$1"
  SAID=$(board "cd $LAB_THERE && $1" 2>&1) || wrong "exit code $?: $SAID"
  printf '%s\n' "$SAID"
}

play() {
  local package=panthor-lab-kernel-$VM_ID
  give_candidate
  board 'sha256sum /boot/grub/grub.cfg /boot/vmlinuz-* /boot/initrd.img-*; ls /boot /etc/grub.d' >"$MACHINE/before"
  on_board "dpkg -i /root/$package.deb && boot/panthor-boot install $VM_ID"
  expect_said "installed $VM_ID"
  on_board 'boot/panthor-boot rehearse && systemd-run --quiet --on-active=1 systemctl reboot'
  machine_wait_boot "$BOOT_ID" "$BOOT_SECONDS" || wrong "the rehearsal does not come back"
  on_board 'boot/panthor-boot status'
  expect_said 'the rehearsal passed'
  on_board "boot/panthor-boot arm $VM_ID"
  STATUS=0 && SAID=$(board "dpkg -r $package" 2>&1) || STATUS=$?
  [ "$STATUS" -ne 0 ] && expect_said "$VM_ID is armed"
  reboot_board
  wait_for_default
  panthor_boot status
  expect_said 'candidate vm booted; its verdict is: fail: panthor found no device'
  panthor_boot explain default "$VM_ID"
  expect_said '^panthor and what it depends on'
  on_board "boot/panthor-boot disarm; boot/panthor-boot remove $VM_ID"
  expect_said "remove $package with apt"
  on_board "dpkg -r $package && boot/panthor-boot rollback"
  board 'rm -rf /boot/panthor-lab; sha256sum /boot/grub/grub.cfg /boot/vmlinuz-* /boot/initrd.img-*; ls /boot /etc/grub.d' >"$MACHINE/after"
  cmp "$MACHINE/before" "$MACHINE/after" || wrong "something is left, or missing"
  good "from dpkg -i to rollback, and /boot is what it was"
}

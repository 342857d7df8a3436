# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: /boot on btrfs, where Linux can write grubenv and GRUB cannot: the rehearsal shows it, arm is refused
play() {
  board "$BOOT_ON_BTRFS"
  reboot_board
  machine_wait_boot "$LAST_BOOT" "$BOOT_SECONDS" || wrong "the board does not boot from btrfs"
  panthor_boot arm "$VM_ID"
  expect_refused environment
  expect_said 'its file system is btrfs'
  panthor_boot rehearse
  expect_done
  expect_said 'GRUB probably cannot write'
  reboot_board
  machine_wait_boot "$LAST_BOOT" "$BOOT_SECONDS" || wrong "the rehearsal does not come back"
  [ "$BOOT_KERNEL" = "$DEFAULT" ] || wrong "the rehearsal booted $BOOT_KERNEL"
  panthor_boot status
  expect_said 'GRUB booted the clone but left next_entry in place'
  [ -z "$(armed_entry)" ] || wrong "next_entry is still set"
  panthor_boot arm "$VM_ID"
  expect_refused environment
}
BOOT_ON_BTRFS='set -e
  mkfs.btrfs -q -f /dev/vda3
  mount /dev/vda3 /mnt
  umount /boot/efi
  cp -a /boot/. /mnt/
  umount /mnt
  echo "UUID=$(blkid -s UUID -o value /dev/vda3) /boot btrfs defaults 0 0" >>/etc/fstab
  systemctl daemon-reload
  mount /boot
  mount /boot/efi
  grub-install --target=arm64-efi --efi-directory=/boot/efi --removable --no-nvram
  update-grub'

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: short: an Image, devicetree or initramfs that is missing or truncated is refused at arm (other damage: boot/tests/refusals.sh)
play() {
  local file name how
  while read -r file name; do
    for how in "rm $file" "truncate -s -1 $file"; do
      board "cd /boot/panthor-lab/vm && cp $file /tmp/kept && $how"
      panthor_boot arm vm
      expect_refused "$name"
      [ -z "$(armed_entry)" ] || wrong "refused, yet armed"
      board "cp /tmp/kept /boot/panthor-lab/vm/$file"
    done
  done <<END
Image image
dtbs/qemu-virt.dtb devicetree
initramfs.img initramfs
END
  panthor_boot arm vm
  expect_done
}

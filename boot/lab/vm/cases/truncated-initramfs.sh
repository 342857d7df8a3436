# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: the initramfs is cut after arm: GRUB does not notice, the kernel finds no root file system and panics
story='/boot/panthor-lab/vm/initramfs.img is missing, truncated or changed'
after_reboot() { wait_on_console 'Kernel panic - not syncing'; }
spoil_armed() { board 'truncate -s 100000 /boot/panthor-lab/vm/initramfs.img && sync'; }

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: the default is an entry inside a submenu
story='its verdict is: fail: panthor found no device'
spoil() {
  board 'id=$(grep -o "gnulinux-advanced-[^ '"'"']*" /boot/grub/grub.cfg | head -n 1)
    entry=$(grep -o "gnulinux-[0-9][^ '"'"']*-advanced-[^ '"'"']*" /boot/grub/grub.cfg | head -n 1)
    sed -i "s/^GRUB_DEFAULT=.*/GRUB_DEFAULT=\"$id>$entry\"/" /etc/default/grub && update-grub'
}

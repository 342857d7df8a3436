# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: short: a grub.cfg that does not read next_entry is refused at arm
refused=next-entry-ignored
spoil() { board 'sed -i s/next_entry/other_entry/g /boot/grub/grub.cfg'; }

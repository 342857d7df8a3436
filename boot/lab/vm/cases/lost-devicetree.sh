# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: the devicetree disappears after arm: GRUB notes it and resets the board
story='GRUB could not load the devicetree of candidate vm; the default booted'
loads=0
spoil_armed() { board 'rm /boot/panthor-lab/vm/dtbs/qemu-virt.dtb && sync'; }

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: the Image is cut after arm: GRUB loads it, the firmware does not start it, and GRUB resets the board
story='GRUB could not load the image of candidate vm; the default booted'
loads=0
spoil_armed() { board 'truncate -s 1000000 /boot/panthor-lab/vm/Image && sync'; }

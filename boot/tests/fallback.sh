#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The entries as GRUB itself runs them (grub-emu): a candidate of which one file does not load or start ends in a reset, and
# no kernel is loaded over another.
# grub-emu starts no kernel and has no "devicetree": what loads becomes a word on the screen, our own script stays as it is.
# shellcheck disable=SC2016 # the text is for GRUB
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

fake_program sync 'exit 0'
make_board
echo 'GRUB_TERMINAL=console' >>"$BOARD/etc/default/grub" # a screen of text
update_grub
make_package "$SCRATCH/package" one 7.2.13-lab1
boot install "$SCRATCH/package"
cp "$BOARD/boot/grub/grub.cfg" "$SCRATCH/grub.cfg"

# grub_runs BROKEN NEXT: the words GRUB prints with next_entry=NEXT, when the command BROKEN of the candidate fails. "boot" comes back
# only if it failed.
grub_runs() {
  {
    printf 'function test_linux { echo "LOAD:linux"; %s; }\nfunction test_devicetree { echo "LOAD:devicetree"; %s; }\nfunction test_initrd { echo "LOAD:initrd"; %s; }\nfunction test_boot { echo "LOAD:boot"; %s; }\n' \
      "$([ "$1" = linux ] && echo false || echo true)" "$([ "$1" = devicetree ] && echo false || echo true)" "$([ "$1" = initrd ] && echo false || echo true)" \
      "$([ "$1" = boot ] && echo false || echo exit)"
    sed -e 's,^ *boot$,test_boot,; s,^ *reboot$,echo LOAD:reset; exit,; s,linux /boot/panthor-lab/one/[^;]*;,test_linux;,; s,devicetree /boot/panthor-lab/one/[^;]*;,test_devicetree;,; s,initrd /boot/panthor-lab/one/[^;]*;,test_initrd;,' \
      -e 's,^[ \t]*linux[ \t]*/boot/vmlinuz.* panthor_lab.entry=default.*,echo "LOAD:clone",; s,^[ \t]*linux[ \t]*/boot/vmlinuz.*,echo "LOAD:default",; s,^[ \t]*initrd[ \t]*/boot/initrd.*,exit,' \
      -e 's/^\( *\)set timeout=.*/\1set timeout=0/' "$SCRATCH/grub.cfg"
  } >"$BOARD/boot/grub/grub.cfg"
  there grub-editenv /boot/grub/grubenv create
  [ -z "$2" ] || there grub-editenv /boot/grub/grubenv set next_entry="$2"
  # It waits for a key when nothing was loaded.
  { TERM=dumb timeout 20 chroot "$BOARD" grub-emu -d /boot/grub </dev/null 2>&1 || true; } | tr '\r' '\n' | grep -oE 'LOAD:[a-z]+|the [a-z]+ of candidate one does not load' | paste -sd,
}

expect_equal 'LOAD:default' "$(grub_runs none '')" "nothing armed: the default, and nothing of ours"
expect_equal 'LOAD:clone' "$(grub_runs none panthor-lab-default)" "the rehearsal: the clone"
expect_equal 'LOAD:linux,LOAD:devicetree,LOAD:initrd,LOAD:boot' "$(grub_runs none panthor-lab-one)" "a candidate that loads"
expect_equal 'LOAD:linux,the image of candidate one does not load,LOAD:reset' "$(grub_runs linux panthor-lab-one)" "no Image"
expect_equal 'LOAD:linux,LOAD:devicetree,the devicetree of candidate one does not load,LOAD:reset' "$(grub_runs devicetree panthor-lab-one)" "no devicetree"
expect_equal 'LOAD:linux,LOAD:devicetree,LOAD:initrd,the initramfs of candidate one does not load,LOAD:reset' "$(grub_runs initrd panthor-lab-one)" "no initramfs"
expect_equal 'LOAD:linux,LOAD:devicetree,LOAD:initrd,LOAD:boot,the image of candidate one does not load,LOAD:reset' "$(grub_runs boot panthor-lab-one)" "an Image that does not start"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What status tells of each way a rehearsal or a candidate can end, and that it ends with 1 when that was bad.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

fake_program sync 'exit 0'
make_board
make_package "$SCRATCH/package" one 7.2.13-lab1
boot install "$SCRATCH/package"
DEFAULT_LINE="BOOT_IMAGE=/boot/vmlinuz-$DEFAULT_RELEASE $DEFAULT_ARGUMENTS"

# told CODE PATTERN: status says it, with this exit code.
told() {
  local status=0
  says "$2" boot status
  boot status >/dev/null 2>&1 || status=$?
  expect_equal "$1" "$status" "exit code $1"
}

# Rehearsals. The board is rebooted by hand here: the environment is what GRUB left.
boot rehearse
keep_board
boots_with "$DEFAULT_LINE panthor_lab.entry=default"
says 'the rehearsal failed: GRUB booted the clone but left next_entry' boot status
expect_equal '' "$(there grub-editenv /boot/grub/grubenv list | grep next_entry)" "what GRUB left in place is taken away"
says 'rehearsal: .* stuck' boot status
expect_exit 36 'environment.*left next_entry in place' boot arm one
restore_board
boots_with "$DEFAULT_LINE"
says 'GRUB did not look at next_entry' boot status
expect_exit 37 'not-rehearsed' boot arm one
restore_board
boots_with "$DEFAULT_LINE"
there grub-editenv /boot/grub/grubenv unset next_entry
told 1 'cannot be judged'
restore_board
reboot_board
says 'armed: the next boot is one' boot arm one # arm looks at the rehearsal itself
boot disarm

# Candidates.
boot arm one
keep_board
there grub-editenv /boot/grub/grubenv unset next_entry
told 1 'was being armed at .* not completed; the next boot is the default'
restore_board
told 0 'the next boot is panthor-lab-one, once'
boots_with "$DEFAULT_LINE"
told 1 'next_entry is still set after a reboot'
there grub-editenv /boot/grub/grubenv unset next_entry
told 1 'candidate one left no trace'
! boot status | grep -q 'truncated or changed' || fail "a whole candidate counts as damaged"
cp "$BOARD/boot/panthor-lab/one/initramfs.img" "$SCRATCH/initramfs"
truncate -s -1 "$BOARD/boot/panthor-lab/one/initramfs.img"
told 1 '^  .*/initramfs.img is missing, truncated or changed'
cp "$SCRATCH/initramfs" "$BOARD/boot/panthor-lab/one/initramfs.img"
there grub-editenv /boot/grub/grubenv set panthor_lab_failed=devicetree
told 1 'GRUB could not load the devicetree of candidate one'
says 'armed: ' boot arm one
expect_equal '' "$(there grub-editenv /boot/grub/grubenv list | grep failed)" "the note goes with the next try"
restore_board
boots_with "$DEFAULT_LINE panthor_lab.entry=one"
told 1 'next_entry is still set: GRUB could not clear it'
restore_board
reboot_board
record_verdict one ''
told 0 'candidate one is running; the next boot is the default'
boots_with "$DEFAULT_LINE"
told 1 'candidate one booted and died after stage kernel'
restore_board
reboot_board
rm -r "$BOARD/var/lib/panthor-lab"
record_verdict one 'hung: the ladder did not end in 300 s'
boots_with "$DEFAULT_LINE"
mkdir -p "$BOARD/sys/fs/pstore"
touch "$BOARD/sys/fs/pstore/dmesg-ramoops-0"
told 1 'its verdict is: hung: the ladder did not end'
says '^  kernel  ' boot status
says 'pstore has .*dmesg-ramoops-0$' boot status
mkdir -p "$BOARD/var/lib/systemd/pstore/179609"
printf '<6>[    1.1] Run /init\n<0>[    1.2] Kernel panic - not syncing: no init\n<4>[    1.3] CPU: 0\n' >"$BOARD/var/lib/systemd/pstore/179609/dmesg.txt"
says 'pstore has .*/179609: Kernel panic - not syncing: no init$' boot status
# An earlier boot's verdict is not this one's.
boot arm one
reboot_board
boots_with "$DEFAULT_LINE"
told 1 'candidate one left no trace'

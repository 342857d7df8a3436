#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# /boot on FAT, as Arch has it when the EFI system partition is mounted there: no modes, no links. Made up with a shim, so that no FAT
# driver is needed.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

fake_program sync 'exit 0'
gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o "$SCRATCH/fat.so" "$LAB_ROOT/boot/tests/support/fat.c" -ldl
make_board
make_package "$SCRATCH/package" one 7.2.13-lab1
chmod 600 "$SCRATCH/package/boot/panthor-lab/one/config"
tar -czf "$SCRATCH/one.tar.gz" -C "$SCRATCH/package" boot usr

# fat_boot ARGS…: panthor-boot with such a /boot. Tools inside the chroot do not see the shim: it is not there.
fat_boot() { FAT_BOOT=$BOARD/boot LD_PRELOAD=$SCRATCH/fat.so boot "$@"; }

touch "$BOARD/boot/probe"
! FAT_BOOT=$BOARD/boot LD_PRELOAD=$SCRATCH/fat.so chmod 600 "$BOARD/boot/probe" 2>/dev/null || fail "the shim does not refuse"
fat_boot install "$SCRATCH/one.tar.gz"
fat_boot rehearse
reboot_board
fat_boot arm one
reboot_board
expect_equal panthor-lab-one "$BOOTED" "the candidate boots"
reboot_board
fat_boot remove one
[ ! -e "$BOARD/boot/panthor-lab/one" ] || fail "it is left"
fat_boot rollback

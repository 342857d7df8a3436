#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The users' board: a default given by its title, one devicetree for all entries, a menu that takes every kernel it finds in /boot.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"
# shellcheck source=boot/tests/support/bredos.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/bredos.bash"

fake_program sync 'exit 0'
make_bredos board
make_package "$SCRATCH/package" one 7.2.13-lab1
tar -czf "$SCRATCH/one.tar.gz" -C "$SCRATCH/package" boot usr
default_body=$(resolve mode=body)
expect_equal "BredOS Linux ($DEFAULT_RELEASE)" "$(resolve mode=default | sed -n 's/^title=//p')" "the default is found by its title"
says 'extlinux.conf is not what boots this system' boot install "$SCRATCH/one.tar.gz" --add-arguments 'console=ttyS2,1500000'
resolve mode=files entry=panthor-lab-one >"$SCRATCH/files"
! grep -qE 'ttyFIQ0|splash|pcie_aspm' "$SCRATCH/files" || fail "vendor arguments were copied"
grep -q $'\trw\t.*console=ttyS2,1500000$' "$SCRATCH/files" || fail "arguments: $(cat "$SCRATCH/files")"
expect_equal 'devicetree	/boot/panthor-lab/one/dtbs/rk3588-rock-5-itx.dtb' "$(grep -m1 ^devicetree "$SCRATCH/files")" "not the global devicetree"
expect_equal "$default_body" "$(resolve mode=body)" "the default stays"

# The distribution's own upgrade: a newer kernel comes first, our entries stay, the default stays.
sleep 1
add_bredos_kernel 7.9.0-1
update_grub
expect_equal gnulinux-7.9.0-1 "$(resolve mode=list | sed -n '1s/^0\tmenuentry\t\([^\t]*\).*/\1/p')" "the newest kernel comes first"
expect_equal "$default_body" "$(resolve mode=body)" "the default stays through an upgrade"
! resolve mode=list | grep -q 'BredOS Linux (.*panthor-lab' || fail "the distribution took our kernel for its own"
expect_equal 1 "$(resolve mode=list | grep -c panthor-lab-one)" "our entry stays, once"

boot rehearse
reboot_board
says 'the rehearsal passed' boot status
boot arm one
reboot_board
expect_equal panthor-lab-one "$BOOTED" "the candidate boots"
grep -q 'panthor_lab.entry=one' "$BOARD/proc/cmdline" || fail "cmdline"

# A default that no longer matches falls back to the first entry in GRUB: seen, not passed over.
reboot_board
rm "$BOARD/boot/vmlinuz-$DEFAULT_RELEASE"
update_grub
expect_equal no "$(resolve mode=default | sed -n 's/^matched=//p')" "GRUB would take the first entry"
says 'refused .default-broken.*matches no entry' boot arm one

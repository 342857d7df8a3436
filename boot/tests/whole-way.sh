#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Debian, the ordinary way: install, rehearse, arm, candidate, back; with the distribution's own tools.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

make_board
make_package "$SCRATCH/package" one 7.2.13-lab1
default_id=$(resolve mode=default | sed -n 's/^id=//p')
default_body=$(resolve mode=body)
boot install "$SCRATCH/package"
expect_equal "$default_id" "$(resolve mode=default | sed -n 's/^id=//p')" "the default stays"
expect_equal "$default_body" "$(resolve mode=body)" "and so does its body"
[ ! -e "$BOARD/boot/panthor-lab/.incoming" ] || fail "something is left over"
resolve mode=files entry=panthor-lab-one >"$SCRATCH/files"
expect_equal 'linux	/boot/panthor-lab/one/Image	root=UUID=11111111-2222-3333-4444-555555555555	ro	panic=10	oops=panic	systemd.watchdog_sec=40	modprobe.blacklist=panthor	panthor_lab.entry=one' \
  "$(grep -m1 ^linux "$SCRATCH/files")" "root arguments are copied, \"quiet\" is not"
expect_equal 'devicetree	/boot/panthor-lab/one/dtbs/rk3588-rock-5-itx.dtb' "$(grep -m1 ^devicetree "$SCRATCH/files")" "its own devicetree"
says $'\tpanthor-lab-one\tpanthor-lab one \\(Linux 7.2.13-lab1\\)\tunrestricted$' resolve mode=list
says '^one  *7.2.13-lab1  *hang .*rk3588-rock-5-itx.dtb  *installed$' boot list

for unit in panthor-lab-verdict panthor-lab-deadline; do
  [ -e "$BOARD/etc/systemd/system/local-fs.target.wants/$unit.service" ] || fail "$unit.service is not enabled"
done
[ -x "$BOARD/usr/lib/panthor-lab/verdict" ] || fail "no verdict program"

expect_exit 37 'not-rehearsed.*run panthor-boot rehearse' boot arm one
boot rehearse
says 'the next boot is panthor-lab-default, once' boot status
reboot_board
expect_equal panthor-lab-default "$BOOTED" "the clone boots"
grep -q "vmlinuz-$DEFAULT_RELEASE panthor_lab.entry=default root=UUID=" "$BOARD/proc/cmdline" || fail "the clone is not the default kernel: $(cat "$BOARD/proc/cmdline")"
says 'the rehearsal passed' boot status
says 'rehearsal: .* passed' boot status

boot arm one
says 'armed$' boot list
expect_exit 45 'pending.*panthor-lab-one' boot arm one
expect_exit 46 'in-use.*armed' boot remove one
boot disarm
expect_equal '' "$(there grub-editenv /boot/grub/grubenv list | grep next_entry)" "disarmed"
says 'nothing was armed' boot status
boot arm one
reboot_board
expect_equal panthor-lab-one "$BOOTED" "the candidate boots"
expect_exit 47 'no-verdict.*one is running' boot arm one
expect_exit 46 'in-use.*running' boot remove one
says 'candidate one is running; the next boot is the default' boot status
record_verdict one pass
says 'armed: the next boot is one' boot arm one
reboot_board
record_verdict one pass
reboot_board
expect_equal "$default_id" "$BOOTED" "then the default again"
says 'candidate one booted and passed' boot status

boot verify one
mkdir -p "$BOARD/sys/module/panthor"
echo 7.2.13-lab1 >"$BOARD/proc/sys/kernel/osrelease"
echo 0123456789ABCDEF01234567 >"$BOARD/sys/module/panthor/srcversion"
says '^ok .*loaded srcversion' boot verify
echo FFFF >"$BOARD/sys/module/panthor/srcversion"
expect_equal 1 "$(status=0; boot verify >/dev/null || status=$?; echo $status)" "another panthor is told"

boot disarm
boot remove one
[ ! -e "$BOARD/boot/panthor-lab/one" ] && [ ! -e "$BOARD/usr/lib/modules/7.2.13-lab1" ] || fail "something of it is left"
expect_exit 4 'no entry panthor-lab-one' resolve mode=body entry=panthor-lab-one
boot rollback
! find "$BOARD/etc/systemd" "$BOARD/usr/lib" -name '*panthor-lab*' | grep . || fail "something of the verdict service is left"
[ ! -e "$BOARD/etc/grub.d/45_panthor-lab" ] || fail "the generator is left"
! grep -q panthor-lab "$BOARD/boot/grub/grub.cfg" || fail "grub.cfg still speaks of panthor-lab"
expect_equal "$default_body" "$(resolve mode=body)" "the default is what it was"

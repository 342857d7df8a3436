#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# explain compares two boot entries without booting them; an Image's own configuration is read out of it.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

fake_program sync 'exit 0'
make_board
make_package "$SCRATCH/one" one 7.2.13-lab1
make_package "$SCRATCH/two" two 7.2.13-lab2
make_module "$SCRATCH/two/usr/lib/modules/7.2.13-lab2/kernel/drivers/gpu/drm/panthor/panthor.ko" 7.2.13-lab2 FFFF000000000000FFFF0000 gpu-sched
make_dtb "$SCRATCH/two/boot/panthor-lab/two/dtbs/rk3588-rock-5-itx.dtb" '"radxa,rock-5-itx", "rockchip,rk3588"; model = "changed"'
printf 'CONFIG_DRM_PANTHOR=m\nCONFIG_BLK_DEV_NVME=y\n' >"$SCRATCH/two/boot/panthor-lab/two/config"
sums "$SCRATCH/two" two 7.2.13-lab2
boot install "$SCRATCH/one"
boot install "$SCRATCH/two" --add-arguments 'drm.debug=0x2'
status=0
boot explain one two >"$SCRATCH/explain" || status=$?
cat "$SCRATCH/explain"
expect_equal 1 "$status" "they differ"
for line in '^  \+ drm.debug=0x2$' '^  - panthor_lab.entry=one$' '^  \+ .*model = "changed"' '^  - panthor +0123456789ABCDEF01234567$' '^  \+ panthor +FFFF' 'BLK_DEV_NVME +m +-> y +the root disk'; do
  grep -qE -- "$line" "$SCRATCH/explain" || fail "no line '$line'"
done
grep -q '^initramfs: the same$' "$SCRATCH/explain" || fail "the same files under another release are the same"
! grep -q gpu-sched "$SCRATCH/explain" || fail "gpu-sched is the same in both"
boot explain one one >"$SCRATCH/explain" || fail "an entry equals itself: $(cat "$SCRATCH/explain")"
says '^  - quiet$' boot explain default one
says '^  - the one of the firmware$' boot explain default one
says 'initrd.img.* cannot be listed' boot explain default one

# IKCONFIG inside an Image, packed or not.
{ printf 'Linux version 9.9.9-test (x)\nMZ'; head -c 5000 /dev/zero; printf 'IKCFG_ST'; printf 'CONFIG_DRM_PANTHOR=y\nCONFIG_HZ=300\n' | gzip -n; printf 'IKCFG_ED'; head -c 500 /dev/urandom; } >"$BOARD/boot/vmlinuz-$DEFAULT_RELEASE"
rm "$BOARD/boot/config-$DEFAULT_RELEASE"
says 'DRM_PANTHOR +y +-> m' boot explain default one
gzip -c "$BOARD/boot/vmlinuz-$DEFAULT_RELEASE" >"$SCRATCH/packed" && cp "$SCRATCH/packed" "$BOARD/boot/vmlinuz-$DEFAULT_RELEASE"
says 'HZ +300 +-> n' boot explain default one

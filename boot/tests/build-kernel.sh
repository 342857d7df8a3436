#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# build-kernel without compiling: wrong usage, the configuration's name and check, what goes into the packages and where they install,
# the manifest, the devicetree check on the real devicetrees of a kernel tree.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

[ -n "${KERNEL_TREE:-}" ] || { echo "needs a kernel tree (./lab test --only boot)" && exit 77; }
BUILD_KERNEL=$LAB_ROOT/boot/build-kernel
expect_exit 2 'takes no option --frob' "$BUILD_KERNEL" --frob
expect_exit 2 'no arguments but options' "$BUILD_KERNEL" v7.2
expect_exit 2 '--config nonsense: neither' "$BUILD_KERNEL" --source "$KERNEL_TREE" --config nonsense
expect_exit 2 'no such file' "$BUILD_KERNEL" --source "$KERNEL_TREE" --from-config "$SCRATCH/nowhere"
echo text >"$SCRATCH/text.dtb"
expect_exit 2 'no devicetree blob' "$BUILD_KERNEL" --source "$KERNEL_TREE" --dtb "$SCRATCH/text.dtb"
expect_exit 2 '--id a/b: letters' "$BUILD_KERNEL" --source "$KERNEL_TREE" --id a/b
expect_exit 2 'too long' "$BUILD_KERNEL" --source "$KERNEL_TREE" --id "$(printf 'x%.0s' {1..64})"
expect_exit 2 'no series nonsense' "$BUILD_KERNEL" --source "$KERNEL_TREE" --series nonsense
expect_exit 17 'no such directory' "$BUILD_KERNEL" --source "$SCRATCH/nowhere"

# The configuration alone; a fragment that takes something away fails it by name.
"$BUILD_KERNEL" --source "$KERNEL_TREE" --config plain --id only-config --no-build --quiet
config=$(ls "$PANTHOR_LAB_CACHE"/boards/build-*/.config)
grep -qx 'CONFIG_LOCALVERSION="-only-config"' "$config" || fail "the release does not end in the ID"
printf '# CONFIG_WATCHDOG is not set\n' >"$SCRATCH/spoil.config"
expect_exit 15 'CONFIG_DW_WATCHDOG=y was lost' "$BUILD_KERNEL" --source "$KERNEL_TREE" --config "plain,$SCRATCH/spoil.config" --id spoilt --no-build --quiet
expect_exit 15 'lacks required symbols' "$BUILD_KERNEL" --source "$KERNEL_TREE" --config "plain,$SCRATCH/spoil.config" --id spoilt --no-build --quiet
gzip -c "$config" >"$SCRATCH/config.gz"
"$BUILD_KERNEL" --source "$KERNEL_TREE" --config plain --from-config "$SCRATCH/config.gz" --id from-config --no-build --quiet

# Packages of a made-up build, with the real devicetree of a board.
load_library
for library in "$LAB_ROOT"/boot/build/*.sh; do . "$library"; done
real_dtb() {
  (cd "$KERNEL_TREE" && gcc -E -nostdinc -undef -D__DTS__ -x assembler-with-cpp -I scripts/dtc/include-prefixes "arch/arm64/boot/dts/rockchip/$1.dts" | dtc -q -I dts -O dtb -o "$2/$1.dtb" -)
}

# made_up_build DIRECTORY: a stage as stage_package leaves it, and the variables that describe it.
made_up_build() {
  BUILD=$1/build STAGE=$1/build/stage OUT=$1/out ID=v7.2-hang-rk3588 RELEASE=7.2.13-v7.2-hang-rk3588
  SRC_BASE=v7.2 SRC_VERSION=7.2.13 SRC_FROM='linux-source-7.2 7.2.13-1, sha256 1234' SRC_PANTHOR=$1/panthor.manifest SERIES_KEY=stock CROSS='' BASE_CONFIG=defconfig FRAGMENT_NAMES=rk3588
  FRAGMENTS=("$LAB_ROOT/configs/rk3588.config")
  mkdir -p "$OUT" "$BUILD"
  make_package "$STAGE" "$ID" "$RELEASE"
  rm "$STAGE/boot/panthor-lab/$ID"/{SHA256SUMS,modules.sha256,dtbs.list,info} "$STAGE/boot/panthor-lab/$ID"/dtbs/*
  for board in rk3588-rock-5-itx rk3588-coolpi-cm5-genbook; do real_dtb "$board" "$STAGE/boot/panthor-lab/$ID/dtbs"; done
  echo "manifest" >"$SRC_PANTHOR"
  echo "CONFIG_X=y" >"$BUILD/base.config"
  echo "elf" >"$BUILD/vmlinux" && echo "map" >"$BUILD/System.map" && cp "$BUILD/base.config" "$BUILD/.config"
  finish_package "$STAGE" "$ID" "$RELEASE"
  check_devicetrees "$STAGE/boot/panthor-lab/$ID" 2>"$1/devicetrees"
  write_manifest
  make_archives
}

made_up_build "$SCRATCH/first"
grep -q '2 devicetrees have what panthor needs' "$SCRATCH/first/devicetrees" || fail "devicetrees: $(cat "$SCRATCH/first/devicetrees")"
expect_equal 'rk3588-coolpi-cm5-genbook.dtb coolpi,pi-cm5-genbook coolpi,pi-cm5 rockchip,rk3588|rk3588-rock-5-itx.dtb radxa,rock-5-itx rockchip,rk3588' \
  "$(paste -sd'|' "$STAGE/boot/panthor-lab/$ID/dtbs.list")" "the boards are told by their devicetrees"
for archive in "$OUT/$ID.tar.zst" "$OUT/panthor-lab-kernel-v7.2-hang-rk3588.deb"; do
  case $archive in *.deb) dpkg-deb --fsys-tarfile "$archive" | tar -t ;; *) tar -tf "$archive" ;; esac | sed 's,^\./,,' >"$SCRATCH/list"
  grep -q "^boot/panthor-lab/$ID/Image$" "$SCRATCH/list" || fail "$archive has no Image"
  ! grep -vE "^(\./)?$|^boot/(panthor-lab/(v7.2-hang-rk3588/.*)?)?$|^usr/(lib/(modules/(7.2.13-v7.2-hang-rk3588/.*)?)?)?$" "$SCRATCH/list" || fail "$archive installs elsewhere"
  ! grep -E '^boot/(vmlinuz|Image|kernel-|initrd|initramfs|dtbs)|pkgbase' "$SCRATCH/list" || fail "$archive has what distributions look for"
done
for line in $'^source\tv7.2\tlinux-source-7.2 7.2.13-1' $'^panthor\t[0-9a-f]{64}' $'^base-config\t[0-9a-f]{64}\tdefconfig$' $'^fragment\t[0-9a-f]{64}\trk3588.config$' $'^tool\t.*gcc' $'^tool\t.*ld' \
  $'^result\t[0-9a-f]{64}\tboot/panthor-lab/v7.2-hang-rk3588/Image$' $'^result\t[0-9a-f]{64}\tusr/lib/modules/.*/panthor.ko$' $'^result\t.*rk3588-rock-5-itx.dtb$'; do
  grep -qE -- "$line" "$OUT/$ID.manifest" || fail "the manifest has no '$line'"
done

# The same again, elsewhere, later, by someone who is careful with permissions: the same packages. What differs is named.
sleep 1
first=$OUT
umask 077
made_up_build "$SCRATCH/second/elsewhere"
umask 022
compare_builds "$first" "$OUT" >"$SCRATCH/compared" || fail "the packages differ: $(cat "$SCRATCH/compared")"
grep -q '^the same in both builds: [1-9][0-9]* files in 3 packages$' "$SCRATCH/compared" || fail "said: $(cat "$SCRATCH/compared")"
cp -r "$OUT" "$SCRATCH/third"
sed -i '/panthor.ko/s/\t[0-9a-f]\{8\}/\tdeadbeef/' "$SCRATCH/third/$ID.manifest"
rm "$SCRATCH/third/$ID.tar.zst"
! compare_builds "$first" "$SCRATCH/third" >"$SCRATCH/compared" || fail "different builds count as the same"
for line in "^DIFFERENT $ID.tar.zst$" "^DIFFERENT $ID.manifest$" '^DIFFERENT   result.*panthor.ko$'; do grep -q "$line" "$SCRATCH/compared" || fail "not told: $line"; done
expect_equal 2 "$(grep -c '^DIFFERENT [^ ]' "$SCRATCH/compared")" "what differs"

# A board whose gpu node lacks something is told, by name.
printf '/dts-v1/;\n/ { compatible = "made-up"; #address-cells = <1>; #size-cells = <1>; gpu@fb000000 { compatible = "rockchip,rk3588-mali", "arm,mali-valhall-csf"; reg = <0xfb000000 0x200000>; interrupts = <1 2 3>; interrupt-names = "gpu", "job", "mmu"; status = "disabled"; }; };\n' |
  dtc -q -I dts -O dtb -o "$SCRATCH/bad.dtb" -
! check_devicetree "$SCRATCH/bad.dtb" >"$SCRATCH/bad" || fail "a bad devicetree passes"
for line in '^status is "disabled"' '^interrupt-names is "gpu job mmu", not "job mmu gpu"' '^clocks is missing' '^operating-points-v2 is missing' '^power-domains is missing' '^mali-supply is missing'; do
  grep -qE "$line" "$SCRATCH/bad" || fail "not told: $line"
done

# Both packages can be installed: the tarball by panthor-boot, the .deb by what it puts in place.
fake_program sync 'exit 0'
make_board
boot install "$OUT/$ID.tar.zst"
boot verify "$ID"
boot remove "$ID"
dpkg-deb -x "$OUT/panthor-lab-kernel-v7.2-hang-rk3588.deb" "$BOARD"
boot install "$ID"
says "^$ID .*installed$" boot list
resolve mode=body entry="panthor-lab-$ID" | grep -q "linux /boot/panthor-lab/$ID/Image" || fail "no entry for what the .deb brought"

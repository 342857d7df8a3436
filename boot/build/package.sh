# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The build and what comes out of it: boot/panthor-lab/ID and usr/lib/modules/RELEASE, nothing anywhere else.

# board_dtbs: the devicetrees of RK3588 boards, as kbuild targets. The others of arm64 are of no use here.
board_dtbs() { (cd "$SRC_TREE/arch/arm64/boot/dts" && ls rockchip/rk3588*.dts | sed 's/\.dts$/.dtb/'); }

# compile_board_kernel: Image, modules, devicetrees.
compile_board_kernel() {
  local -a dtbs
  mapfile -t dtbs < <(board_dtbs)
  need_space "$LAB_CACHE" 6000 "a kernel build with debug information"
  step "building Linux $SRC_VERSION ($ID)" "$BUILD/build.log" arm64_make "$SRC_TREE" "$BUILD" Image modules "${dtbs[@]}" ||
    die "$EX_BUILD" "Linux $SRC_VERSION failed to build ($BUILD/build.log)"
}

# stage_package: the two trees of the package in $STAGE.
stage_package() {
  RELEASE=$(cat "$BUILD/include/config/kernel.release")
  STAGE=$BUILD/stage
  rm -rf "$STAGE"
  mkdir -p "$STAGE/boot/panthor-lab/$ID/dtbs" "$STAGE/usr/lib/modules"
  step "installing the modules of $RELEASE" "$BUILD/modules.log" \
    arm64_make "$SRC_TREE" "$BUILD" modules_install INSTALL_MOD_PATH="$STAGE/usr" INSTALL_MOD_STRIP=1 DEPMOD=true ||
    die "$EX_BUILD" "the modules could not be installed ($BUILD/modules.log)"
  rm -f "$STAGE/usr/lib/modules/$RELEASE"/{build,source}
  cp "$BUILD/arch/arm64/boot/Image" "$STAGE/boot/panthor-lab/$ID/Image"
  cp "$BUILD/.config" "$STAGE/boot/panthor-lab/$ID/config"
  cp "$BUILD"/arch/arm64/boot/dts/rockchip/rk3588*.dtb ${OPT[dtb]:+"${OPT[dtb]}"} "$STAGE/boot/panthor-lab/$ID/dtbs/"
  finish_package "$STAGE" "$ID" "$RELEASE"
}

# finish_package STAGE ID RELEASE: what is derived from the files: the boards of the devicetrees, hashes, info.
finish_package() {
  local dir=$1/boot/panthor-lab/$2 modules=$1/usr/lib/modules/$3 dtb module
  for dtb in "$dir"/dtbs/*.dtb; do
    printf '%s %s\n' "$(basename "$dtb")" "$(fdtget "$dtb" / compatible)"
  done >"$dir/dtbs.list"
  module=$(find "$modules" -name 'panthor.ko*' | head -n 1)
  [ -n "$module" ] || die "$EX_BUILD" "the build has no panthor module"
  printf 'id=%s\nrelease=%s\nbase=%s\nversion=%s\nfrom=%s\nseries=%s\nconfig=%s\npanthor_srcversion=%s\n' "$2" "$3" "$SRC_BASE" "$SRC_VERSION" \
    "$SRC_FROM" "${OPT[series]:-stock}" "$FRAGMENT_NAMES" "$(modinfo -F srcversion "$module")" >"$dir/info"
  (cd "$modules" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum) >"$dir/modules.sha256"
  (cd "$dir" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum) >"$dir/SHA256SUMS.partial"
  mv "$dir/SHA256SUMS.partial" "$dir/SHA256SUMS"
}

# write_manifest: every input with its hash, the toolchain, every result with its hash.
write_manifest() {
  local file
  {
    printf '# %s: Linux %s. The same inputs and toolchain give the same results.\n' "$ID" "$RELEASE"
    printf 'source\t%s\t%s\n' "$SRC_BASE" "$SRC_FROM"
    printf 'panthor\t%s\tof the pristine source\n' "$(sha256sum <"$SRC_PANTHOR" | cut -d' ' -f1)"
    printf 'base-config\t%s\t%s\n' "$(file_sha256 "$BUILD/base.config")" "$(basename "$BASE_CONFIG")"
    for file in "${FRAGMENTS[@]}"; do printf 'fragment\t%s\t%s\n' "$(file_sha256 "$file")" "$(basename "$file")"; done
    [ -z "${OPT[dtb]:-}" ] || printf 'devicetree\t%s\t%s\n' "$(file_sha256 "${OPT[dtb]}")" "$(basename "${OPT[dtb]}")"
    if [ "$SERIES_KEY" != stock ]; then
      # shellcheck disable=SC2046 # names without blanks
      series_patches "$SRC_BASE" $(tr ',' ' ' <<<"${OPT[series]}") | while read -r file; do
        printf 'patch\t%s\t%s\n' "$(file_sha256 "$LAB_ROOT/kernel-patches/$SRC_BASE/$file")" "$file"
      done
    fi
    for file in gcc ld; do printf 'tool\t%s\n' "$("$CROSS$file" --version | head -n 1)"; done
    printf 'config\t%s\n' "$(file_sha256 "$STAGE/boot/panthor-lab/$ID/config")"
    (cd "$STAGE" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum) | sed 's/^\([^ ]*\)  /result\t\1\t/'
  } >"$OUT/$ID.manifest.partial"
  mv -f "$OUT/$ID.manifest.partial" "$OUT/$ID.manifest"
}

# What of the build's surroundings must not end up in a package: its time and its umask.
readonly PACKAGE_TIME='2026-01-01 00:00:00 UTC' PACKAGE_MODES=u+rwX,go+rX,go-w

# pack DIRECTORY FILE NAME…: a tarball that is the same for the same files.
pack() {
  local dir=$1 file=$2
  shift 2
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="$PACKAGE_TIME" --mode="$PACKAGE_MODES" -C "$dir" -c "$@" | zstd -q -T0 -10 -f -o "$file.partial"
  mv -f "$file.partial" "$file"
}

# make_archives: the tarball, the .deb, the debug information.
make_archives() {
  pack "$STAGE" "$OUT/$ID.tar.zst" boot usr
  make_deb
  [ ! -e "$BUILD/vmlinux" ] || pack "$BUILD" "$OUT/$ID-debug.tar.zst" vmlinux System.map .config
}

# make_deb: the same two trees. Its scripts only keep panthor-boot's own additions from being left behind, and refuse to pull the
# running or the armed kernel from under the board; no distribution hook for kernels is called.
make_deb() {
  local root=$BUILD/deb name
  name=panthor-lab-kernel-$(tr 'A-Z_+' 'a-z--' <<<"$ID")
  rm -rf "$root"
  mkdir -p "$root/DEBIAN"
  cp -al "$STAGE/boot" "$STAGE/usr" "$root/"
  cat >"$root/DEBIAN/control" <<END
Package: $name
Version: $SRC_VERSION-1
Architecture: arm64
Maintainer: panthor-lab developers <noreply@panthor-lab.invalid>
Section: kernel
Priority: optional
Installed-Size: $(du -sk "$STAGE" | cut -f1)
Description: Linux $RELEASE, a candidate of panthor-lab
 Lies in /boot/panthor-lab/$ID; "panthor-boot install $ID" gives it an
 entry in the boot menu that can be tried once. The default is not touched.
END
  cat >"$root/DEBIAN/prerm" <<END
#!/bin/sh
set -e
if grep -q 'panthor_lab\\.entry=$ID\\( \\|\$\\)' /proc/cmdline; then
  echo "$ID is running: reboot into the default first" >&2
  exit 1
fi
for env in /boot/grub/grubenv /boot/grub2/grubenv; do
  if grep -qx 'next_entry=panthor-lab-$ID' "\$env" 2>/dev/null; then
    echo "$ID is armed: panthor-boot disarm first" >&2
    exit 1
  fi
done
# Without entry.conf the next generated grub.cfg no longer has the entry; until then GRUB boots the default instead.
rm -f /boot/panthor-lab/$ID/entry.conf /boot/panthor-lab/$ID/local.sha256 /boot/panthor-lab/$ID/initramfs.img
END
  chmod 755 "$root/DEBIAN/prerm"
  chmod -R "$PACKAGE_MODES" "$root"
  find "$root" -exec touch -h -d "$PACKAGE_TIME" {} +
  SOURCE_DATE_EPOCH=$(date -d "$PACKAGE_TIME" +%s) dpkg-deb --root-owner-group -Zxz -b "$root" "$OUT/$name.deb" >"$BUILD/deb.log" 2>&1 || die "$EX_BUILD" "dpkg-deb failed ($BUILD/deb.log)"
}

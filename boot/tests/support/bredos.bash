# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A board that behaves as BredOS (Arch) does, as far as boot entries go: its menu generator puts one global GRUB_DTB on every entry and
# takes every kernel-like file of /boot, newest first; the default is a title; mkinitcpio makes initramfs images; extlinux.conf is stale.
# The generator is ours, written from the behaviour.
# shellcheck disable=SC2016 # the text is for another shell, or for GRUB

make_bredos() {
  make_board "$1"
  rm -f "$BOARD"/usr/bin/{dracut,lsinitrd} "$BOARD"/usr/sbin/mkinitramfs "$BOARD"/usr/bin/lsinitramfs "$BOARD"/boot/*"$DEFAULT_RELEASE"* "$BOARD"/etc/grub.d/{10_linux,20_linux_xen}
  board_program /usr/bin/mkinitcpio '
    [ "$1 $3" = "-k -g" ] || exit 2
    mkdir -p /tmp/initramfs && cd /tmp/initramfs && find "/usr/lib/modules/$2" -name "*.ko" >modules && echo modules | cpio --quiet -o -H newc | gzip -n >"$4"'
  board_program /usr/bin/lsinitcpio 'zcat "$1" | cpio --quiet -t'
  cat >"$BOARD/etc/grub.d/10_linux" <<'END'
#!/bin/sh
. "$pkgdatadir/grub-mkconfig_lib"
access=$(prepare_grub_to_access_device "$(${grub_probe} --target=device /boot)" | sed 's/^/\t/')
for kernel in $(ls -t /boot/vmlinuz-* /boot/vmlinux-* /boot/kernel-* /boot/Image 2>/dev/null); do
  [ -f "$kernel" ] || continue
  version=${kernel#/boot/} version=${version#vmlinuz-}
  echo "menuentry 'BredOS Linux ($version)' --class bredos \$menuentry_id_option 'gnulinux-$version' {"
  echo "$access"
  [ -z "$GRUB_DTB" ] || echo "	devicetree $GRUB_DTB"
  echo "	linux $kernel root=UUID=11111111-2222-3333-4444-555555555555 rw $GRUB_CMDLINE_LINUX_DEFAULT"
  echo "	initrd /boot/initramfs-$version.img"
  echo "}"
done
END
  chmod +x "$BOARD/etc/grub.d/10_linux"
  mkdir -p "$BOARD/boot/dtbs/rockchip" "$BOARD/boot/extlinux"
  printf 'vendor dtb\n' >"$BOARD/boot/dtbs/rockchip/rk3588-rock-5-itx.dtb"
  printf 'default l0\nlabel l0\n  append root=/dev/mmcblk0p1 rw console=ttyFIQ0\n' >"$BOARD/boot/extlinux/extlinux.conf"
  printf 'GRUB_TIMEOUT=5\nGRUB_DISTRIBUTOR=BredOS\nGRUB_CMDLINE_LINUX_DEFAULT="splash console=ttyFIQ0 pcie_aspm=off"\nGRUB_DTB=/boot/dtbs/rockchip/rk3588-rock-5-itx.dtb\n' >"$BOARD/etc/default/grub"
  add_bredos_kernel "$DEFAULT_RELEASE"
  add_bredos_kernel 'mainline 7.0.0-rc3' mainline-7.0.0-rc3
  grub_default "BredOS Linux ($DEFAULT_RELEASE)"
  boots_with "BOOT_IMAGE=/boot/vmlinuz-$DEFAULT_RELEASE root=UUID=11111111-2222-3333-4444-555555555555 rw splash console=ttyFIQ0 pcie_aspm=off"
}

# add_bredos_kernel NAME [FILE]
add_bredos_kernel() {
  printf 'Linux version %s\n' "$1" >"$BOARD/boot/vmlinuz-${2:-$1}"
  printf 'initramfs\n' >"$BOARD/boot/initramfs-${2:-$1}.img"
}

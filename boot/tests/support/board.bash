# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Made-up boards for the tests of panthor-boot: a root with a real Debian's GRUB tools, what /proc and /sys would say, kernels of
# arbitrary bytes. The root comes from ./lab test --only boot (BOOTROOT).
# shellcheck disable=SC2016 # the text is for another shell, or for GRUB
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../../lab/tests/support/helper.bash"
PANTHOR_BOOT=$LAB_ROOT/boot/panthor-boot
DEFAULT_RELEASE=6.1.75-npu-port
DEFAULT_ARGUMENTS='root=UUID=11111111-2222-3333-4444-555555555555 ro quiet'

[ "$(id -u)" -eq 0 ] || { echo "needs root, for chroot" && exit 77; }
[ -n "${BOOTROOT:-}" ] || { echo "needs the root that ./lab test --only boot makes" && exit 77; }

# boot ARGS…: panthor-boot on the board.
boot() { "$PANTHOR_BOOT" "$1" --root "$BOARD" "${@:2}"; }

# says PATTERN COMMAND…: its output has a line that matches, whatever its exit code.
says() {
  "${@:2}" >"$SCRATCH/said" 2>&1 </dev/null || true
  grep -qE -- "$1" "$SCRATCH/said" || {
    cat "$SCRATCH/said"
    fail "${*:2}: no line matches '$1'"
  }
  printf 'ok: %s\n' "$(grep -Em1 -- "$1" "$SCRATCH/said")"
}

# there COMMAND…: inside the board.
there() { chroot "$BOARD" "$@"; }

# board_program PATH BODY: a shell script on the board; a hard link to the shared root is broken first.
board_program() {
  rm -f "$BOARD$1"
  mkdir -p "$(dirname "$BOARD$1")"
  printf '#!/bin/sh\n%s\n' "$2" >"$BOARD$1"
  chmod +x "$BOARD$1"
}

# make_board [NAME]: BOARD becomes a Debian whose default is the vendor kernel, running under GRUB on EFI with a devicetree.
make_board() {
  BOARD=$SCRATCH/${1:-board}
  mkdir -p "$BOARD"
  cp -a "$BOOTROOT"/{etc,var,dev,bin,sbin,lib} "$BOARD/" && cp -a "$BOOTROOT"/lib64 "$BOARD/" 2>/dev/null || true
  cp -al "$BOOTROOT/usr" "$BOARD/" 2>/dev/null || cp -a "$BOOTROOT/usr" "$BOARD/"
  mkdir -p "$BOARD"/{boot/grub,boot/efi/EFI/BOOT,tmp,run,proc/sys/kernel/random,sys/firmware/efi/efivars,sys/firmware/devicetree/base,usr/lib/modules}
  mkdir -p "$BOARD/dev/disk/by-uuid"
  touch "$BOARD/dev/disk/by-uuid/11111111-2222-3333-4444-555555555555" "$BOARD/dev/nvme0n1p2"
  printf 'GRUB 2.12 core\n' >"$BOARD/boot/efi/EFI/BOOT/BOOTAA64.EFI"
  board_compatible_is radxa,rock-5-itx rockchip,rk3588
  board_program /usr/sbin/grub-probe '
    for argument; do case $argument in --target=*) target=${argument#--target=} ;; -t) : ;; esac; done
    case $target in
      device) echo /dev/nvme0n1p2 ;;
      fs_uuid) echo 11111111-2222-3333-4444-555555555555 ;;
      fs) cat /etc/test-fs 2>/dev/null || echo ext2 ;;
      abstraction) cat /etc/test-abstraction 2>/dev/null || : ;;
      drive) echo "(hd0,gpt2)" ;;
      partmap) echo gpt ;;
      *) exit 1 ;;
    esac'
  # A quick initramfs generator that is called as dracut is.
  board_program /usr/bin/dracut '
    [ "$1 $2" = "--force --kver" ] || exit 2
    mkdir -p /tmp/initramfs && cd /tmp/initramfs && find "/usr/lib/modules/$3" -name "*.ko" >modules && echo modules | cpio --quiet -o -H newc | gzip -n >"$4"'
  board_program /usr/bin/lsinitrd 'zcat "$1" | cpio --quiet -t'
  add_kernel "$DEFAULT_RELEASE"
  printf 'GRUB_DEFAULT=0\nGRUB_TIMEOUT=3\nGRUB_DISTRIBUTOR=Debian\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"\nGRUB_CMDLINE_LINUX=""\n' >"$BOARD/etc/default/grub"
  there grub-editenv /boot/grub/grubenv create
  update_grub
  boots_with "BOOT_IMAGE=/boot/vmlinuz-$DEFAULT_RELEASE $DEFAULT_ARGUMENTS"
}

# board_compatible_is STRING…: the root compatible of the running devicetree.
board_compatible_is() { printf '%s\0' "$@" >"$BOARD/sys/firmware/devicetree/base/compatible"; }

# add_kernel RELEASE: one the distribution's scripts find.
add_kernel() {
  printf 'Linux version %s vendor\n' "$1" >"$BOARD/boot/vmlinuz-$1"
  printf 'initrd of %s\n' "$1" >"$BOARD/boot/initrd.img-$1"
  printf 'CONFIG_DRM_PANTHOR=m\nCONFIG_BLK_DEV_NVME=y\n' >"$BOARD/boot/config-$1"
  mkdir -p "$BOARD/usr/lib/modules/$1"
}

# grub_default VALUE: sets GRUB_DEFAULT and generates.
grub_default() {
  sed -i '/^GRUB_DEFAULT=/d' "$BOARD/etc/default/grub"
  printf 'GRUB_DEFAULT="%s"\n' "$1" >>"$BOARD/etc/default/grub"
  update_grub
}

update_grub() { there grub-mkconfig -o /boot/grub/grub.cfg >"$SCRATCH/mkconfig.log" 2>&1 || fail "grub-mkconfig: $(tail -n 1 "$SCRATCH/mkconfig.log")"; }

# boots_with COMMAND-LINE: a new boot of whatever it is.
boots_with() {
  printf '%s\n' "$1" >"$BOARD/proc/cmdline"
  cat /proc/sys/kernel/random/uuid >"$BOARD/proc/sys/kernel/random/boot_id"
}

# resolve NAME=VALUE…: the resolver on the board's configuration.
# shellcheck source=boot/grub/lib/resolver.sh
. "$LAB_ROOT/boot/grub/lib/resolver.sh"
resolve() { GRUB_ENV=$BOARD/boot/grub/grubenv GRUB_DIR='' resolver "$BOARD/boot/grub/grub.cfg" "$@"; }

# reboot_board: what GRUB would do: take next_entry once, boot what it stands for. BOOTED is its id.
reboot_board() {
  local next
  next=$(there grub-editenv /boot/grub/grubenv list | sed -n 's/^next_entry=//p')
  BOOTED=$(resolve mode=default next_=@environment | sed -n 's/^id=//p')
  boots_with "BOOT_IMAGE=$(resolve mode=files next_=@environment | awk -F'\t' '/^linux/ { for (i = 2; i <= NF; i++) printf "%s%s", (i > 2 ? " " : ""), $i; exit }')"
  [ -z "$next" ] || there grub-editenv /boot/grub/grubenv unset next_entry
}

# record_verdict ID TEXT: what the verdict service leaves on the running candidate.
record_verdict() {
  local dir
  dir=$BOARD/var/lib/panthor-lab/verdicts/$1/$(cat "$BOARD/proc/sys/kernel/random/boot_id")
  mkdir -p "$dir/stages"
  echo 2026-11-30T12:00:00Z >"$dir/stages/10-kernel"
  [ -z "$2" ] || echo "$2" >"$dir/verdict"
}

# make_package DIRECTORY ID RELEASE: the tree of a package, with a panthor.ko that modinfo can read.
make_package() {
  local dir=$1/boot/panthor-lab/$2 modules=$1/usr/lib/modules/$3
  mkdir -p "$dir/dtbs" "$modules/kernel/drivers/gpu/drm/panthor"
  { printf 'Linux version %s (lab)\n' "$3" && seq 1 20000; } >"$dir/Image"
  make_dtb "$dir/dtbs/rk3588-rock-5-itx.dtb" '"radxa,rock-5-itx", "rockchip,rk3588"'
  make_dtb "$dir/dtbs/rk3588-coolpi-cm5-genbook.dtb" '"coolpi,pi-cm5-genbook", "coolpi,pi-cm5", "rockchip,rk3588"'
  printf 'rk3588-rock-5-itx.dtb radxa,rock-5-itx rockchip,rk3588\nrk3588-coolpi-cm5-genbook.dtb coolpi,pi-cm5-genbook coolpi,pi-cm5 rockchip,rk3588\n' >"$dir/dtbs.list"
  printf 'CONFIG_DRM_PANTHOR=m\nCONFIG_BLK_DEV_NVME=m\n' >"$dir/config"
  make_module "$modules/kernel/drivers/gpu/drm/panthor/panthor.ko" "$3" 0123456789ABCDEF01234567 gpu-sched
  make_module "$modules/kernel/drivers/gpu/drm/panthor/gpu-sched.ko" "$3" 89ABCDEF0123456789ABCDEF ''
  touch "$modules/modules.order" "$modules/modules.builtin"
  printf 'id=%s\nrelease=%s\nseries=hang\npanthor_srcversion=0123456789ABCDEF01234567\n' "$2" "$3" >"$dir/info"
  sums "$1" "$2" "$3"
}

# sums DIRECTORY ID RELEASE: the package's lists of hashes.
sums() {
  local dir=$1/boot/panthor-lab/$2
  (cd "$1/usr/lib/modules/$3" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum) >"$dir/modules.sha256"
  (cd "$dir" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum) >"$SCRATCH/sums" && mv "$SCRATCH/sums" "$dir/SHA256SUMS"
}

make_dtb() { printf '/dts-v1/;\n/ { compatible = %s; };\n' "$2" | dtc -q -I dts -O dtb -o "$1" -; }

# make_module FILE RELEASE SRCVERSION DEPENDS: an object with the .modinfo that kmod reads.
make_module() {
  printf 'vermagic=%s SMP preempt mod_unload aarch64\0srcversion=%s\0depends=%s\0name=%s\0license=GPL\0' "$2" "$3" "$4" "$(basename "$1" .ko)" >"$SCRATCH/modinfo"
  printf '.section .modinfo,"a"\n.incbin "%s"\n' "$SCRATCH/modinfo" | as -o "$1" -
}

# tree_state DIRECTORY: changes with any file, link or mode in it.
tree_state() { (cd "$1" && find . \( -type f -o -type l -o -type d \) -printf '%P %y %m %l\n' | LC_ALL=C sort && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) | sha256sum; }

# installed_board NAME: a board with candidate "one" installed and a rehearsal passed.
installed_board() {
  make_board "$1"
  make_package "$SCRATCH/$1.package" one 7.2.13-lab1
  boot install "$SCRATCH/$1.package"
  boot rehearse
  reboot_board
  says 'the rehearsal passed' boot status
}

# keep_board, restore_board: what the tests spoil. The kernels' modules and the tools stay as they are.
keep_board() {
  rm -rf "$SCRATCH/kept"
  mkdir "$SCRATCH/kept"
  cp -a "$BOARD"/{boot,etc,proc,sys} "$SCRATCH/kept/"
}

restore_board() {
  rm -rf "${BOARD:?}"/{boot,etc,proc,sys}
  cp -a "$SCRATCH"/kept/{boot,etc,proc,sys} "$BOARD/"
}

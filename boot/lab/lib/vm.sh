# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A made-up arm64 board: EDK2 starts GRUB from the EFI system partition, GRUB a Debian. After build_vm_board:
#   VM_DIR   such a board, saved while its default kernel runs (boot/lab/vm/machine.sh), and key, for ssh as root
# Made as root: the packages' maintainer scripts run, in a chroot by qemu-user.

readonly VM_SUITE=trixie VM_FIRMWARE=/usr/share/AAVMF VM_ROOT_UUID=7f6c5a0e-4a8e-4d0b-9d5a-1c0b5f5f0001 VM_ESP_ID=7F6C0001

# Partitions: name, first MiB, size in MiB, GPT type. "other" is for a /boot on another file system.
readonly VM_PARTITIONS='
esp    1    64 C12A7328-F81F-11D2-BA4B-00A0C93EC93B
root  65  2048 B921B045-1DF0-41C3-AF44-4C6F280D3FAE
other 2113 511 0FC63DAF-8483-4772-8E79-3D69D8477DE4'

# foreign_binaries: lets this machine's kernel run arm64 programs, as the package qemu-user-static does where systemd runs.
foreign_binaries() {
  local misc=/proc/sys/fs/binfmt_misc
  [ "$(uname -m)" != aarch64 ] || return 0
  [ -e $misc/register ] || mount -t binfmt_misc binfmt_misc $misc || return 1
  [ -e $misc/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64*.conf >$misc/register
}

# What the packages are not unpacked with: nobody reads it there, or this board has no such hardware (its index alone takes minutes).
readonly VM_LEFT_OUT='/usr/share/doc/* /usr/share/locale/* /usr/share/man/* /usr/lib/udev/hwdb.d/* */kernel/sound/* */kernel/drivers/gpu/* */kernel/drivers/media/*
*/kernel/drivers/net/ethernet/* */kernel/drivers/net/wireless/* */kernel/drivers/iio/* */kernel/drivers/infiniband/* */kernel/drivers/staging/* */kernel/drivers/usb/*'

# vm_debian DIRECTORY PACKAGES: the packages. The initramfs takes the modules it is told, since it is not made where it is used.
vm_debian() {
  local path
  local -a left_out=()
  set -f
  for path in $VM_LEFT_OUT; do left_out+=(--dpkgopt="path-exclude=$path"); done
  set +f
  # shellcheck disable=SC2016 # the hook expands it
  apt_source_line "$VM_SUITE" arm64 |
    mmdebstrap --mode=root --variant=minbase --architectures=arm64 --skip=check/qemu --include="$2" --aptopt='Acquire::Languages "none"' \
      "${left_out[@]}" \
      --essential-hook='mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d" &&
        echo MODULES=list >"$1/etc/initramfs-tools/conf.d/board" && printf "%s\n" virtio_pci virtio_blk ext4 btrfs >"$1/usr/share/initramfs-tools/modules.d/board"' \
      "$VM_SUITE" "$1" - &&
    rm -rf "$1"/var/{cache,lib}/apt "$1"/etc/ssh/ssh_host_*
}

# What a boot does not wait for: upgrades, and what is done once on a system that was just unpacked.
readonly VM_MASKED='getty@tty1.service serial-getty@ttyAMA0.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_reap.service fstrim.timer
systemd-networkd-wait-online.service systemd-networkd-persistent-storage.service systemd-tpm2-setup.service systemd-tpm2-setup-early.service systemd-firstboot.service
systemd-machine-id-commit.service systemd-journal-catalog-update.service systemd-hwdb-update.service systemd-update-done.service ldconfig.service systemd-pcrphase.service'

# vm_configure DIRECTORY KEY: a server without a person. Its own dpkg leaves nothing out: our packages have a driver of a GPU.
vm_configure() {
  rm "$1/etc/dpkg/dpkg.cfg.d/99mmdebstrap" && cp -r "$LAB_ROOT/boot/lab/vm/root/." "$1/" && mkdir -p "$1/boot/efi" &&
    ssh-keygen -q -t ed25519 -N '' -C board -f "$1/etc/ssh/ssh_host_ed25519_key" &&
    install -d -m 700 "$1/root/.ssh" && install -m 600 "$2.pub" "$1/root/.ssh/authorized_keys" &&
    systemctl -q --root="$1" enable systemd-networkd.service ssh.service &&
    systemd-machine-id-setup --root="$1" &&
    xargs systemctl -q --root="$1" mask <<<"$VM_MASKED"
}

# vm_first_grub ROOT FILE: a GRUB that boots the root's kernel, for the one boot in which the board installs its own.
vm_first_grub() {
  local root=$1 kernel
  kernel=$(cd "$root/boot" && ls vmlinuz-*)
  printf 'search --no-floppy --fs-uuid --set=root %s\nlinux /boot/%s root=UUID=%s ro console=ttyAMA0\ninitrd /boot/%s\nboot\n' \
    "$VM_ROOT_UUID" "$kernel" "$VM_ROOT_UUID" "${kernel/vmlinuz/initrd.img}" >"$root/first.cfg"
  chroot "$root" grub-mkimage -O arm64-efi -c /first.cfg -p /boot/grub -o /first.efi part_gpt ext2 fat linux boot search search_fs_uuid normal echo &&
    mv "$root/first.efi" "$2" && rm "$root/first.cfg"
}

# vm_root_make PARTIAL PACKAGES
vm_root_make() { remove_tree "$1" && mkdir -p "$1" && foreign_binaries && vm_debian "$1/root" "$2"; }

# vm_partition IMAGE NAME: the file NAME beside it goes into the partition of that name.
vm_partition() {
  local at
  at=$(awk -v name="$2" '$1 == name { print $2 }' <<<"$VM_PARTITIONS")
  dd if="$(dirname "$1")/$2" of="$1" bs=1M seek="$at" conv=notrunc,sparse status=none
}

# vm_assemble PARTIAL: disk.qcow2 of PARTIAL/tree and PARTIAL/first.efi. mke2fs fills the root file system, so no loop device is needed.
vm_assemble() {
  mkfs.vfat -i "$VM_ESP_ID" -F 32 -C "$1/esp" $((64 * 1024)) &&
    mmd -i "$1/esp" ::/EFI ::/EFI/BOOT && mcopy -i "$1/esp" "$1/first.efi" ::/EFI/BOOT/BOOTAA64.EFI &&
    mke2fs -q -t ext4 -U "$VM_ROOT_UUID" -d "$1/tree" "$1/root" 2048M &&
    truncate -s 2625M "$1/raw" &&
    { echo 'label: gpt' && awk 'NF { printf "start=%dMiB, size=%dMiB, type=%s, name=%s\n", $2, $3, $4, $1 }' <<<"$VM_PARTITIONS"; } | sfdisk -q "$1/raw" &&
    vm_partition "$1/raw" esp && vm_partition "$1/raw" root &&
    qemu-img convert -O qcow2 "$1/raw" "$1/disk.qcow2" &&
    rm -r "$1"/{raw,root,esp,tree,first.efi}
}

# vm_first_boot PARTIAL: the board's own tools install GRUB and write grub.cfg; then it is saved while it runs.
vm_first_boot() (
  VM_DIR=$1
  trap machine_off EXIT
  machine_new "$1" && machine_start && machine_wait_boot none 1800 &&
    board 'grub-install --target=arm64-efi --efi-directory=/boot/efi --removable --no-nvram && update-grub && sync' &&
    machine_save
)

# vm_board_make PARTIAL ROOT
vm_board_make() {
  remove_tree "$1" && mkdir -p "$1" && foreign_binaries && cp -a "$2/root" "$1/tree" &&
    ssh-keygen -q -t ed25519 -N '' -C lab -f "$1/key" &&
    vm_configure "$1/tree" "$1/key" &&
    vm_first_grub "$1/tree" "$1/first.efi" &&
    vm_assemble "$1" &&
    cp --sparse=always "$VM_FIRMWARE/AAVMF_VARS.fd" "$1/variables.fd" &&
    vm_first_boot "$1"
}

# build_vm_board: the board for this package list. Its packages are kept apart, since they take longest. Needs boot/lab/vm/machine.sh.
build_vm_board() {
  local key packages root
  packages=$(packages_of "$LAB_ROOT/boot/lab/vmroot.list")
  key=$({ printf '%s\n' "$VM_SUITE" "$packages" "$VM_LEFT_OUT" && declare -f vm_debian; } | hash_text)
  root=$LAB_CACHE/rootfs/vm-root-$key/made
  vm_made "$root" "the root of a made-up arm64 board (Debian $VM_SUITE)" vm_root_make "$packages"
  key=$({
    printf '%s\n' "$key" "$VM_PARTITIONS" "$VM_MASKED"
    find "$LAB_ROOT/boot/lab/vm/root" -type f -print0 | LC_ALL=C sort -z | xargs -0 cat
    declare -f vm_configure vm_first_grub vm_assemble vm_first_boot machine_arguments machine_save
  } | hash_text)
  VM_DIR=$LAB_CACHE/rootfs/vm-board-$key/made
  vm_made "$VM_DIR" "a made-up arm64 board" vm_board_make "$root"
}

# vm_made DIRECTORY WHAT FUNCTION ARGUMENT: DIRECTORY by FUNCTION, once.
vm_made() {
  [ -d "$1" ] || cache_locked "$(basename "$(dirname "$1")")" vm_make_unless_done "$@"
  touch "$(dirname "$1")" # clean goes by age of last use
}

vm_make_unless_done() {
  [ ! -d "$1" ] || return 0
  [ "$(id -u)" -eq 0 ] || die "$EX_ROOT" "a made-up board is made as root"
  need_space "$LAB_CACHE" 4000 "$2"
  make_tree "$2" "$3" "$1" "$4"
}

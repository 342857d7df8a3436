#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every refusal of panthor-boot: its code, its line, and that it changed nothing.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

fake_program sync 'exit 0' # what fsync is for is the business of power-cut.sh
installed_board board
PACKAGE=$SCRATCH/board.package
make_package "$SCRATCH/other" two 7.2.13-lab2
keep_board

# refused NAME PATTERN VERB ARGS…: on the board as the lines before have spoilt it; then the board is as it was.
REFUSED=' '
refused() {
  local name=$1 before
  REFUSED="$REFUSED$name "
  before=$(tree_state "$BOARD/boot" && tree_state "$BOARD/etc" && ls "$BOARD/usr/lib/modules")
  expect_exit "$(awk -v name="$name" '$2 == name { print $1 }' "$LAB_ROOT/boot/grub/exit-codes.list")" "refused \($name\): .*$2" boot "${@:3}"
  expect_equal "$before" "$(tree_state "$BOARD/boot" && tree_state "$BOARD/etc" && ls "$BOARD/usr/lib/modules")" "nothing was changed"
  restore_board
}

# GRUB and firmware
mv "$BOARD/boot/grub/grub.cfg" "$BOARD/boot/grub/gone"
refused no-grub 'can be read' arm one
mv "$BOARD/usr/sbin/grub-reboot" "$SCRATCH/grub-reboot"
refused no-grub 'grub-reboot .or grub2-reboot' arm one
cp -a "$SCRATCH/grub-reboot" "$BOARD/usr/sbin/"
mkdir -p "$BOARD/boot/extlinux"
printf 'default l0\nlabel l0\n  linux /vmlinuz\n  append root=/dev/nvme0n1p2 rw\n' >"$BOARD/boot/extlinux/extlinux.conf"
echo 'root=/dev/nvme0n1p2 rw' >"$BOARD/proc/cmdline"
refused not-grub 'extlinux.conf .label l0' install "$SCRATCH/other"
echo 'root=/dev/nvme0n1p2 rw' >"$BOARD/proc/cmdline"
refused not-grub 'EFI stub or systemd-boot' rehearse
echo 'root=/dev/nvme0n1p2 rw' >"$BOARD/proc/cmdline"
rm -r "$BOARD/sys/firmware/efi"
refused not-grub 'no EFI firmware' rehearse
printf '\6\0\0\0\1' >"$BOARD/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
refused secure-boot 'lockdown' arm one
rm -r "$BOARD/sys/firmware/devicetree"
mkdir -p "$BOARD/sys/firmware/acpi/tables"
refused acpi 'Device Manager' rehearse

# the package
refused not-a-package 'neither a package file' install "$SCRATCH/nowhere"
echo garbage >"$SCRATCH/garbage.tar"
refused not-a-package 'cannot be unpacked' install "$SCRATCH/garbage.tar"
cp -a "$SCRATCH/other" "$SCRATCH/damaged"
echo more >>"$SCRATCH/damaged/boot/panthor-lab/two/config"
refused not-a-package 'damaged: config of boot/panthor-lab/two is missing, or does not have the hash of its SHA256SUMS' install "$SCRATCH/damaged"
cp -a "$SCRATCH/other" "$SCRATCH/damaged-module"
truncate -s 100 "$SCRATCH/damaged-module/usr/lib/modules/7.2.13-lab2/kernel/drivers/gpu/drm/panthor/panthor.ko"
refused not-a-package 'damaged-module: kernel/drivers/gpu/drm/panthor/panthor.ko of the modules of .*modules.sha256' install "$SCRATCH/damaged-module"
rm -r "$SCRATCH/damaged-module/usr/lib/modules/7.2.13-lab2/kernel/drivers/gpu"
refused not-a-package 'panthor/[a-z-]*.ko of the modules of .* is missing' install "$SCRATCH/damaged-module"
rm "$SCRATCH/damaged-module/boot/panthor-lab/two/modules.sha256"
refused not-a-package 'modules.sha256 of boot/panthor-lab/two is missing' install "$SCRATCH/damaged-module"
refused exists 'candidate one is installed already' install "$PACKAGE"
cp -a "$PACKAGE" "$SCRATCH/same-release"
mv "$SCRATCH/same-release/boot/panthor-lab/one" "$SCRATCH/same-release/boot/panthor-lab/again"
refused exists 'one has the same kernel version' install "$SCRATCH/same-release"
mkdir -p "$BOARD/usr/lib/modules/7.2.13-lab2"
refused exists "is not this package's" install "$SCRATCH/other"
rm -r "$BOARD/usr/lib/modules/7.2.13-lab2"
board_compatible_is radxa,rock-5-itx-plus rockchip,rk3588
refused no-board 'no devicetree .* radxa,rock-5-itx-plus; name one with --dtb .*rk3588-rock-5-itx.dtb' install "$SCRATCH/other"
refused no-board 'has no devicetree nonsense.dtb' install "$SCRATCH/other" --dtb nonsense.dtb
: >"$BOARD/sys/firmware/devicetree/base/compatible"
refused no-board 'names no board' install "$SCRATCH/other"
cp -a "$SCRATCH/other" "$SCRATCH/ambiguous"
(cd "$SCRATCH/ambiguous/boot/panthor-lab/two" && echo 'rk3588-coolpi-cm5-genbook.dtb radxa,rock-5-itx' >>dtbs.list && awk '{ print $2 }' SHA256SUMS | xargs sha256sum >sums && mv sums SHA256SUMS)
refused no-board 'several devicetrees' install "$SCRATCH/ambiguous"
echo "BOOT_IMAGE=/boot/vmlinuz quiet" >"$BOARD/proc/cmdline"
refused no-root-arguments 'no root= to copy' install "$SCRATCH/other"
fake_program df 'printf "x\nx 1 1 7 x\n"'
refused no-space '7 MiB are free' install "$SCRATCH/other"
tar -cf "$SCRATCH/other.tar" -C "$SCRATCH/other" boot usr
refused no-space '7 MiB are free' install "$SCRATCH/other.tar"
rm "$SCRATCH/bin/df"

# the configuration
echo 'while true; do echo; done' >>"$BOARD/boot/grub/grub.cfg"
refused unjudged 'a while loop' arm one
echo 'blscfg' >>"$BOARD/boot/grub/grub.cfg"
refused unjudged 'blscfg' rehearse
printf '#!/bin/sh\necho broken >&2\nexit 1\n' >"$BOARD/etc/grub.d/09_broken"
chmod +x "$BOARD/etc/grub.d/09_broken"
refused generation 'failed: broken' rehearse
printf '#!/bin/sh\necho "menuentry {"\n' >"$BOARD/etc/grub.d/50_broken"
chmod +x "$BOARD/etc/grub.d/50_broken"
refused syntax 'grub-script-check' rehearse
sed -i 's/^GRUB_DEFAULT=.*/GRUB_DEFAULT="1>0"/' "$BOARD/etc/default/grub"
refused default-moved 'would become' rehearse
sed -i 's/^GRUB_CMDLINE_LINUX=.*/GRUB_CMDLINE_LINUX="maxcpus=4"/' "$BOARD/etc/default/grub"
refused default-moved 'would boot something else.*maxcpus=4' rehearse
sed -i 's/--id panthor-lab-one/--id panthor-lab-on/' "$BOARD/boot/grub/grub.cfg"
refused entry-missing 'no entry panthor-lab-one' arm one
sed -i 's/next_entry/other_entry/g' "$BOARD/boot/grub/grub.cfg"
refused next-entry-ignored 'does not take next_entry' arm one
truncate -s 0 "$BOARD/boot/grub/grubenv"
refused environment 'missing or damaged' arm one
rm -f "$BOARD/boot/panthor-lab/rehearsals"
echo btrfs >"$BOARD/etc/test-fs"
refused environment 'its file system is btrfs' arm one
rm -f "$BOARD/boot/panthor-lab/rehearsals"
echo lvm >"$BOARD/etc/test-abstraction"
refused environment 'it lies on lvm' arm one
rm -f "$BOARD/boot/panthor-lab/rehearsals"
echo diskfilter >"$BOARD/etc/test-abstraction"
refused environment 'it lies on diskfilter' arm one
sed -i 's/ passed / stuck /' "$BOARD/boot/panthor-lab/rehearsals"
refused environment 'left next_entry in place' arm one
echo 'GRUB 2.14 core' >"$BOARD/boot/efi/EFI/BOOT/BOOTAA64.EFI"
refused not-rehearsed 'reboot first' arm one
sed -i '1i set superusers="root"' "$BOARD/boot/grub/grub.cfg"
refused superusers 'not --unrestricted' arm one
rm "$BOARD/boot/initrd.img-$DEFAULT_RELEASE"
refused default-broken 'initrd.img.*not there' arm one
: >"$BOARD/boot/vmlinuz-$DEFAULT_RELEASE"
refused default-broken 'vmlinuz.*empty' rehearse

sed -i 's/^\( *\)set timeout=3/\1set timeout=-1/' "$BOARD/boot/grub/grub.cfg"
says 'someone must press Enter' boot arm --dry-run one
restore_board

# the candidate
refused no-candidate 'there is no candidate three' arm three
rm "$BOARD/boot/panthor-lab/one/entry.conf"
refused no-candidate 'not completed' arm one
truncate -s 1000 "$BOARD/boot/panthor-lab/one/Image"
refused image 'truncated' arm one
rm "$BOARD/boot/panthor-lab/one/Image"
refused image 'missing' arm one
printf x | dd of="$BOARD/boot/panthor-lab/one/dtbs/rk3588-rock-5-itx.dtb" bs=1 seek=40 conv=notrunc status=none
refused devicetree 'changed' arm one
truncate -s 10 "$BOARD/boot/panthor-lab/one/initramfs.img"
refused initramfs 'truncated' arm one
printf x >>"$BOARD/usr/lib/modules/7.2.13-lab1/kernel/drivers/gpu/drm/panthor/panthor.ko"
refused modules '7.2.13-lab1/kernel/drivers/gpu/drm/panthor/panthor.ko is missing, truncated or changed' arm one
truncate -s -1 "$BOARD/usr/lib/modules/7.2.13-lab1/kernel/drivers/gpu/drm/panthor/panthor.ko"
there grub-reboot debian-something
refused pending 'already "debian-something"' arm one
there grub-reboot debian-something
refused pending 'not ours' disarm
echo "BOOT_IMAGE=/x root=/dev/x panthor_lab.entry=one" >"$BOARD/proc/cmdline"
refused in-use 'is running' remove one
echo "BOOT_IMAGE=/x root=/dev/x panthor_lab.entry=one" >"$BOARD/proc/cmdline"
refused no-verdict 'no verdict yet' rehearse
refused no-entry 'no entry "nonsense"' explain default nonsense
mv "$BOARD/usr/bin/dracut" "$SCRATCH/dracut"
board_program /usr/bin/dracut 'echo "no space for it" >&2; exit 1'
refused_install=$(tree_state "$BOARD/etc")
expect_exit 28 'no-initramfs.*no space for it' boot install "$SCRATCH/other"
expect_equal "$refused_install" "$(tree_state "$BOARD/etc")" "GRUB's configuration is untouched"
REFUSED="$REFUSED no-initramfs "
says '^two .*incomplete' boot list
rm "$BOARD/usr/bin/dracut"
mv "$SCRATCH/dracut" "$BOARD/usr/bin/dracut"
says 'installed two' boot install two

exec 9>"$BOARD/run/panthor-boot.lock"
flock 9
refused busy 'another panthor-boot' arm one
says '^one .*installed' boot list # to look is always allowed
exec 9>&-

# Without modinfo; as another user than root; where nothing can be written.
mkdir "$SCRATCH/few"
for program in bash awk dirname readlink mktemp sed rm cat basename; do ln -s "$(command -v "$program")" "$SCRATCH/few/$program"; done
expect_exit 49 'no-tool.*modinfo' env PATH="$SCRATCH/few" "$PANTHOR_BOOT" verify one --root "$BOARD"
chmod -R a+rX "$BOARD/boot" "$SCRATCH"
expect_exit 50 'not-root.*run this as root' setpriv --reuid 65534 --clear-groups -- "$PANTHOR_BOOT" arm one --root "$BOARD"
fake_program sync 'exit 1'
expect_exit 51 'write.*syncfs' boot arm one
REFUSED="$REFUSED no-tool not-root write "

# Each of the table has had its turn.
for name in $(awk '!/^#/ && $1 >= 20 { print $2 }' "$LAB_ROOT/boot/grub/exit-codes.list"); do
  case $REFUSED in *" $name "*) ;; *) fail "no test refuses with $name" ;; esac
done

# Wrong usage.
expect_exit 2 'no verb frobnicate' "$PANTHOR_BOOT" frobnicate
expect_exit 2 'takes no option --frob' boot arm --frob one
expect_exit 2 'one candidate' boot arm
expect_exit 2 'one package or ID' boot install
expect_exit 2 'two entries' boot explain default
expect_exit 2 'no boot directory' "$PANTHOR_BOOT" list --root "$SCRATCH/bin"
for verb in install list rehearse arm disarm status verify explain remove rollback; do
  says "^panthor-boot $verb" "$PANTHOR_BOOT" help "$verb"
  says "^panthor-boot $verb" "$PANTHOR_BOOT" "$verb" --help
done
says '^26 +no-space' "$PANTHOR_BOOT" help codes

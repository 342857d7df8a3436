#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The initramfs: Debian's real generator; the arguments of the others; one that is cut short is refused.
# shellcheck disable=SC2016 # the text is for another shell
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

fake_program sync 'exit 0'
make_board
rm "$BOARD/usr/bin/dracut" "$BOARD/usr/bin/lsinitrd"
make_package "$SCRATCH/package" one 7.2.13-lab1
boot install "$SCRATCH/package"
there lsinitramfs /boot/panthor-lab/one/initramfs.img >"$SCRATCH/list"
grep -q 'usr/lib/modules/7.2.13-lab1/modules.dep$' "$SCRATCH/list" || fail "not for this release: $(head "$SCRATCH/list")"
[ ! -e "$BOARD/boot/initrd.img-7.2.13-lab1" ] || fail "an initramfs where the distribution looks for kernels"
boot remove one

# Each generator is called with its own arguments; update-initramfs, kernel-install and their hooks never are.
for tool in update-initramfs kernel-install; do board_program "/usr/sbin/$tool" 'echo called >/tmp/hook'; done
for tool in dracut mkinitcpio; do
  lister=lsinitrd
  [ "$tool" = dracut ] || lister=lsinitcpio
  board_program "/usr/bin/$tool" 'echo "$0 $*" >/tmp/called; for last; do :; done; echo image | cpio --quiet -o -H newc >"$last" </dev/null; echo x >"$last"'
  board_program "/usr/bin/$lister" 'echo bin/sh'
  boot install "$SCRATCH/package"
  case $tool in
    dracut) expect_equal "/usr/bin/dracut --force --kver 7.2.13-lab1 /boot/panthor-lab/one/.initramfs.img.partial" "$(cat "$BOARD/tmp/called")" "dracut" ;;
    mkinitcpio) expect_equal "/usr/bin/mkinitcpio -k 7.2.13-lab1 -g /boot/panthor-lab/one/.initramfs.img.partial" "$(cat "$BOARD/tmp/called")" "mkinitcpio" ;;
  esac
  boot remove one
  rm "$BOARD/usr/bin/$tool"
done
[ ! -e "$BOARD/tmp/hook" ] || fail "a hook of the distribution was called"

# A generator that succeeds with half an image.
rm "$BOARD/usr/bin/lsinitcpio"
board_program /usr/bin/dracut 'for last; do :; done; printf half >"$last"'
board_program /usr/bin/lsinitrd 'exit 1'
expect_exit 28 'cannot be listed' boot install "$SCRATCH/package"
[ ! -e "$BOARD/boot/panthor-lab/one/initramfs.img" ] && [ ! -e "$BOARD/boot/panthor-lab/one/.initramfs.img.partial" ] || fail "half an initramfs is left"

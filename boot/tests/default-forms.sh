#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# GRUB_DEFAULT in all its forms: an index, a title, an id, inside a submenu, saved. Installing, rehearsing and arming move none of them.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

fake_program sync 'exit 0'
make_board
add_kernel 6.12.1-other
make_package "$SCRATCH/package" one 7.2.13-lab1
update_grub
resolve mode=list
simple=$(resolve mode=list | sed -n '1p' | cut -f3)
older=$(resolve mode=list | awk -F'\t' '/6\.1\.75/ && !/recovery/ { print $3; exit }')
advanced=$(resolve mode=list | awk -F'\t' '$2 == "submenu" { print $3; exit }')
there grub-editenv /boot/grub/grubenv set saved_entry="$advanced>$older"
keep_board

for form in 0 '1>2' "$simple" 'Debian GNU/Linux' "$advanced>$older" "Advanced options for Debian GNU/Linux>Debian GNU/Linux, with Linux $DEFAULT_RELEASE" saved; do
  restore_board
  rm -rf "$BOARD/usr/lib/modules/7.2.13-lab1"
  grub_default "$form"
  wanted=$(resolve mode=default | sed -n 's/^id=//p')
  body=$(resolve mode=body)
  boot install "$SCRATCH/package"
  boot rehearse
  reboot_board
  expect_equal "$(awk '/^[ \t]*linux/ { print $2 }' <<<"$body")" "$(resolve mode=files entry=panthor-lab-default | awk -F'\t' '/^linux/ { print $2 }')" "the clone boots the default's kernel"
  says 'the rehearsal passed' boot status
  boot arm one
  expect_equal "$wanted" "$(resolve mode=default | sed -n 's/^id=//p')" "GRUB_DEFAULT=$form: the default is $wanted still"
  expect_equal "$body" "$(resolve mode=body)" "and what it boots"
  reboot_board
  expect_equal panthor-lab-one "$BOOTED" "the candidate boots once"
  reboot_board
  expect_equal "$wanted" "$BOOTED" "then the default"
done

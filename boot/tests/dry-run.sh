#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A dry run tells and changes nothing, for every verb that changes something.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"

fake_program sync 'exit 0'
installed_board board
make_package "$SCRATCH/other" two 7.2.13-lab2
tar -cf "$SCRATCH/other.tar" -C "$SCRATCH/other" boot usr

# dry PATTERN VERB ARGS…
dry() {
  local before
  before=$(tree_state "$BOARD/boot" && tree_state "$BOARD/etc" && tree_state "$BOARD/usr/lib/modules")
  says "^would: .*$1" boot "$2" --dry-run "${@:3}"
  expect_equal "$before" "$(tree_state "$BOARD/boot" && tree_state "$BOARD/etc" && tree_state "$BOARD/usr/lib/modules")" "nothing was changed"
}

dry 'add the entry panthor-lab-two: devicetree dtbs/rk3588-rock-5-itx.dtb, arguments root=.*panic=10' install "$SCRATCH/other"
dry 'unpack' install "$SCRATCH/other.tar"
dry 'add the entry panthor-lab-default, a clone of "Debian' rehearse
dry 'set next_entry=panthor-lab-one' arm one
dry 'take the entry of one out' remove one
dry 'generate grub.cfg without it' rollback
boot arm one
dry 'take next_entry out' disarm
expect_exit 45 pending boot arm --dry-run one

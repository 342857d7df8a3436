#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The power goes at 100 points of install, rehearse and arm, with /boot on a real ext4: what its disk holds at that moment is copied, and
# judged as GRUB sees it, without a replay of the journal, and as Linux does after it. The default must boot from each, or what was armed,
# whole.
# shellcheck source=boot/tests/support/board.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/board.bash"
# shellcheck source=boot/tests/support/power-cut.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/power-cut.bash"
# shellcheck source=boot/tests/support/judge-disk.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/judge-disk.bash"

DISK=$SCRATCH/disk JUDGE_DIR=$SCRATCH/judge JUDGE_PLACE='(loop0)' JUDGE_HOME=/grub
export CUT_SYNC=yes # the disk is what is judged
mkdir "$JUDGE_DIR"
make_board_to_cut

# /boot becomes a file system of its own, sparse, so that it can be copied a hundred times.
attach() { mount -o loop "$DISK" "$BOARD/boot" 2>/dev/null || { echo "needs a loop device" && exit 77; }; }
detach() { ! mountpoint -q "$BOARD/boot" || umount "$BOARD/boot"; }
truncate -s 192M "$DISK"
mke2fs -q -t ext4 -m 0 -d "$BOARD/boot" "$DISK"
trap 'detach; rm -rf --one-file-system "$SCRATCH"' EXIT
attach
update_grub
boots_with "BOOT_IMAGE=/vmlinuz-$DEFAULT_RELEASE $DEFAULT_ARGUMENTS"
resolve mode=body >"$JUDGE_DIR/default.body"

# keep_disk, restore_disk: the board before a verb.
keep_disk() {
  detach
  rm -rf "$SCRATCH/kept"
  mkdir "$SCRATCH/kept"
  cp --sparse=always "$DISK" "$SCRATCH/kept/disk"
  cp -a "$BOARD"/{etc,proc} "$BOARD/usr/lib/modules" "$SCRATCH/kept/"
  attach
}
restore_disk() {
  detach
  rm -rf "${BOARD:?}"/{etc,proc,usr/lib/modules}
  cp --sparse=always "$SCRATCH/kept/disk" "$DISK"
  cp -a "$SCRATCH"/kept/{etc,proc} "$BOARD/"
  cp -a "$SCRATCH/kept/modules" "$BOARD/usr/lib/"
  attach
}

# cuts COUNT VERB ARGS…: at COUNT of its changes, evenly; then the verb is done to its end.
points=0
cuts() {
  local total at i wanted=$1
  shift
  keep_disk
  cut_at '' "$@"
  total=$(wc -l <"$SCRATCH/changes")
  [ "$total" -gt 0 ] || fail "$1 changed nothing: $(cat "$SCRATCH/out")"
  # What may be booted afterwards: the default's files, and the candidate's as they are when it is done.
  (cd "$BOARD/boot" && find . -type f \( -name 'vmlinuz-*' -o -name 'initrd.img-*' -o -name Image -o -name '*.dtb' -o -name initramfs.img \) -exec sha256sum {} + | sed 's,  \.,  ,') >"$JUDGE_DIR/sums"
  for ((i = 1; i <= wanted; i++)); do
    at=$((total * i / wanted))
    restore_disk
    cut_at "$at" "$@"
    cp --sparse=always "$DISK" "$SCRATCH/cut"
    cp --sparse=always "$DISK" "$SCRATCH/replayed"
    judge_disk "$SCRATCH/cut" "$SCRATCH/replayed" >"$SCRATCH/verdict"
    ! grep -q WRONG "$SCRATCH/verdict" || fail "$1, cut before change $at of $total: GRUB: $(sed -n 1p "$SCRATCH/verdict"), Linux: $(sed -n 2p "$SCRATCH/verdict")"
    paste -sd' ' "$SCRATCH/verdict" >>"$SCRATCH/all"
    points=$((points + 1))
  done
  restore_disk
  boot "$@" >/dev/null
  printf 'ok: %s: %d of %d changes\n' "$1" "$wanted" "$total"
}

wanted=${PANTHOR_LAB_DISK_CUTS:-100}
cuts $((wanted * 60 / 100)) install "$SCRATCH/one.tar"
cuts $((wanted * 15 / 100)) rehearse
reboot_board
says 'the rehearsal passed' boot status
cuts $((wanted * 25 / 100)) arm one
sort "$SCRATCH/all" | uniq -c | sed 's/^/ok: GRUB and Linux would boot: /'
grep -q '^candidate' "$SCRATCH/all" && grep -q '^default default$' "$SCRATCH/all" || fail "neither before nor after arm was seen"
printf 'ok: the power went %d times\n' "$points"

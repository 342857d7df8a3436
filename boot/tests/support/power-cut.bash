# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# A made-up board (board.bash) whose power goes at a change of a file (power-cut.c).

# make_board_to_cut: the board, and the candidate "one" in $SCRATCH/package and $SCRATCH/one.tar.
make_board_to_cut() {
  SHIM=$SCRATCH/power-cut.so
  gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o "$SHIM" "$LAB_ROOT/boot/tests/support/power-cut.c" -ldl
  make_board
  make_package "$SCRATCH/package" one 7.2.13-lab1
  tar -cf "$SCRATCH/one.tar" -C "$SCRATCH/package" boot usr
  mkdir -p "$BOARD$SCRATCH"
  cp "$SHIM" "$BOARD$SHIM" # the same path inside the chroot
  touch "$BOARD/.cut-inside"
}

# cut_at AT VERB ARGS…: the verb with the power going at change AT; the changes that were made are in $SCRATCH/changes.
cut_at() {
  rm -f "$SCRATCH/changes"
  # In a process group of its own: the shim kills the group.
  (
    export CUT_ROOT=$BOARD CUT_LOG=$SCRATCH/changes CUT_AT=$1 LD_PRELOAD=$SHIM
    exec setsid --fork --wait "$PANTHOR_BOOT" "$2" --root "$BOARD" "${@:3}" >"$SCRATCH/out" 2>&1 </dev/null
  ) 2>/dev/null || true
  touch "$SCRATCH/changes"
}

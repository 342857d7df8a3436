# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: short: a candidate that hangs at its first instruction, where no watchdog runs: the harness presses the power button, as a person must
story='candidate vm left no trace'
loads=0
spoil() {
  board "$HANG_AT_ENTRY"
  candidate_arguments efi=debug # newer kernels' EFI stub is silent without it
}
after_reboot() {
  wait_on_console 'EFI stub: Exiting boot services'
  sleep 15
  [ "$(on_console 'Linux version')" -eq 0 ] || wrong "it does not hang"
  good "it hangs, and stays; pressing the power button"
  press_power_button
}
# The kernel enters through the branch in the second word of its header; the word it leads to becomes a branch to itself. The list of
# hashes is made anew: this kernel was built like that.
HANG_AT_ENTRY='
  cd /boot/panthor-lab/vm
  branch=$(od -An -tu4 -j4 -N4 Image)
  printf "\000\000\000\024" | dd of=Image bs=1 seek=$((4 + (branch % 67108864) * 4)) conv=notrunc status=none
  sed -i "s/.*  Image\$/$(sha256sum Image | cut -d" " -f1)  Image/" SHA256SUMS
  sync'

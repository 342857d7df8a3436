# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: short: a candidate that boots: its stages, its verdict (there is no GPU on this board, and it says so), and back
story='its verdict is: fail: panthor found no device'
on_candidate() {
  panthor_boot status
  expect_said 'candidate vm is running; the next boot is the default'
  [ -z "$(armed_entry)" ] || wrong "GRUB did not clear next_entry"
  wait_for_verdict
  panthor_boot verify
  expect_said '^ok +loaded srcversion'
  reboot_board
}

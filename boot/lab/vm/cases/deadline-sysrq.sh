# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: the same, and an init that does not take the order: the deadline resets the board by sysrq
story='its verdict is: fail: no verdict after 20 s'
spoil() {
  candidate_without_verdict 20
  candidate_unit deaf '/bin/mount --bind /bin/true /usr/bin/systemctl'
}
on_candidate() { :; }
# The word before the last: the reset does not wait for the console.
after_reboot() { wait_on_console 'sysrq: Emergency Sync'; }

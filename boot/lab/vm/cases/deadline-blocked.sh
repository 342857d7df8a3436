# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: the same, and a service that never stops: the deadline forces the reboot
story='its verdict is: fail: no verdict after 20 s'
spoil() {
  candidate_without_verdict 20
  candidate_unit never-stops '/bin/sleep infinity' 'TimeoutStopSec=infinity
ExecStop=/bin/sleep infinity'
}
on_candidate() { :; }

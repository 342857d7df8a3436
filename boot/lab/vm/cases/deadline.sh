# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: a candidate without a network, whose verdict does not come: the deadline reboots it
story='its verdict is: fail: no verdict after 20 s'
spoil() { candidate_without_verdict 20; }
on_candidate() { :; }

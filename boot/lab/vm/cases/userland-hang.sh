# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: full: a candidate whose init freezes: the watchdog resets the board
story='candidate vm booted and died after stage'
spoil() {
  candidate_without_verdict 900 # its verdict would be there before the watchdog resets the board
  # Only once it has left a trace: what dies before is another story.
  candidate_unit freeze "/bin/sh -c 'until ls $VERDICTS_THERE/$VM_ID/*/stages/*-watchdog; do sleep 1; done; kill -SEGV 1'"
}
# What a dying init says does not reach this console.
after_reboot() { wait_on_console 'Started.*freeze\.service'; }
on_candidate() { :; }

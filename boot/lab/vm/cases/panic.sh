# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034 # for the board; read by play_case
#: short: a candidate that panics before it has a root file system: panic=10 brings the default back; the firmware's variables kept why
story='pstore has .*Kernel panic - not syncing'
spoil() { candidate_arguments 'rdinit=/nonexistent'; }
after_reboot() { wait_on_console 'Kernel panic - not syncing'; }

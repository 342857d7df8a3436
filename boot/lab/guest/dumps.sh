# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For scenarios that read the dump of the series "hang" again and again: twenty of them by one program.
twenty=$(yes "$(ls /sys/kernel/debug/dri/*/hang | head -n 1)" | head -n 20)

# read_twenty WHEN: ends the scenario unless each is complete.
read_twenty() {
  # shellcheck disable=SC2086 # words
  complete=$(sed -s -n '$p' $twenty | grep -c '^end lines=[0-9]* truncated=0$') || true
  [ "$complete" -eq 20 ] || { echo "$1: $complete of 20 dumps are complete" && exit 1; }
}

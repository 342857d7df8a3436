# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# A guest's swap device, for without swap panthor evicts nothing.

# swap_on DEVICE: in virtual time nobody hangs in I/O: the clock jumps from timer to timer while the host's disk works.
swap_on() {
  ! grep -q time-travel /proc/cmdline || echo 0 >/proc/sys/kernel/hung_task_timeout_secs
  mkswap "$1" >/dev/null && swapon "$1"
}

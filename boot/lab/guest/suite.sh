#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs in the guest: suite.sh OUT LIST. LIST has one program a line, "NAME PROGRAM ARGS…". For each, OUT gets NAME.log (its output),
# NAME.dmesg (the kernel's messages meanwhile), NAME.status and NAME.seconds (of this machine's clock: virtual, if time is).
set -u
out=$1 list=$2

# the clock in milliseconds
clock_ms() { echo $(($(date +%s%N) / 1000000)); }

while read -r name program; do
  case $name in '' | '#'*) continue ;; esac
  echo "panthor-lab: begin $name" >/dev/kmsg
  begin=$(clock_ms)
  sh -c "$program" >"$out/$name.log" 2>&1 </dev/null
  echo $? >"$out/$name.status"
  end=$(clock_ms)
  echo "$(((end - begin) / 1000)).$(printf %03d $(((end - begin) % 1000)))" >"$out/$name.seconds"
  dmesg | sed -n "/panthor-lab: begin $name\$/,\$p" >"$out/$name.dmesg"
done <"$list"
dmesg >"$out/dmesg"

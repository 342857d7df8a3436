#!/bin/sh
# SPDX-License-Identifier: MIT
# The dump can be read while jobs hang, also while somebody sits on the driver's locks: no read waits for anything.
# lab: series=hang,plants config=hang variant=virtual-time timeout=900 dmesg=any
# lab: long=READS=10000 long-timeout=7200
set -eu
. "$(dirname "$0")/../guest/dumps.sh"
hang() { panthor-harness hang-case reads --stage S4 --watch 20 "$@" >/tmp/case 2>&1 || true; }

# KIND of boot/lab/matrix/kinds.list, and how it is played
cases='op-lock-held    --plant op-lock-held --hang bind-now
resv-held       --plant resv-held
sched-lock-held --plant sched-lock-held --hang ask-state
bind-stuck      --plant bind-stuck --hang bind-then-run
queue-paused    --plant queue-paused
wq-starved      --plant wq-starved
resume-slow     --plant resume-slow --asleep
tick-stopped    --plant tick-stopped --hang fresh-group
reset-pending   --plant reset-pending --hang fresh-group
mcu-hung        --fault mcu-hung
endless         --hang endless'
each=$((${READS:-1000} / $(echo "$cases" | wc -l) + 1)) # READS=10000 is the long form
reads=0 all=0

# hundredths: the model's clock. A read that waits lets it run; one that does not takes none of it.
hundredths() { sed 's/ .*//; s/\.//' /proc/uptime; }

while read -r name how; do
  # shellcheck disable=SC2086 # words
  hang $how &
  case=$!
  sleep 2 # by then it hangs, and has another 18 s to go
  begin=$(hundredths)
  done=0
  while [ "$done" -lt "$each" ]; do
    read_twenty "$name"
    done=$((done + 20))
  done
  took=$(($(hundredths) - begin))
  [ "$took" -lt $((done * 2)) ] || { echo "$name: $done reads took ${took}0 ms" && exit 1; }
  kill -0 "$case" 2>/dev/null || { echo "$name: did not hang for so long" && cat /tmp/case && exit 1; }
  reads=$((reads + done)) all=$((all + took))
  wait "$case"
done <<END
$cases
END
echo "$reads dumps read while something hung, in ${all}0 ms of the model's time"

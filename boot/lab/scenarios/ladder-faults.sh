#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every fault of the virtual GPU stops the submit ladder at the rung and stage that belong to it, or passes for a reason, and the ladder
# comes back.
# lab: host=yes timeout=1800
set -euo pipefail

# FAULTS (joined by +)               RUNG          STAGE  why, where it is not plain. A RUNG of its own line: ladder --rung RUNG
read -r -d '' table <<'END' || true
as-active-stuck                      probe         S1
csg-ack-lost:count=0                 nop-stream    S4
csg-idle-event-lost:count=0          passes        -      the scheduler's tick takes an idle group's slot when another group wants it
doorbell-lost                        passes        -      the next ring makes up for it: the firmware looks at everything
doorbell-lost:count=0                nop-stream    S4     the requests of CSGs ring too
doorbell-lost:after=5                =second-job   S5     the ring of a queue whose group has a slot
flush-completion-lost                memory-write  S0     the next resume finds no firmware interface: GROUP_CREATE is refused
flush-completion-lost:count=0        memory-write  S0
gpu-irq-lost                         memory-write  S0     the first such event is a flush's completion
gpu-irq-lost:count=0                 memory-write  S3     and then the reset that was to help
gpu-irq-twice:count=0                passes        -      an interrupt with nothing pending is nobody's
job-irq-lost                         probe         S3     the first such event is the firmware's boot
job-irq-lost:after=1:count=0         nop-stream    S7
job-unmask-lost                      probe         S3
job-unmask-lost:after=1:count=0      nop-stream    S7
mcu-boot-lost:after=1:count=0        resume        S3
mcu-fatal-on-boot:after=1:count=0    resume        S3
mmu-irq-lost:count=0                 page-fault    S6
mmu-irq-twice:count=0                passes        -
mmu-unmask-lost:count=0              page-fault    S6
ping-ack-lost                        passes        -      the next request is acknowledged together with the ping
ping-ack-lost:count=0                ping          S6
power-ready-lost:after=3:count=0     resume        S3
reset-completion-lost:count=0        passes        -      nothing on the ladder needs a reset
csg-ack-lost+reset-completion-lost   nop-stream    S3     but this does
sync-update-lost                     passes        -      the next update, or the queue's end, is seen
sync-update-lost:count=0             rebind        S7
tlb-invalidate-skipped:count=0       rebind        S6
END

# climb FAULTS RUNG STAGE: one guest.
climb() {
  local faults=$1 rung=$2 stage=$3 wanted=1 status=0 fault out
  local -a options=() only=()
  out=$RESULTS_DIR/$(tr ':=' '__' <<<"$faults")
  for fault in ${faults//+/ }; do options+=(--fault "$fault"); done
  case $rung in =*) rung=${rung#=} only=(--rung "$rung") ;; esac
  [ "$rung" != passes ] || wanted=0
  "$LAB" exec --timeout 300 "${options[@]}" -- panthor-harness ladder "${only[@]}" >"$out" || status=$?
  if [ "$status" -eq "$wanted" ] && [ "$wanted" -eq 0 ]; then return 0; fi
  if [ "$status" -eq "$wanted" ] && grep -q "^first failing rung: $rung " "$out" && grep -q "^stage: $stage," "$out"; then return 0; fi
  echo "$faults: expected rung $rung, stage $stage, exit code $wanted; got $status: $(grep -E '^(first failing rung|stage)' "$out" | tr '\n' ' ')"
  return 1
}

# No fault of the catalogue is left out: it has a row here, or a kind of the hang matrix.
catalogue=$(dirname "$LAB")/userspace/virtual-gpu/faults/fault_catalogue.cpp
for name in $(sed -n 's/^ *{"\([a-z-]*\)", .*/\1/p' "$catalogue"); do
  grep -qE "(^|\+)${name}[: +]" <<<"$table" || grep -qE "fault=$name\b" "$(dirname "$LAB")/boot/lab/matrix/kinds.list" || { echo "$name: no row" && exit 1; }
done

failed=0 rows=0
while read -r faults rung stage _; do
  climb "$faults" "$rung" "$stage" || failed=$((failed + 1))
  rows=$((rows + 1))
done <<<"$table"
echo "$failed of $rows rows failed"
[ "$failed" -eq 0 ]

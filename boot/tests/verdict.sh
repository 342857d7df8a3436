#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The verdict service on made-up candidates: one that is well, and each way to be ill. sleep is a clock that does not wait.
# shellcheck disable=SC2016 # programs of the made-up system
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../lab/tests/support/helper.bash"

export CLOCK=$SCRATCH/clock
systems=0

# A second of the made-up clock costs 2 ms, so that what runs beside it has a chance to end.
fake_program sleep 'n=$(cat "$CLOCK"); echo $((n + $1)) >"$CLOCK"; exec /bin/sleep 0.002'
fake_program modprobe 'mkdir -p "$VERDICT_AT/sys/bus/platform/drivers/panthor/fb000000.gpu" "$VERDICT_AT/sys/module/panthor"; echo ABCD >"$VERDICT_AT/sys/module/panthor/srcversion"'
fake_program dmesg 'cat "$VERDICT_AT/log"'
fake_program panthor-harness 'case $1 in ladder) echo "all rungs passed" ;; autopsy) [ "$2" = --bundle ] && echo evidence >"$3" ;; esac'
fake_program systemctl 'echo "$(cat "$CLOCK") systemctl $*" >>"$VERDICT_AT/rebooted"'

# system: another one each time, since what hung on the one before may still write there.
system() {
  systems=$((systems + 1))
  export VERDICT_AT=$SCRATCH/system-$systems
  DIR=$VERDICT_AT/var/lib/panthor-lab/verdicts/one/the-boot
  mkdir -p "$VERDICT_AT"/{etc/panthor-lab,dev,proc/1/fd,proc/net,proc/sys/kernel/random,sys/class/watchdog/watchdog0}
  echo 'BOOT_IMAGE=/x root=/dev/nvme0n1p2 panthor_lab.entry=one' >"$VERDICT_AT/proc/cmdline"
  echo the-boot >"$VERDICT_AT/proc/sys/kernel/random/boot_id"
  echo 7.2.13-lab1 >"$VERDICT_AT/proc/sys/kernel/osrelease"
  echo '/dev/nvme0n1p2 / ext4 rw 0 0' >"$VERDICT_AT/proc/mounts"
  printf 'Iface\tDestination\tGateway\nenP4p65s0\t00000000\t0101A8C0\n' >"$VERDICT_AT/proc/net/route"
  ln -s /dev/watchdog0 "$VERDICT_AT/proc/1/fd/5"
  echo active >"$VERDICT_AT/sys/class/watchdog/watchdog0/state"
  echo 44 >"$VERDICT_AT/sys/class/watchdog/watchdog0/timeout"
  echo 'panthor fb000000.gpu: [drm] CSF FW using interface v1.5.0, Features 0x0' >"$VERDICT_AT/log"
  : >"$VERDICT_AT/dev/kmsg"
  echo 0 >"$CLOCK"
}

run() { "$LAB_ROOT/boot/verdict/verdict" run; }
verdict() { head -n 1 "$DIR/verdict"; }

system
run
expect_equal pass "$(verdict)" "a candidate that is well"
expect_equal '10-kernel 20-root 30-watchdog 40-network 50-panthor 60-firmware 70-ladder 80-log' "$(ls "$DIR/stages" | paste -sd' ')" "its stages, in order"
grep -q 'srcversion ABCD' "$DIR/stages/50-panthor" || fail "which panthor"
grep -q 'FW using interface v1.5.0' "$DIR/stages/60-firmware" || fail "which firmware"

system
echo inactive >"$VERDICT_AT/sys/class/watchdog/watchdog0/state"
run
expect_equal 'fail: the watchdog is not armed, so panthor was not loaded' "$(verdict | cut -d'(' -f1 | sed 's/ $//')" "no watchdog"
[ ! -e "$VERDICT_AT/sys/module/panthor" ] || fail "panthor was loaded without a watchdog"

system
echo 89 >"$VERDICT_AT/sys/class/watchdog/watchdog0/timeout"
run
grep -q '^fail: the watchdog' "$DIR/verdict" || fail "a watchdog of 89 s is too slow"

system
rm "$VERDICT_AT/proc/1/fd/5"
run
grep -q '^fail: the watchdog' "$DIR/verdict" || fail "nobody feeds the watchdog"

system
: >"$VERDICT_AT/proc/net/route"
run
grep -q 'no default route after 120 s' "$DIR/stages/40-network" || fail "no network is told"
expect_equal pass "$(verdict)" "and is not the GPU's fault"

system
printf 'NETCONSOLE=192.168.1.9:6666\n' >"$VERDICT_AT/etc/panthor-lab/verdict.conf"
run
expect_equal '192.168.1.9 6666 enP4p65s0 1' "$(cd "$VERDICT_AT/sys/kernel/config/netconsole/panthor-lab" && cat remote_ip remote_port dev_name enabled | paste -sd' ')" "netconsole"

system
fake_program modprobe 'echo "modprobe: FATAL: Module panthor not found" >&2; exit 1'
run
expect_equal 'fail: panthor could not be loaded' "$(verdict)" "no panthor"
system
fake_program modprobe 'exit 0'
run
grep -q '^fail: panthor found no device' "$DIR/verdict" || fail "no device: $(verdict)"
fake_program modprobe 'mkdir -p "$VERDICT_AT/sys/bus/platform/drivers/panthor/fb000000.gpu"'

system
fake_program panthor-harness 'case $1 in ladder) echo "rung 7: job does not end (S5)"; exit 1 ;; autopsy) [ "$2" = --bundle ] && echo evidence >"$3" ;; esac'
run
expect_equal 'fail: the ladder failed: rung 7: job does not end (S5)' "$(verdict)" "a ladder that fails"
[ -s "$DIR/autopsy/bundle.tar.gz" ] || fail "no autopsy"

system
fake_program panthor-harness 'case $1 in ladder) exec /bin/sleep 20 ;; autopsy) exit 1 ;; esac'
run
expect_equal 'hung: the ladder did not end in 300 s' "$(verdict)" "a ladder that hangs"
[ -s "$DIR/dmesg" ] || fail "no kernel log"
expect_equal w "$(cat "$VERDICT_AT/proc/sysrq-trigger")" "blocked tasks are asked for"

system
fake_program panthor-harness 'exit 0'
echo 'WARNING: CPU: 3 PID: 77 at drivers/gpu/drm/panthor/panthor_mmu.c:2' >>"$VERDICT_AT/log"
run
grep -q '^fail: the kernel log has .*WARNING: CPU' "$DIR/verdict" || fail "a warning in the kernel log"

# The deadline: nothing if there is a verdict, else reboot, by force in the end.
"$LAB_ROOT/boot/verdict/verdict" deadline
[ ! -e "$VERDICT_AT/rebooted" ] || fail "rebooted in spite of a verdict"
system
printf 'DEADLINE=30\n' >"$VERDICT_AT/etc/panthor-lab/verdict.conf"
"$LAB_ROOT/boot/verdict/verdict" deadline
for _ in {1..100}; do [ -s "$DIR/verdict" ] || /bin/sleep 0.1; done
expect_equal 'fail: no verdict after 30 s' "$(verdict)" "no verdict in time"
expect_equal '35 systemctl --no-block reboot|95 systemctl --no-block --force reboot' "$(paste -sd'|' "$VERDICT_AT/rebooted")" "a reboot, then a harder one"
expect_equal b "$(cat "$VERDICT_AT/proc/sysrq-trigger")" "then sysrq"
# A disk that never ends a write keeps nothing from the reset.
system
printf 'DEADLINE=30\n' >"$VERDICT_AT/etc/panthor-lab/verdict.conf"
fake_program sync 'exec /bin/sleep 5'
"$LAB_ROOT/boot/verdict/verdict" deadline
[ ! -s "$DIR/verdict" ] || fail "the disk did not hang"
expect_equal b "$(cat "$VERDICT_AT/proc/sysrq-trigger")" "sysrq, though the disk hangs"

# The units are valid, and sleep on a default boot.
for unit in "$LAB_ROOT"/boot/verdict/*.service; do
  grep -q '^ConditionKernelCommandLine=panthor_lab.entry$' "$unit" && grep -q '^ConditionKernelCommandLine=!panthor_lab.entry=default$' "$unit" || fail "$unit starts on the default"
done

# systemd itself accepts them, where it is there.
if have_systemd=$(command -v systemd-analyze); then
  mkdir "$SCRATCH/units"
  for unit in "$LAB_ROOT"/boot/verdict/*.service; do sed "s,/usr/lib/panthor-lab/verdict,$LAB_ROOT/boot/verdict/verdict," "$unit" >"$SCRATCH/units/$(basename "$unit")"; done
  expect_equal '' "$("$have_systemd" verify "$SCRATCH"/units/*.service 2>&1)" "systemd accepts the units"
else
  echo "note: no systemd-analyze here; the units were not verified"
fi

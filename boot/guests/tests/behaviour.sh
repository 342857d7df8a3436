#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# behaviour.sh ROOTFS COMMAND ARGS…: what panthor-guest promises, tried on real guests. COMMAND ARGS are panthor-guest with
# its options, up to but without "--"; ROOTFS is the directory it is given. Prints TAP; exits 1 if anything failed.
set -euo pipefail

rootfs=$1
shift
guest=("$@")
work=$(mktemp -d)
export TMPDIR=$work
trap 'rm -rf "$work"' EXIT
count=0
failed=0

# check NAME CONDITION…: one test.
check() {
  local name=$1
  shift
  count=$((count + 1))
  if "$@"; then
    printf 'ok %d %s\n' "$count" "$name"
  else
    printf 'not ok %d %s\n' "$count" "$name"
    sed 's/^/# /' "$work/err" 2>/dev/null || true
    failed=$((failed + 1))
  fi
}

# run ARGS…: a guest; status in $status, streams in $work/out and $work/err. Options before --.
run() {
  status=0
  "${guest[@]}" "$@" >"$work/out" 2>"$work/err" || status=$?
}

exits() { [ "$status" -eq "$1" ]; }
printed() { [ "$(cat "$work/out")" = "$1" ]; }
complained() { grep -q -e "$1" "$work/err"; }
nothing_left() {
  ! compgen -G "$work/panthor-guest.*" >/dev/null && ! pgrep -f "$work" >/dev/null
}
unchanged() { [ "$(find "$rootfs" -xdev -newer "$work/start" | head -n 1)" = "" ]; }

touch "$work/start"
sleep 0.05

run --no-driver -n -- sh -c 'echo out; echo err >&2; exit 7'
check "the command's status comes through" exits 7
check "standard output is only the command's" printed out
check "standard error is separate" complained '^err$'

run --no-driver -n -- sh -c 'kill -TERM $$'
check "death by a signal is 128 + its number" exits 143

run --no-driver -n -- no-such-command
check "a command that does not exist is 127" exits 127

run --no-driver -n -- printf '%s|' 'a b' '' $'two\nlines' "q'\"*"
check "arguments are not changed" printed $'a b||two\nlines|q\'"*|'

head -c 3000000 /dev/urandom >"$work/random"
run --no-driver -- cat <"$work/random"
check "a file as standard input, binary" cmp -s "$work/random" "$work/out"

status=0
head -c 300000 "$work/random" | "${guest[@]}" --no-driver --stdin live -- cat >"$work/out" 2>"$work/err" || status=$?
check "a pipe as standard input, with its end" cmp -s <(head -c 300000 "$work/random") "$work/out"

run --no-driver -- wc -c </dev/null
check "no standard input is an empty one" printed 0

run --no-driver --timeout 3 -n -- sleep 1000
check "the deadline is 124" exits 124
check "nothing is left after a deadline" nothing_left

"${guest[@]}" --no-driver -n --time wall -- sh -c 'trap "exit 9" TERM; echo ready; while :; do sleep 0.1; done' \
  >"$work/out" 2>"$work/err" &
pid=$!
for _ in $(seq 200); do
  ! grep -q ready "$work/out" || break
  sleep 0.05
done
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
check "SIGTERM reaches the command" exits 9

mkdir "$work/shared"
echo there >"$work/shared/file"
run --no-driver -n --bind "$work/shared:/mnt/host" -- sh -c 'cat /mnt/host/file; echo back >/mnt/host/answer'
check "--bind shows a host directory" printed there
check "--bind is writable" test "$(cat "$work/shared/answer" 2>/dev/null)" = back
run --no-driver -n --bind "$work/shared:ro" -- sh -c "echo no >'$work/shared/answer'"
check "--bind :ro is not" test "$(cat "$work/shared/answer")" = back

run --no-driver -n -- sh -c 'echo x >/usr/bin/new-file && rm -rf /etc/apt && echo y >>/etc/passwd && echo changed'
check "the guest may write anywhere" printed changed
check "the root directory on the host does not change" unchanged

run --no-driver -n --fail-on-dmesg 'panthor.*test message' -- sh -c 'echo "<4>panthor: a test message" >/dev/kmsg'
check "--fail-on-dmesg fails a good command with 123" exits 123
run --no-driver -n --fail-on-dmesg 'no such line' -- true
check "--fail-on-dmesg lets others pass" exits 0

run --no-driver -n --log "$work/log" --append init=/no-such-program -- true
check "a kernel panic is 125" exits 125
check "and is named" complained 'Kernel panic'
check "the log stays" grep -q 'Kernel panic' "$work/log/console.log"

"${guest[@]}" -n --time wall -- sh -c 'echo ready; sleep 1000' >"$work/out" 2>"$work/err" &
pid=$!
for _ in $(seq 200); do
  ! grep -q ready "$work/out" || break
  sleep 0.05
done
pkill -KILL -P "$pid" panthor-vgpu
status=0
wait "$pid" || status=$?
check "a dead model is 125" exits 125
check "and is named" complained 'virtual GPU ended with signal 9'

run --no-driver -n -t -- sh -c 'tty; test -t 2 && echo terminal'
check "--tty gives the command a terminal" grep -q '^/dev/pts/0' "$work/out"

run -n --result "$work/result.json" -- true
check "--result is written" grep -q '"outcome": "exited"' "$work/result.json"

run --rootfs /nonexistent -- true
check "a wrong command line is 125" exits 125

pids=()
for n in 1 2 3; do
  "${guest[@]}" -n -- sh -c "echo $n >/root/me; sleep 0.5; cat /root/me" >"$work/out.$n" 2>&1 &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || true; done
check "several guests share one root directory" test "$(cat "$work"/out.[123])" = $'1\n2\n3'

SECONDS=0
run -n --time virtual -- sh -c 'sleep 60; cut -d. -f1 /proc/uptime'
check "virtual time: the guest slept a minute" test "$(cat "$work/out")" -ge 60
check "virtual time: a minute is short" test "$SECONDS" -lt 30
for n in 1 2; do
  run -n --time virtual --log "$work/v$n" --log-registers -- sh -c 'ls /dev/dri; cat /proc/uptime'
done
check "virtual time: there is an event log" test -s "$work/v1/model.log"
check "virtual time: two runs have the same event log" cmp -s "$work/v1/model.log" "$work/v2/model.log"
check "nothing is left at the end" nothing_left

printf '1..%d\n' "$count"
[ "$failed" -eq 0 ]

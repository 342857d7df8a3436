#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# panthor-remote against a made-up board behind a made-up ssh, with a clock that does not wait: a candidate that passes, one that dies,
# one that hangs, a board that never comes back, connections that break at every step.
# shellcheck disable=SC2016 # programs of the made-up board
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/../lab/tests/support/helper.bash"

export B=$SCRATCH/b
REMOTE=$LAB_ROOT/boot/panthor-remote
fake_program sleep 'echo $(($(cat "$B/clock") + $1)) >"$B/clock"'

# The board: $B/fate says what a reboot into the candidate becomes; it is down for 40 s at each reboot. "power" is its power switch.
fake_program board-reboots '
  now=$(cat "$B/clock") next=$(cat "$B/next")
  echo $((now + 40)) >"$B/up-at"
  : >"$B/next"
  echo "boot-$now" >"$B/boot_id"
  echo 6.1.75-npu-port >"$B/kernel"
  case $next:$(cat "$B/fate") in
    one:pass | one:fail | one:slow | one:stays | one:leaves)
      echo 7.2.13-lab1 >"$B/kernel"
      [ "$(cat "$B/fate")" != stays ] || echo one >"$B/next"
      ;;
    one:hangs | one:lost) echo 999999999 >"$B/up-at" ;;
  esac'
fake_program power 'echo cycled >>"$B/power"; [ "$(cat "$B/fate")" = lost ] || board-reboots'
fake_program ssh '
  for command; do :; done
  echo "$command" >>"$B/ssh.log"
  now=$(cat "$B/clock")
  [ "$now" -ge "$(cat "$B/up-at")" ] || exit 255
  # Every third connection breaks, if the board is like that.
  if [ -e "$B/flaky" ]; then
    n=$(($(cat "$B/flaky") + 1))
    echo $n >"$B/flaky"
    case $command in *boot_id* | *"test -s"*) [ $((n % 3)) -ne 0 ] || exit 255 ;; esac
  fi
  verdict=$B/verdicts/one/$(cat "$B/boot_id")
  case $command in
    *boot_id*) cat "$B/boot_id" "$B/kernel" ;;
    *"systemctl reboot"*) board-reboots; [ ! -e "$B/flaky" ] || exit 255 ;;
    *"panthor-boot arm "*) [ ! -e "$B/refuses" ] || { echo "panthor-boot: refused (not-rehearsed): x" >&2; exit 37; }; echo one >"$B/next" ;;
    *"panthor-boot rehearse"*) : ;;
    *"panthor-boot status"*) echo "the story"; [ "$(cat "$B/fate")" = pass ] ;;
    *release=*) echo 7.2.13-lab1 ;;
    *"test -s"*)
      # The verdict comes 100 s after the candidate is up.
      if [ "$(cat "$B/fate")" = leaves ] && [ "$now" -ge $(($(cat "$B/up-at") + 30)) ]; then board-reboots; exit 1; fi
      if [ "$(cat "$B/fate")" = slow ]; then
        [ "$now" -lt $(($(cat "$B/up-at") + 100)) ] || board-reboots
        exit 1
      fi
      [ "$now" -ge $(($(cat "$B/up-at") + 100)) ] || exit 1
      mkdir -p "$verdict"
      case $(cat "$B/fate") in fail) echo "hung: the ladder" ;; *) echo pass ;; esac >"$verdict/verdict"
      ;;
    *"tar -c"*) cd "$B/verdicts" && tar -c one ;;
    *) echo "unexpected: $command" >&2; exit 99 ;;
  esac'

# board FATE
board() {
  rm -rf "$B"
  mkdir -p "$B/verdicts"
  echo "$1" >"$B/fate"
  echo 1000 >"$B/clock"
  echo 0 >"$B/up-at"
  echo boot-first >"$B/boot_id"
  echo 6.1.75-npu-port >"$B/kernel"
  : >"$B/next"
  cd "$SCRATCH"
  rm -rf results
}
try() { "$REMOTE" board arm one --collect "$SCRATCH/results" "$@"; }

board pass
expect_exit 0 'the board is back on 6.1.75-npu-port' try
expect_equal pass "$(cat "$SCRATCH"/results/one/*/verdict)" "the verdict is collected"
expect_equal 'the story' "$(cat "$SCRATCH/results/status")" "and the story"
grep -q 'power switch' "$SCRATCH/err" || fail "what nothing can save is not said"

board pass
echo 0 >"$B/flaky"
expect_exit 0 'the board is back on 6.1.75-npu-port' try

board pass
expect_exit 0 'the board stays on it' try --stay
expect_equal 7.2.13-lab1 "$(cat "$B/kernel")" "it stays"

board fail
expect_exit 1 'the board is back' try
expect_equal 'hung: the ladder' "$(cat "$SCRATCH"/results/one/*/verdict)" "a bad verdict is collected too"

board dies
expect_exit 1 'that is not 7.2.13-lab1: the candidate did not come up' try

board leaves
expect_exit 1 'the board left the candidate by itself' try

board slow
expect_exit 1 'the board left the candidate by itself' try --verdict-wait 300

board stays
expect_exit 1 'still boots 7.2.13-lab1.*disarm there' try

board hangs
expect_exit 124 'did not come back in 300 s; cut its power' try
board hangs
expect_exit 1 'cycling its power' try --power-cycle power
expect_equal cycled "$(cat "$B/power")" "once"
board lost
expect_exit 124 'not even after its power was cycled' try --power-cycle power --wait 100

board pass
touch "$B/refuses"
expect_exit 37 'not-rehearsed' try
! grep -q 'systemctl reboot' "$B/ssh.log" || fail "rebooted in spite of a refusal"

board pass
expect_exit 0 'a new boot answers: 6.1.75' "$REMOTE" board rehearse

board pass
echo 999999 >"$B/up-at"
expect_exit 125 'cannot be reached' try

expect_exit 2 'HOST and what to do' "$REMOTE" board
expect_exit 2 'frobnicate: rehearse' "$REMOTE" board frobnicate
expect_exit 2 'arm which' "$REMOTE" board arm
expect_exit 2 'are seconds' "$REMOTE" board status --wait long

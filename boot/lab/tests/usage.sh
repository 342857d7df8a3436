#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wrong usage: one line and exit code 2.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

expect_exit 2 'no verb frobnicate \(there are: run' "$LAB" frobnicate
expect_exit 2 'no verb exce: did you mean exec\?' "$LAB" exce
expect_exit 2 'no IGT test binary panthor_vmm: did you mean panthor_vm\?' "$LAB" igt panthor_vmm@bind
expect_exit 2 'takes no option --frob' "$LAB" exec --frob -- true
expect_exit 2 'what is to be run' "$LAB" exec
expect_exit 2 'target vm: not yet' "$LAB" exec --target vm -- true
expect_exit 2 'target ssh:board: not yet' "$LAB" run --target ssh:board
expect_exit 2 'excludes --cpus' "$LAB" exec --cpus 2 --time virtual -- true
expect_exit 2 'no base v1.0' "$LAB" exec --base v1.0 -- true
expect_exit 2 'base v7.0 is not packaged' "$LAB" exec --base v7.0 -- true
expect_exit 2 'no kernel variant turbo' "$LAB" exec --kernel-variant turbo -- true
expect_exit 2 'only frob: no such group; there are: shell patches lab boot unit' "$LAB" test --only unit,frob
expect_exit 2 'only igt/x: no such group' "$LAB" test --only igt/x
expect_exit 2 'only : no such group' "$LAB" test --only ''
expect_exit 2 'only scenarios/nothing: no scenario is named like that; there are: .*determinism' "$LAB" test --only scenarios/determinism,scenarios/nothing
expect_exit 17 'no such directory' "$LAB" exec --source "$SCRATCH/nowhere" -- true
expect_exit 2 'minutes soon: a number' "$LAB" test --minutes soon
expect_exit 2 'rounds 0: a number' "$LAB" bench --rounds 0
expect_exit 2 'limit fast: a ratio' "$LAB" bench --limit fast
expect_exit 2 'takes no arguments' "$LAB" bench stock
expect_exit 2 'jobs many: a number' "$LAB" hang-matrix --jobs many
expect_exit 2 'jobs 0: a number' "$LAB" boot-matrix --jobs 0
expect_exit 2 'kinds nothing-like-it matches none of: .*doorbell-lost' "$LAB" hang-matrix --kinds nothing-like-it
expect_exit 2 'with .*: no such file' "$LAB" hang-matrix --with "$SCRATCH/nowhere.json"
expect_exit 2 'takes no arguments' "$LAB" boot-matrix early-hang
expect_exit 2 'cases nothing matches none of: .*early-hang' "$LAB" boot-matrix --cases nothing
expect_exit 2 'decides itself about --out' "$LAB" reproduce --base v7.2 --out "$SCRATCH"
mkdir "$SCRATCH/empty"
expect_exit 17 'not a Linux source tree' "$LAB" exec --source "$SCRATCH/empty" -- true
"$LAB" help >"$SCRATCH/help"
for verb in run test exec shell igt boot-matrix reproduce bench build clean doctor; do
  grep -q "^  ./lab $verb" "$SCRATCH/help" || fail "help does not name $verb"
  "$LAB" help "$verb" | grep -q "^lab $verb" || fail "help $verb"
  "$LAB" "$verb" --help | grep -q "^lab $verb" || fail "$verb --help"
done
# Each option a verb takes is in its help.
load_library
for verb in exec test hang-matrix; do
  for option in $(sed -n 's/.*parse_options "\(.*\)" "$@"/\1/p' "$LAB_ROOT/boot/lab/verbs/$verb.sh"); do
    case $option in
      \$KERNEL_OPTIONS) names=$KERNEL_OPTIONS ;;
      \$GUEST_OPTIONS) names=$GUEST_OPTIONS ;;
      *) names=$option ;;
    esac
    for name in $names; do
      "$LAB" help "$verb" | grep -q -- "--$name\b" || fail "./lab help $verb does not name --$name"
    done
  done
done
cat >"$SCRATCH/scenarios-wanted" <<'END'
:one
scenarios:one
scenarios/on,unit:one
scenarios/two,scenarios/one:one
END
. "$LAB_ROOT/boot/lab/verbs/test.sh"
while IFS=: read -r TEST_ONLY name; do scenario_wanted "$name" || fail "--only $TEST_ONLY leaves out scenario $name"; done <"$SCRATCH/scenarios-wanted"
TEST_ONLY=scenarios/two,unit
! scenario_wanted one || fail "--only $TEST_ONLY takes scenario one"
# What has no time left is a skipped result, not a passed one.
result() { printf '%s\n' "$*" >"$SCRATCH/result"; }
results_end_after 1
time_left scenarios one || fail "a minute is left, and nothing may begin"
[ ! -e "$SCRATCH/result" ] || fail "what may begin has a result: $(cat "$SCRATCH/result")"
results_end_after 0
! time_left scenarios one || fail "no time is left, and something begins"
expect_equal 'scenarios one skip 0 not begun: the 0 minutes of --minutes are over' "$(cat "$SCRATCH/result")" "what does not begin"
results_end_after ''
time_left scenarios one || fail "without --minutes nothing may begin"

#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# IGT output, exit codes and expectations.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"

load_library
RESULTS=$SCRATCH/results
mkdir "$RESULTS"
reset() { : >"$RESULTS/results.tsv"; }
status_of() { awk -F'\t' -v t="$1" '$2 == t { print $3 }' "$RESULTS/results.tsv"; }
cat >"$SCRATCH/log" <<'EOF'
IGT-Version: 2.5 (x86_64) (Linux: 7.2.12 x86_64)
Starting subtest: one
Subtest one: SUCCESS (0.012s)
Starting subtest: two
(panthor_x:1) CRITICAL: Test assertion failure
Subtest two: FAIL (0.100s)
Subtest three: SKIP (0.000s)
EOF
printf '# comment\npanthor_x@one  pass\npanthor_x@two  fail  a known bug\npanthor_x@three  skip\n' >"$SCRATCH/uml.txt"
reset
igt_binary_results s "$SCRATCH/uml.txt" panthor_x "$SCRATCH/log" 98
expect_equal "pass pass skip" "$(status_of panthor_x@one) $(status_of panthor_x@two) $(status_of panthor_x@three)" "as expected"
printf 'panthor_x@one  fail\npanthor_x@four  pass\n' >"$SCRATCH/uml.txt"
reset
igt_binary_results s "$SCRATCH/uml.txt" panthor_x "$SCRATCH/log" 98
expect_equal "fail fail fail fail" "$(status_of panthor_x@one) $(status_of panthor_x@two) $(status_of panthor_x@three) $(status_of panthor_x@four)" \
  "a surprising pass, an unnamed failure, an unnamed skip, a missing test"
: >"$SCRATCH/uml.txt"
sed -n '1,3p' "$SCRATCH/log" >"$SCRATCH/died"
reset
igt_binary_results s "$SCRATCH/uml.txt" panthor_x "$SCRATCH/died" 112
expect_equal "pass fail" "$(status_of panthor_x@one) $(status_of panthor_x)" "an abort after a passed subtest is a failure"
reset
igt_binary_results s "$SCRATCH/uml.txt" panthor_x /dev/null 0
expect_equal fail "$(status_of panthor_x)" "a binary that ran nothing is a failure"
printf 'panthor_x@two  fail\npanthor_x@*  skip\n' >"$SCRATCH/uml.txt"
expect_equal "skip fail " "$(igt_expectation "$SCRATCH/uml.txt" panthor_x@any) $(igt_expectation "$SCRATCH/uml.txt" panthor_x@two) $(igt_expectation "$SCRATCH/uml.txt" panthor_xy@any)" "a name for all subtests of a binary"
printf 'panthor_x@*  skip\n' >"$SCRATCH/uml.txt"
reset
igt_missing s "$SCRATCH/uml.txt"
expect_equal fail "$(status_of 'panthor_x@*')" "none of all is missing"
reset
result s panthor_x@any skip 0
igt_missing s "$SCRATCH/uml.txt"
expect_equal 1 "$(wc -l <"$RESULTS/results.tsv")" "one of all is enough"
printf 'panthor_x@three  skip\n' >"$SCRATCH/uml.txt"
mkdir "$SCRATCH/igt" && sed -n '7p' "$SCRATCH/log" >"$SCRATCH/igt/panthor_x.log"
reset
igt_collect s "$SCRATCH/uml.txt" "$SCRATCH/igt" 77
expect_equal fail "$(status_of all)" "everything skipped is a failure"
status=0
results_verdict || status=$?
expect_equal 1 "$status" "and red"
mkdir "$SCRATCH/igt/runner"
cat >"$SCRATCH/igt/runner/results.json" <<'EOF'
{"tests": {"igt@panthor/panthor_x@one": {"result": "pass", "time": {"start": 1.0, "end": 1.5}, "dmesg": "<6> hello\n"},
           "igt@panthor/panthor_x@three": {"result": "skip"}, "igt@panthor/panthor_x@five": {"result": "dmesg-fail"}}}
EOF
reset
igt_collect s "$SCRATCH/uml.txt" "$SCRATCH/igt" 1
expect_equal "pass skip fail" "$(status_of panthor_x@one) $(status_of panthor_x@three) $(status_of panthor_x@five)" "results.json"
grep -q hello "$SCRATCH"/igt/dmesg/*one.txt || fail "the kernel's messages of a subtest are kept"
results_write
grep -q 'failures\|<failure' "$RESULTS/junit.xml" || fail "junit.xml"
grep -q '^not ok' "$RESULTS/results.ktap" || fail "results.ktap"

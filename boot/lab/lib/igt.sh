# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# IGT results: output of a binary or results.json of igt_runner, judged by an expectation file. Exit codes of a binary: 0, 77 skip, 98 fail, 112 abort.

# igt_status_word EXITCODE
igt_status_word() {
  case $1 in 0) printf pass ;; 77) printf skip ;; 98) printf fail ;; 112) printf abort ;; 124) printf timeout ;; *) printf 'exit %s' "$1" ;; esac
}

# igt_from_log LOG: "SUBTEST pass|fail|skip SECONDS" for each subtest in a binary's output.
igt_from_log() {
  sed -n 's/\x1b\[[0-9;]*m//g; s/^Subtest \([^:]*\): \([A-Z]*\) *(\{0,1\}\([0-9.]*\).*/\1 \2 \3/p' "$1" |
    awk '{ print $1, $2 == "SUCCESS" ? "pass" : $2 == "SKIP" ? "skip" : "fail", $3 == "" ? 0 : $3 }'
}

# igt_from_runner RESULTS.JSON: "BINARY@SUBTEST pass|fail|skip SECONDS WORD".
igt_from_runner() {
  jq -r '.tests | to_entries[] | [(.key | sub("^igt@"; "") | sub("^panthor[/@]"; "")), .value.result,
      ((.value.time.end // 0) - (.value.time.start // 0))] | @tsv' "$1" |
    awk '{ word = $2; verdict = word == "pass" ? "pass" : word == "skip" ? "skip" : "fail"; print $1, verdict, $3, word }'
}

# igt_known_binaries TESTS…: refuses a binary that no expectation file names.
igt_known_binaries() {
  local test
  local -a known
  mapfile -t known < <(sed -n 's/^\(panthor_[a-z_]*\)@.*/\1/p' "$LAB_ROOT"/igt-tests/expectations/*.txt | sort -u)
  for test in "$@"; do need_one_of "IGT test binary" "${test%%@*}" "${known[@]}"; done
}

# build_igt_tests: our own IGT tests, against the libigt of the guest's root (build_rootfs). After it: IGT_TESTS_DIR.
build_igt_tests() {
  local USERSPACE_DIR
  build_userspace igt all "-DLIBIGT=$(find "$ROOTFS_DIR/usr/lib" -name libigt.so.0 | head -n 1)"
  IGT_TESTS_DIR=$USERSPACE_DIR/tests
}

# igt_expectations TARGET BASE: the expectation file of this run: of igt-tests/expectations/TARGET[+CONDITION…].txt those whose conditions
# all hold (BASE, a patch series, a configuration fragment), those with the most first, since the first line that names a test counts.
igt_expectations() {
  local file=$RESULTS/$1.txt part condition rest
  local -a names true
  IFS=, read -ra names <<<"${SERIES_NAMES:-stock}"
  mapfile -t true < <(series_patches "$2" "${names[@]}" | sed 's,/.*,,' | uniq && variant_fragments "${KERNEL_VARIANT:-}")
  true+=("$2" "${OPT_CONFIG[@]}")
  for part in "$LAB_ROOT/igt-tests/expectations/$1"{,+*}.txt; do
    rest=$(basename "$part" .txt)
    rest=${rest#"$1"}
    for condition in ${rest//+/ }; do
      one_of "$condition" "${true[@]}" || continue 2
    done
    printf '%s %s\n' "${rest//[^+]/}" "$part"
  done | LC_ALL=C sort -r | sed 's/^[^ ]* //' | xargs -d '\n' cat >"$file"
  printf '%s\n' "$file"
}

# igt_expectation FILE TEST: pass, fail or skip; nothing if the file does not name it. A name that ends in * is for all that begin so.
igt_expectation() {
  awk -v test="$2" '{ name = $1 } name == test || (sub(/\*$/, "", name) && index(test, name) == 1) { print $2; exit }' "$1"
}

# igt_judge SUITE EXPECTATIONS TEST VERDICT SECONDS [DETAIL]: records a result; what was expected counts as passed, except that a skip stays one.
igt_judge() {
  local suite=$1 expectations=$2 test=$3 verdict=$4 seconds=$5 detail=${6:-} expected
  expected=$(igt_expectation "$expectations" "$test")
  if [ -z "$expected" ]; then
    # Unknown tests must pass; on a board a test may skip.
    if [ "$verdict" = skip ] && [ "$(basename "$expectations")" != local.txt ]; then
      result "$suite" "$test" fail "$seconds" "skipped, and no expectation names it"
    else
      result "$suite" "$test" "$verdict" "$seconds" "$detail"
    fi
  elif [ "$expected" = "$verdict" ]; then
    if [ "$verdict" = fail ]; then result "$suite" "$test" pass "$seconds" "fails as expected"; else result "$suite" "$test" "$verdict" "$seconds" "$detail"; fi
  else
    result "$suite" "$test" fail "$seconds" "$verdict instead of $expected ${detail:+($detail)}"
  fi
}

# igt_missing SUITE EXPECTATIONS [BINARY]: expected tests (of one binary) that left no result.
igt_missing() {
  local suite=$1 expectations=$2 binary=${3:-} test rest
  while read -r test rest; do
    case $test in '' | '#'*) continue ;; esac
    : "$rest"
    case $test in "$binary"*) ;; *) continue ;; esac
    awk -F'\t' -v s="$suite" -v t="$test" 'BEGIN { any = sub(/\*$/, "", t) } $1 == s && (any ? index($2, t) == 1 : $2 == t) { found = 1 }
      END { exit !found }' "$RESULTS/results.tsv" ||
      result "$suite" "$test" fail 0 "did not run"
  done <"$expectations"
}

# igt_binary_results SUITE EXPECTATIONS BINARY LOG EXITCODE: the subtests of one binary.
igt_binary_results() {
  local suite=$1 expectations=$2 binary=$3 log=$4 code=$5 subtest verdict seconds failed=0 count=0
  while read -r subtest verdict seconds; do
    igt_judge "$suite" "$expectations" "$binary@$subtest" "$verdict" "$seconds"
    [ "$verdict" != fail ] || failed=1
    count=$((count + 1))
  done < <(igt_from_log "$log")
  igt_missing "$suite" "$expectations" "$binary@"
  # A binary that dies between subtests must not pass for what it managed before.
  case $code in
    0) [ "$count" -gt 0 ] || result "$suite" "$binary" fail 0 "ran no subtest" ;;
    77) ;;
    98) [ "$failed" -eq 1 ] || result "$suite" "$binary" fail 0 "failed outside its subtests" ;;
    *) result "$suite" "$binary" fail 0 "ended with $(igt_status_word "$code")" ;;
  esac
}

# igt_all_skipped SUITE: true if nothing of it passed or failed: such a run proves nothing.
igt_all_skipped() { [ "$(count_results pass "$1")" -eq 0 ] && [ "$(count_results fail "$1")" -eq 0 ]; }

# igt_collect SUITE EXPECTATIONS DIRECTORY STATUS [TESTS…]: what guest/igt.sh left in DIRECTORY.
igt_collect() {
  local suite=$1 expectations=$2 dir=$3 status=$4 test verdict seconds word log
  shift 4
  if [ -e "$dir/runner/results.json" ]; then
    while read -r test verdict seconds word; do
      igt_judge "$suite" "$expectations" "$test" "$verdict" "$seconds" "$word"
    done < <(igt_from_runner "$dir/runner/results.json")
    mkdir -p "$dir/dmesg"
    jq -r '.tests | to_entries[] | select(.value.dmesg) | .key' "$dir/runner/results.json" | while read -r test; do
      jq -r --arg test "$test" '.tests[$test].dmesg' "$dir/runner/results.json" >"$dir/dmesg/$(printf '%s' "$test" | tr '/@' '__').txt"
    done
  else
    for log in "$dir"/panthor_*.log; do
      [ -e "$log" ] || continue
      test=$(basename "$log" .log)
      while read -r word verdict seconds; do igt_judge "$suite" "$expectations" "$test@$word" "$verdict" "$seconds"; done < <(igt_from_log "$log")
    done
  fi
  # Only a run of everything must have run everything.
  [ $# -gt 0 ] || igt_missing "$suite" "$expectations"
  case $status in 0 | 1 | 77 | 98) ;; *) result "$suite" runner fail 0 "ended with $(igt_status_word "$status")" ;; esac
  ! igt_all_skipped "$suite" || result "$suite" all fail 0 "no test passed or failed: this proves nothing"
}

# igt_guest_options DIRECTORY: for a guest that runs our own IGT tests: they are in /igt-tests, and /dev/ubda (DIRECTORY/swap, to be removed
# afterwards) is there to swap to, for without swap panthor evicts nothing.
igt_guest_options() {
  build_igt_tests
  truncate -s 256M "$1/swap"
  OPT_GUEST+=(--bind "$IGT_TESTS_DIR:/igt-tests:ro" --append "ubd0=$1/swap")
}

# igt_guest_results SUITE [TESTS…]: igt.sh in a guest prepared by prepare_guest; results in $RESULTS/SUITE.
igt_guest_results() {
  local suite=$1 dir status=0 begin
  local -a kept=("${OPT_GUEST[@]}")
  shift
  dir=$RESULTS/$(printf '%s' "$suite" | tr ' /' '--')
  mkdir -p "$dir"
  OPT[timeout]=${OPT[timeout]:-600}
  OPT[log]=$dir/guest
  mkdir -p "$dir/guest"
  OPT_GUEST+=(--bind "$LAB_ROOT:/lab:ro" --bind "$dir:/results")
  igt_guest_options "$dir"
  say "$suite: booting $KERNEL_NAME"
  begin=$(now_ms)
  run_guest sh /lab/boot/lab/guest/igt.sh /results "$@" >"$dir/guest.out" 2>&1 </dev/null || status=$?
  rm -f "$dir/swap"
  case $status in
    124 | 125)
      tail -n 20 "$dir/guest.out" >&2
      result "$suite" guest fail "$(seconds_since "$begin")" "the guest ended with $status ($dir/guest)"
      ;;
  esac
  igt_collect "$suite" "$(igt_expectations uml "$SRC_BASE")" "$dir" "$status" "$@"
  OPT_GUEST=("${kept[@]}")
  unset 'OPT[timeout]' 'OPT[log]'
}

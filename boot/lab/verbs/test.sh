# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab test [OPTIONS]      everything this project can test on this machine
#:
#: Groups, in this order; the last line counts: N passed, N failed, N skipped. JUnit and KTAP are in the results directory.
#:   shell      shellcheck over the shell of this project
#:   patches    checkpatch --strict over every patch
#:   lab        the front door's own tests (no network, no space, corrupted downloads …)
#:   boot       panthor-boot and its kin on made-up boards, with a real Debian's GRUB tools (needs root)
#:   unit       unit tests, by ctest
#:   sanitize   the same with AddressSanitizer and UndefinedBehaviorSanitizer
#:   aarch64    what runs on an arm64 board, cross-compiled, its unit tests under qemu-user
#:   fuzz       each fuzzer for a few seconds
#:   identity   the driver under test is byte for byte the package's
#:   guests     what panthor-guest promises (streams, signals, exit codes, clean-up), on real guests
#:   igt        upstream's IGT panthor tests on every packaged base
#:   scenarios  boot/lab/scenarios, each in a guest of its own
#:   boot-matrix  a candidate kernel on a made-up arm64 board (./lab boot-matrix --short)
#:
#:   --only GROUPS          comma-separated; scenarios/PATTERN: those with PATTERN in their name
#:   --long                 scenarios: those that have a long form run it (minutes to hours)
#:   --minutes N            after N minutes what runs is ended and nothing more begins: skipped, and says so
#:   --target uml|local     local: unit, and smoke and IGT on this machine's own GPU
#:   --source DIR|TARBALL   igt: on a kernel of yours too; lab: the series apply to it (a directory)
#:   --quiet                no progress on stderr
readonly TEST_GROUPS_UML="shell patches lab boot unit sanitize aarch64 fuzz identity guests igt scenarios boot-matrix" TEST_GROUPS_LOCAL="unit local"

verb_test() {
  local begin=$SECONDS group groups
  parse_options "target quiet only source long minutes" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "./lab test takes no arguments (./lab help test)"
  need_target uml local
  TEST_SOURCE=${OPT[source]:-}
  TEST_ONLY=${OPT[only]:-}
  SCENARIOS_LONG=${OPT[long]:-}
  results_end_after "${OPT[minutes]:-}"
  if [ "$TARGET" = uml ]; then groups=$TEST_GROUPS_UML; else groups=$TEST_GROUPS_LOCAL; fi
  [ -z "${OPT[only]+set}" ] || check_only "$groups"
  results_open test
  if [ "$TARGET" = uml ]; then
    need_uml_host
    install_packages all uml test cross
  else
    install_packages all
  fi
  for group in $groups; do run_group "$group"; done
  results_write
  results_table
  printf 'took %s; results in %s\n' "$(duration $((SECONDS - begin)))" "$RESULTS"
  printf '%d passed, %d failed, %d skipped\n' "$(count_results pass)" "$(count_results fail)" "$(count_results skip)"
  results_verdict
}

# only_words: what --only asks for, one a line.
only_words() { printf '%s\n' "$TEST_ONLY" | tr ',' '\n'; }

# check_only GROUPS: everything --only asks for must exist.
check_only() {
  local word names
  names=$(scenario_files | sed 's,.*/,,; s,\.sh$,,' | tr '\n' ' ')
  while read -r word; do
    case $word in
      scenarios/?*)
        case $names in *"${word#*/}"*) ;; *) die "$EX_USAGE" "--only $word: no scenario is named like that; there are: $names" ;; esac
        word=scenarios
        ;;
    esac
    case " $1 " in *" ${word:-nothing} "*) ;; *) die "$EX_USAGE" "--only $word: no such group; there are: $1 scenarios/PATTERN" ;; esac
  done < <(only_words)
}

# scenario_wanted NAME: a bare "scenarios" wants all of them, else each pattern those that have it in their name.
scenario_wanted() {
  local word
  [ -n "$TEST_ONLY" ] || return 0
  while read -r word; do
    case $word in
      scenarios) return 0 ;;
      scenarios/*) case $1 in *"${word#*/}"*) return 0 ;; esac ;;
    esac
  done < <(only_words)
  return 1
}

# group_wanted NAME
group_wanted() { [ -z "$TEST_ONLY" ] || case ",$TEST_ONLY," in *",$1,"* | *",$1/"*) ;; *) return 1 ;; esac; }

# run_group NAME: in a subshell, so that one that cannot be built is one failure and the others still run.
run_group() {
  group_wanted "$1" && time_left "$1" "$1" || return 0
  say "== $1"
  if [ -n "$RESULTS_END" ]; then at_most $((RESULTS_END - SECONDS)) "test_$1"; else strictly "test_$1"; fi
  case $STATUS in
    0) ;;
    "$EX_DEADLINE") result "$1" "$1" skip 0 "not at its end after the $RESULTS_MINUTES minutes of --minutes" ;;
    *) result "$1" "$1" fail 0 "stopped with exit code $STATUS" ;;
  esac
}

test_shell() {
  local file out
  while read -r file; do
    if out=$(shellcheck -x -e SC1091,SC2012,SC2013,SC2015,SC2034,SC2153,SC2154 -s bash "$file" 2>&1); then
      result shell "$file" pass 0
    else
      printf '%s\n' "$out" >&2
      result shell "$file" fail 0 "shellcheck"
    fi
  done < <(cd "$LAB_ROOT" && shell_files)
}

test_patches() {
  local patch
  declare -gA OPT=()
  resolve_source
  while read -r patch; do
    checkpatch_result patches "$patch"
  done < <(cd "$LAB_ROOT/kernel-patches" && find . -name '*.patch' -printf '%P\n' | LC_ALL=C sort)
}

# shell_files: every shell script of the checkout.
shell_files() { grep -rlE --exclude-dir=.git --exclude-dir='build*' -m1 '^#!/(usr/bin/env (ba)?sh|bin/(ba)?sh)|^# shellcheck shell=' . | LC_ALL=C sort; }

# script_results SUITE DIRECTORY JOBS SECONDS: each script in it is a test that may take SECONDS; JOBS of them run at a time.
script_results() {
  find "$2" -maxdepth 1 -name '*.sh' | LC_ALL=C sort | at_once "$3" script_result "$1" "$4"
}

# script_result SUITE SECONDS FILE: exit code 0 passed, 77 skipped (its last line says why), else failed.
script_result() {
  local name begin verdict=fail log
  name=$(basename "$3" .sh) log=$RESULTS/$1-$name.log
  time_left "$1" "$name" || return 0
  begin=$(now_ms)
  export LAB_ROOT TEST_SOURCE
  at_most "$2" bash "$3" >"$log" 2>&1
  case $STATUS in
    0) result "$1" "$name" pass "$(seconds_since "$begin")" && return ;;
    "$EX_SKIP") verdict=skip ;;
    "$EX_DEADLINE") printf 'not at its end after %d s\n' "$2" >>"$log" ;;
  esac
  result "$1" "$name" "$verdict" "$(seconds_since "$begin")" "$(tail -n 1 "$log")"
}

# One at a time: some of them want a cache to themselves.
test_lab() { script_results lab "$LAB_ROOT/boot/lab/tests" 1 300; }

# As another user than root the tests skip: a chroot is needed.
test_boot() {
  if [ "$(id -u)" -eq 0 ]; then
    build_bootroot
    export BOOTROOT
  fi
  declare -gA OPT=()
  resolve_source
  export KERNEL_TREE=$SRC_TREE
  script_results boot "$LAB_ROOT/boot/tests" "$(nproc)" 3600
}

# ctest_results SUITE DIRECTORY: one result a test.
ctest_results() {
  local suite=$1 log=$RESULTS/$1.log verdict seconds name
  step "running $suite tests" "$log" ctest --test-dir "$2" --output-on-failure -j"$(nproc)" --timeout 300 || true
  while IFS=$'\t' read -r name verdict seconds; do
    result "$suite" "$name" "$verdict" "$seconds"
  done < <(sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: (.*[^ .]) \.+ *(\*{3})?(Passed|Failed|Skipped|Not Run|Timeout|Exception[^ ]*|.*Failed) .*[^0-9.]([0-9.]+) sec.*/\1\t\3\t\4/p' "$log" |
    awk -F'\t' -v OFS='\t' '{ $2 = $2 == "Passed" ? "pass" : $2 == "Skipped" ? "skip" : "fail"; print }')
  [ "$(count_results pass "$suite")" -gt 0 ] || result "$suite" "$suite" fail 0 "no test ran ($log)"
}

test_unit() {
  build_userspace default all
  ctest_results unit "$USERSPACE_DIR"
}

test_sanitize() {
  build_userspace sanitize unit_tests -DPANTHOR_LAB_SANITIZE=ON -DPANTHOR_LAB_BENCH=OFF
  ctest_results sanitize "$USERSPACE_DIR"
}

test_aarch64() {
  build_board_programs all
  ctest_results aarch64 "$USERSPACE_DIR"
}

# A fuzzer is an executable whose name contains "fuzz"; its corpus grows in the cache.
test_fuzz() {
  local fuzzer name begin corpus found=0 status
  build_userspace fuzz fuzzers -DPANTHOR_LAB_FUZZ=ON -DPANTHOR_LAB_BENCH=OFF -DBUILD_TESTING=OFF -DCMAKE_CXX_COMPILER=clang++
  while read -r fuzzer; do
    name=$(basename "$fuzzer") found=1 status=0
    corpus=$LAB_CACHE/corpus/$name
    mkdir -p "$corpus" "$RESULTS/fuzz"
    begin=$(now_ms)
    step "fuzzing with $name" "$RESULTS/fuzz/$name.log" "$fuzzer" -max_total_time="${PANTHOR_LAB_FUZZ_SECONDS:-10}" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$RESULTS/fuzz/" "$corpus" || status=$?
    if [ "$status" -eq 0 ]; then
      result fuzz "$name" pass "$(seconds_since "$begin")"
    else
      result fuzz "$name" fail "$(seconds_since "$begin")" "$(grep -m1 -E 'ERROR|SUMMARY' "$RESULTS/fuzz/$name.log")"
    fi
  done < <(find "$USERSPACE_DIR" -type f -name '*fuzz*' -perm -u+x ! -name '*.so' ! -path '*/CMakeFiles/*' | LC_ALL=C sort)
  [ "$found" -eq 1 ] || result fuzz fuzz fail 0 "the build has no fuzzer"
}

# packaged_bases: those a test can get by itself.
packaged_bases() {
  local name
  for name in $(base_names); do
    [ "$(config_value "$LAB_ROOT/kernel-patches/bases/$name" obtain)" != package ] || printf '%s\n' "$name"
  done
}

test_identity() {
  local name begin
  for name in $(packaged_bases); do
    begin=$(now_ms)
    if "$LAB_ROOT/lab" kernel verify --base "$name" >&2; then
      result identity "$name" pass "$(seconds_since "$begin")"
    else
      result identity "$name" fail "$(seconds_since "$begin")" "see ./lab kernel verify --base $name"
    fi
  done
}

test_guests() {
  local verdict name log=$RESULTS/guests.log
  declare -gA OPT=()
  declare -ga OPT_CONFIG=() OPT_GUEST=()
  OPT[time]=wall # the tests that want virtual time say so
  prepare_guest
  guest_command
  step "trying panthor-guest" "$log" bash "$LAB_ROOT/boot/guests/tests/behaviour.sh" "$ROOTFS_DIR" "${GUEST[@]}" || true
  grep -q '^1\.\.[0-9]' "$log" || result guests plan fail 0 "the script did not reach its end ($log)"
  while read -r verdict name; do
    result guests "$name" "$verdict" 0
  done < <(sed -nE 's/^ok [0-9]+ /pass /p; s/^not ok [0-9]+ /fail /p' "$log")
}

test_igt() {
  local name
  for name in $(packaged_bases) ${TEST_SOURCE:+source}; do
    declare -gA OPT=()
    declare -ga OPT_CONFIG=() OPT_GUEST=()
    time_left "igt $name" guest || continue
    if [ "$name" = source ]; then OPT[source]=$TEST_SOURCE; else OPT[base]=$name; fi
    strictly igt_prepared "igt $name"
    [ "$STATUS" -eq 0 ] || result "igt $name" guest fail 0 "its guest could not be prepared (exit code $STATUS)"
  done
}

igt_prepared() {
  prepare_guest
  igt_guest_results "$1"
}

test_scenarios() {
  local file
  while read -r file; do
    scenario_wanted "$(basename "$file" .sh)" && time_left scenarios "$(basename "$file" .sh)" || continue
    strictly scenario_run "$file"
    [ "$STATUS" -eq 0 ] || result scenarios "$(basename "$file" .sh)" fail 0 "its guest could not be prepared (exit code $STATUS)"
  done < <(scenario_files)
}

test_boot-matrix() {
  if [ "$(id -u)" -ne 0 ]; then
    result boot-matrix boot-matrix skip 0 "the made-up board is made as root"
    return
  fi
  . "$LAB_ROOT/boot/lab/vm/matrix.sh"
  boot_matrix short . "$(matrix_jobs)"
}

# On a board: the same programs on its own GPU.
test_local() {
  local status=0
  [ -n "$(panthor_node)" ] || {
    result local device skip 0 "$(no_device_advice)"
    return 0
  }
  "$LAB_ROOT/lab" run --target local >"$RESULTS/local.log" 2>&1 || status=$?
  cat "$RESULTS/local.log" >&2
  if [ "$status" -eq 0 ]; then result local run pass 0; else result local run fail 0 "exit code $status"; fi
}

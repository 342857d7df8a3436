# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab bench [OPTIONS]      what the driver's calls cost, on one kernel against another
#:
#: Boots guest A and guest B in turn (A B, B A, A B …) with the same benchmark in each, and compares them boot by boot. The figure is
#: the CPU time that the guest's kernel used on this machine, so that it may have other work to do; as root the guests run at a raised
#: priority (nice -10), for what runs in between empties the caches. docs/measuring.md tells more.
#: Without --a and --b the driver as it is runs against itself: then every row has to say "same".
#:
#:   --a SERIES|OPTIONS        what A is: a patch series, or options of ./lab exec that choose a kernel (default stock)
#:   --b SERIES|OPTIONS        what B is
#:   --rounds N                rounds of one boot of A and one of B, from 6 (default 16)
#:   --only PATTERN            rows whose name contains PATTERN (./lab exec -- panthor-harness bench --list)
#:   --limit RATIO             from which ratio on a difference matters (default 1.02)
#:   --base, --source, --series, --kernel-variant, --config, --time, --mem, --modparam, --append, --build-dir: for both, see ./lab help exec
#:
#: Exit status: 0 no row is slower, 1 a row is slower (or a guest failed), 3 no row is slower but one is undecided: more rounds.
#:
#:   ./lab bench                                           how well this machine measures
#:   ./lab bench --b hang                                  what the series hang costs
#:   ./lab bench --a '--base v7.2' --b '--base v7.3' --only bind
readonly BENCH_OPTIONS="source base series kernel-variant config time mem timeout modparam append build-dir"
readonly BENCH_VISITS=30 # of each row in one boot

verb_bench() {
  local begin=$SECONDS a b rounds only limit option status=0
  local -a common=()
  parse_options "quiet a b rounds only limit $BENCH_OPTIONS" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "./lab bench takes no arguments (./lab help bench)"
  a=${OPT[a]:-stock} b=${OPT[b]:-stock} rounds=${OPT[rounds]:-16} only=${OPT[only]:-} limit=${OPT[limit]:-1.02}
  case $rounds in '' | *[!0-9]* | 0*) die "$EX_USAGE" "--rounds $rounds: a number from 1" ;; esac
  [[ $limit =~ ^[1-9][0-9]*(\.[0-9]+)?$ ]] || die "$EX_USAGE" "--limit $limit: a ratio above 1, as 1.02"
  TARGET=uml
  for option in $BENCH_OPTIONS; do
    [ -z "${OPT[$option]:-}" ] || common+=("--$option" "${OPT[$option]}")
  done
  for option in "${OPT_CONFIG[@]}"; do common+=(--config "$option"); done
  common+=("${OPT_GUEST[@]}")

  results_open bench
  bench_side a "$a" "${common[@]}"
  bench_side b "$b" "${common[@]}"
  bench_rounds "$rounds" ${only:+--only "$only"}
  say "$rounds rounds took $(duration $((SECONDS - begin))); records in $RESULTS"
  printf 'A: %s\nB: %s\n' "$BENCH_NAME_A" "$BENCH_NAME_B"
  "$(userspace_program panthor-harness)" bench --compare "$RESULTS/a.json" "$RESULTS/b.json" --limit "$limit" || status=$?
  return "$status"
}

# bench_side a|b WHAT COMMON-OPTIONS…: prepares its guest; sets BENCH_GUEST_A or _B (the words that start it) and BENCH_NAME_A or _B.
bench_side() {
  local side=$1 what=$2
  local -a words
  shift 2
  case $what in
    *--*) read -ra words <<<"$what" ;;
    *) words=(--series "$what") ;;
  esac
  parse_options "$BENCH_OPTIONS" "$@" "${words[@]}"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "--$side '$what': ${REST[0]} is no option"
  OPT[log]=$RESULTS/guest-$side
  OPT[timeout]=${OPT[timeout]:-600}
  OPT_GUEST+=(--bind "$RESULTS:/results")
  prepare_guest
  guest_command
  case $side in
    a) BENCH_GUEST_A=("${GUEST[@]}") BENCH_NAME_A=$KERNEL_NAME ;;
    b) BENCH_GUEST_B=("${GUEST[@]}") BENCH_NAME_B=$KERNEL_NAME ;;
  esac
}

# bench_rounds N HARNESS-OPTIONS…: A B, B A, …: what changes steadily on this machine cancels out.
bench_rounds() {
  local rounds=$1 round order side pairing
  local -a priority=(nice -n -10)
  shift
  [ "$(nice -n -10 nice 2>/dev/null)" = -10 ] || priority=()
  pairing=$(basename "$RESULTS")
  mark_cache_in_use
  for ((round = 1; round <= rounds; round++)); do
    say "round $round of $rounds"
    order="a b"
    [ $((round % 2)) -eq 1 ] || order="b a"
    for side in $order; do
      declare -n guest=BENCH_GUEST_${side^^}
      "${priority[@]}" "${guest[@]}" -- panthor-harness bench --quiet --rounds "$BENCH_VISITS" --pairing "$pairing" --json "/results/$side.json" --append "$@" \
        </dev/null >"$RESULTS/output" 2>&1 || {
        local status=$?
        tail -n 5 "$RESULTS/output" >&2
        die 1 "round $round: the guest of ${side^^} ended with $status ($RESULTS/guest-$side)"
      }
      unset -n guest
    done
  done
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab hang-matrix [OPTIONS]      every way a fence can fail to signal, and who notices
#:
#: Plays each kind of boot/lab/matrix/kinds.list in a fresh guest in virtual time: a process submits work that hangs, and is
#: watched for 60 s. The table says when the kernel log, the stall detector and the autopsy noticed and which stage they named,
#: what became of the process, whether a fresh one could compute afterwards, and which kinds are exactly what users report:
#: asleep at 0 % CPU, without one line in the log. Same kernel, same table.
#:
#:   --kinds PATTERN      only the kinds whose name matches this extended regular expression
#:   --series LIST        columns: stock, or patch series (default stock); kinds that need the series "plants" get it in addition
#:   --with FILE          further columns: what another run (of another kernel) wrote with --json
#:   --json FILE          everything that was seen, for programs
#:   --html FILE          a page with a timeline of each case
#:   --markdown FILE      the page of docs/: a row a kind, a column a kernel
#:   --ktap               KTAP instead of the table
#:   --jobs N             guests at a time (default: one a CPU)
#:   --quiet              no progress on stderr
#:   --base, --source, --config, --build-dir as for ./lab exec
#:
#: The results directory keeps of each case case.json, the kernel's tracepoints, the model's event log, and trace.json, which
#: https://ui.perfetto.dev opens. Exit code 1: a case could not be played, left a process in D state, or a tool named a wrong stage;
#: on a kernel with the stall detector also: a hang that is not noticed, whose stage is not named exactly, or that broken hardware keeps for ever.
verb_hang-matrix() {
  parse_options "quiet kinds series with json html markdown ktap jobs base source config build-dir" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "./lab hang-matrix takes no arguments (./lab help hang-matrix)"
  local kinds label reporter status=0 model
  local -a report
  MATRIX_LIST=$LAB_ROOT/boot/lab/matrix/kinds.list
  MATRIX_SERIES=${OPT[series]:-stock} MATRIX_PATTERN=${OPT[kinds]:-.}
  MATRIX_JOBS=$(jobs_wanted "$(nproc)")
  [ -z "${OPT[with]:-}" ] || [ -r "${OPT[with]}" ] || die "$EX_USAGE" "--with ${OPT[with]}: no such file"
  kinds=$(matrix_kinds)
  [ -n "$kinds" ] || die "$EX_USAGE" "--kinds $MATRIX_PATTERN matches none of: $(awk '!/^#/ && NF { printf "%s ", $1 }' "$MATRIX_LIST")"
  results_open hang-matrix
  MATRIX_PLAYING_MS=0
  for label in ${MATRIX_SERIES//,/ }; do
    matrix_column "$label" "$label" "$(grep -v ' plant=' <<<"$kinds" || true)"
    matrix_column "$label" "$(matrix_with_plants "$label")" "$(grep ' plant=' <<<"$kinds" || true)"
  done
  reporter=$(userspace_program panthor-harness)
  report=("$reporter" hang-report "$RESULTS" --kinds "$MATRIX_LIST" --series "$MATRIX_SERIES" --traces)
  for label in with json html markdown; do [ -z "${OPT[$label]:-}" ] || report+=("--$label" "${OPT[$label]}"); done
  [ -z "${OPT[ktap]:-}" ] || report+=(--ktap)
  "${report[@]}" || status=$?
  model=$(cat "$RESULTS"/*/*/case.json 2>/dev/null | sed -n 's/.*"total_ms":\([0-9]*\).*/\1/p' | awk '{ ms += $1 } END { print ms + 0 }')
  say "$((model / 1000)) s of model time in $((MATRIX_PLAYING_MS / 1000)) s, $(awk -v m="$model" -v w="$MATRIX_PLAYING_MS" 'BEGIN { printf "%.1f", w ? m / w : 0 }') times as fast; results in $RESULTS"
  return "$status"
}

# matrix_kinds: the lines of kinds.list that are wanted, without comments, words separated by one space.
matrix_kinds() { sed 's/#.*//; /^[[:space:]]*$/d' "$MATRIX_LIST" | awk -v pattern="$MATRIX_PATTERN" '$1 ~ pattern { $1 = $1; print }'; }

# matrix_with_plants SERIES: the same with the test-only failures of the kernel.
matrix_with_plants() { if [ "$1" = stock ]; then printf 'plants\n'; else printf '%s,plants\n' "$1"; fi; }

# matrix_column LABEL SERIES KINDS: plays KINDS (lines of the list) on a kernel with SERIES; their results go to LABEL/KIND.
matrix_column() {
  local begin name
  local -a OPT_CONFIG=("${OPT_CONFIG[@]}")
  [ -n "$3" ] || return 0
  OPT[series]=$2
  # What a series uses beyond a stock driver.
  for name in ${2//,/ }; do [ ! -r "$LAB_ROOT/configs/$name.config" ] || OPT_CONFIG+=("$name"); done
  prepare_guest
  guest_command
  mark_cache_in_use
  say "playing $(wc -l <<<"$3") kinds on $KERNEL_NAME"
  begin=$(now_ms)
  at_once "$MATRIX_JOBS" matrix_case "$1" <<<"$3"
  MATRIX_PLAYING_MS=$((MATRIX_PLAYING_MS + $(now_ms) - begin))
}

# matrix_case LABEL LINE: one guest; LINE is NAME STAGE HOW… of the list.
matrix_case() {
  local dir how status=0
  local -a kind words
  read -ra kind <<<"$2"
  dir=$RESULTS/$1/${kind[0]}
  words=("${kind[0]}" --stage "${kind[1]}" --trace /results/trace)
  for how in "${kind[@]:2}"; do
    case $how in
      fault=* | plant=* | hang=*) words+=("--${how%%=*}" "${how#*=}") ;;
      asleep) words+=(--asleep) ;;
      *) words+=("$how") ;; # hang-case says what is wrong with it
    esac
  done
  mkdir -p "$dir/guest"
  "${GUEST[@]}" --log "$dir/guest" --timeout 1200 --bind "$dir:/results" -- \
    sh -c 'exec panthor-harness hang-case "$@" >/results/case.json 2>/results/error' hang-case "${words[@]}" >"$dir/output" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ] && [ ! -s "$dir/error" ]; then printf 'the guest ended with exit code %d\n' "$status" >"$dir/error"; fi
}

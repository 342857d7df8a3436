# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Guest scenarios: boot/lab/scenarios/NAME.sh, each run in a guest of its own. Its status is the verdict: 0 passed, 77 skipped, else failed.
# Its header says how to run it, in lines "# lab: KEY=VALUE …":
#   variant=virtual-time|smp|debug|smp-debug  time=virtual|wall  cpus=N  mem=SIZE  timeout=SECONDS  base=v7.2|v7.3
#   series=NAMES  config=FRAGMENT
#   fault=SPEC  modparam=MOD.KEY=VALUE (both may repeat)  driver=no  dmesg=any (warnings are not failures)
#   igt=own (our IGT tests in /igt-tests, a swap device as /dev/ubda)
#   host=yes (run on the host instead, with LAB, RESULTS_DIR in its environment, for scenarios of several boots)
#   long=NAME=VALUE (may repeat) variables of its long form, ./lab test --long; long-timeout=SECONDS its deadline
#   form=long (it has no other; without --long it is skipped)

# scenario_files: all of them.
scenario_files() { find "$LAB_ROOT/boot/lab/scenarios" -name '*.sh' 2>/dev/null | LC_ALL=C sort; }

# scenario_words FILE: the KEY=VALUE words of its header, one a line.
scenario_words() { sed -n 's/^# lab: *//p' "$1" | tr -s ' ' '\n'; }

# scenario_value FILE KEY [DEFAULT]: the first value of KEY.
scenario_value() {
  local value
  value=$(scenario_words "$1" | sed -n "s/^$2=//p" | head -n 1)
  printf '%s\n' "${value:-${3:-}}"
}

# scenario_long FILE: the NAME=VALUE words of its long form if that is asked for (SCENARIOS_LONG), one a line.
scenario_long() { [ -z "${SCENARIOS_LONG:-}" ] || scenario_words "$1" | sed -n 's/^long=//p'; }

# scenario_timeout FILE DEFAULT
scenario_timeout() {
  local short
  short=$(scenario_value "$1" timeout "$2")
  if [ -n "${SCENARIOS_LONG:-}" ]; then scenario_value "$1" long-timeout "$short"; else printf '%s\n' "$short"; fi
}

# scenario_options FILE: sets OPT and OPT_GUEST for its guest.
scenario_options() {
  local key value
  declare -gA OPT=()
  declare -ga OPT_CONFIG=() OPT_GUEST=()
  while IFS='=' read -r key value; do
    case $key in
      variant) OPT[kernel-variant]=$value ;;
      time | cpus | mem | base | series) OPT[$key]=$value ;;
      fault | modparam) OPT_GUEST+=("--$key" "$value") ;;
      config) OPT_CONFIG+=("$value") ;;
      driver) OPT_GUEST+=(--no-driver) ;;
    esac
  done < <(scenario_words "$1")
  OPT[timeout]=$(scenario_timeout "$1" 120)
  while read -r value; do OPT_GUEST+=(--env "$value"); done < <(scenario_long "$1")
}

# scenario_run FILE: one result. Anything it prints is kept in $RESULTS/scenarios/NAME.
scenario_run() {
  local file=$1 name dir status=0 begin bad
  local -a long
  name=$(basename "$file" .sh)
  if [ "$(scenario_value "$file" form)" = long ] && [ -z "${SCENARIOS_LONG:-}" ]; then
    result scenarios "$name" skip 0 "only with --long"
    return
  fi
  dir=$RESULTS/scenarios/$name
  mkdir -p "$dir/guest"
  # For those on the host too: what has to be built first does not run against their deadline.
  scenario_options "$file"
  prepare_guest
  if [ "$(scenario_value "$file" host)" = yes ]; then
    begin=$(now_ms)
    mapfile -t long < <(scenario_long "$file")
    env LAB="$LAB_ROOT/lab" RESULTS_DIR="$dir" "${long[@]}" timeout "$(scenario_timeout "$file" 300)" bash "$file" >"$dir/output" 2>&1 </dev/null || status=$?
  else
    OPT[log]=$dir/guest
    OPT_GUEST+=(--bind "$LAB_ROOT:/lab:ro" --bind "$dir:/results")
    [ "$(scenario_value "$file" igt)" != own ] || igt_guest_options "$dir"
    say "scenario $name on $KERNEL_NAME"
    begin=$(now_ms)
    run_guest sh -c "sh /lab/boot/lab/scenarios/$name.sh; status=\$?; dmesg >/results/dmesg; exit \$status" >"$dir/output" 2>&1 </dev/null || status=$?
  fi
  rm -f "$dir/swap"
  bad=
  if [ -e "$dir/dmesg" ]; then
    [ "$(scenario_value "$file" dmesg)" = any ] || bad=$(bad_dmesg "$dir/dmesg" || true)
  elif [ "$(scenario_value "$file" host)" != yes ]; then
    bad="none was left"
  fi
  case $status in
    0) if [ -z "$bad" ]; then result scenarios "$name" pass "$(seconds_since "$begin")"; else result scenarios "$name" fail "$(seconds_since "$begin")" "kernel log: $bad"; fi ;;
    77) result scenarios "$name" skip "$(seconds_since "$begin")" "$(tail -n 1 "$dir/output")" ;;
    124) result scenarios "$name" fail "$(seconds_since "$begin")" "deadline ($dir)" ;;
    *) result scenarios "$name" fail "$(seconds_since "$begin")" "status $status: $(tail -n 1 "$dir/output") ($dir)" ;;
  esac
}

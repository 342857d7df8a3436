# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab run [OPTIONS]      everything at once: build what is missing, boot, submit work, run upstream's IGT tests
#:
#: On the virtual GPU (--target uml): installs what is missing (as root), builds the kernel with the unmodified panthor, the
#: virtual GPU and the harness, makes the guest's root, boots it, runs the harness's smoke test and the four IGT panthor
#: binaries, and prints a table. Exits 0 only if everything passed. What was built is reused.
#: On a board (--target local): builds user space and runs the same on the render node that panthor drives.
#:
#:   --target uml|local        where (default: local on arm64, else uml)
#:   --base, --source, --series, --kernel-variant, --config, --fault, --modparam, --time, --cpus, --mem, --timeout, --log: see ./lab help exec
verb_run() {
  parse_options "target quiet $KERNEL_OPTIONS $GUEST_OPTIONS" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "./lab run takes no arguments (./lab help run)"
  need_target uml local
  case $TARGET in uml) run_uml ;; local) run_local ;; esac
}

run_uml() {
  local begin=$SECONDS identity
  prepare_guest
  identity=$(panthor_identity) || exit "$EX_BUILD"
  results_open run
  boot_suite "$LAB_ROOT/boot/lab/guest/run.list"
  collect_suite "$(igt_expectations uml "$SRC_BASE")"
  identity="$identity
guest: Debian $ROOTFS_SUITE, igt-gpu-tools $(rootfs_package igt-gpu-tools), firmware-misc-nonfree $(rootfs_package firmware-misc-nonfree)"
  finish_run "$identity" $((SECONDS - begin))
}

# boot_suite LIST: a guest that runs the programs of LIST, with their results in $RESULTS.
boot_suite() {
  local status=0
  OPT[timeout]=${OPT[timeout]:-300}
  OPT[log]=${OPT[log]:-$RESULTS/guest}
  mkdir -p "${OPT[log]}"
  cp "$1" "$RESULTS/list"
  OPT_GUEST+=(--bind "$LAB_ROOT:/lab:ro" --bind "$RESULTS:/results")
  say "booting $KERNEL_NAME"
  BOOT_BEGIN=$(now_ms)
  run_guest sh /lab/boot/lab/guest/suite.sh /results /results/list >"$RESULTS/guest.out" 2>&1 </dev/null || status=$?
  BOOT_SECONDS=$(seconds_since "$BOOT_BEGIN")
  case $status in
    0) ;;
    124) result guest boot fail "$BOOT_SECONDS" "the deadline of ${OPT[timeout]} s passed (${OPT[log]})" ;;
    *)
      tail -n 20 "$RESULTS/guest.out" >&2
      result guest boot fail "$BOOT_SECONDS" "the guest ended with $status (${OPT[log]})"
      ;;
  esac
}

# collect_suite EXPECTATIONS: the results of suite.sh as one result a test.
collect_suite() {
  local name program code seconds
  while read -r name program; do
    case $name in '' | '#'*) continue ;; esac
    : "$program"
    if [ ! -e "$RESULTS/$name.status" ]; then
      result "$name" "$name" fail 0 "did not end"
      continue
    fi
    code=$(cat "$RESULTS/$name.status")
    seconds=$(cat "$RESULTS/$name.seconds")
    case $name in
      panthor_*) igt_binary_results "igt $name" "$1" "$name" "$RESULTS/$name.log" "$code" ;;
      *) ktap_results "$name" "$RESULTS/$name.log" "$code" "$seconds" ;;
    esac
  done <"$RESULTS/list"
  [ ! -e "$RESULTS/dmesg" ] || dmesg_result "$RESULTS/dmesg"
}

# ktap_results SUITE LOG EXITCODE SECONDS: a program that prints KTAP; its exit status counts too.
ktap_results() {
  local verdict name count=0 failed=0
  while IFS=$'\t' read -r verdict name; do
    result "$1" "$name" "$verdict" "$(awk -v s="$4" -v n="$(grep -cE '^(not )?ok ' "$2")" 'BEGIN { printf "%.4f", s / n }')"
    count=$((count + 1))
    [ "$verdict" != fail ] || failed=1
  done < <(sed -nE 's/^ok [0-9]+ (- )?(.*) # SKIP.*/skip\t\2/p; t; s/^ok [0-9]+ (- )?(.*)/pass\t\2/p; s/^not ok [0-9]+ (- )?(.*)/fail\t\2/p' "$2")
  case $3 in
    0) [ "$count" -gt 0 ] || result "$1" "$1" pass "$4" ;;
    77) [ "$count" -gt 0 ] || result "$1" "$1" skip "$4" "$(tail -n 1 "$2")" ;;
    *) [ "$failed" -eq 1 ] || result "$1" "$1" fail "$4" "exit status $3: $(tail -n 1 "$2")" ;;
  esac
}

# dmesg_result FILE: a kernel log without warnings is a test of its own.
dmesg_result() {
  local bad
  if bad=$(bad_dmesg "$1"); then result "kernel log" clean fail 0 "$bad"; else result "kernel log" clean pass 0; fi
}

# finish_run IDENTITY SECONDS: table, files, verdict.
finish_run() {
  results_write
  results_table
  printf '\n%s\n' "$1"
  grep -ohE 'panthor .*(Mali-[A-Z0-9 ]+ id|CSF FW using interface|Initialized panthor).*' "$RESULTS/dmesg" 2>/dev/null | sed 's/^/kernel: /' || true
  printf 'boot, tests and power-off took %s s; all of it %s; logs in %s\n' "${BOOT_SECONDS:-0}" "$(duration "$2")" "$RESULTS"
  printf '%d passed, %d failed, %d skipped\n' "$(count_results pass)" "$(count_results fail)" "$(count_results skip)"
  results_verdict
}

run_local() {
  local begin=$SECONDS igt
  need_local_device
  install_packages all
  build_userspace default panthor-harness
  results_open run
  PATH=$(guest_programs):$PATH
  export PATH
  igt=$(local_igt_directory)
  awk -v igt="$igt" '/panthor_/ && igt == "" { next } { sub(/\/usr\/libexec\/igt-gpu-tools\/panthor/, igt); print }' "$LAB_ROOT/boot/lab/guest/run.list" >"$RESULTS/list"
  [ -n "$igt" ] || result igt igt skip 0 "igt-gpu-tools is not installed"
  run_local_suite "$RESULTS/list"
  collect_suite "$LAB_ROOT/igt-tests/expectations/local.txt"
  finish_run "panthor on $LOCAL_NODE, kernel $(uname -r)" $((SECONDS - begin))
}

# run_local_suite LIST: suite.sh without what only root may do.
run_local_suite() {
  local name program begin status
  while read -r name program; do
    case $name in '' | '#'*) continue ;; esac
    begin=$(now_ms) status=0
    say "running $name"
    sh -c "$program" >"$RESULTS/$name.log" 2>&1 </dev/null || status=$?
    printf '%s\n' "$status" >"$RESULTS/$name.status"
    seconds_since "$begin" >"$RESULTS/$name.seconds"
  done <"$1"
}

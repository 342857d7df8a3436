# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab igt [OPTIONS] [TESTS…]      IGT panthor tests: upstream's, and our own (igt-tests)
#:
#: TESTS are BINARY or BINARY@SUBTEST (panthor_vm, panthor_gem@bo_create); none: all of them. igt_runner runs them where it is
#: installed: results.json and the kernel's messages of each subtest are kept in the results directory.
#: igt-tests/expectations says what each test must end with. A run in which everything skipped is a failure.
#:
#:   --target uml|local; the options of ./lab exec choose kernel and guest
verb_igt() {
  parse_options "target quiet $KERNEL_OPTIONS $GUEST_OPTIONS" "$@"
  need_target uml local
  igt_known_binaries "${REST[@]}"
  local begin=$SECONDS
  case $TARGET in
    uml)
      prepare_guest
      results_open igt
      igt_guest_results "igt ${SRC_BASE}" "${REST[@]}"
      ;;
    local)
      need_local_device
      install_packages all
      [ -n "$(local_igt_directory)" ] || die "$EX_SKIP" "cannot test here: igt-gpu-tools is not installed (IGT_DIRECTORIES names where its panthor binaries are)"
      results_open igt
      mkdir "$RESULTS/igt"
      igt_local_results "igt local" "${REST[@]}"
      ;;
  esac
  results_write
  results_table
  printf 'took %s; results in %s\n' "$(duration $((SECONDS - begin)))" "$RESULTS"
  printf '%d passed, %d failed, %d skipped\n' "$(count_results pass)" "$(count_results fail)" "$(count_results skip)"
  results_verdict
}

igt_local_results() {
  local suite=$1 status=0
  shift
  IGT_RUNNER_OPTIONS=$([ "$(id -u)" -eq 0 ] || printf -- --allow-non-root) sh "$LAB_ROOT/boot/lab/guest/igt.sh" "$RESULTS/igt" "$@" || status=$?
  igt_collect "$suite" "$LAB_ROOT/igt-tests/expectations/local.txt" "$RESULTS/igt" "$status" "$@"
}

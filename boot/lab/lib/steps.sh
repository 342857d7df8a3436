# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Is a patch series bisectable? Every patch, on top of those before it, must please checkpatch, build without a warning in the driver, boot,
# compute and pass upstream's IGT. All steps share one build directory, so that a step costs what its patch changes.

# checkpatch_complaints PATCH: what checkpatch.pl --strict of SRC_TREE says; nothing if it is clean. From stdin, because it takes a
# patch that git knows for a source file. MAINTAINERS names the directory, not files. In a trace header the two checks of
# parentheses object to TRACE_EVENT as everybody writes it.
checkpatch_complaints() {
  perl "$SRC_TREE/scripts/checkpatch.pl" --strict --no-tree --quiet --terse --show-types --showfile --ignore FILE_PATH_CHANGES - <"$1" 2>&1 |
    grep -vE '^total: |_trace\.h:[0-9]+: CHECK:(OPEN_ENDED_LINE|PARENTHESIS_ALIGNMENT):' || true
}

# checkpatch_result SUITE BASE/SERIES/PATCH
checkpatch_result() {
  local text
  text=$(checkpatch_complaints "$LAB_ROOT/kernel-patches/$2")
  if [ -z "$text" ]; then result "$1" "$2" pass 0; else result "$1" "$2" fail 0 "$text"; fi
}

# steps_run NAMES: one result for each patch of these series.
steps_run() {
  local patch fragment tree
  local -a names patches files=()
  IFS=, read -ra names <<<"$1"
  need_uml_host
  choose_variant
  install_packages all uml
  resolve_source
  mapfile -t patches < <(series_patches "$SRC_BASE" "${names[@]}")
  [ "${#patches[@]}" -gt 0 ] || die "$EX_USAGE" "no series $1 for $SRC_BASE (there are: $(series_names "$SRC_BASE" | tr '\n' ' '))"
  build_userspace default "$GUEST_TARGETS"
  build_rootfs
  KERNEL_VARIANT=${OPT[kernel-variant]}
  for fragment in $(variant_fragments "$KERNEL_VARIANT"); do files+=("$LAB_ROOT/configs/$fragment.config"); done
  KERNEL_DIR=$LAB_CACHE/kernels/steps-$SRC_VERSION-$KERNEL_VARIANT-$$
  KERNEL_IMAGE=$KERNEL_DIR/build/linux
  tree=$KERNEL_DIR/tree
  need_space "$LAB_CACHE" 3300 "a kernel tree and its build"
  mkdir -p "$KERNEL_DIR"
  step "copying the sources of $SRC_BASE" "$KERNEL_DIR/tree.log" patch_tree "$SRC_TREE" "$tree" "$SRC_BASE"
  SRC_TREE=$tree/linux
  for patch in "${patches[@]}"; do
    checkpatch_result checkpatch "$SRC_BASE/$patch"
    strictly step_try "$patch" "${files[@]}"
    [ "$STATUS" -eq 0 ] || result step "$patch" fail 0 "stopped with exit code $STATUS; logs in $RESULTS"
    SRC_STATE=$(printf '%s %s' "$SRC_STATE" "$patch" | hash_text)
  done
  remove_tree "$KERNEL_DIR"
}

# step_try PATCH FRAGMENT-FILE…: one more patch.
step_try() {
  local patch=$1 begin log bad status=0
  local -a igt=() OPT_GUEST=("${OPT_GUEST[@]}" --bind "$LAB_ROOT/boot/lab/guest:/steps:ro")
  shift
  begin=$(now_ms) log=$RESULTS/$(tr / - <<<"$patch")
  SERIES_NAMES=$patch KERNEL_NAME="Linux $SRC_VERSION up to $patch"
  patch -d "$SRC_TREE" -p1 --no-backup-if-mismatch --forward <"$LAB_ROOT/kernel-patches/$SRC_BASE/$patch" >"$log.log"
  kernel_build "$@"
  cat "$KERNEL_DIR/build.log" >>"$log.log"
  build_guest_module
  OPT[log]=$log.guest
  # A patch of 7.0's heap mends what that subtest is about.
  [ "$SRC_BASE" != v7.0 ] || igt=(--run-subtest '*,!vm_bind_intersect_kbo_range')
  # shellcheck disable=SC2016 # the guest's shell expands it
  run_guest sh -c 'panthor-harness smoke && sh /steps/upstream.sh "$@"; status=$?; dmesg; exit $status' sh "${igt[@]}" >"$log.out" 2>&1 </dev/null || status=$?
  bad=$(grep -Em1 "$PANTHOR_DIR/.*warning:" "$log.log" || bad_dmesg "$log.out" || true)
  if [ "$status" -eq 0 ] && [ -z "$bad" ]; then
    result step "$patch" pass "$(seconds_since "$begin")"
  else
    result step "$patch" fail "$(seconds_since "$begin")" "smoke and IGT ended with $status; ${bad:-no warning}"
  fi
}

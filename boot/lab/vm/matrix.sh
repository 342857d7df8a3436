# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The cases of boot/lab/vm/cases, each on a copy of one board. The first comment of a case says its form (short: --short plays it too) and
# what it is.

for part in machine candidate flow; do
  # shellcheck source=/dev/null
  . "$LAB_ROOT/boot/lab/vm/$part.sh"
done

# matrix_cases short|full PATTERN: the names of the cases.
matrix_cases() {
  local file
  for file in "$LAB_ROOT"/boot/lab/vm/cases/*.sh; do
    [ "$1" = full ] || grep -q '^#: short: ' "$file" || continue
    basename "$file" .sh
  done | { grep -E -- "$2" || true; }
}

# matrix_jobs: how many boards this machine takes: one a CPU, and 2 GiB of memory for each.
matrix_jobs() {
  local cpus memory
  cpus=$(nproc) memory=$(awk '/^MemAvailable:/ { print int($2 / 2097152) }' /proc/meminfo)
  printf '%d\n' $((memory < 1 ? 1 : memory < cpus ? memory : cpus))
}

# boot_matrix short|full PATTERN JOBS: JOBS boards at a time; results go to the table, what each case said to $RESULTS/board/CASE/log.
boot_matrix() {
  local begin dir=$RESULTS/board
  install_packages all uml test board
  build_vm_board
  build_vm_candidate
  build_bootroot
  mkdir -p "$dir"
  begin=$(now_ms)
  step "install and rehearse" "$dir/ready.log" make_ready "$dir/ready" || {
    result boot-matrix ready fail "$(seconds_since "$begin")" "$(tail -n 1 "$dir/ready.log")"
    return
  }
  result boot-matrix ready pass "$(seconds_since "$begin")" "the rehearsal passed"
  matrix_cases "$1" "$2" | at_once "$3" matrix_case_result "$dir"
  rm -f "$dir/ready"/{memory,variables.fd}
}

# matrix_case_result DIRECTORY NAME
matrix_case_result() {
  local begin file=$LAB_ROOT/boot/lab/vm/cases/$2.sh dir=$1/$2
  time_left boot-matrix "$2" || return 0
  begin=$(now_ms)
  mkdir -p "$dir"
  if step "$2" "$dir/log" play_case "$file" "$1/ready" "$dir"; then
    result boot-matrix "$2" pass "$(seconds_since "$begin")" "$(grep '^ok: ' "$dir/log" | tail -n 1 | cut -c5-)"
    # What passed needs no disk any more.
    rm -f "$dir"/{disk.qcow2,variables.fd}
  else
    result boot-matrix "$2" fail "$(seconds_since "$begin")" "$(tail -n 1 "$dir/log")"
  fi
}

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

# boot_matrix short|full PATTERN: results go to the table; what each case said to $RESULTS/board/CASE/log.
boot_matrix() {
  local name begin dir=$RESULTS/board
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
  for name in $(matrix_cases "$1" "$2"); do
    begin=$(now_ms)
    mkdir -p "$dir/$name"
    if step "$name" "$dir/$name/log" play_case "$LAB_ROOT/boot/lab/vm/cases/$name.sh" "$dir/ready" "$dir/$name"; then
      result boot-matrix "$name" pass "$(seconds_since "$begin")" "$(grep '^ok: ' "$dir/$name/log" | tail -n 1 | cut -c5-)"
      # What passed needs no disk any more.
      rm -f "$dir/$name"/{disk.qcow2,variables.fd}
    else
      result boot-matrix "$name" fail "$(seconds_since "$begin")" "$(tail -n 1 "$dir/$name/log")"
    fi
  done
  rm -f "$dir/ready"/{memory,variables.fd}
}

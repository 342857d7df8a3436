# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab boot-matrix [OPTIONS]      a candidate kernel on a made-up arm64 board: every way it can go, each ending on the default
#:
#: Builds the board's kernel with boot/build-kernel and a Debian disk, starts them in QEMU (arm64, EDK2, a real GRUB; no KVM is needed),
#: installs and rehearses with boot/panthor-boot over ssh, then plays each case of boot/lab/vm/cases on a copy of that board.
#:
#:   --cases PATTERN      only the cases whose name matches this extended regular expression
#:   --short              only a few that stand for the rest
#:   --jobs N             boards at a time (default: one a CPU, and 2 GiB of memory for each)
#:   --quiet              no progress on stderr
#:
#: The results directory keeps each case's story, serial console and disk. Exit code 1: a case went wrong. Needs root.
verb_boot-matrix() {
  parse_options "quiet cases short jobs" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "./lab boot-matrix takes no arguments (./lab help boot-matrix)"
  local pattern=${OPT[cases]:-.} form=full jobs
  [ -z "${OPT[short]:-}" ] || form=short
  . "$LAB_ROOT/boot/lab/vm/matrix.sh"
  jobs=$(jobs_wanted "$(matrix_jobs)")
  [ -n "$(matrix_cases "$form" "$pattern")" ] || die "$EX_USAGE" "--cases $pattern matches none of: $(matrix_cases full . | paste -sd' ')"
  results_open boot-matrix
  boot_matrix "$form" "$pattern" "$jobs"
  results_write
  column -t -s $'\t' -N case,result,seconds,story < <(awk -F'\t' -v OFS='\t' '{ print $2, $3, $4, $5 }' "$RESULTS/results.tsv")
  say "results in $RESULTS"
  results_verdict
}

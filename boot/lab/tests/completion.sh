#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Completion offers verbs, options and values from the checkout.
# shellcheck source=boot/lab/tests/support/helper.bash
. "$(dirname "${BASH_SOURCE[0]}")/support/helper.bash"
# shellcheck source=boot/lab/completion/lab.bash
. "$LAB_ROOT/boot/lab/completion/lab.bash"
complete_words() {
  COMP_WORDS=("$LAB" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _lab
  printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd' '
}
expect_equal "doctor" "$(complete_words "do")" "a verb"
expect_equal "v7.2 v7.3" "$(complete_words exec --base v7. | sed 's/v7.0 //')" "bases"
expect_equal "smp smp-debug" "$(complete_words run --kernel-variant smp)" "kernel variants"
expect_equal "--timeout" "$(complete_words exec --timeo)" "an option"
expect_equal "panthor_query@query" "$(complete_words igt panthor_q)" "a test"
expect_equal "exec" "$(complete_words help ex)" "help"
expect_equal "boot-matrix" "$(complete_words boot)" "a verb of two words"
expect_equal "early-hang" "$(complete_words boot-matrix --cases early)" "a case of boot-matrix"
expect_equal "sanitize scenarios shell" "$(complete_words test --only s)" "a group of test"

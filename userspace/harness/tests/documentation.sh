#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# documentation.sh PROGRAM MAN-PAGE COMPLETION: the manual page and the completion know every command and option, and the
# help of every command has an example.
set -euo pipefail
program=$1 man=$2 completion=$3
# shellcheck source=userspace/harness/completion/panthor-harness.bash
. "$completion"

fail() {
  printf 'FAILED: %s\n' "$*"
  exit 1
}

# complete_words WORDS…: what is offered for the last of them.
complete_words() {
  COMP_WORDS=("$program" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _panthor_harness
  printf '%s\n' "${COMPREPLY[@]}"
}

page=$(sed 's/\\f[BIR]//g; s/\\\(.\)/\1/g' "$man")
offered=$(complete_words '')
# What is there is asked of the program in another way than the completion does it.
commands=$("$program" --help | awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 }')
[ "$(wc -w <<<"$commands")" -ge 8 ] || fail "the program names only: $commands"
for command in info doctor smoke load ladder stress heap fit; do
  grep -qx "$command" <<<"$commands" || fail "no command $command"
done
for command in $commands; do
  help=$("$program" "$command" --help)
  grep -qx -- ".SS $command" <<<"$page" || fail "the manual page does not name $command"
  grep -qx -- "$command" <<<"$offered" || fail "the completion does not offer $command"
  grep -q '^Examples:' <<<"$help" || fail "the help of $command has no example"
  grep -q "^  panthor-harness $command\|^  .* panthor-harness $command" <<<"$help" || fail "no example of $command is one"
  of_command=$(awk -v head=".SS $command" '$0 == head { on = 1; next } /^\.S[SH] / { on = 0 } on' <<<"$page")
  options=$(complete_words "$command" --)
  for option in $(grep -oE -- '^ +(-[a-z],)?--[a-z][a-z-]*' <<<"$help" | grep -oE -- '--[a-z-]+'); do
    grep -q -- "$option\b" <<<"$of_command" || fail "the manual page does not name $command $option"
    grep -qx -- "$option" <<<"$options" || fail "the completion does not offer $command $option"
  done
done
status=0
words=$("$program" ladderr 2>&1) || status=$?
[ "$status:$words" = "2:panthor-harness: no command ladderr (panthor-harness --help lists them)" ] || fail "ladderr: $status: $words"
[ "$(complete_words ladder --rung nop)" = nop-stream ] || fail "the completion does not offer rungs"
[ "$(complete_words smoke memory.sto | head -n 1)" = memory.store ] || fail "the completion does not offer smoke's steps"

# boot/verdict asks for an autopsy: the words of its call are today's.
# shellcheck disable=SC2016 # the text of that file
call=$(sed -nE 's/.*\$\{LADDER%% \*\} (autopsy [^>]*) >.*/\1/p' "$(dirname "$0")/../../../boot/verdict/verdict")
[ -n "$call" ] || fail "boot/verdict/verdict has no call of autopsy"
bundle=$(mktemp -d)/bundle.tar.gz status=0
mkdir "${bundle%/*}/root"
read -ra words <<<"${call//\"\$DIR\/autopsy\/bundle.tar.gz\"/$bundle}"
"$program" "${words[@]}" --root "${bundle%/*}/root" >/dev/null 2>&1 || status=$?
[ "$status" -eq 77 ] && tar -tzf "$bundle" | grep -q 'README.txt$' || fail "the call of boot/verdict ($call) ends with $status"
rm -r "${bundle%/*}"

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion for panthor-harness. Commands and options come from its --help, so this file knows none by name.

# _panthor_harness_words PROGRAM [COMMAND]: the commands, or the options of one.
_panthor_harness_words() {
  if [ $# -eq 1 ]; then
    "$1" --help 2>/dev/null | sed -n '/^Subcommands:/,/^[^ ]*$/s/^  \([a-z][a-z-]*\) .*/\1/p'
  else
    "$1" "$2" --help 2>/dev/null | sed -n 's/^  \(-[a-z],\)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p'
  fi
}

_panthor_harness() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=''
  program=${program/#\~/$HOME}
  case $previous in
    --device)
      mapfile -t COMPREPLY < <(compgen -G "${current:-/dev/dri/}*")
      return
      ;;
    --rung) words=$("$program" ladder --list 2>/dev/null | awk '{ print $1 }') ;;
    --junit | --root | --compare | -o | --output)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    *)
      if [ "$COMP_CWORD" -le 1 ]; then
        words="$(_panthor_harness_words "$program") --help"
      else
        words=$(_panthor_harness_words "$program" "${COMP_WORDS[1]}")
        [ "${COMP_WORDS[1]}" != smoke ] || words="$words $("$program" smoke --list 2>/dev/null | awk '{ print $1 }')"
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -F _panthor_harness panthor-harness

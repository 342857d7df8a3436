# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion for ./lab:  source boot/lab/completion/lab.bash
# Verbs and options are read from the checkout, so this file knows none by name.

# _lab_accepted LAB VERB: the options its help names, and the values of those that have a fixed set.
_lab_options() { "$1" help "$2" 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u; }

_lab() {
  local lab=${COMP_WORDS[0]} root verb='' word current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  lab=${lab/#\~/$HOME}
  root=$(dirname "$(readlink -f "$(command -v "$lab" || printf '%s' "$lab")")")
  [ -d "$root/boot/lab/verbs" ] || return 0
  [ "$COMP_CWORD" -le 1 ] || verb=${COMP_WORDS[1]}
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    # What follows -- is a command line of its own.
    if [ "$word" = -- ]; then
      mapfile -t COMPREPLY < <(compgen -c -- "$current")
      return
    fi
  done
  case $previous in
    --base) word=$(ls "$root/kernel-patches/bases") ;;
    --kernel-variant) word=$(awk '!/^#/ && NF { print $1 }' "$root/configs/variants.list") ;;
    --config) word=$(cd "$root/configs" && ls ./*.config | sed 's,^./,,; s,\.config$,,') ;;
    --target) word='uml local' ;;
    --time) word='virtual wall' ;;
    --series) word="stock all $(sed 's/#.*//; s,/.*,,' "$root"/kernel-patches/v*/series 2>/dev/null | sort -u)" ;;
    --only) word=$(sed -n 's/^readonly TEST_GROUPS_UML="\([^"]*\)".*/\1/p' "$root/boot/lab/verbs/test.sh") ;;
    --cases) word=$(cd "$root/boot/lab/vm/cases" && ls ./*.sh | sed 's,^./,,; s,\.sh$,,') ;;
    --source | --log | --bind | --result)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    *)
      if [ -z "$verb" ] || [ "$verb" = help ]; then
        word=$(cd "$root/boot/lab/verbs" && ls ./*.sh | sed 's,^./,,; s,\.sh$,,')
      else
        word=$(_lab_options "$root/lab" "$verb")
        case $verb in
          exec | shell | run | build | igt | kernel) word="$word $(_lab_options "$root/lab" exec)" ;;
        esac
        case $verb in
          igt) word="$word $(awk '!/^#/ && NF { sub(/@\*$/, "", $1); print $1 }' "$root/igt-tests/expectations/uml.txt")" ;;
          kernel) word="$word list update verify config steps" ;;
        esac
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
}

complete -F _lab lab ./lab

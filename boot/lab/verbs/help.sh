# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab help [VERB]      this text, or a verb's own
verb_help() {
  if [ $# -gt 0 ]; then
    need_verb "$1"
    show_help "$1"
    return
  fi
  local verb
  printf 'panthor-lab: the real panthor driver on a virtual Mali-G610, from one command\n\nusage: ./lab VERB [OPTIONS]\n\n'
  for verb in "${LAB_VERBS[@]}"; do sed -n 's/^#: lab/  .\/lab/p; /^#:/q' "$LAB_ROOT/boot/lab/verbs/$verb.sh"; done
  printf '\n./lab help VERB tells its options. Without a board everything runs on the virtual GPU (--target uml);\non a board as an ordinary user it runs on its own GPU (--target local).\n'
  printf '\nexit codes\n%s\n' "$EXIT_CODES" | sed '3,$s/^/  /'
  printf '\nenvironment\n'
  printf '  PANTHOR_LAB_CACHE   where packages, sources and builds are kept (now %s)\n' "$LAB_CACHE"
  printf '  PANTHOR_LAB_MIRROR  URI of the Debian archive for other suites (default: the one in this machine'"'"'s apt sources)\n'
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab shell [OPTIONS]      an interactive shell in a fresh guest
#:
#: Takes the options of ./lab exec. Leave it with exit or Ctrl-D. --time wall is the default here.
verb_shell() {
  parse_options "target quiet $KERNEL_OPTIONS $GUEST_OPTIONS" "$@"
  [ "${#REST[@]}" -gt 0 ] || REST=(bash -l)
  need_target uml
  OPT[time]=${OPT[time]:-wall}
  prepare_guest
  exec_guest --tty -- "${REST[@]}"
}

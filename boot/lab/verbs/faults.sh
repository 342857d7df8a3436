# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab faults      what --fault can arm: name, layer, what goes wrong, and the stage where a job then stops
#:
#:   --quiet   no progress on stderr
verb_faults() {
  parse_options "quiet" "$@"
  [ "${#REST[@]}" -eq 0 ] || die "$EX_USAGE" "./lab faults takes no arguments (./lab help faults)"
  need_uml_host
  install_packages all uml
  build_userspace default "$GUEST_TARGETS"
  "$(userspace_program panthor-vgpu)" --list-faults
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab exec [OPTIONS] -- COMMAND ARGS…      run one command in a fresh guest
#:
#: Its output, input, signals and exit status are passed through; 123: --fail-on-dmesg matched,
#: 124: the deadline passed, 125: the lab itself failed.
#: The programs of this project are in the guest's path. Files written in the guest are gone with it, except below --bind.
#:
#:   --base v7.2|v7.3          kernel to build, from Debian's package (default v7.2)
#:   --source DIR|TARBALL      kernel to build, yours
#:   --series NAMES|stock      patch series, comma-separated (default stock: the driver as it is)
#:   --kernel-variant NAME     virtual-time (default), smp, debug, smp-debug
#:   --config FRAGMENT         one more configuration fragment; may repeat
#:   --time virtual|wall       virtual: no timeout by host load, same run gives the same log (default)
#:   --cpus N  --mem SIZE      CPUs (more than one: smp, wall-clock time), memory (512M …)
#:   --fault SPEC              arm a fault of the virtual GPU, NAME[:only=WORD][:ms=N][:after=N][:count=N]; may repeat
#:   --bind HOST[:GUEST][:ro]  make a host directory visible; may repeat
#:   --modparam MOD.KEY=VALUE  module parameter; may repeat
#:   --no-driver               do not load panthor
#:   --env NAME=VALUE          variable for the command; may repeat
#:   --chdir DIR               its working directory in the guest
#:   --append ARG              kernel command line argument; may repeat
#:   --log-registers           log register accesses too
#:   --target uml|local        a guest with the virtual GPU, or this machine's own GPU (default: local on arm64, else uml)
#:   --timeout SECONDS         deadline
#:   --boot-timeout SECONDS    by when the command must have started (default 120)
#:   --fail-on-dmesg REGEX     fail when a kernel message matches
#:   --log DIR                 keep console, model log and event trace
#:   --result FILE.json        how it ended, for programs
#:   --build-dir DIR           take the programs from this CMake build directory instead of building them
#:   --quiet                   no progress on stderr
verb_exec() {
  parse_options "target quiet $KERNEL_OPTIONS $GUEST_OPTIONS" "$@"
  [ "${#REST[@]}" -gt 0 ] || die "$EX_USAGE" "what is to be run? ./lab exec [OPTIONS] -- COMMAND ARGS…"
  need_target uml local
  if [ "$TARGET" = local ]; then
    need_local_device
    exec "${REST[@]}"
  fi
  prepare_guest
  exec_guest -- "${REST[@]}"
}

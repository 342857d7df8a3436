# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#: lab reproduce [OPTIONS of boot/build-kernel]      a board's kernel built twice: every file must be the same, bit for bit
#:
#: The second build has another directory, another copy of a base's source, another time, time zone and umask, and no compiler cache. Compared
#: are the manifests (the hash of every input and of every file in the packages) and the packages, debug information included. Without
#: options it is the kernel of ./lab boot-matrix.
#:
#: Exit code 1: something differs; it is named.
. "$LAB_ROOT/boot/build/compare.sh"

verb_reproduce() {
  local word dir=$LAB_CACHE/boards/reproduce
  local -a arguments=("$@")
  for word in "$@"; do
    case $word in
      -h | --help) show_help reproduce && return ;;
      --out | --out=* | --no-build) die "$EX_USAGE" "./lab reproduce decides itself about $word (./lab help reproduce)" ;;
    esac
  done
  install_packages all uml test board
  remove_tree "$dir"
  mkdir -p "$dir/elsewhere/cache"
  if [ $# -eq 0 ]; then
    . "$LAB_ROOT/boot/lab/vm/machine.sh"
    . "$LAB_ROOT/boot/lab/vm/candidate.sh"
    vm_candidate_arguments "$dir/qemu-virt.dtb"
    arguments=("${VM_ARGUMENTS[@]}")
  fi
  "$LAB_ROOT/boot/build-kernel" "${arguments[@]}" --out "$dir/first" || exit
  same_downloads "$dir/elsewhere/cache"
  (umask 077 && TZ=Pacific/Kiritimati CCACHE_DISABLE=1 PANTHOR_LAB_CACHE=$dir/elsewhere/cache "$LAB_ROOT/boot/build-kernel" "${arguments[@]}" --out "$dir/second") || exit
  compare_builds "$dir/first" "$dir/second" || exit 1
  remove_tree "$dir/elsewhere"
}

# same_downloads CACHE: what was resolved and fetched for this cache is so for CACHE; unpacking and building are its own.
same_downloads() {
  mkdir -p "$1/sources" "$LAB_CACHE/downloads"
  cp -al "$LAB_CACHE/downloads" "$1/"
  find "$LAB_CACHE/sources" -maxdepth 1 -name '*.resolved' -exec cp -t "$1/sources" {} + # none, when only trees were named
}

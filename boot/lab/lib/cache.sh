# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The cache outside the checkout. Everything in it is keyed by what it was made from; a half-made thing is never used.
#
#   apt/         private package lists for other suites      sources/KEY/    kernel trees
#   downloads/   packages, each with its .sha256             kernels/KEY/    kernel builds and their modules
#   rootfs/KEY/  guest roots                                 userspace/FLAVOUR-KEY/  CMake build directories, one a checkout
#   sysroot/KEY/  arm64 libraries to compile against
#   uapi/KEY/    kernel headers for user space               results/        one directory a run
#   ccache/      compiler cache                              locks/          one file a thing being made

# cache_init: finds the cache directory and makes it.
cache_init() {
  local home=${HOME:-}
  [ -n "$home" ] || home=$(getent passwd "$(id -u)" | cut -d: -f6)
  LAB_CACHE=${PANTHOR_LAB_CACHE:-${XDG_CACHE_HOME:-$home/.cache}/panthor-lab}
  mkdir -p "$LAB_CACHE/locks" "$LAB_CACHE/logs" 2>/dev/null ||
    die "$EX_LAB" "cannot write the cache $LAB_CACHE (set PANTHOR_LAB_CACHE to a directory that can be written)"
  LAB_CACHE=$(cd "$LAB_CACHE" && pwd -P)
  export LAB_CACHE
  export CCACHE_DIR=$LAB_CACHE/ccache CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-4G}
}

# cache_locked NAME COMMAND…: runs COMMAND in a subshell while no other lab on this cache makes the same thing.
cache_locked() {
  local file=$LAB_CACHE/locks/$1
  shift
  (
    exec 9>>"$file"
    if ! flock -n 9; then
      say "another lab ($(tail -n 1 "$file" 2>/dev/null)) is making this; waiting for it"
      flock 9
    fi
    printf 'process %d\n' $$ >"$file"
    "$@"
  )
}

# need_space DIRECTORY MIB WHAT: refuses to begin a step that cannot end.
need_space() {
  local free
  mkdir -p "$1" 2>/dev/null || true
  free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] ||
    die "$EX_SPACE" "not enough disk space for $3: $2 MiB needed in $1, $free MiB free (PANTHOR_LAB_CACHE moves the cache, ./lab clean empties it)"
}

# remove_tree DIRECTORY: rm -rf of something inside the cache only.
remove_tree() {
  case $1 in
    "$LAB_CACHE"/?*) rm -rf --one-file-system -- "$1" ;; # what a killed chroot left mounted in it is not ours
    *) die "$EX_LAB" "refusing to remove $1: it is not in the cache" ;;
  esac
}

# publish PARTIAL FINAL: makes a finished thing visible under its name, in one step.
publish() {
  [ ! -e "$2" ] || remove_tree "$2"
  mv -T -- "$1" "$2"
}

# results_dir VERB: a new directory for the logs of this run; "latest" points to it; old ones go.
results_dir() {
  local base=$LAB_CACHE/results dir
  mkdir -p "$base"
  dir=$base/$(date -u +%Y%m%d-%H%M%S)-$1-$$
  mkdir "$dir"
  ln -sfn "$(basename "$dir")" "$base/latest"
  find "$base" -mindepth 1 -maxdepth 1 -type d | sort -r | tail -n +21 | while read -r old; do remove_tree "$old"; done
  printf '%s\n' "$dir"
}

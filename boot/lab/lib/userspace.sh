# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# User space, built by CMake in the cache (one build directory a checkout and flavour). After build_userspace: USERSPACE_DIR.

# userspace_dir FLAVOUR
userspace_dir() { printf '%s/userspace/%s-%s\n' "$LAB_CACHE" "$(printf '%s' "$LAB_ROOT" | hash_text)" "$1"; }

# configure_userspace DIRECTORY CMAKE-ARGUMENTS…
configure_userspace() {
  local dir=$1
  shift
  cmake -S "$LAB_ROOT" -B "$dir" -G Ninja "$@"
}

# build_userspace FLAVOUR TARGETS CMAKE-ARGUMENTS…: TARGETS is a list in one word ("all" for everything). Ninja decides what is stale.
build_userspace() {
  local flavour=$1 targets=$2
  shift 2
  USERSPACE_DIR=$(userspace_dir "$flavour")
  need_space "$LAB_CACHE" 600 "the build of user space"
  cache_locked "userspace-$(basename "$USERSPACE_DIR")" build_userspace_locked "$flavour" "$targets" "$@"
}

build_userspace_locked() {
  local flavour=$1 targets=$2 log=$LAB_CACHE/logs/userspace-$1.log
  shift 2
  if [ ! -e "$USERSPACE_DIR/build.ninja" ] || [ "$(cat "$USERSPACE_DIR/lab-arguments" 2>/dev/null)" != "$*" ]; then
    mkdir -p "$USERSPACE_DIR"
    step "configuring user space ($flavour)" "$log" configure_userspace "$USERSPACE_DIR" "$@" || die "$EX_BUILD" "CMake failed ($log)"
    printf '%s' "$*" >"$USERSPACE_DIR/lab-arguments"
  fi
  # shellcheck disable=SC2086 # a list of targets
  if ! ninja -C "$USERSPACE_DIR" -n $targets 2>/dev/null | grep -q 'no work to do'; then
    # shellcheck disable=SC2086
    step "building user space ($flavour)" "$log" ninja -C "$USERSPACE_DIR" $targets || die "$EX_BUILD" "user space failed to build ($log)"
  fi
}

# userspace_program NAME: the path of a built program, wherever its directory is.
userspace_program() {
  local path
  path=$(find "$USERSPACE_DIR" -type f -name "$1" -perm -u+x -print -quit)
  [ -n "$path" ] || die "$EX_LAB" "the build has no program $1"
  printf '%s\n' "$path"
}

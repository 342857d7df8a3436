# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# User space, built by CMake in the cache (one build directory a checkout and flavour). After build_userspace: USERSPACE_DIR.

# userspace_dir FLAVOUR
userspace_dir() { printf '%s/userspace/%s-%s\n' "$LAB_CACHE" "$1" "$(printf '%s' "$LAB_ROOT" | hash_text)"; }

# configure_userspace FLAVOUR DIRECTORY CMAKE-ARGUMENTS…: the flavour igt is a project of its own, because it links what is in the guest.
configure_userspace() {
  local dir=$2 project=$2/source
  [ "$1" != igt ] || project=$project/igt-tests
  shift 2
  cmake -S "$project" -B "$dir" -G Ninja "$@"
}

# share_objects: the compiler sees the checkout as "source" in its build directory, and ccache names paths relative to that, so
# that a second checkout of the same sources compiles nothing again.
share_objects() {
  mkdir -p "$USERSPACE_DIR"
  ln -sfn "$LAB_ROOT" "$USERSPACE_DIR/source"
  export CCACHE_BASEDIR=$USERSPACE_DIR CCACHE_NOHASHDIR=1
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
  local flavour=$1 targets=$2 log=$LAB_CACHE/logs/userspace-${USERSPACE_DIR##*/}.log
  shift 2
  share_objects
  if [ ! -e "$USERSPACE_DIR/build.ninja" ] || [ "$(cat "$USERSPACE_DIR/lab-arguments" 2>/dev/null)" != "$*" ]; then
    step "configuring user space ($flavour)" "$log" configure_userspace "$flavour" "$USERSPACE_DIR" "$@" || die "$EX_BUILD" "CMake failed ($log)"
    printf '%s' "$*" >"$USERSPACE_DIR/lab-arguments"
  fi
  # shellcheck disable=SC2086 # a list of targets
  if [[ $(ninja -C "$USERSPACE_DIR" -n $targets 2>/dev/null) != *'no work to do'* ]]; then
    # shellcheck disable=SC2086
    step "building user space ($flavour)" "$log" ninja -C "$USERSPACE_DIR" $targets || die "$EX_BUILD" "user space failed to build ($log)"
  fi
}

# build_board_programs TARGETS: what runs on an arm64 board, cross-compiled.
build_board_programs() {
  build_sysroot
  build_userspace aarch64 "$1" --toolchain source/userspace/cmake/aarch64.cmake "-DPANTHOR_LAB_SYSROOT=$SYSROOT_DIR" \
    -DPANTHOR_LAB_VIRTUAL_GPU=OFF -DPANTHOR_LAB_BENCH=OFF
}

# userspace_program NAME: the path of a built program, wherever its directory is.
userspace_program() {
  local path
  path=$(find "$USERSPACE_DIR" -type f -name "$1" -perm -u+x -print -quit)
  [ -n "$path" ] || die "$EX_LAB" "the build has no program $1"
  printf '%s\n' "$path"
}

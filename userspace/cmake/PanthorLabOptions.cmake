# SPDX-License-Identifier: MIT
# One set of compile options for everything this project compiles: target_link_libraries(x PRIVATE panthor_lab_options).

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(panthor_lab_options INTERFACE)
target_compile_features(panthor_lab_options INTERFACE cxx_std_20)
target_compile_options(panthor_lab_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor)

if(PANTHOR_LAB_SANITIZE)
  # -O1 finds what -O2 finds and compiles in half the time; reports need lines, no more.
  target_compile_options(panthor_lab_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -O1 -g1)
  target_link_options(panthor_lab_options INTERFACE -fsanitize=address,undefined)
endif()

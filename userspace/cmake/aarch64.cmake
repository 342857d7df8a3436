# SPDX-License-Identifier: MIT
# Toolchain for a board: arm64 Debian, compiled on another machine.
#   PANTHOR_LAB_SYSROOT (cache or environment variable): a root with the arm64 libraries; "./lab build --target aarch64" makes one and prints its path.
# Tests run on the build machine through qemu-user when qemu-aarch64 is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(NOT PANTHOR_LAB_SYSROOT AND DEFINED ENV{PANTHOR_LAB_SYSROOT})
  set(PANTHOR_LAB_SYSROOT $ENV{PANTHOR_LAB_SYSROOT})
endif()
if(NOT IS_DIRECTORY "${PANTHOR_LAB_SYSROOT}")
  message(FATAL_ERROR "PANTHOR_LAB_SYSROOT names no directory (\"${PANTHOR_LAB_SYSROOT}\"): set it to the sysroot that \"./lab build --target aarch64\" prints")
endif()
set(PANTHOR_LAB_SYSROOT "${PANTHOR_LAB_SYSROOT}" CACHE PATH "Root directory with the arm64 libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PANTHOR_LAB_SYSROOT)

set(CMAKE_SYSROOT ${PANTHOR_LAB_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${PANTHOR_LAB_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${PANTHOR_LAB_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${PANTHOR_LAB_SYSROOT}/usr/share/pkgconfig)

find_program(PANTHOR_LAB_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
if(PANTHOR_LAB_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${PANTHOR_LAB_QEMU_AARCH64} -L ${PANTHOR_LAB_SYSROOT})
endif()

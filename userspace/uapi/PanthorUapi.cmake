# SPDX-License-Identifier: MIT
# The panthor uAPI headers, as the INTERFACE target panthor_uapi: <drm/panthor_drm.h> and the <drm.h> that goes with it.
#
# They belong to the kernel and are not kept here. Taken from, in this order:
#   1. -DPANTHOR_UAPI_DIR=DIR, a directory with drm/panthor_drm.h;
#   2. the system's headers, if they are new enough;
#   3. Debian's newest linux-libc-dev, fetched into the lab's cache by fetch-uapi (no root needed, nothing is installed).
include_guard(GLOBAL)
include(CheckCXXSourceCompiles)

set(PANTHOR_UAPI_DIR "" CACHE PATH "Directory that holds drm/panthor_drm.h (empty: find it)")

# The newest part of the uAPI this project compiles against: MAP_SPARSE came with 7.2.
set(_panthor_uapi_probe "
  #include <drm/panthor_drm.h>
  int main() { return DRM_PANTHOR_VM_BIND_OP_MAP_SPARSE ? 0 : 1; }")

# panthor_uapi_works(DIR RESULT): do the headers in DIR (empty: the compiler's own) have what is used?
function(panthor_uapi_works dir result)
  string(SHA1 id "${dir}")
  set(CMAKE_REQUIRED_INCLUDES)
  if(dir)
    set(CMAKE_REQUIRED_INCLUDES ${dir} ${dir}/drm)
  endif()
  set(CMAKE_REQUIRED_QUIET ON)
  unset(PANTHOR_UAPI_WORKS_${id} CACHE)  # what the directory holds may have changed
  check_cxx_source_compiles("${_panthor_uapi_probe}" PANTHOR_UAPI_WORKS_${id})
  set(${result} ${PANTHOR_UAPI_WORKS_${id}} PARENT_SCOPE)
endfunction()

add_library(panthor_uapi INTERFACE)
# panthor_va_heap.h: what the kernel series "heap" adds, while the headers above lack it.
target_include_directories(panthor_uapi INTERFACE ${CMAKE_CURRENT_LIST_DIR})
set(_panthor_uapi_dir "${PANTHOR_UAPI_DIR}")
if(NOT _panthor_uapi_dir)
  panthor_uapi_works("" _panthor_uapi_system)
  if(_panthor_uapi_system)
    message(STATUS "panthor uAPI: the system's <drm/panthor_drm.h>")
  else()
    execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/fetch-uapi
      OUTPUT_VARIABLE _panthor_uapi_dir OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _panthor_uapi_status)
    if(NOT _panthor_uapi_status EQUAL 0)
      message(FATAL_ERROR "The system's <drm/panthor_drm.h> is older than Linux 7.2 and newer headers could not be fetched "
        "(see above). Name a directory that holds drm/panthor_drm.h with -DPANTHOR_UAPI_DIR=DIR.")
    endif()
  endif()
endif()
if(_panthor_uapi_dir)
  panthor_uapi_works("${_panthor_uapi_dir}" _panthor_uapi_usable)
  if(NOT _panthor_uapi_usable)
    message(FATAL_ERROR "${_panthor_uapi_dir}/drm/panthor_drm.h is missing or older than Linux 7.2")
  endif()
  message(STATUS "panthor uAPI: ${_panthor_uapi_dir}")
  # Ordinary include directories come before the system ones, so that <drm.h> of libdrm does not hide the newer one.
  target_include_directories(panthor_uapi INTERFACE ${_panthor_uapi_dir} ${_panthor_uapi_dir}/drm)
endif()

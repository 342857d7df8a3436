# SPDX-License-Identifier: MIT
target_sources(vgpu_tests PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/basic_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/isa_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/jobs_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/suspend_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sync_test.cpp)

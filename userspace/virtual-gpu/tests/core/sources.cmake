# SPDX-License-Identifier: MIT
target_sources(vgpu_tests PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/event_log_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/event_queue_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/memory_test.cpp)

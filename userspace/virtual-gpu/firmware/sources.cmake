# SPDX-License-Identifier: MIT
target_sources(vgpu_model PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/endpoints.cpp
  ${CMAKE_CURRENT_LIST_DIR}/global_interface.cpp
  ${CMAKE_CURRENT_LIST_DIR}/group_slot.cpp
  ${CMAKE_CURRENT_LIST_DIR}/image.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mcu.cpp
  ${CMAKE_CURRENT_LIST_DIR}/performance_counters.cpp
  ${CMAKE_CURRENT_LIST_DIR}/power_policy.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stream_execution.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stream_jobs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stream_slot.cpp
  ${CMAKE_CURRENT_LIST_DIR}/suspend_buffer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tiler_heap.cpp)

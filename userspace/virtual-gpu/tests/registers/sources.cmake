# SPDX-License-Identifier: MIT
target_sources(vgpu_tests PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/gpu_control_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/irq_block_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/power_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/register_bus_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/register_map_test.cpp)

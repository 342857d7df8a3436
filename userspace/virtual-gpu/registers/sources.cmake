# SPDX-License-Identifier: MIT
target_sources(vgpu_model PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/gpu_control.cpp
  ${CMAKE_CURRENT_LIST_DIR}/irq_block.cpp
  ${CMAKE_CURRENT_LIST_DIR}/power.cpp
  ${CMAKE_CURRENT_LIST_DIR}/register_bus.cpp
  ${CMAKE_CURRENT_LIST_DIR}/register_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/register_map.cpp)

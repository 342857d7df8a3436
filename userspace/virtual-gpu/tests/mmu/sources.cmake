# SPDX-License-Identifier: MIT
target_sources(vgpu_tests PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/mmu_command_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mmu_fault_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/page_walk_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tlb_test.cpp)

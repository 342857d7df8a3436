# SPDX-License-Identifier: MIT
target_sources(vgpu_model PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/address_space.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mmu.cpp
  ${CMAKE_CURRENT_LIST_DIR}/page_walk.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tlb.cpp)

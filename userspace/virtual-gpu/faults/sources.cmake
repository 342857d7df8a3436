# SPDX-License-Identifier: MIT
target_sources(vgpu_model PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/fault_catalogue.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fault_injector.cpp)

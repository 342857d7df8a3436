# SPDX-License-Identifier: MIT
target_sources(vgpu_model PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/compute_model.cpp
  ${CMAKE_CURRENT_LIST_DIR}/descriptors.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_planner.cpp
  ${CMAKE_CURRENT_LIST_DIR}/render_model.cpp
  ${CMAKE_CURRENT_LIST_DIR}/scratch.cpp
  ${CMAKE_CURRENT_LIST_DIR}/shader_executor.cpp)

# SPDX-License-Identifier: MIT
target_sources(vgpu_tests PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/compute_model_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/render_model_test.cpp)

# SPDX-License-Identifier: MIT
target_sources(vgpu_tests PRIVATE ${CMAKE_CURRENT_LIST_DIR}/main.cpp)

# SPDX-License-Identifier: MIT
target_sources(vgpu_tests PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/boot_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fault_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/iterator_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mini_driver.cpp
  ${CMAKE_CURRENT_LIST_DIR}/job_test.cpp)

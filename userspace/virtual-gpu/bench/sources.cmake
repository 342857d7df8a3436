# SPDX-License-Identifier: MIT
# The fixtures of the tests set the stage, so these link GoogleTest too.
find_package(GTest REQUIRED)
add_executable(vgpu_cs_bench ${CMAKE_CURRENT_LIST_DIR}/cs_bench.cpp)
target_link_libraries(vgpu_cs_bench PRIVATE vgpu_model panthor_lab_options benchmark::benchmark GTest::gtest)

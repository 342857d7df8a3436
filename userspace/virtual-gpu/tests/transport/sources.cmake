# SPDX-License-Identifier: MIT
target_sources(vgpu_tests PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/calendar_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/control_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/guest_memory_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/irq_delivery_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/register_link_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/vhost_user_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/virtqueue_test.cpp)
target_link_libraries(vgpu_tests PRIVATE vgpu_transport)

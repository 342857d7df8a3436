# SPDX-License-Identifier: MIT
# What vgpu_vhost_user_fuzz needs beyond the model: the transport, built with the same instrumentation.
get_target_property(transport_sources vgpu_transport SOURCES)
list(TRANSFORM transport_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/../transport/)
target_sources(vgpu_vhost_user_fuzz PRIVATE ${transport_sources})
target_include_directories(vgpu_vhost_user_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/kernel-patches/lab)

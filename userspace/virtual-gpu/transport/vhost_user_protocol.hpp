// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// The part of the vhost-user protocol that UML's virtio driver speaks, as data.
/// Source: the vhost-user specification of QEMU and arch/um/drivers/virtio_uml.c, vhost_user.h.
namespace vgpu::transport::vhost {

enum class Request : uint32_t {
  get_features = 1,
  set_features = 2,
  set_owner = 3,
  reset_owner = 4,
  set_mem_table = 5,
  set_vring_num = 8,
  set_vring_addr = 9,
  set_vring_base = 10,
  get_vring_base = 11,
  set_vring_kick = 12,
  set_vring_call = 13,
  set_vring_err = 14,
  get_protocol_features = 15,
  set_protocol_features = 16,
  get_queue_num = 17,
  set_vring_enable = 18,
  set_backend_req_fd = 21,
  vring_kick = 35,
};

/// Requests of the back end, sent on the channel of set_backend_req_fd.
enum class BackendRequest : uint32_t { vring_call = 4 };

struct [[gnu::packed]] Header {
  uint32_t request;
  uint32_t flags;
  uint32_t size;  ///< of the payload, in bytes
};

inline constexpr uint32_t version = 1, version_mask = 3;
inline constexpr uint32_t flag_reply = 1U << 2, flag_need_reply = 1U << 3;

inline constexpr uint64_t feature_version_1 = uint64_t{1} << 32;
inline constexpr uint64_t feature_protocol_features = uint64_t{1} << 30;
inline constexpr uint64_t protocol_mq = 1U << 0, protocol_reply_ack = 1U << 3, protocol_backend_req = 1U << 5,
                          protocol_inband_notifications = 1U << 14;

inline constexpr uint64_t vring_index_mask = 0xff, vring_no_fd = 0x100;

struct [[gnu::packed]] VringState {
  uint32_t index;
  uint32_t value;
};

struct [[gnu::packed]] VringAddress {
  uint32_t index;
  uint32_t flags;
  uint64_t descriptors;
  uint64_t used;
  uint64_t available;
  uint64_t log;
};

struct [[gnu::packed]] MemoryTableHeader {
  uint32_t count;
  uint32_t padding;
};

struct [[gnu::packed]] MemoryRegion {
  uint64_t guest_address;
  uint64_t size;
  uint64_t user_address;
  uint64_t mapping_offset;
};

inline constexpr size_t max_payload = 512;  ///< bytes; the memory table with its 8 regions is the longest
inline constexpr size_t max_fds = 8;

/// What a well-formed request looks like.
struct Shape {
  Request request;
  std::string_view name;
  uint32_t min_size, max_size;  ///< payload, bytes
  size_t max_fds;
};

inline constexpr std::array shapes{
    Shape{Request::get_features, "GET_FEATURES", 0, 0, 0},
    Shape{Request::set_features, "SET_FEATURES", 8, 8, 0},
    Shape{Request::set_owner, "SET_OWNER", 0, 0, 0},
    Shape{Request::reset_owner, "RESET_OWNER", 0, 0, 0},
    Shape{Request::set_mem_table, "SET_MEM_TABLE", sizeof(MemoryTableHeader),
          sizeof(MemoryTableHeader) + 8 * sizeof(MemoryRegion), 8},
    Shape{Request::set_vring_num, "SET_VRING_NUM", sizeof(VringState), sizeof(VringState), 0},
    Shape{Request::set_vring_addr, "SET_VRING_ADDR", sizeof(VringAddress), sizeof(VringAddress), 0},
    Shape{Request::set_vring_base, "SET_VRING_BASE", sizeof(VringState), sizeof(VringState), 0},
    Shape{Request::get_vring_base, "GET_VRING_BASE", sizeof(VringState), sizeof(VringState), 0},
    Shape{Request::set_vring_kick, "SET_VRING_KICK", 8, 8, 1},
    Shape{Request::set_vring_call, "SET_VRING_CALL", 8, 8, 1},
    Shape{Request::set_vring_err, "SET_VRING_ERR", 8, 8, 1},
    Shape{Request::get_protocol_features, "GET_PROTOCOL_FEATURES", 0, 0, 0},
    Shape{Request::set_protocol_features, "SET_PROTOCOL_FEATURES", 8, 8, 0},
    Shape{Request::get_queue_num, "GET_QUEUE_NUM", 0, 0, 0},
    Shape{Request::set_vring_enable, "SET_VRING_ENABLE", sizeof(VringState), sizeof(VringState), 0},
    Shape{Request::set_backend_req_fd, "SET_BACKEND_REQ_FD", 0, 8, 1},
    Shape{Request::vring_kick, "VRING_KICK", sizeof(VringState), sizeof(VringState), 0},
};

}  // namespace vgpu::transport::vhost

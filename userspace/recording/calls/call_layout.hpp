// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// What is in the arguments of the ioctls that are recorded, as data: where a number names an object, where a
/// pointer leads, what differs from run to run. Recorder, player and listing read the same rows.
namespace recording {

/// What a u32 names, inside its DRM file (fd: in the process).
enum class IdKind : uint8_t { vm, bo, group, tiler_heap, syncobj, fd };
inline constexpr size_t id_kinds = 6;
[[nodiscard]] std::string_view id_kind_name(IdKind kind);

enum class Role : uint8_t { uses, makes, destroys };

/// A u32 that names an object.
struct IdField {
  uint16_t offset;
  IdKind kind;
  Role role;
};

/// A field that says nothing about whether two runs did the same.
struct VolatileField {
  enum class What : uint8_t {
    address,   ///< chosen by the kernel or a pointer
    time,      ///< a time, a deadline, who was first
    flush_id,  ///< value of the flush-id register
    progress   ///< how far the GPU was
  };
  uint16_t offset;
  uint16_t bytes;
  What what;
};

struct StructLayout;

/// A u64 that points to memory.
struct PointerField {
  enum class Extent : uint8_t {
    objects,   ///< drm_panthor_obj_array at `address`: stride, count, pointer
    elements,  ///< u32 count at `count`, each of element_bytes
    bytes32,   ///< u32 number of bytes at `count`
    bytes64,   ///< u64 number of bytes at `count`
    string     ///< NUL-terminated, at most element_bytes
  };
  enum class Flow : uint8_t { in, out, in_out };
  uint16_t address;
  uint16_t count;
  uint16_t element_bytes;
  Extent extent;
  Flow flow;
  const StructLayout* element;
};

struct StructLayout {
  std::span<const IdField> ids;
  std::span<const VolatileField> volatiles;
  std::span<const PointerField> pointers;
};

enum class CallClass : uint8_t {
  plain,
  wait,    ///< returns when fences are signalled or a deadline passed
  submit,  ///< hands work to the GPU
  bind     ///< changes a VM: contents matter from here on
};

struct CallLayout {
  uint32_t request;  ///< as in the newest uAPI; older programs pass a shorter argument
  std::string_view name;
  CallClass call_class;
  StructLayout argument;
};

/// The row of `request`, by its magic and number: sizes grow with uAPI versions. Null: not a call this
/// project records the pointers of, and one that the player refuses.
[[nodiscard]] const CallLayout* find_call(uint32_t request) noexcept;

[[nodiscard]] std::span<const CallLayout> all_calls() noexcept;

}  // namespace recording

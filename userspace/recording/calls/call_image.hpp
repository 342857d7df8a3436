// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "calls/call_layout.hpp"
#include "format/event.hpp"

namespace recording {

/// Copies memory of the recorded program; false when it is not there.
using ReadMemory = bool (*)(uint64_t address, std::span<std::byte> out) noexcept;

/// The inputs of a call: the argument at `argument` and everything it points to. `layout` may be null: the
/// argument alone.
[[nodiscard]] CallImage capture_inputs(const CallLayout* layout, uint32_t request, uint64_t argument,
                                       ReadMemory read);
/// The argument after the call and the blocks that the kernel writes, as long as `inputs` says they are (a
/// call may answer with the length it would have liked).
[[nodiscard]] CallImage capture_outputs(const CallLayout* layout, uint32_t request, uint64_t argument,
                                        const CallImage& inputs, ReadMemory read);

/// A recorded call made real: own buffers that point to each other as the program's did.
class RebuiltCall {
 public:
  /// `unmapped`: an address that faults, for pointers that faulted. Throws FormatError when the image does
  /// not fit the call (lengths that the kernel would read beyond).
  RebuiltCall(const CallLayout& layout, uint32_t request, const CallImage& image, uint64_t unmapped);

  /// What to pass to ioctl().
  [[nodiscard]] void* argument() noexcept;
  [[nodiscard]] std::span<std::byte> argument_bytes() noexcept { return argument_; }

  /// Calls visit(layout, bytes) for the argument struct and each array element, in the order of the
  /// recording.
  void for_each_struct(const std::function<void(const StructLayout&, std::span<std::byte>)>& visit);

  /// The argument and the blocks the kernel wrote, as capture_outputs() gives them.
  [[nodiscard]] CallImage outputs() const;

 private:
  struct Buffer {
    const PointerField* field;
    uint64_t stride;  ///< of its elements
    Bytes bytes;
  };
  void rebuild(const StructLayout& layout, std::span<std::byte> structure, const CallImage& image,
               size_t& next, uint64_t unmapped);

  const CallLayout& layout_;
  Bytes argument_;
  uint64_t bad_argument_ = 0;  ///< passed instead, when there is no argument
  std::vector<Buffer> buffers_;
};

/// u32 or u64 (host byte order: the argument is the kernel's own struct) at `offset`; 0 beyond the end.
[[nodiscard]] uint64_t load_field(ByteView structure, size_t offset, size_t bytes) noexcept;
void store_field(std::span<std::byte> structure, size_t offset, size_t bytes, uint64_t value) noexcept;

}  // namespace recording

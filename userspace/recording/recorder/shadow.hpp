// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include "format/event.hpp"

namespace recording {

/// What a mapping contained when it was last looked at; zeros at first, as a new BO. As large as the mapping,
/// but anonymous memory that costs nothing where nothing was ever found.
class Shadow {
 public:
  explicit Shadow(uint64_t bytes);
  ~Shadow();
  Shadow(Shadow&& other) noexcept;
  Shadow& operator=(Shadow&& other) noexcept;

  /// The 8-byte words of `live` that differ, as runs; with `keep` the shadow becomes what was seen. `live`
  /// may be written meanwhile (by the GPU or by threads): what is returned is what is kept.
  [[nodiscard]] std::vector<Run> differences(const std::byte* live, bool keep);

  [[nodiscard]] uint64_t size() const noexcept { return size_; }

 private:
  std::byte* memory_;
  uint64_t size_;
};

}  // namespace recording

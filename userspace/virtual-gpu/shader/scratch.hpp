// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "shader/descriptors.hpp"
#include "shader/types.hpp"

namespace vgpu::shader {

/// What a core is busy with at its fullest moment.
struct Residency {
  uint64_t threads;     ///< at most what the registers leave room for
  uint64_t workgroups;  ///< at most LocalStorage::wls_instances
};

/// Writes a mark into every scratch page that the resident threads of core `core` use: whoever reads freed or
/// foreign memory afterwards sees it, and a page that is populated on first touch is populated.
///
/// A core owns one slice of the TLS allocation, tls_bytes_per_thread * 2048 bytes at index `core`, and one of
/// WLS, wls_bytes * wls_instances (Mesa: pan_scratch.c, pan_wls_mem_size()); threads use it from the bottom
/// up (assumed).
class ScratchToucher {
 public:
  static constexpr uint32_t mark = 0x7c5c'a7c4;

  ScratchToucher(const Translate& translate, const LocalStorage& storage)
      : translate_(translate), storage_(storage) {}

  AccessResult touch(unsigned core, const Residency& resident);

  uint64_t pages = 0;
  uint64_t failed_va = 0;

 private:
  AccessResult touch_range(uint64_t va, uint64_t bytes);

  const Translate& translate_;
  const LocalStorage& storage_;
};

}  // namespace vgpu::shader

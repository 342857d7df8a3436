// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "firmware/image.hpp"

/// A hostile mali_csffw.bin: the parser refuses it in one line or gives sections that keep their promises.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  try {
    const auto image = vgpu::fw::Image::parse(file);
    for (const auto& section : image.sections) {
      const bool sane = section.va_start < section.va_end && section.va_start % 4096 == 0 &&
                        section.data_start <= section.data_end && section.data_end <= size &&
                        section.data_end - section.data_start <= section.va_end - section.va_start;
      if (!sane) std::abort();
    }
    if (!image.shared_section()) std::abort();
  } catch (const vgpu::fw::ImageError&) {
  }
  return 0;
}

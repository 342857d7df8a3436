// SPDX-License-Identifier: MIT
#include "player/compare.hpp"

#include <drm/panthor_drm.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace recording {
namespace {

using What = VolatileField::What;

void blank(Bytes& bytes, size_t offset, size_t count) {
  for (size_t i = offset; i < std::min(offset + count, bytes.size()); ++i) bytes[i] = std::byte{0};
}

/// Blanks what may differ in one struct, at `at` of `bytes`.
void blank_struct(const StructLayout& layout, Bytes& bytes, size_t at, bool with_progress) {
  for (const IdField& field : layout.ids) blank(bytes, at + field.offset, sizeof(uint32_t));
  for (const VolatileField& field : layout.volatiles)
    if (with_progress || field.what != What::progress) blank(bytes, at + field.offset, field.bytes);
  for (const PointerField& field : layout.pointers) {
    const size_t pointer_in_objects = field.extent == PointerField::Extent::objects ? 8 : 0;
    blank(bytes, at + field.address + pointer_in_objects, sizeof(uint64_t));
  }
}

void blank_elements(const PointerField& field, Bytes& bytes, bool with_progress) {
  if (field.element == nullptr || field.element_bytes == 0) return;
  for (size_t at = 0; at + field.element_bytes <= bytes.size(); at += field.element_bytes)
    blank_struct(*field.element, bytes, at, with_progress);
}

std::string first_difference(std::string_view what, const Bytes& recorded, const Bytes& replayed) {
  if (recorded.size() != replayed.size())
    return fmt::format("{}: {} bytes, recorded {}", what, replayed.size(), recorded.size());
  const auto [then, now] = std::ranges::mismatch(recorded, replayed);
  if (then == recorded.end()) return {};
  const size_t at = static_cast<size_t>(then - recorded.begin()) / sizeof(uint32_t) * sizeof(uint32_t);
  return fmt::format("{} at byte {}: {:#x}, recorded {:#x}", what, at, load_field(replayed, at, 4),
                     load_field(recorded, at, 4));
}

void blank_call(const CallLayout& layout, CallImage& image, bool with_progress) {
  blank_struct(layout.argument, image.argument, 0, with_progress);
  size_t next = 0;
  for (const PointerField& field : layout.argument.pointers)
    if (field.flow != PointerField::Flow::in && next < image.blocks.size())
      blank_elements(field, image.blocks[next++].bytes, with_progress);
}

std::string differences(const CallLayout& layout, CallImage recorded, CallImage replayed,
                        bool with_progress) {
  blank_call(layout, recorded, with_progress);
  blank_call(layout, replayed, with_progress);
  std::string text = first_difference("argument", recorded.argument, replayed.argument);
  for (size_t i = 0; text.empty() && i < std::min(recorded.blocks.size(), replayed.blocks.size()); ++i)
    text = first_difference("memory", recorded.blocks[i].bytes, replayed.blocks[i].bytes);
  return text;
}

/// The answer of DEV_QUERY_TIMESTAMP_INFO is time itself.
bool answers_with_time(const CallLayout& layout, const CallImage& image) {
  return layout.request == DRM_IOCTL_PANTHOR_DEV_QUERY &&
         load_field(image.argument, offsetof(drm_panthor_dev_query, type), 4) ==
             DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO;
}

}  // namespace

CallImage without_volatiles(const CallLayout& layout, CallImage outputs) {
  if (answers_with_time(layout, outputs)) return {};
  blank_call(layout, outputs, true);
  return outputs;
}

Comparison compare_outputs(const CallLayout& layout, const CallImage& recorded, const CallImage& replayed) {
  if (answers_with_time(layout, recorded)) return {};
  Comparison comparison{.difference = differences(layout, recorded, replayed, true), .timing = false};
  if (comparison.difference.empty())
    comparison.timing = !differences(layout, recorded, replayed, false).empty();
  return comparison;
}

}  // namespace recording

// SPDX-License-Identifier: MIT
#include "calls/call_image.hpp"

#include <linux/ioctl.h>

#include <algorithm>
#include <array>
#include <optional>

namespace recording {
namespace {

using Extent = PointerField::Extent;
using Flow = PointerField::Flow;

/// Where a pointer leads and how much is there.
struct Range {
  uint64_t address;
  uint64_t bytes;
  uint64_t stride;
};

/// Nothing when the pointer is null or there is nothing behind it.
std::optional<Range> range_of(const PointerField& field, ByteView structure) {
  constexpr size_t pointer_in_objects = 8;  // drm_panthor_obj_array: stride, count, array
  const bool objects = field.extent == Extent::objects;
  Range range{};
  range.address = load_field(structure, field.address + (objects ? pointer_in_objects : 0), 8);
  range.stride = objects ? load_field(structure, field.address, 4) : field.element_bytes;
  switch (field.extent) {
    case Extent::objects:
      range.bytes = range.stride * load_field(structure, field.address + 4u, 4);
      break;
    case Extent::elements:
      range.bytes = range.stride * load_field(structure, field.count, 4);
      break;
    case Extent::bytes32:
      range.bytes = load_field(structure, field.count, 4);
      break;
    case Extent::bytes64:
      range.bytes = load_field(structure, field.count, 8);
      break;
    case Extent::string:
      range.bytes = field.element_bytes;
      break;
  }
  if (range.address == 0 || range.bytes == 0) return std::nullopt;
  return range;
}

/// The whole elements of a block.
template <typename Visit>
void for_each_element(const PointerField& field, uint64_t stride, std::span<std::byte> bytes,
                      const Visit& visit) {
  if (field.element == nullptr || stride == 0) return;
  for (; bytes.size() >= stride; bytes = bytes.subspan(stride)) visit(*field.element, bytes.first(stride));
}

Block read_string(const Range& range, ReadMemory read) {
  constexpr uint64_t page = 4096;
  Block block;
  for (uint64_t at = range.address; block.bytes.size() < range.bytes;) {
    std::array<std::byte, 256> piece;  // never across a page, beyond which there may be nothing
    const uint64_t count =
        std::min({uint64_t{piece.size()}, page - at % page, range.bytes - block.bytes.size()});
    if (!read(at, std::span(piece).first(count))) return {.state = Block::State::unreadable, .bytes = {}};
    const std::byte* begin = piece.data();
    const std::byte* end = std::find(begin, begin + count, std::byte{0});
    block.bytes.insert(block.bytes.end(), begin, end);
    if (end != begin + count) break;
    at += count;
  }
  return block;
}

Block read_block(const PointerField& field, const Range& range, ReadMemory read) {
  if (range.bytes > Block::most_bytes) return {.state = Block::State::unreadable, .bytes = {}};
  if (field.extent == Extent::string) return read_string(range, read);
  Block block;
  block.bytes.resize(range.bytes);
  if (!read(range.address, block.bytes)) return {.state = Block::State::unreadable, .bytes = {}};
  return block;
}

void capture_blocks(const StructLayout& layout, ByteView structure, ReadMemory read,
                    std::vector<Block>& blocks) {
  for (const PointerField& field : layout.pointers) {
    const auto range = range_of(field, structure);
    if (!range) continue;
    if (field.flow == Flow::out) {
      blocks.push_back({.state = Block::State::output, .bytes = {}});
      continue;
    }
    Block block = read_block(field, *range, read);
    Bytes elements = block.bytes;
    blocks.push_back(std::move(block));
    for_each_element(field, range->stride, elements, [&](const StructLayout& element, ByteView bytes) {
      capture_blocks(element, bytes, read, blocks);
    });
  }
}

Bytes read_argument(uint32_t request, uint64_t argument, ReadMemory read) {
  Bytes bytes(_IOC_SIZE(request));
  if (!bytes.empty() && !read(argument, bytes)) bytes.clear();
  return bytes;
}

}  // namespace

uint64_t load_field(ByteView structure, size_t offset, size_t bytes) noexcept {
  if (offset + bytes > structure.size()) return 0;
  if (bytes == sizeof(uint32_t)) {
    uint32_t value = 0;
    std::memcpy(&value, structure.data() + offset, sizeof(value));
    return value;
  }
  uint64_t value = 0;
  std::memcpy(&value, structure.data() + offset, sizeof(value));
  return value;
}

void store_field(std::span<std::byte> structure, size_t offset, size_t bytes, uint64_t value) noexcept {
  if (offset + bytes > structure.size()) return;
  const auto narrow = static_cast<uint32_t>(value);
  if (bytes == sizeof(narrow))
    std::memcpy(structure.data() + offset, &narrow, sizeof(narrow));
  else
    std::memcpy(structure.data() + offset, &value, sizeof(value));
}

CallImage capture_inputs(const CallLayout* layout, uint32_t request, uint64_t argument, ReadMemory read) {
  CallImage image{.argument = read_argument(request, argument, read), .blocks = {}};
  if (layout != nullptr) capture_blocks(layout->argument, image.argument, read, image.blocks);
  return image;
}

CallImage capture_outputs(const CallLayout* layout, uint32_t request, uint64_t argument,
                          const CallImage& inputs, ReadMemory read) {
  CallImage image{.argument = read_argument(request, argument, read), .blocks = {}};
  if (layout == nullptr) return image;
  for (const PointerField& field : layout->argument.pointers)
    if (field.flow != Flow::in)
      if (const auto range = range_of(field, inputs.argument))
        image.blocks.push_back(read_block(field, *range, read));
  return image;
}

RebuiltCall::RebuiltCall(const CallLayout& layout, uint32_t request, const CallImage& image,
                         uint64_t unmapped)
    : layout_(layout), argument_(image.argument) {
  if (argument_.empty() && _IOC_SIZE(request) != 0) {
    bad_argument_ = unmapped;
    return;
  }
  if (argument_.size() != _IOC_SIZE(request))
    throw FormatError("an argument of another length than its ioctl's");
  size_t next = 0;
  rebuild(layout.argument, argument_, image, next, unmapped);
}

void RebuiltCall::rebuild(const StructLayout& layout, std::span<std::byte> structure, const CallImage& image,
                          size_t& next, uint64_t unmapped) {
  constexpr size_t pointer_in_objects = 8;
  for (const PointerField& field : layout.pointers) {
    const size_t address_at = field.address + (field.extent == Extent::objects ? pointer_in_objects : 0);
    const auto range = range_of(field, structure);
    if (!range) continue;  // a null pointer stays one; what counts zero elements points anywhere
    if (next == image.blocks.size()) throw FormatError("a call has fewer blocks than pointers");
    const Block& block = image.blocks[next++];
    if (block.state == Block::State::unreadable || range->bytes > Block::most_bytes) {
      store_field(structure, address_at, 8, unmapped);
      continue;
    }
    Bytes bytes = block.bytes;
    if (field.extent == Extent::string)
      bytes.push_back(std::byte{0});
    else if (block.state == Block::State::output)
      bytes.assign(range->bytes, std::byte{0});
    else if (bytes.size() != range->bytes)
      throw FormatError("a block of another length than its pointer's");
    // A vector's memory stays where it is when the vector itself is moved into the list.
    store_field(structure, address_at, 8, reinterpret_cast<uint64_t>(bytes.data()));
    const std::span<std::byte> elements(bytes);
    buffers_.push_back({&field, range->stride, std::move(bytes)});
    for_each_element(field, range->stride, elements,
                     [&](const StructLayout& element, std::span<std::byte> one) {
                       rebuild(element, one, image, next, unmapped);
                     });
  }
}

void* RebuiltCall::argument() noexcept {
  return bad_argument_ != 0 ? reinterpret_cast<void*>(bad_argument_) : argument_.data();
}

void RebuiltCall::for_each_struct(
    const std::function<void(const StructLayout&, std::span<std::byte>)>& visit) {
  visit(layout_.argument, argument_);
  for (Buffer& buffer : buffers_) for_each_element(*buffer.field, buffer.stride, buffer.bytes, visit);
}

CallImage RebuiltCall::outputs() const {
  CallImage image{.argument = argument_, .blocks = {}};
  for (const Buffer& buffer : buffers_)
    if (buffer.field->flow != Flow::in)
      image.blocks.push_back({.state = Block::State::present, .bytes = buffer.bytes});
  return image;
}

}  // namespace recording

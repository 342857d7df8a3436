// SPDX-License-Identifier: MIT
#include "panthor/va_allocator.hpp"

#include <bit>
#include <iterator>
#include <new>
#include <stdexcept>

namespace panthor {

VaAllocator::VaAllocator(uint64_t start, uint64_t size) : start_(start), end_(start + size) {
  if (end_ < start_) throw std::invalid_argument("VaAllocator: range wraps");
  if (size != 0) holes_.emplace(start_, end_);
}

uint64_t VaAllocator::allocate(uint64_t size, uint64_t alignment) {
  if (size == 0) throw std::invalid_argument("VaAllocator: size 0");
  if (!std::has_single_bit(alignment))
    throw std::invalid_argument("VaAllocator: alignment is no power of two");
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    const uint64_t va = (hole->first + alignment - 1) & ~(alignment - 1);
    if (va < hole->first || va >= hole->second || hole->second - va < size) continue;
    take(hole, va, va + size);
    return va;
  }
  throw std::bad_alloc();
}

void VaAllocator::reserve(uint64_t va, uint64_t size) {
  const uint64_t end = va + size;
  auto hole = holes_.upper_bound(va);
  if (size == 0 || end < va || hole == holes_.begin() || std::prev(hole)->second < end)
    throw std::invalid_argument("VaAllocator: range is not free");
  take(std::prev(hole), va, end);
}

void VaAllocator::release(uint64_t va, uint64_t size) {
  uint64_t end = va + size;
  if (size == 0 || end < va || va < start_ || end > end_)
    throw std::invalid_argument("VaAllocator: outside the range");
  auto next = holes_.lower_bound(va);
  if (next != holes_.end() && next->first < end)
    throw std::invalid_argument("VaAllocator: range is free already");
  if (next != holes_.begin()) {
    const auto before = std::prev(next);
    if (before->second > va) throw std::invalid_argument("VaAllocator: range is free already");
    if (before->second == va) {
      va = before->first;
      holes_.erase(before);
    }
  }
  if (next != holes_.end() && next->first == end) {
    end = next->second;
    holes_.erase(next);
  }
  holes_.emplace(va, end);
}

uint64_t VaAllocator::free_bytes() const noexcept {
  uint64_t total = 0;
  for (const auto& [start, end] : holes_) total += end - start;
  return total;
}

void VaAllocator::take(Holes::iterator hole, uint64_t va, uint64_t end) {
  const auto [hole_start, hole_end] = *hole;
  holes_.erase(hole);
  if (hole_start < va) holes_.emplace(hole_start, va);
  if (end < hole_end) holes_.emplace(end, hole_end);
}

}  // namespace panthor

// SPDX-License-Identifier: MIT
#include "jobs/gpu_buffer.hpp"

#include <stdexcept>

namespace harness {
namespace {

template <typename T>
volatile T& element(const panthor::Mapping& mapping, uint64_t offset) {
  const auto elements = mapping.as<T>();
  if (offset % sizeof(T) != 0 || offset / sizeof(T) >= elements.size())
    throw std::out_of_range("GpuBuffer: offset outside the buffer or not aligned");
  return *const_cast<volatile T*>(&elements[offset / sizeof(T)]);
}

}  // namespace

GpuBuffer::GpuBuffer(const panthor::Device& device, const panthor::VirtualMemory& vm, uint64_t va,
                     uint64_t bytes, panthor::BindFlags flags)
    : bo_(device, bytes), mapping_(bo_.map()), va_(va) {
  vm.map(bo_, va, flags);
}

uint32_t GpuBuffer::read32(uint64_t offset) const {
  return element<uint32_t>(mapping_, offset);
}
uint64_t GpuBuffer::read64(uint64_t offset) const {
  return element<uint64_t>(mapping_, offset);
}
void GpuBuffer::write32(uint64_t offset, uint32_t value) const {
  element<uint32_t>(mapping_, offset) = value;
}
void GpuBuffer::write64(uint64_t offset, uint64_t value) const {
  element<uint64_t>(mapping_, offset) = value;
}

}  // namespace harness

// SPDX-License-Identifier: MIT
#include "jobs/check.hpp"
#include "ladder/rung.hpp"

namespace harness {
namespace {

using panthor::BindOp;
using panthor::Syncobj;

constexpr uint64_t va = 64ull << 20;
constexpr uint64_t bytes = 64 << 10;

void open_node(RungContext& context) {
  context.step("open()");
  const auto device = panthor::Device::open(context.node());
  expect(device.version().major >= 1, "the driver reports version 0");
}

void queries(RungContext& context) {
  const auto device = panthor::Device::open(context.node());
  context.step("DEV_QUERY of GPU and CSIF");
  expect(device.gpu_info().gpu_id != 0, "GPU_ID is 0");
  expect(device.csif_info().csg_slot_count > 0, "the firmware has no group slots");
  context.step("DEV_QUERY of the timestamp, which resumes the GPU");
  if (!(device.version() < panthor::has_timestamp_info)) (void)device.timestamp_info();
}

void buffer(RungContext& context) {
  const auto device = panthor::Device::open(context.node());
  context.step("BO_CREATE");
  const panthor::BufferObject bo(device, bytes);
  context.step("mmap() and first touch");
  const panthor::Mapping mapping = bo.map();
  mapping.as<uint32_t>()[0] = 1;
  mapping.as<uint32_t>().back() = 2;
  expect_equal("last word", mapping.as<uint32_t>().back(), 2);
}

void vm(RungContext& context) {
  const auto device = panthor::Device::open(context.node());
  context.step("VM_CREATE");
  panthor::VirtualMemory created(device);
  context.step("VM_GET_STATE");
  expect(created.state() == panthor::VmState::usable, "a new VM is unusable");
  context.step("VM_DESTROY");
  created.destroy();
}

void bind(RungContext& context) {
  const auto device = panthor::Device::open(context.node());
  const panthor::VirtualMemory space(device);
  const panthor::BufferObject bo(device, bytes);
  context.step("VM_BIND map");
  space.map(bo, va);
  context.step("VM_BIND unmap");
  space.unmap(va, bytes);
  expect(space.state() == panthor::VmState::usable, "the VM became unusable");
}

void bind_async(RungContext& context) {
  const auto device = panthor::Device::open(context.node());
  const panthor::VirtualMemory space(device);
  const panthor::BufferObject bo(device, bytes);
  const Syncobj mapped(device);
  const Syncobj unmapped(device);
  context.step("VM_BIND async map");
  space.bind_async(BindOp::map(bo, va, panthor::BindFlags::none, {mapped.signal_op()}));
  context.step("VM_BIND async unmap");
  space.bind_async(BindOp::unmap(va, bytes, {mapped.wait_op(), unmapped.signal_op()}));
  context.await(mapped, {}, "fence of the asynchronous map");
  context.await(unmapped, {.dependency = &mapped}, "fence of the asynchronous unmap");
  expect(space.state() == panthor::VmState::usable, "the VM became unusable");
}

void group(RungContext& context) {
  Session session = context.session();
  context.step("GROUP_CREATE");
  panthor::Group created = session.group();
  context.step("GROUP_GET_STATE");
  expect(created.state().usable(), "a new group is unusable");
  context.step("GROUP_DESTROY");
  created.destroy();
}

constexpr Rung table[] = {
    {"open", "The render node opens", Stage::ioctl, open_node},
    {"queries", "The driver tells what the GPU is and resumes it for a timestamp", Stage::refused, queries},
    {"buffer", "A buffer is created, mapped and touched", Stage::ioctl, buffer},
    {"vm", "A VM comes and goes", Stage::ioctl, vm},
    {"bind", "A buffer is bound and unbound", Stage::ioctl, bind},
    {"bind-async", "Asynchronous map and unmap signal their fences in order", Stage::dependency, bind_async},
    {"group", "A group comes and goes", Stage::ioctl, group},
};

}  // namespace

std::span<const Rung> object_rungs() {
  return table;
}

}  // namespace harness

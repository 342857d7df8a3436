// SPDX-License-Identifier: MIT
// The whole device under the tests' small driver: register accesses, jobs, groups. Host time, virtual model
// time.
#include <benchmark/benchmark.h>

#include "tests/device/mini_driver.hpp"

namespace {

using namespace vgpu::test;

void DeviceRegisterRead(benchmark::State& state) {
  MiniDriver gpu;
  for (auto _ : state) benchmark::DoNotOptimize(gpu.read(mmio::l2_ready));
}
BENCHMARK(DeviceRegisterRead);

void DeviceDoorbell(benchmark::State& state) {
  MiniDriver gpu;
  gpu.boot();
  for (auto _ : state) {
    gpu.ring_global();
    gpu.pass(2 * MiniDriver::us);
  }
}
BENCHMARK(DeviceDoorbell);

/// Submit, doorbell, run, SYNC_UPDATE: items are jobs.
void DeviceJob(benchmark::State& state) {
  MiniDriver gpu;
  gpu.boot();
  auto& vm = gpu.create_vm(1);
  auto group = gpu.create_group(vm, 1);
  if (!gpu.place(group, 0)) state.SkipWithError("no slot");
  const auto code = gpu.prepare(group, {isa::nop()});
  for (auto _ : state)
    if (!gpu.wait_job(group, 0, gpu.submit_at(group, 0, code))) state.SkipWithError("job lost");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(DeviceJob);

/// Suspend and resume of a group with eight streams.
void DeviceGroupSwitch(benchmark::State& state) {
  MiniDriver gpu;
  gpu.boot();
  auto group = gpu.create_group(gpu.create_vm(1), 8, 4096);
  if (!gpu.place(group, 0)) state.SkipWithError("no slot");
  for (auto _ : state)
    if (!gpu.evict(group) || !gpu.place(group, 0, vgpu::fw::csg::state_resume)) state.SkipWithError("no ack");
}
BENCHMARK(DeviceGroupSwitch);

}  // namespace

BENCHMARK_MAIN();

// SPDX-License-Identifier: MIT
#include "bench/resident_vm.hpp"
#include "bench/workload.hpp"
#include "jobs/check.hpp"

namespace harness {
namespace {

using panthor::BindOp;

constexpr uint64_t kib = 1 << 10, mib = 1 << 20;
constexpr unsigned ops_of_many = 64;

/// One buffer, and room to bind it at many addresses one after the other.
class Bind : public Workload {
 public:
  Bind(const panthor::Device& device, uint64_t bytes)
      : Workload(device),
        bo_(session_.device(), bytes),
        va_(session_.address_space(max_ops * bytes, 2 * mib)) {
    // The pages are there from the first bind on.
    session_.vm().map(bo_, va_, panthor::BindFlags::noexec);
    session_.vm().unmap(va_, bytes);
  }

 protected:
  static constexpr unsigned max_ops = 1024;

  [[nodiscard]] uint64_t bytes() const noexcept { return bo_.size(); }
  [[nodiscard]] uint64_t va(unsigned i) const noexcept { return va_ + i * bytes(); }
  [[nodiscard]] BindOp map_op(unsigned i, std::vector<panthor::SyncOp> syncs = {}) const {
    return BindOp::map(bo_, va(i), panthor::BindFlags::noexec, std::move(syncs));
  }
  void map_all(unsigned ops) const {
    for (unsigned i = 0; i < ops; ++i) session_.vm().bind(map_op(i));
  }
  void unmap_all(unsigned ops) const { session_.vm().unmap(va_, ops * bytes()); }

 private:
  panthor::BufferObject bo_;
  uint64_t va_;
};

class Map final : public Bind {
 public:
  using Bind::Bind;
  void run(unsigned ops) override { map_all(ops); }
  void restore(unsigned ops) override { unmap_all(ops); }
};

class Unmap final : public Bind {
 public:
  using Bind::Bind;
  void prepare(unsigned ops) override { map_all(ops); }
  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) session_.vm().unmap(va(i), bytes());
  }
};

/// Map and unmap while a job of the VM is on the GPU, so that page-table updates lock and flush.
class Resident final : public Bind {
 public:
  Resident(const panthor::Device& device, uint64_t bytes) : Bind(device, bytes), resident_(session_) {}
  void prepare(unsigned) override { resident_.enter(); }
  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) {
      session_.vm().bind(map_op(0));
      session_.vm().unmap(va(0), bytes());
    }
  }
  void restore(unsigned) override { resident_.leave(); }

 private:
  ResidentVm resident_;
};

/// One ioctl of many operations.
class MapMany final : public Bind {
 public:
  using Bind::Bind;
  void run(unsigned ops) override {
    std::vector<BindOp> binds;
    for (unsigned i = 0; i < ops; ++i) {
      binds.clear();
      for (unsigned j = 0; j < ops_of_many; ++j) binds.push_back(map_op(i * ops_of_many + j));
      session_.vm().bind(binds);
    }
  }
  void restore(unsigned ops) override { unmap_all(ops * ops_of_many); }
};

/// VM_BIND_ASYNC and waiting for its fence.
class Async final : public Bind {
 public:
  Async(const panthor::Device& device, uint64_t bytes) : Bind(device, bytes), done_(session_.device()) {}
  void run(unsigned ops) override {
    for (unsigned i = 0; i < ops; ++i) {
      session_.vm().bind_async(map_op(i, {done_.signal_op()}));
      expect(done_.wait(session_.timeout()), "the fence of an asynchronous bind did not signal");
    }
  }
  void restore(unsigned ops) override { unmap_all(ops); }

 private:
  panthor::Syncobj done_;
};

constexpr BenchRow table[] = {
    {"bind.map_4k", "VM_BIND: map 4 KiB", 256, make_workload<Map, 4 * kib>},
    {"bind.unmap_4k", "VM_BIND: unmap 4 KiB", 256, make_workload<Unmap, 4 * kib>},
    {"bind.map_2m", "VM_BIND: map 2 MiB", 128, make_workload<Map, 2 * mib>},
    {"bind.unmap_2m", "VM_BIND: unmap 2 MiB", 128, make_workload<Unmap, 2 * mib>},
    {"bind.map_64ops", "VM_BIND of 64 operations: map 4 KiB each", 16, make_workload<MapMany, 4 * kib>},
    {"bind.resident_4k", "map and unmap 4 KiB while the VM is on the GPU", 4,
     make_workload<Resident, 4 * kib>},
    {"bind.async_4k", "VM_BIND_ASYNC: map 4 KiB, wait for its syncobj", 64, make_workload<Async, 4 * kib>},
};

}  // namespace

std::span<const BenchRow> bind_rows() {
  return table;
}

}  // namespace harness

// SPDX-License-Identifier: MIT
// VM_BIND, synchronous and asynchronous (panthor_vm_bind_prepare_op_ctx(), panthor_vm_prepare_map_op_ctx()).
#include "requests/array_cases.hpp"

namespace panthor::test {
namespace {

constexpr uint32_t map = DRM_PANTHOR_VM_BIND_OP_TYPE_MAP;
constexpr uint32_t unmap = DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP;
constexpr uint32_t sync_only = DRM_PANTHOR_VM_BIND_OP_TYPE_SYNC_ONLY;
constexpr uint32_t readonly = DRM_PANTHOR_VM_BIND_OP_MAP_READONLY;
constexpr uint32_t noexec = DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC;
constexpr uint32_t uncached = DRM_PANTHOR_VM_BIND_OP_MAP_UNCACHED;
constexpr uint32_t sparse = DRM_PANTHOR_VM_BIND_OP_MAP_SPARSE;

constexpr uint64_t free_va = 0x40'0000'0000;

/// Maps two pages of a buffer of four, from its second page.
template <bool is_async>
struct VmBind {
  explicit VmBind(World& world) {
    op.known = {.flags = map,
                .bo_handle = world.bo().handle(),
                .bo_offset = page,
                .va = free_va,
                .size = 2 * page,
                .syncs = {.stride = sizeof(drm_panthor_sync_op), .count = 0, .array = 0}};
    args = {.vm_id = world.vm().id(),
            .flags = is_async ? static_cast<uint32_t>(DRM_PANTHOR_VM_BIND_ASYNC) : 0u,
            .ops = array_of(op)};
  }
  VmBind(const VmBind&) = delete;
  VmBind& operator=(const VmBind&) = delete;

  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_VM_BIND, args);
    if (is_async && result == 0) drain(world);
    return result;
  }

  drm_panthor_sync_op& add_sync() {
    op.known.syncs = array_of(sync);
    return sync.known;
  }
  /// Makes it an unmap of the same range.
  void to_unmap() {
    op.known.flags = unmap;
    op.known.bo_handle = 0;
    op.known.bo_offset = 0;
  }
  void to_sparse(uint32_t flags = noexec) {
    op.known.flags = map | sparse | flags;
    op.known.bo_handle = 0;
    op.known.bo_offset = 0;
  }

  Extended<drm_panthor_vm_bind_op> op;
  Extended<drm_panthor_sync_op> sync;
  drm_panthor_vm_bind args{};

 private:
  /// A map that runs after its VM is destroyed is never undone (see known_bugs_test.cpp).
  static void drain(World& world) {
    const Syncobj done(world.device());
    world.vm().bind_async(BindOp::sync_only({done.signal_op()}));
    EXPECT_TRUE(done.wait(hang_timeout));
  }
};

/// What both kinds of bind share.
template <typename Bind>
std::vector<Case<Bind>> common_cases() {
  using Op = drm_panthor_vm_bind_op;
  const auto op = [](const std::string& name, int expected, auto change) {
    return Case<Bind>{name, expected, [=](Bind& r, World&) { change(r.op.known); }};
  };
  const auto with_world = [](const std::string& name, int expected, auto change) {
    return Case<Bind>{name, expected, [=](Bind& r, World& w) { change(r.op.known, w); }};
  };
  const auto unmapping = [](const std::string& name, int expected, auto change) {
    return Case<Bind>{name, expected, [=](Bind& r, World&) {
                        r.to_unmap();
                        change(r.op.known);
                      }};
  };
  const auto sparsely = [](const std::string& name, int expected, uint32_t flags, auto change) {
    return Case<Bind>{name, expected,
                      [=](Bind& r, World& w) {
                        r.to_sparse(flags);
                        change(r.op.known, w);
                      },
                      has_sparse};
  };
  const auto as_is = [](Op&, World&) {};

  std::vector<Case<Bind>> table = {
      {"Map", 0},
      op("MapReadonly", 0, [](Op& o) { o.flags |= readonly; }),
      op("MapNoexec", 0, [](Op& o) { o.flags |= noexec; }),
      op("MapUncached", 0, [](Op& o) { o.flags |= uncached; }),
      op("MapWithEveryAttribute", 0, [](Op& o) { o.flags |= readonly | noexec | uncached; }),
      op("VaOneByteOff", EINVAL, [](Op& o) { o.va += 1; }),
      op("VaHalfAPageOff", EINVAL, [](Op& o) { o.va += page / 2; }),
      op("SizeOneByteLess", EINVAL, [](Op& o) { o.size -= 1; }),
      op("SizeOneByteMore", EINVAL, [](Op& o) { o.size += 1; }),
      op("OffsetOneByteOff", EINVAL, [](Op& o) { o.bo_offset += 1; }),
      op("OffsetAlmostAPageOff", EINVAL, [](Op& o) { o.bo_offset += page - 1; }),
      op("LastPagesOfTheBuffer", 0, [](Op& o) { o.bo_offset = 2 * page; }),
      op("OnePageBeyondTheBuffer", EINVAL, [](Op& o) { o.bo_offset = 3 * page; }),
      op("OffsetAtTheEndOfTheBuffer", EINVAL, [](Op& o) { o.bo_offset = 4 * page; }),
      op("OffsetThatWraps", EINVAL, [](Op& o) { o.bo_offset = 0 - page; }),
      op("SizeOfTheBuffer", 0,
         [](Op& o) {
           o.bo_offset = 0;
           o.size = 4 * page;
         }),
      op("SizeBeyondTheBuffer", EINVAL,
         [](Op& o) {
           o.bo_offset = 0;
           o.size = 5 * page;
         }),
      op("SizeThatWraps", EINVAL, [](Op& o) { o.size = 0 - page; }),
      not_on_1_7(op("VaThatWraps", EINVAL, [](Op& o) { o.va = 0 - page; })),
      op("VaZero", 0, [](Op& o) { o.va = 0; }),
      with_world("LastPagesOfTheUserRange", 0,
                 [](Op& o, World& w) { o.va = w.vm().user_va_range() - o.size; }),
      not_on_1_7(with_world("IntoTheKernelsRange", EINVAL,
                            [](Op& o, World& w) { o.va = w.vm().user_va_range() - page; })),
      not_on_1_7(with_world("InTheKernelsRange", EINVAL,
                            [](Op& o, World& w) { o.va = w.vm().user_va_range(); })),
      op("HandleZero", EINVAL, [](Op& o) { o.bo_handle = 0; }),
      op("UnknownHandle", EINVAL, [](Op& o) { o.bo_handle = unknown_handle; }),
      with_world("ForeignHandle", EINVAL, [](Op& o, World& w) { o.bo_handle = w.foreign_bo(); }),
      with_world("BufferWithoutMmap", 0, [](Op& o, World& w) { o.bo_handle = w.no_mmap_bo().handle(); }),
      with_world("BufferOfThisVm", 0,
                 [](Op& o, World& w) {
                   o.bo_handle = w.exclusive_bo(w.vm()).handle();
                   o.bo_offset = 0;
                   o.size = page;
                 }),
      with_world("BufferOfAnotherVm", EINVAL,
                 [](Op& o, World& w) {
                   o.bo_handle = w.exclusive_bo(w.second_vm()).handle();
                   o.bo_offset = 0;
                   o.size = page;
                 }),

      unmapping("Unmap", 0, [](Op&) {}),
      unmapping("UnmapAllOfTheUserRange", 0,
                [](Op& o) {
                  o.va = 0;
                  o.size = 1ull << 40;
                }),
      unmapping("UnmapWithAHandle", EINVAL, [](Op& o) { o.bo_handle = 1; }),
      unmapping("UnmapWithAnOffset", EINVAL, [](Op& o) { o.bo_offset = page; }),
      unmapping("UnmapVaOneByteOff", EINVAL, [](Op& o) { o.va += 1; }),
      unmapping("UnmapSizeOneByteOff", EINVAL, [](Op& o) { o.size += 1; }),
      not_on_1_7(unmapping("UnmapThatWraps", EINVAL, [](Op& o) { o.va = 0 - page; })),
      {"UnmapInTheKernelsRange", EINVAL,
       [](Bind& r, World& w) {
         r.to_unmap();
         r.op.known.va = w.vm().user_va_range();
       },
       {1, 8, 0}},

      sparsely("Sparse", 0, noexec, as_is),
      sparsely("SparseReadonly", 0, noexec | readonly, as_is),
      sparsely("SparseUncached", 0, noexec | uncached, as_is),
      sparsely("SparseExecutable", EINVAL, 0, as_is),
      sparsely("SparseWithAHandle", EINVAL, noexec, [](Op& o, World& w) { o.bo_handle = w.bo().handle(); }),
      sparsely("SparseWithAnOffset", EINVAL, noexec, [](Op& o, World&) { o.bo_offset = page; }),
      sparsely("SparseOf64MiB", 0, noexec, [](Op& o, World&) { o.size = 64 << 20; }),
      sparsely("SparseVaOff", EINVAL, noexec, [](Op& o, World&) { o.va += 1; }),
      sparsely("SparseSizeOff", EINVAL, noexec, [](Op& o, World&) { o.size += 1; }),
      sparsely("SparseInTheKernelsRange", EINVAL, noexec,
               [](Op& o, World& w) { o.va = w.vm().user_va_range(); }),

      {"VmZero", EINVAL, [](Bind& r, World&) { r.args.vm_id = 0; }},
      {"UnknownVm", EINVAL, [](Bind& r, World&) { r.args.vm_id = VirtualMemory::max_per_file; }},
      {"ForeignVm", EINVAL, [](Bind& r, World& w) { r.args.vm_id = w.foreign_vm(); }},
      {"NoOperations", 0, [](Bind& r, World&) { r.args.ops.count = 0; }},
      {"NoOperationsOnAnUnknownVm", EINVAL,
       [](Bind& r, World&) {
         r.args.ops.count = 0;
         r.args.vm_id = VirtualMemory::max_per_file;
       }},
  };
  for (unsigned bit = 0; bit < 28; ++bit) {
    const std::string number = std::to_string(bit);
    if (bit > 3)
      table.push_back(op("MapWithUnknownFlag" + number, EINVAL, [=](Op& o) { o.flags |= 1u << bit; }));
    table.push_back(unmapping("UnmapWithFlag" + number, EINVAL, [=](Op& o) { o.flags |= 1u << bit; }));
  }
  for (unsigned type = 3; type < 16; ++type)
    table.push_back(op("UnknownType" + std::to_string(type), EINVAL, [=](Op& o) { o.flags = type << 28; }));
  return table + array_cases<Bind>(
                     "Ops", sizeof(drm_panthor_vm_bind_op),
                     [](Bind& r) -> drm_panthor_obj_array& { return r.args.ops; },
                     [](Bind& r) -> uint64_t& { return r.op.unknown; });
}

using SyncBind = VmBind<false>;
using AsyncBind = VmBind<true>;

std::vector<Case<SyncBind>> only_sync_cases() {
  return {
      {"SizeZeroDoesNothing", 0, [](SyncBind& r, World&) { r.op.known.size = 0; }},
      {"WithSyncs", EINVAL,
       [](SyncBind& r, World& w) {
         r.add_sync() = {
             .flags = DRM_PANTHOR_SYNC_OP_WAIT, .handle = w.signaled().handle(), .timeline_value = 0};
       }},
      {"SyncOnlyWithASize", EINVAL,
       [](SyncBind& r, World&) {
         r.op.known.flags = sync_only;
         r.op.known.bo_handle = 0;
         r.op.known.bo_offset = 0;
       }},
  };
}

std::vector<Case<AsyncBind>> only_async_cases() {
  const auto sync_only_with = [](const std::string& name, int expected, auto change) {
    return Case<AsyncBind>{
        name, expected, [=](AsyncBind& r, World& w) {
          r.op.known = {.flags = sync_only, .bo_handle = 0, .bo_offset = 0, .va = 0, .size = 0, .syncs = {}};
          r.add_sync() = {.flags = static_cast<uint32_t>(DRM_PANTHOR_SYNC_OP_SIGNAL),
                          .handle = w.empty().handle(),
                          .timeline_value = 0};
          change(r.op.known);
        }};
  };
  using Op = drm_panthor_vm_bind_op;
  std::vector<Case<AsyncBind>> table = {
      sync_only_with("SyncOnly", 0, [](Op&) {}),
      sync_only_with("SyncOnlyWithoutSyncs", EINVAL, [](Op& o) { o.syncs.count = 0; }),
      sync_only_with("SyncOnlyWithAHandle", EINVAL, [](Op& o) { o.bo_handle = 1; }),
      sync_only_with("SyncOnlyWithAnOffset", EINVAL, [](Op& o) { o.bo_offset = page; }),
      sync_only_with("SyncOnlyWithAVa", EINVAL, [](Op& o) { o.va = page; }),
      sync_only_with("SyncOnlyWithASize", EINVAL, [](Op& o) { o.size = page; }),
  };
  for (unsigned bit = 0; bit < 28; ++bit)
    table.push_back(sync_only_with("SyncOnlyWithFlag" + std::to_string(bit), EINVAL,
                                   [=](Op& o) { o.flags |= 1u << bit; }));
  std::vector<Case<AsyncBind>> syncs = array_cases<AsyncBind>(
      "Syncs", sizeof(drm_panthor_sync_op),
      [](AsyncBind& r) -> drm_panthor_obj_array& { return r.op.known.syncs; },
      [](AsyncBind& r) -> uint64_t& { return r.sync.unknown; });
  // They need a sync to be about.
  for (Case<AsyncBind>& row : syncs)
    row.change = [change = row.change](AsyncBind& r, World& w) {
      r.add_sync() = {
          .flags = DRM_PANTHOR_SYNC_OP_WAIT, .handle = w.signaled().handle(), .timeline_value = 0};
      change(r, w);
    };
  return table + syncs + sync_cases<AsyncBind>();
}

PANTHOR_REQUEST_TABLE(VmBindRequest, SyncBind, common_cases<SyncBind>() + only_sync_cases());
PANTHOR_REQUEST_TABLE(VmBindAsyncRequest, AsyncBind, common_cases<AsyncBind>() + only_async_cases());

using VmBindOps = DeviceTest;

TEST_F(VmBindOps, CountTellsWhichOperationFailed) {
  drm_panthor_vm_bind_op ops[4];
  for (auto& op : ops)
    op = {.flags = unmap, .bo_handle = 0, .bo_offset = 0, .va = free_va, .size = page, .syncs = {}};
  ops[2].va += 1;
  drm_panthor_vm_bind args{.vm_id = vm().id(), .flags = 0, .ops = DRM_PANTHOR_OBJ_ARRAY(4, ops)};
  EXPECT_EQ(raw_ioctl(device(), DRM_IOCTL_PANTHOR_VM_BIND, args), EINVAL);
  EXPECT_EQ(args.ops.count, 2u);
}

TEST_F(VmBindOps, AsyncIsAllOrNothing) {
  const BufferObject bo(device(), page);
  const uint64_t va = session().address_space(page);
  const Syncobj done(device());
  const BindOp ops[] = {BindOp::map(bo, va, BindFlags::noexec, {done.signal_op()}),
                        BindOp::unmap(va + 1, page)};
  EXPECT_ERRNO(EINVAL, vm().bind_async(ops));
  EXPECT_ERRNO(EINVAL, (void)done.wait(0ns)) << "no fence was attached";
  EXPECT_EQ(vm().state(), VmState::usable);
}

TEST_F(VmBindOps, AsyncRefusedByALaterSyncLeavesNothing) {
  // The first operation has its fence already when the wait of the second is found to be impossible
  // (panthor_submit_ctx_add_deps_and_arm_jobs()).
  const BufferObject bo(device(), page);
  const uint64_t va = session().address_space(page);
  const Syncobj done(device());
  const Syncobj never(device());
  const BindOp ops[] = {BindOp::map(bo, va, BindFlags::noexec, {done.signal_op()}),
                        BindOp::unmap(va, page, {never.wait_op()})};
  EXPECT_ERRNO(EINVAL, vm().bind_async(ops));
  EXPECT_ERRNO(EINVAL, (void)done.wait(0ns)) << "no fence was attached";
  vm().bind_async(BindOp::map(bo, va, BindFlags::noexec, {done.signal_op()}));
  ASSERT_TRUE(done.wait(hang_timeout)) << "the bind queue has to go on";
  session().run(session().group(), 0, store(va, 0x90), "store");
  EXPECT_EQ(bo.map().as<uint32_t>()[0], 0x90u);
}

TEST_F(VmBindOps, DestroyedVmIsRefusedWhileItsQueueIsBlocked) {
  VirtualMemory other(device(), 1ull << 40);
  const Syncobj gate(device());
  const GpuBuffer memory = session().buffer(page);
  const Group group = session().group();
  const auto blocked =
      session().stream([&](CommandStreamBuilder& cs) { streams::wait_greater(cs, memory.va(), 0); });
  session().submit(group, 0, blocked, gate);
  const Syncobj done(device());
  other.bind_async(BindOp::unmap(free_va, page, {gate.wait_op(), done.signal_op()}));
  EXPECT_FALSE(done.wait(5ms));
  other.destroy();
  memory.write32(0, 1);
  EXPECT_TRUE(done.wait(hang_timeout)) << "the fence of a bind must signal, whatever becomes of its VM";
}

}  // namespace
}  // namespace panthor::test

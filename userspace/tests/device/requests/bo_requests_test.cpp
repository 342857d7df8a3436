// SPDX-License-Identifier: MIT
// BO_CREATE, BO_MMAP_OFFSET, BO_SET_LABEL, BO_SYNC, BO_QUERY_INFO, SET_USER_MMIO_OFFSET and PRIME.
#include <fcntl.h>
#include <unistd.h>

#include "requests/array_cases.hpp"

namespace panthor::test {
namespace {

struct BoCreate {
  explicit BoCreate(World&) {}
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_BO_CREATE, args); }

  drm_panthor_bo_create args{.size = page, .flags = 0, .exclusive_vm_id = 0, .handle = 0, .pad = 0};
};

std::vector<Case<BoCreate>> create_cases() {
  const auto row = [](const std::string& name, int expected, auto change) {
    return Case<BoCreate>{name, expected, [=](BoCreate& r, World& w) { change(r.args, w); }};
  };
  using Args = drm_panthor_bo_create;
  std::vector<Case<BoCreate>> table = {
      {"Valid", 0},
      row("SizeOne", 0, [](Args& a, World&) { a.size = 1; }),
      row("SizeZero", EINVAL, [](Args& a, World&) { a.size = 0; }),
      // Files are limited to MAX_LFS_FILESIZE, their mappings to 1 TiB of DRM offsets together. A size that
      // wraps to 0 when it is rounded up to pages finds no offset either.
      row("SizeBeyondAFile", EINVAL, [](Args& a, World&) { a.size = 1ull << 63; }),
      row("SizeBeyondTheOffsets", ENOSPC, [](Args& a, World&) { a.size = 1ull << 62; }),
      row("SizeThatWraps", ENOSPC, [](Args& a, World&) { a.size = ~0ull; }),
      row("NoMmap", 0, [](Args& a, World&) { a.flags = DRM_PANTHOR_BO_NO_MMAP; }),
      row("NoMmapAndWriteBack", EINVAL,
          [](Args& a, World&) { a.flags = DRM_PANTHOR_BO_NO_MMAP | DRM_PANTHOR_BO_WB_MMAP; }),
      row("Padding", EINVAL, [](Args& a, World&) { a.pad = 1; }),
      row("ExclusiveToThisVm", 0, [](Args& a, World& w) { a.exclusive_vm_id = w.vm().id(); }),
      row("ExclusiveToAnUnknownVm", EINVAL,
          [](Args& a, World&) { a.exclusive_vm_id = VirtualMemory::max_per_file; }),
      row("ExclusiveToAForeignVm", EINVAL, [](Args& a, World& w) { a.exclusive_vm_id = w.foreign_vm(); }),
      {"WriteBackMmap", 0, [](BoCreate& r, World&) { r.args.flags = DRM_PANTHOR_BO_WB_MMAP; }, has_bo_sync},
  };
  for (unsigned bit = 2; bit < 32; ++bit)
    table.push_back(
        row("UnknownFlag" + std::to_string(bit), EINVAL, [=](Args& a, World&) { a.flags = 1u << bit; }));
  return table;
}

/// The handles no buffer of this file has.
template <typename Request>
std::vector<Case<Request>> handle_cases(uint32_t& (*handle)(Request&), DriverVersion since = {}) {
  return {
      {"Valid", 0, {}, since},
      {"HandleZero", ENOENT, [=](Request& r, World&) { handle(r) = 0; }, since},
      {"UnknownHandle", ENOENT, [=](Request& r, World&) { handle(r) = unknown_handle; }, since},
      {"HandleOfAllBits", ENOENT, [=](Request& r, World&) { handle(r) = ~0u; }, since},
      {"ForeignHandle", ENOENT, [=](Request& r, World& w) { handle(r) = w.foreign_bo(); }, since},
  };
}

struct BoMmapOffset {
  explicit BoMmapOffset(World& world) { args.handle = world.bo().handle(); }
  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, args);
    if (result == 0) {
      EXPECT_EQ(args.offset % page, 0u);
    }
    return result;
  }

  drm_panthor_bo_mmap_offset args{};
};

std::vector<Case<BoMmapOffset>> mmap_offset_cases() {
  return handle_cases<BoMmapOffset>([](BoMmapOffset& r) -> uint32_t& { return r.args.handle; }) +
         std::vector<Case<BoMmapOffset>>{
             {"Padding", EINVAL, [](BoMmapOffset& r, World&) { r.args.pad = 1; }},
             {"BufferWithoutMmap", EPERM,
              [](BoMmapOffset& r, World& w) { r.args.handle = w.no_mmap_bo().handle(); }},
         };
}

struct BoSetLabel {
  explicit BoSetLabel(World& world) {
    args.handle = world.bo().handle();
    use(16);
  }
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_BO_SET_LABEL, args); }
  /// A label of `length` characters.
  void use(size_t length) {
    label.assign(length, 'x');
    args.label = reinterpret_cast<__u64>(label.c_str());
  }

  std::string label;
  drm_panthor_bo_set_label args{};
};

std::vector<Case<BoSetLabel>> label_cases() {
  const auto row = [](const char* name, int expected, auto change) {
    return Case<BoSetLabel>{name, expected, [=](BoSetLabel& r, World&) { change(r); }, has_bo_label};
  };
  return handle_cases<BoSetLabel>([](BoSetLabel& r) -> uint32_t& { return r.args.handle; }, has_bo_label) +
         std::vector<Case<BoSetLabel>>{
             row("Padding", EINVAL, [](BoSetLabel& r) { r.args.pad = 1; }),
             row("Null", 0, [](BoSetLabel& r) { r.args.label = 0; }),
             row("Empty", 0, [](BoSetLabel& r) { r.use(0); }),
             row("Longest", 0, [](BoSetLabel& r) { r.use(BufferObject::max_label - 1); }),
             row("OneTooLong", E2BIG, [](BoSetLabel& r) { r.use(BufferObject::max_label); }),
             row("FarTooLong", E2BIG, [](BoSetLabel& r) { r.use(1 << 20); }),
             row("BadPointer", EFAULT, [](BoSetLabel& r) { r.args.label = bad_pointer; }),
         };
}

/// Flushes the second page of a buffer of four that has memory and is mapped cached.
struct BoSync {
  explicit BoSync(World& world) : bo(world.device(), 4 * page, BoFlags::wb_mmap) {
    bo.map().as<uint32_t>()[0] = 1;
    op.known = {
        .handle = bo.handle(), .type = DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH, .offset = page, .size = page};
    args.ops = array_of(op);
  }
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_BO_SYNC, args); }

  BufferObject bo;
  Extended<drm_panthor_bo_sync_op> op;
  drm_panthor_bo_sync args{};
};

std::vector<Case<BoSync>> sync_table() {
  using Op = drm_panthor_bo_sync_op;
  const auto row = [](const char* name, int expected, auto change) {
    return Case<BoSync>{name, expected, [=](BoSync& r, World&) { change(r.op.known); }};
  };
  std::vector<Case<BoSync>> table =
      handle_cases<BoSync>([](BoSync& r) -> uint32_t& { return r.op.known.handle; }) +
      std::vector<Case<BoSync>>{
          row("FlushAndInvalidate", 0,
              [](Op& o) { o.type = DRM_PANTHOR_BO_SYNC_CPU_CACHE_FLUSH_AND_INVALIDATE; }),
          row("UnknownType2", EINVAL, [](Op& o) { o.type = 2; }),
          row("TypeOfAllBits", EINVAL, [](Op& o) { o.type = ~0u; }),
          row("SizeZero", 0, [](Op& o) { o.size = 0; }),
          row("SizeZeroAtTheEnd", 0,
              [](Op& o) {
                o.offset = 4 * page;
                o.size = 0;
              }),
          row("SizeZeroBeyondTheEnd", EINVAL,
              [](Op& o) {
                o.offset = 4 * page + 1;
                o.size = 0;
              }),
          row("BytesInsideALine", 0,
              [](Op& o) {
                o.offset = page + 5;
                o.size = 3;
              }),
          row("UpToTheEnd", 0, [](Op& o) { o.size = 3 * page; }),
          row("OneByteBeyondTheEnd", EINVAL, [](Op& o) { o.size = 3 * page + 1; }),
          row("OffsetThatWraps", EINVAL, [](Op& o) { o.offset = ~0ull; }),
          row("SizeThatWraps", EINVAL, [](Op& o) { o.size = ~0ull; }),
          {"UncachedBuffer", 0, [](BoSync& r, World& w) { r.op.known.handle = w.bo().handle(); }},
          {"BufferWithoutMmap", 0, [](BoSync& r, World& w) { r.op.known.handle = w.no_mmap_bo().handle(); }},
          {"NoOperations", 0, [](BoSync& r, World&) { r.args.ops = {}; }},
      } +
      array_cases<BoSync>(
          "Ops", sizeof(Op), [](BoSync& r) -> drm_panthor_obj_array& { return r.args.ops; },
          [](BoSync& r) -> uint64_t& { return r.op.unknown; });
  for (Case<BoSync>& entry : table) entry.since = has_bo_sync;
  return table;
}

struct BoQueryInfo {
  explicit BoQueryInfo(World& world) {
    args = {.handle = world.bo().handle(), .extra_flags = ~0u, .create_flags = ~0u, .pad = ~0u};
  }
  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_BO_QUERY_INFO, args);
    if (result == 0) {
      EXPECT_EQ(args.extra_flags, 0u);
      EXPECT_EQ(args.create_flags, expected_flags);
      EXPECT_EQ(args.pad, 0u);
    }
    return result;
  }

  uint32_t expected_flags = 0;
  drm_panthor_bo_query_info args{};
};

std::vector<Case<BoQueryInfo>> info_cases() {
  return handle_cases<BoQueryInfo>([](BoQueryInfo& r) -> uint32_t& { return r.args.handle; }, has_bo_sync) +
         std::vector<Case<BoQueryInfo>>{
             {"BufferWithoutMmap", 0,
              [](BoQueryInfo& r, World& w) {
                r.args.handle = w.no_mmap_bo().handle();
                r.expected_flags = DRM_PANTHOR_BO_NO_MMAP;
              },
              has_bo_sync},
             {"ExclusiveBuffer", 0,
              [](BoQueryInfo& r, World& w) { r.args.handle = w.exclusive_bo(w.vm()).handle(); }, has_bo_sync},
         };
}

struct SetUserMmioOffset {
  explicit SetUserMmioOffset(World&) {}
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET, args); }

  drm_panthor_set_user_mmio_offset args{.offset = DRM_PANTHOR_USER_MMIO_OFFSET};
};

std::vector<Case<SetUserMmioOffset>> mmio_offset_cases() {
  std::vector<Case<SetUserMmioOffset>> table;
  const std::pair<const char*, uint64_t> accepted[] = {{"32Bit", DRM_PANTHOR_USER_MMIO_OFFSET_32BIT},
                                                       {"64Bit", DRM_PANTHOR_USER_MMIO_OFFSET_64BIT}};
  const std::pair<const char*, uint64_t> refused[] = {
      {"Zero", 0},
      {"PageZero", page},
      {"AllBits", ~0ull},
      {"OnePageAbove32Bit", DRM_PANTHOR_USER_MMIO_OFFSET_32BIT + page},
      {"OneByteAbove64Bit", DRM_PANTHOR_USER_MMIO_OFFSET_64BIT + 1},
      {"Both", DRM_PANTHOR_USER_MMIO_OFFSET_32BIT | DRM_PANTHOR_USER_MMIO_OFFSET_64BIT}};
  const auto add = [&](const auto& rows, int expected) {
    for (const auto& [name, offset] : rows)
      table.push_back({std::string("Offset") + name, expected,
                       [offset = offset](SetUserMmioOffset& r, World&) { r.args.offset = offset; },
                       has_user_mmio_offset});
  };
  add(accepted, 0);
  add(refused, EINVAL);
  return table;
}

struct PrimeExport {
  explicit PrimeExport(World& world) {
    args = {.handle = world.bo().handle(), .flags = DRM_CLOEXEC, .fd = -1};
  }
  int issue(World& world) {
    const int result = raw_ioctl(world.device(), DRM_IOCTL_PRIME_HANDLE_TO_FD, args);
    if (result == 0) ::close(args.fd);
    return result;
  }

  drm_prime_handle args{};
};

std::vector<Case<PrimeExport>> export_cases() {
  return handle_cases<PrimeExport>([](PrimeExport& r) -> uint32_t& { return r.args.handle; }) +
         std::vector<Case<PrimeExport>>{
             {"Writable", 0, [](PrimeExport& r, World&) { r.args.flags |= DRM_RDWR; }},
             {"UnknownFlags", EINVAL, [](PrimeExport& r, World&) { r.args.flags |= 1u << 31; }},
             {"BufferWithoutMmap", 0,
              [](PrimeExport& r, World& w) { r.args.handle = w.no_mmap_bo().handle(); }},
             {"ExclusiveBuffer", EINVAL,
              [](PrimeExport& r, World& w) { r.args.handle = w.exclusive_bo(w.vm()).handle(); }},
         };
}

struct PrimeImport {
  explicit PrimeImport(World& world) : fd(world.bo().export_dma_buf()) { args.fd = fd.get(); }
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_PRIME_FD_TO_HANDLE, args); }

  UniqueFd fd;
  drm_prime_handle args{};
};

std::vector<Case<PrimeImport>> import_cases() {
  return {
      {"Valid", 0},
      {"NegativeFd", EBADF, [](PrimeImport& r, World&) { r.args.fd = -1; }},
      {"UnknownFd", EBADF, [](PrimeImport& r, World&) { r.args.fd = 1 << 20; }},
      {"FileThatIsNoDmaBuf", EINVAL,
       [](PrimeImport& r, World&) {
         r.fd.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
         r.args.fd = r.fd.get();
       }},
      {"RenderNode", EINVAL, [](PrimeImport& r, World& w) { r.args.fd = w.device().fd(); }},
  };
}

struct GemClose {
  explicit GemClose(World& world) {
    drm_panthor_bo_create create{.size = page, .flags = 0, .exclusive_vm_id = 0, .handle = 0, .pad = 0};
    EXPECT_EQ(raw_ioctl(world.device(), DRM_IOCTL_PANTHOR_BO_CREATE, create), 0);
    args.handle = create.handle;
  }
  int issue(World& world) { return raw_ioctl(world.device(), DRM_IOCTL_GEM_CLOSE, args); }

  drm_gem_close args{};
};

std::vector<Case<GemClose>> close_cases() {
  return {
      {"Valid", 0},
      {"HandleZero", EINVAL, [](GemClose& r, World&) { r.args.handle = 0; }},
      {"UnknownHandle", EINVAL, [](GemClose& r, World&) { r.args.handle = unknown_handle; }},
      {"ForeignHandle", EINVAL, [](GemClose& r, World& w) { r.args.handle = w.foreign_bo(); }},
      {"Twice", EINVAL, [](GemClose& r, World& w) { EXPECT_EQ(r.issue(w), 0); }},
  };
}

PANTHOR_REQUEST_TABLE(BoCreateRequest, BoCreate, create_cases());
PANTHOR_REQUEST_TABLE(BoMmapOffsetRequest, BoMmapOffset, mmap_offset_cases());
PANTHOR_REQUEST_TABLE(BoSetLabelRequest, BoSetLabel, label_cases());
PANTHOR_REQUEST_TABLE(BoSyncRequest, BoSync, sync_table());
PANTHOR_REQUEST_TABLE(BoQueryInfoRequest, BoQueryInfo, info_cases());
PANTHOR_REQUEST_TABLE(SetUserMmioOffsetRequest, SetUserMmioOffset, mmio_offset_cases());
PANTHOR_REQUEST_TABLE(PrimeExportRequest, PrimeExport, export_cases());
PANTHOR_REQUEST_TABLE(PrimeImportRequest, PrimeImport, import_cases());
PANTHOR_REQUEST_TABLE(GemCloseRequest, GemClose, close_cases());

}  // namespace
}  // namespace panthor::test

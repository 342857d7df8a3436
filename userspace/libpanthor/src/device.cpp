// SPDX-License-Identifier: MIT
#include "panthor/device.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "ioctl.hpp"

namespace panthor {
namespace {

/// DRM_PANTHOR_DEV_QUERY_MMU_INFO; kernel headers before 7.3 do not have it.
constexpr uint32_t query_mmu_info = 4;

static_assert(static_cast<uint64_t>(UserMmioOffset::bits32) == DRM_PANTHOR_USER_MMIO_OFFSET_32BIT);
static_assert(static_cast<uint64_t>(UserMmioOffset::bits64) == DRM_PANTHOR_USER_MMIO_OFFSET_64BIT);
static_assert(static_cast<uint64_t>(UserMmioOffset::native) == DRM_PANTHOR_USER_MMIO_OFFSET);

struct VersionDeleter {
  void operator()(drmVersion* version) const { drmFreeVersion(version); }
};

struct Identity {
  std::string driver;
  DriverVersion version;
};

Identity identify(const DrmFile& file) {
  const std::unique_ptr<drmVersion, VersionDeleter> version(drmGetVersion(file.fd()));
  if (!version) throw call_error(errno, "DRM_IOCTL_VERSION", file.path());
  return {std::string(version->name, static_cast<size_t>(version->name_len)),
          {version->version_major, version->version_minor, version->version_patchlevel}};
}

std::vector<std::string> render_nodes() {
  std::vector<std::string> nodes;
  std::error_code ignored_absence;  // no /dev/dri: no nodes
  for (const auto& entry : std::filesystem::directory_iterator("/dev/dri", ignored_absence))
    if (entry.path().filename().string().starts_with("renderD")) nodes.push_back(entry.path());
  std::ranges::sort(nodes);
  return nodes;
}

template <typename Info>
Info query(const DrmFile& file, uint32_t type, const char* what, Info info = {}) {
  drm_panthor_dev_query args{.type = type, .size = sizeof(Info), .pointer = reinterpret_cast<__u64>(&info)};
  checked_ioctl(file, ioctls::dev_query, &args, "type={}", what);
  return info;
}

}  // namespace

Device Device::open(const std::string& path) {
  auto file = std::make_shared<const DrmFile>(path);
  const Identity identity = identify(*file);
  if (identity.driver != "panthor")
    throw std::system_error(ENODEV, std::generic_category(),
                            fmt::format("{} is driven by {}, not panthor", path, identity.driver));
  return {std::move(file), identity.version};
}

Device Device::open_first() {
  std::string found;
  for (const std::string& path : render_nodes()) {
    std::string why;
    try {
      auto file = std::make_shared<const DrmFile>(path);
      const Identity identity = identify(*file);
      if (identity.driver == "panthor") return {std::move(file), identity.version};
      why = identity.driver;
    } catch (const std::system_error& error) {
      why = error.what();
    }
    found += fmt::format("{}{}: {}", found.empty() ? "" : ", ", path, why);
  }
  throw std::system_error(ENODEV, std::generic_category(),
                          fmt::format("no render node driven by panthor ({})",
                                      found.empty() ? "no /dev/dri/renderD* at all" : found));
}

void Device::require(const DriverVersion& at_least, const std::string& what) const {
  if (version_ < at_least)
    throw std::system_error(EOPNOTSUPP, std::generic_category(),
                            fmt::format("{} needs panthor {}, {} has {}", what, to_string(at_least), path(),
                                        to_string(version_)));
}

GpuInfo Device::gpu_info() const {
  const auto raw = query<drm_panthor_gpu_info>(*file_, DRM_PANTHOR_DEV_QUERY_GPU_INFO, "GPU_INFO");
  GpuInfo info{.gpu_id = raw.gpu_id,
               .gpu_rev = raw.gpu_rev,
               .csf_id = raw.csf_id,
               .l2_features = raw.l2_features,
               .tiler_features = raw.tiler_features,
               .mem_features = raw.mem_features,
               .mmu_features = raw.mmu_features,
               .thread_features = raw.thread_features,
               .max_threads = raw.max_threads,
               .thread_max_workgroup_size = raw.thread_max_workgroup_size,
               .thread_max_barrier_size = raw.thread_max_barrier_size,
               .coherency_features = raw.coherency_features,
               .as_present = raw.as_present,
               .selected_coherency = static_cast<Coherency>(raw.selected_coherency),
               .shader_present = raw.shader_present,
               .l2_present = raw.l2_present,
               .tiler_present = raw.tiler_present,
               .core_features = raw.core_features,
               .gpu_features = raw.gpu_features};
  std::ranges::copy(raw.texture_features, info.texture_features.begin());
  return info;
}

CsifInfo Device::csif_info() const {
  const auto raw = query<drm_panthor_csif_info>(*file_, DRM_PANTHOR_DEV_QUERY_CSIF_INFO, "CSIF_INFO");
  return {.csg_slot_count = raw.csg_slot_count,
          .cs_slot_count = raw.cs_slot_count,
          .cs_reg_count = raw.cs_reg_count,
          .scoreboard_slot_count = raw.scoreboard_slot_count,
          .unpreserved_cs_reg_count = raw.unpreserved_cs_reg_count};
}

TimestampInfo Device::timestamp_info(TimestampFlags flags) const {
  require(flags == TimestampFlags::none ? has_timestamp_info : has_timestamp_flags,
          flags == TimestampFlags::none ? "TIMESTAMP_INFO" : "TIMESTAMP_INFO with flags");
  drm_panthor_timestamp_info request{};
  request.flags = static_cast<uint32_t>(flags);
  const auto raw = query(*file_, DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO, "TIMESTAMP_INFO", request);
  return {.frequency_hz = raw.timestamp_frequency,
          .timestamp = raw.current_timestamp,
          .offset = raw.timestamp_offset,
          .cycle_count = raw.cycle_count,
          .cpu_time =
              std::chrono::seconds(raw.cpu_timestamp_sec) + std::chrono::nanoseconds(raw.cpu_timestamp_nsec),
          .duration = std::chrono::nanoseconds(raw.duration_nsec)};
}

GroupPrioritiesInfo Device::group_priorities_info() const {
  require(has_group_priorities, "GROUP_PRIORITIES_INFO");
  const auto raw = query<drm_panthor_group_priorities_info>(
      *file_, DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO, "GROUP_PRIORITIES_INFO");
  return {.allowed_mask = raw.allowed_mask};
}

MmuInfo Device::mmu_info() const {
  require(has_mmu_info, "MMU_INFO");
  return query<MmuInfo>(*file_, query_mmu_info, "MMU_INFO");
}

std::optional<VaInfo> Device::va_info() const {
  drm_panthor_va_info raw{};
  drm_panthor_dev_query args{
      .type = DRM_PANTHOR_DEV_QUERY_VA_INFO, .size = sizeof(raw), .pointer = reinterpret_cast<__u64>(&raw)};
  const int error = try_ioctl(*file_, ioctls::dev_query, &args);
  if (error == EINVAL) return std::nullopt;
  if (error != 0) throw call_error(error, ioctls::dev_query.name, "type=VA_INFO");
  return VaInfo{.va_bits = raw.va_bits,
                .features = static_cast<VaFeatures>(raw.features),
                .max_user_va_range = raw.max_user_va_range,
                .default_user_va_range = raw.default_user_va_range,
                .min_kernel_va_range = raw.min_kernel_va_range,
                .page_size_bitmap = raw.page_size_bitmap,
                .min_heap_start = raw.min_heap_start,
                .default_heap_start = raw.default_heap_start,
                .default_heap_size = raw.default_heap_size,
                .max_placement_align = raw.max_placement_align,
                .max_scratch_size = raw.max_scratch_size};
}

bool Device::has_va_features(VaFeatures features) const {
  const auto info = va_info();
  return info && has(info->features, features);
}

void Device::set_user_mmio_offset(UserMmioOffset offset) const {
  panthor::require(version_, has_user_mmio_offset, ioctls::set_user_mmio_offset);
  drm_panthor_set_user_mmio_offset args{.offset = static_cast<uint64_t>(offset)};
  checked_ioctl(*file_, ioctls::set_user_mmio_offset, &args, "offset={:#x}", args.offset);
}

}  // namespace panthor

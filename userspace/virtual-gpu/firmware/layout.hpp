// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

/// The firmware's shared interface (version 1.5) as declarations. Names, offsets and bits are those of
/// panthor_fw.h; every offset is asserted, because the driver reads these very bytes.
namespace vgpu::fw {

inline constexpr uint32_t shared_base = 0x0400'0000;  ///< CSF_MCU_SHARED_REGION_START, MCU VA
inline constexpr uint32_t shared_size = 0x1'0000;     ///< bytes, the section of mali_csffw.bin for arch 10.8
inline constexpr uint32_t interface_version = 1u << 24 | 5u << 16;  ///< CSF_IFACE_VERSION(1, 5, 0)
inline constexpr unsigned csg_count = 8;
inline constexpr unsigned cs_count = 8;  ///< streams of one group

/// MCU_CONTROL and MCU_STATUS (panthor_fw_regs.h).
enum class McuControl : uint32_t { disable, enable, automatic };
enum class McuStatus : uint32_t { disabled, enabled, halt, fatal };
inline constexpr uint32_t job_irq_global = 1u << 31;  ///< JOB_INT_GLOBAL_IF; bit n is CSG n

// ---- Global interface

struct GlobalControl {
  uint32_t version, features, input_va, output_va, group_num, group_stride, perfcnt_size, instr_features;
};
static_assert(sizeof(GlobalControl) == 0x20);

struct GlobalInput {
  uint32_t req, ack_irq_mask, doorbell_req, reserved1;
  uint32_t progress_timer;  ///< units of 1024 GPU cycles, 0 = off
  uint32_t poweroff_timer;  ///< [30:0] units of 1024 ticks, bit 31: ticks are GPU cycles, else system timer
  uint64_t core_en_mask;
  uint32_t reserved2, perfcnt_as;
  uint64_t perfcnt_base;
  uint32_t perfcnt_extract, reserved3[3];
  uint32_t perfcnt_config, perfcnt_csg_select, perfcnt_fw_enable, perfcnt_csg_enable, perfcnt_csf_enable,
      perfcnt_shader_enable, perfcnt_tiler_enable, perfcnt_mmu_l2_enable;
  uint32_t reserved4[8];
  uint32_t idle_timer;  ///< as poweroff_timer
};
static_assert(offsetof(GlobalInput, progress_timer) == 0x10);
static_assert(offsetof(GlobalInput, core_en_mask) == 0x18);
static_assert(offsetof(GlobalInput, perfcnt_base) == 0x28);
static_assert(offsetof(GlobalInput, perfcnt_config) == 0x40);
static_assert(offsetof(GlobalInput, idle_timer) == 0x80);

struct GlobalOutput {
  uint32_t ack, reserved1, doorbell_ack, reserved2, halt_status, perfcnt_status, perfcnt_insert;
};
static_assert(offsetof(GlobalOutput, halt_status) == 0x10);
static_assert(offsetof(GlobalOutput, perfcnt_insert) == 0x18);

namespace glb {
inline constexpr uint32_t halt = 1u << 0, cfg_progress_timer = 1u << 1, cfg_alloc_en = 1u << 2,
                          cfg_poweroff_timer = 1u << 3, protm_enter = 1u << 4, perfcnt_en = 1u << 5,
                          perfcnt_sample = 1u << 6, counter_en = 1u << 7, ping = 1u << 8,
                          fwcfg_update = 1u << 9, idle_en = 1u << 10, sleep = 1u << 12;
inline constexpr uint32_t inactive_compute = 1u << 20, inactive_fragment = 1u << 21,
                          inactive_tiler = 1u << 22, protm_exit = 1u << 23, perfcnt_threshold = 1u << 24,
                          perfcnt_overflow = 1u << 25, idle = 1u << 26;
inline constexpr uint32_t events = inactive_compute | inactive_fragment | inactive_tiler | protm_exit |
                                   perfcnt_threshold | perfcnt_overflow | idle;
inline constexpr uint32_t requests = halt | cfg_progress_timer | cfg_alloc_en | cfg_poweroff_timer |
                                     protm_enter | perfcnt_en | perfcnt_sample | counter_en | ping |
                                     fwcfg_update | idle_en | sleep;
inline constexpr uint32_t timer_value = 0x7fff'ffff, timer_counts_cycles = 1u << 31;
/// enum panthor_fw_halt_status
inline constexpr uint32_t halt_ok = 0, halt_on_panic = 0x4e, halt_on_watchdog = 0x4f;
}  // namespace glb

// ---- Command stream group

struct GroupControl {
  uint32_t features, input_va, output_va, suspend_size, protm_suspend_size, stream_num, stream_stride;
};
static_assert(sizeof(GroupControl) == 0x1c);

struct GroupInput {
  uint32_t req, ack_irq_mask, doorbell_req, cs_irq_ack, reserved1[4];
  uint64_t allow_compute, allow_fragment;  ///< core masks
  uint32_t allow_other;                    ///< tiler mask
  uint32_t endpoint_req;
  uint64_t endpoint_req2;  ///< used from interface 4.0 on; unused here
  uint64_t suspend_buf, protm_suspend_buf;
  uint32_t config;  ///< [3:0] address space
  uint32_t iter_trace_config;
};
static_assert(offsetof(GroupInput, allow_compute) == 0x20);
static_assert(offsetof(GroupInput, endpoint_req) == 0x34);
static_assert(offsetof(GroupInput, suspend_buf) == 0x40);
static_assert(offsetof(GroupInput, config) == 0x50);

struct GroupOutput {
  uint32_t ack, reserved1, doorbell_ack, cs_irq_req, status_endpoint_current, status_endpoint_req,
      status_state, resource_dep;
};
static_assert(offsetof(GroupOutput, status_state) == 0x18);

namespace csg {
inline constexpr uint32_t state_mask = 7, state_terminate = 0, state_start = 1, state_suspend = 2,
                          state_resume = 3;
inline constexpr uint32_t endpoint_config = 1u << 4, status_update = 1u << 5;
inline constexpr uint32_t sync_update = 1u << 28, idle = 1u << 29, doorbell = 1u << 30,
                          progress_timer_event = 1u << 31;
inline constexpr uint32_t requests = state_mask | endpoint_config | status_update;
inline constexpr uint32_t status_is_idle = 1u << 0;
}  // namespace csg

/// CSG_EP_REQ, also the format of STATUS_ENDPOINT_CURRENT (assumed).
struct EndpointRequest {
  uint32_t compute = 0, fragment = 0, tiler = 0;  ///< how many
  bool exclusive_compute = false, exclusive_fragment = false;
  uint32_t priority = 0;  ///< 0-15, 15 is the most urgent

  [[nodiscard]] static constexpr EndpointRequest decode(uint32_t word) noexcept {
    return {.compute = word & 0xff,
            .fragment = word >> 8 & 0xff,
            .tiler = word >> 16 & 0xf,
            .exclusive_compute = (word >> 20 & 1) != 0,
            .exclusive_fragment = (word >> 21 & 1) != 0,
            .priority = word >> 28};
  }
  [[nodiscard]] constexpr uint32_t encode() const noexcept {
    return compute | fragment << 8 | tiler << 16 | uint32_t{exclusive_compute} << 20 |
           uint32_t{exclusive_fragment} << 21 | priority << 28;
  }
};

// ---- Command stream

struct StreamControl {
  uint32_t features, input_va, output_va;
};
static_assert(sizeof(StreamControl) == 0xc);

struct StreamInput {
  uint32_t req;
  uint32_t config;  ///< [3:0] priority, [15:8] doorbell
  uint32_t reserved1, ack_irq_mask;
  uint64_t ringbuf_base;
  uint32_t ringbuf_size, reserved2;
  uint64_t heap_start, heap_end;  ///< chunk pointers: VA in [63:12], size >> 12 in [11:0] (panthor_heap.c)
  uint64_t ringbuf_input, ringbuf_output;
  uint32_t instr_config, instrbuf_size;
  uint64_t instrbuf_base, instrbuf_offset_ptr;
};
static_assert(offsetof(StreamInput, ringbuf_base) == 0x10);
static_assert(offsetof(StreamInput, heap_start) == 0x20);
static_assert(offsetof(StreamInput, ringbuf_input) == 0x30);
static_assert(offsetof(StreamInput, instrbuf_base) == 0x48);

struct StreamOutput {
  uint32_t ack, reserved1[15];
  uint64_t status_cmd_ptr;
  uint32_t status_wait, status_req_resource;
  uint64_t status_wait_sync_ptr;
  uint32_t status_wait_sync_value, status_scoreboards, status_blocked_reason, status_wait_sync_value_hi,
      reserved2[6];
  uint32_t fault, fatal;
  uint64_t fault_info, fatal_info;
  uint32_t reserved3[10];
  uint32_t heap_vt_start, heap_vt_end, reserved4, heap_frag_end;
  uint64_t heap_address;
};
static_assert(offsetof(StreamOutput, status_cmd_ptr) == 0x40);
static_assert(offsetof(StreamOutput, status_wait_sync_ptr) == 0x50);
static_assert(offsetof(StreamOutput, status_blocked_reason) == 0x60);
static_assert(offsetof(StreamOutput, fault) == 0x80);
static_assert(offsetof(StreamOutput, heap_vt_start) == 0xc0);
static_assert(offsetof(StreamOutput, heap_address) == 0xd0);

namespace cs_bits {
inline constexpr uint32_t state_mask = 7, state_stop = 0, state_start = 1;
inline constexpr uint32_t extract_event = 1u << 4;
inline constexpr uint32_t idle_sync_wait = 1u << 8, idle_protm_pending = 1u << 9, idle_empty = 1u << 10,
                          idle_resource_req = 1u << 11;
inline constexpr uint32_t tiler_oom = 1u << 26, protm_pending = 1u << 27, fatal = 1u << 30, fault = 1u << 31;
inline constexpr uint32_t events = tiler_oom | protm_pending | fatal | fault;
inline constexpr uint32_t levels =
    state_mask | idle_sync_wait | idle_protm_pending | idle_empty | idle_resource_req;  ///< acked by copying
inline constexpr uint32_t wait_sb_src_wait = 8u << 16, wait_progress = 1u << 28, wait_protm = 1u << 29,
                          wait_sync_64b = 1u << 30, wait_sync = 1u << 31;
}  // namespace cs_bits

struct RingInput {
  uint64_t insert, extract;  ///< bytes, monotonic
};
struct RingOutput {
  uint64_t extract;
  uint32_t active;
};
static_assert(offsetof(RingOutput, active) == 8);

// ---- Where they lie
// GLOBAL_CONTROL at 0, CSG control at 0x1000 + n * stride and CS control 0x40 into it are fixed by the driver
// (CSF_GROUP_CONTROL_OFFSET, CSF_STREAM_CONTROL_OFFSET). The rest is what the shared section of the arch 10.8
// mali_csffw.bin holds in its initial data: strides and input/output addresses are there before the firmware
// runs.

namespace place {
inline constexpr uint32_t stream_stride = sizeof(StreamControl),
                          group_stride = 0x40 + cs_count * stream_stride;
inline constexpr uint32_t global_input = shared_base + 0x2000, global_output = shared_base + 0x6000;

[[nodiscard]] constexpr uint32_t group_control(unsigned csg) {
  return shared_base + 0x1000 + csg * group_stride;
}
[[nodiscard]] constexpr uint32_t stream_control(unsigned csg, unsigned cs) {
  return group_control(csg) + 0x40 + cs * stream_stride;
}
[[nodiscard]] constexpr uint32_t group_input(unsigned csg) {
  return shared_base + 0x3000 + csg * 0x80;
}
[[nodiscard]] constexpr uint32_t group_output(unsigned csg) {
  return shared_base + 0x7000 + csg * 0x40;
}
[[nodiscard]] constexpr uint32_t stream_input(unsigned csg, unsigned cs) {
  return shared_base + 0x3400 + (csg * cs_count + cs) * 0x80;
}
[[nodiscard]] constexpr uint32_t stream_output(unsigned csg, unsigned cs) {
  return shared_base + 0x7200 + (csg * cs_count + cs) * 0x100;
}
static_assert(group_stride == 0xa0);
static_assert(sizeof(GroupInput) <= 0x80 && sizeof(GroupOutput) <= 0x40);
static_assert(sizeof(StreamInput) <= 0x80 && sizeof(StreamOutput) <= 0x100);
static_assert(group_control(csg_count) <= global_input && group_input(csg_count) == stream_input(0, 0));
static_assert(group_output(csg_count) == stream_output(0, 0));
static_assert(stream_output(csg_count - 1, cs_count) <= shared_base + shared_size);
}  // namespace place

/// CS_FEATURES: [7:0] registers - 1, [15:8] scoreboards, 16 compute, 17 fragment, 18 tiler.
inline constexpr uint32_t stream_features = (96 - 1) | 8u << 8 | 7u << 16;

/// DRM_PANTHOR_EXCEPTION_* the firmware itself reports (panthor_device.h).
namespace exception {
inline constexpr uint32_t cs_config_fault = 0x40, cs_unrecoverable = 0x41, cs_bus_fault = 0x48, oom = 0x60,
                          firmware_internal_error = 0x68;
}

}  // namespace vgpu::fw

// SPDX-License-Identifier: MIT
#include "calls/call_layout.hpp"

#include <drm/panthor_drm.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace recording {
namespace {

using Extent = PointerField::Extent;
using Flow = PointerField::Flow;
using What = VolatileField::What;
using enum Role;

// Rows name the field; the compiler knows where it is.
#define AT(type, field) static_cast<uint16_t>(offsetof(type, field))
#define SIZE(type, field) static_cast<uint16_t>(sizeof(type::field))
#define ID(type, field, kind, role) \
  { AT(type, field), IdKind::kind, role }
#define VOLATILE(type, field, what) \
  { AT(type, field), SIZE(type, field), What::what }
#define OBJECTS(type, field, element) \
  { AT(type, field), 0, 0, Extent::objects, Flow::in, &element }
#define ELEMENTS(type, field, count, bytes, flow, element) \
  { AT(type, field), AT(type, count), bytes, Extent::elements, Flow::flow, element }

// Elements of arrays.
constexpr IdField sync_op_ids[] = {ID(drm_panthor_sync_op, handle, syncobj, uses)};
constexpr StructLayout sync_op{sync_op_ids, {}, {}};
constexpr IdField bind_op_ids[] = {ID(drm_panthor_vm_bind_op, bo_handle, bo, uses)};
constexpr PointerField bind_op_pointers[] = {OBJECTS(drm_panthor_vm_bind_op, syncs, sync_op)};
constexpr StructLayout bind_op{bind_op_ids, {}, bind_op_pointers};
constexpr VolatileField queue_submit_volatiles[] = {
    VOLATILE(drm_panthor_queue_submit, latest_flush, flush_id)};
constexpr PointerField queue_submit_pointers[] = {OBJECTS(drm_panthor_queue_submit, syncs, sync_op)};
constexpr StructLayout queue_submit{{}, queue_submit_volatiles, queue_submit_pointers};
constexpr StructLayout queue_create{};
constexpr IdField bo_sync_op_ids[] = {ID(drm_panthor_bo_sync_op, handle, bo, uses)};
constexpr StructLayout bo_sync_op{bo_sync_op_ids, {}, {}};
constexpr IdField syncobj_element_ids[] = {{0, IdKind::syncobj, uses}};
constexpr StructLayout syncobj_element{syncobj_element_ids, {}, {}};
constexpr VolatileField point_element_volatiles[] = {{0, 8, What::progress}};
constexpr StructLayout queried_point{{}, point_element_volatiles, {}};
constexpr StructLayout plain_element{};

// panthor_drm.h
constexpr PointerField dev_query_pointers[] = {{AT(drm_panthor_dev_query, pointer),
                                                AT(drm_panthor_dev_query, size), 1, Extent::bytes32,
                                                Flow::in_out, nullptr}};
constexpr IdField vm_create_ids[] = {ID(drm_panthor_vm_create, id, vm, makes)};
constexpr IdField vm_destroy_ids[] = {ID(drm_panthor_vm_destroy, id, vm, destroys)};
constexpr IdField vm_bind_ids[] = {ID(drm_panthor_vm_bind, vm_id, vm, uses)};
constexpr PointerField vm_bind_pointers[] = {OBJECTS(drm_panthor_vm_bind, ops, bind_op)};
constexpr IdField vm_get_state_ids[] = {ID(drm_panthor_vm_get_state, vm_id, vm, uses)};
constexpr IdField bo_create_ids[] = {ID(drm_panthor_bo_create, exclusive_vm_id, vm, uses),
                                     ID(drm_panthor_bo_create, handle, bo, makes)};
constexpr IdField bo_mmap_offset_ids[] = {ID(drm_panthor_bo_mmap_offset, handle, bo, uses)};
constexpr VolatileField bo_mmap_offset_volatiles[] = {VOLATILE(drm_panthor_bo_mmap_offset, offset, address)};
constexpr IdField bo_set_label_ids[] = {ID(drm_panthor_bo_set_label, handle, bo, uses)};
constexpr PointerField bo_set_label_pointers[] = {
    {AT(drm_panthor_bo_set_label, label), 0, 4097, Extent::string, Flow::in, nullptr}};
constexpr PointerField bo_sync_pointers[] = {OBJECTS(drm_panthor_bo_sync, ops, bo_sync_op)};
constexpr IdField bo_query_info_ids[] = {ID(drm_panthor_bo_query_info, handle, bo, uses)};
constexpr IdField group_create_ids[] = {ID(drm_panthor_group_create, vm_id, vm, uses),
                                        ID(drm_panthor_group_create, group_handle, group, makes)};
constexpr PointerField group_create_pointers[] = {OBJECTS(drm_panthor_group_create, queues, queue_create)};
constexpr IdField group_destroy_ids[] = {ID(drm_panthor_group_destroy, group_handle, group, destroys)};
constexpr IdField group_submit_ids[] = {ID(drm_panthor_group_submit, group_handle, group, uses)};
constexpr PointerField group_submit_pointers[] = {
    OBJECTS(drm_panthor_group_submit, queue_submits, queue_submit)};
constexpr IdField group_get_state_ids[] = {ID(drm_panthor_group_get_state, group_handle, group, uses)};
constexpr IdField heap_create_ids[] = {ID(drm_panthor_tiler_heap_create, vm_id, vm, uses),
                                       ID(drm_panthor_tiler_heap_create, handle, tiler_heap, makes)};
constexpr IdField heap_destroy_ids[] = {ID(drm_panthor_tiler_heap_destroy, handle, tiler_heap, destroys)};

// drm.h
constexpr PointerField version_pointers[] = {
    {AT(drm_version, name), AT(drm_version, name_len), 1, Extent::bytes64, Flow::out, nullptr},
    {AT(drm_version, date), AT(drm_version, date_len), 1, Extent::bytes64, Flow::out, nullptr},
    {AT(drm_version, desc), AT(drm_version, desc_len), 1, Extent::bytes64, Flow::out, nullptr}};
constexpr IdField gem_close_ids[] = {ID(drm_gem_close, handle, bo, destroys)};
constexpr IdField handle_to_fd_ids[] = {ID(drm_prime_handle, handle, bo, uses),
                                        ID(drm_prime_handle, fd, fd, makes)};
constexpr IdField fd_to_handle_ids[] = {ID(drm_prime_handle, fd, fd, uses),
                                        ID(drm_prime_handle, handle, bo, makes)};
constexpr IdField syncobj_create_ids[] = {ID(drm_syncobj_create, handle, syncobj, makes)};
constexpr IdField syncobj_destroy_ids[] = {ID(drm_syncobj_destroy, handle, syncobj, destroys)};
constexpr IdField syncobj_to_fd_ids[] = {ID(drm_syncobj_handle, handle, syncobj, uses),
                                         ID(drm_syncobj_handle, fd, fd, makes)};
// With IMPORT_SYNC_FILE the handle is an input; makes() of a handle that exists already changes nothing.
constexpr IdField fd_to_syncobj_ids[] = {ID(drm_syncobj_handle, fd, fd, uses),
                                         ID(drm_syncobj_handle, handle, syncobj, makes)};
// first_signaled says something only where not all are waited for, and then it is a matter of timing.
constexpr VolatileField wait_volatiles[] = {VOLATILE(drm_syncobj_wait, timeout_nsec, time),
                                            VOLATILE(drm_syncobj_wait, first_signaled, time),
                                            VOLATILE(drm_syncobj_wait, deadline_nsec, time)};
constexpr PointerField wait_pointers[] = {
    ELEMENTS(drm_syncobj_wait, handles, count_handles, 4, in, &syncobj_element)};
constexpr VolatileField timeline_wait_volatiles[] = {
    VOLATILE(drm_syncobj_timeline_wait, timeout_nsec, time),
    VOLATILE(drm_syncobj_timeline_wait, first_signaled, time),
    VOLATILE(drm_syncobj_timeline_wait, deadline_nsec, time)};
constexpr PointerField timeline_wait_pointers[] = {
    ELEMENTS(drm_syncobj_timeline_wait, handles, count_handles, 4, in, &syncobj_element),
    ELEMENTS(drm_syncobj_timeline_wait, points, count_handles, 8, in, &plain_element)};
constexpr PointerField syncobj_array_pointers[] = {
    ELEMENTS(drm_syncobj_array, handles, count_handles, 4, in, &syncobj_element)};
constexpr PointerField timeline_signal_pointers[] = {
    ELEMENTS(drm_syncobj_timeline_array, handles, count_handles, 4, in, &syncobj_element),
    ELEMENTS(drm_syncobj_timeline_array, points, count_handles, 8, in, &plain_element)};
constexpr PointerField timeline_query_pointers[] = {
    ELEMENTS(drm_syncobj_timeline_array, handles, count_handles, 4, in, &syncobj_element),
    ELEMENTS(drm_syncobj_timeline_array, points, count_handles, 8, out, &queried_point)};
constexpr IdField transfer_ids[] = {ID(drm_syncobj_transfer, src_handle, syncobj, uses),
                                    ID(drm_syncobj_transfer, dst_handle, syncobj, uses)};

// dma-buf.h and sync_file.h: on what came out of PRIME_HANDLE_TO_FD and SYNCOBJ_HANDLE_TO_FD
constexpr IdField export_sync_file_ids[] = {ID(dma_buf_export_sync_file, fd, fd, makes)};
constexpr IdField import_sync_file_ids[] = {ID(dma_buf_import_sync_file, fd, fd, uses)};
constexpr IdField merge_ids[] = {ID(sync_merge_data, fd2, fd, uses), ID(sync_merge_data, fence, fd, makes)};

#define CALL(request, call_class, ...) \
  { static_cast<uint32_t>(request), #request, CallClass::call_class, __VA_ARGS__ }
constexpr CallLayout calls[] = {
    CALL(DRM_IOCTL_PANTHOR_DEV_QUERY, plain, {{}, {}, dev_query_pointers}),
    CALL(DRM_IOCTL_PANTHOR_VM_CREATE, plain, {vm_create_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_VM_DESTROY, plain, {vm_destroy_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_VM_BIND, bind, {vm_bind_ids, {}, vm_bind_pointers}),
    CALL(DRM_IOCTL_PANTHOR_VM_GET_STATE, plain, {vm_get_state_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_BO_CREATE, plain, {bo_create_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, plain, {bo_mmap_offset_ids, bo_mmap_offset_volatiles, {}}),
    CALL(DRM_IOCTL_PANTHOR_BO_SET_LABEL, plain, {bo_set_label_ids, {}, bo_set_label_pointers}),
    CALL(DRM_IOCTL_PANTHOR_BO_SYNC, plain, {{}, {}, bo_sync_pointers}),
    CALL(DRM_IOCTL_PANTHOR_BO_QUERY_INFO, plain, {bo_query_info_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_GROUP_CREATE, plain, {group_create_ids, {}, group_create_pointers}),
    CALL(DRM_IOCTL_PANTHOR_GROUP_DESTROY, plain, {group_destroy_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_GROUP_SUBMIT, submit, {group_submit_ids, {}, group_submit_pointers}),
    CALL(DRM_IOCTL_PANTHOR_GROUP_GET_STATE, plain, {group_get_state_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, plain, {heap_create_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, plain, {heap_destroy_ids, {}, {}}),
    CALL(DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET, plain, {}),
    CALL(DRM_IOCTL_VERSION, plain, {{}, {}, version_pointers}),
    CALL(DRM_IOCTL_GET_CAP, plain, {}),
    CALL(DRM_IOCTL_GEM_CLOSE, plain, {gem_close_ids, {}, {}}),
    CALL(DRM_IOCTL_PRIME_HANDLE_TO_FD, plain, {handle_to_fd_ids, {}, {}}),
    CALL(DRM_IOCTL_PRIME_FD_TO_HANDLE, plain, {fd_to_handle_ids, {}, {}}),
    CALL(DRM_IOCTL_SYNCOBJ_CREATE, plain, {syncobj_create_ids, {}, {}}),
    CALL(DRM_IOCTL_SYNCOBJ_DESTROY, plain, {syncobj_destroy_ids, {}, {}}),
    CALL(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, plain, {syncobj_to_fd_ids, {}, {}}),
    CALL(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, plain, {fd_to_syncobj_ids, {}, {}}),
    CALL(DRM_IOCTL_SYNCOBJ_WAIT, wait, {{}, wait_volatiles, wait_pointers}),
    CALL(DRM_IOCTL_SYNCOBJ_RESET, plain, {{}, {}, syncobj_array_pointers}),
    CALL(DRM_IOCTL_SYNCOBJ_SIGNAL, plain, {{}, {}, syncobj_array_pointers}),
    CALL(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, wait, {{}, timeline_wait_volatiles, timeline_wait_pointers}),
    CALL(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, plain, {{}, {}, timeline_signal_pointers}),
    CALL(DRM_IOCTL_SYNCOBJ_QUERY, plain, {{}, {}, timeline_query_pointers}),
    CALL(DRM_IOCTL_SYNCOBJ_TRANSFER, plain, {transfer_ids, {}, {}}),
    CALL(DMA_BUF_IOCTL_SYNC, plain, {}),
    CALL(DMA_BUF_IOCTL_EXPORT_SYNC_FILE, plain, {export_sync_file_ids, {}, {}}),
    CALL(DMA_BUF_IOCTL_IMPORT_SYNC_FILE, plain, {import_sync_file_ids, {}, {}}),
    CALL(SYNC_IOC_MERGE, plain, {merge_ids, {}, {}}),
};

constexpr std::array<std::string_view, id_kinds> kind_names = {"vm",         "bo",      "group",
                                                               "tiler-heap", "syncobj", "fd"};

}  // namespace

std::string_view id_kind_name(IdKind kind) {
  return kind_names[static_cast<size_t>(kind)];
}

std::span<const CallLayout> all_calls() noexcept {
  return calls;
}

const CallLayout* find_call(uint32_t request) noexcept {
  const auto same = [&](const CallLayout& call) {
    return _IOC_TYPE(call.request) == _IOC_TYPE(request) && _IOC_NR(call.request) == _IOC_NR(request);
  };
  const auto* found = std::ranges::find_if(calls, same);
  return found == std::end(calls) ? nullptr : found;
}

}  // namespace recording

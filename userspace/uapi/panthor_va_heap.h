/* SPDX-License-Identifier: MIT */
/*
 * What the kernel series "heap" (kernel-patches) adds to <drm/panthor_drm.h>, for headers that lack it. With the headers of
 * a patched kernel nothing is defined here. Whether the running kernel has it is another question: see
 * DRM_PANTHOR_DEV_QUERY_VA_INFO.
 */
#ifndef PANTHOR_VA_HEAP_H
#define PANTHOR_VA_HEAP_H

#ifndef _PANTHOR_DRM_H_ /* an IGT tree has it elsewhere */
#include <drm/panthor_drm.h>
#endif

#ifndef DRM_PANTHOR_VM_HEAP_SIZE_AUTO
#define DRM_PANTHOR_VM_HEAP_SIZE_AUTO (~0ull)

/* enum drm_panthor_dev_query_type */
#define DRM_PANTHOR_DEV_QUERY_VA_INFO 0x56410000u

/* enum drm_panthor_va_features */
#define DRM_PANTHOR_VA_FEATURE_HEAP (1u << 0)
#define DRM_PANTHOR_VA_FEATURE_ALLOC_ON_FAULT (1u << 1)
#define DRM_PANTHOR_VA_FEATURE_DISCARDABLE (1u << 2)

/* enum drm_panthor_vm_create_flags */
#define DRM_PANTHOR_VM_CREATE_VA_HEAP (1u << 30)

/* enum drm_panthor_vm_bind_op_flags */
#define DRM_PANTHOR_VM_BIND_OP_PLACE_NO_CROSS_4G (1u << 25)
#define DRM_PANTHOR_VM_BIND_OP_PLACE_BELOW_4G (1u << 26)
#define DRM_PANTHOR_VM_BIND_OP_MAP_PLACE (1u << 27)

/* enum drm_panthor_bo_flags */
#define DRM_PANTHOR_BO_DISCARDABLE (1u << 29)
#define DRM_PANTHOR_BO_ALLOC_ON_FAULT (1u << 30)

struct drm_panthor_va_info {
	__u32 va_bits;
	__u32 features;
	__u64 max_user_va_range;
	__u64 default_user_va_range;
	__u64 min_kernel_va_range;
	__u64 page_size_bitmap;
	__u64 min_heap_start;
	__u64 default_heap_start;
	__u64 default_heap_size;
	__u64 max_placement_align;
	__u64 max_scratch_size;
};

/* struct drm_panthor_vm_create, as the series extends it */
struct panthor_vm_create_heap {
	__u32 flags;
	__u32 id;
	__u64 user_va_range;
	__u64 heap_start;
	__u64 heap_size;
};
#else
#define panthor_vm_create_heap drm_panthor_vm_create
#endif

/* The number of VM_CREATE carries the size of its argument. */
#define PANTHOR_IOCTL_VM_CREATE_HEAP \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_PANTHOR_VM_CREATE, struct panthor_vm_create_heap)

#endif

/* SPDX-License-Identifier: MIT */
/* What panthor_va_heap and panthor_scratch share: the uAPI of placed mappings and scratch buffers with the errno it must
 * return, and jobs that load, store, wait and fault.
 */
#ifndef PANTHOR_VA_H
#define PANTHOR_VA_H

#include <stdbool.h>
#include <stdint.h>

#include "igt_panthor.h"
#include "panthor_va_heap.h"

#define PANTHOR_PAGE 0x1000ull
#define PANTHOR_4G (1ull << 32)
#define PANTHOR_1T (1ull << 40)

/* What IGT's copy of the uAPI lacks: drm_panthor_mmu_info, and flags of Linux 7.0 and 7.2. */
#define PANTHOR_QUERY_MMU_INFO (DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO + 1)
#define PANTHOR_BO_WB_MMAP (1u << 1)
#define PANTHOR_BIND_SPARSE (1u << 3)

/* No mmap, memory on first touch. */
#define PANTHOR_SCRATCH (DRM_PANTHOR_BO_NO_MMAP | DRM_PANTHOR_BO_ALLOC_ON_FAULT)

/* What the kernel says about a fault a test wants. */
#define PANTHOR_VA_FAULT_MESSAGES "Unhandled Page fault|CS_FATAL|CS_FAULT|CSG slot|timeout"

/* ---- uAPI; err is the errno to expect, 0 for success */
bool panthor_va_info(int fd, struct drm_panthor_va_info *info);
void panthor_va_require(int fd, uint32_t features);
void panthor_va_vm_create(int fd, struct panthor_vm_create_heap *args, int err);
uint32_t panthor_va_vm_create_simple(int fd, uint64_t heap_start, uint64_t heap_size, int err);
void panthor_va_bo_create(int fd, struct panthor_bo *bo, uint64_t size, uint32_t flags, uint32_t vm_id, int err);

struct drm_panthor_vm_bind_op panthor_va_map_op(const struct panthor_bo *bo, uint64_t va);
struct drm_panthor_vm_bind_op panthor_va_place_op(const struct panthor_bo *bo, uint64_t align, uint32_t flags);
struct drm_panthor_vm_bind_op panthor_va_sparse_op(uint64_t va, uint64_t size, uint32_t flags);
struct drm_panthor_vm_bind_op panthor_va_unmap_op(uint64_t va, uint64_t size);
uint32_t panthor_va_bind(int fd, uint32_t vm_id, uint32_t flags, struct drm_panthor_vm_bind_op *ops, uint32_t count,
			 int err);
void panthor_va_map(int fd, uint32_t vm_id, const struct panthor_bo *bo, uint64_t va, int err);
void panthor_va_unmap(int fd, uint32_t vm_id, uint64_t va, uint64_t size, int err);
uint64_t panthor_va_place(int fd, uint32_t vm_id, const struct panthor_bo *bo, uint64_t align, uint32_t flags, int err);

/* ---- what the kernel tells about a device, and what root can make it do */
uint64_t panthor_va_fdinfo(int fd, const char *key);
bool panthor_va_debugfs_write(int fd, const char *file, const char *text);
uint64_t panthor_va_deadline(void);
bool panthor_va_wait(int fd, uint32_t *syncobj);

/* ---- a file with a VM, room for command streams, and memory the CPU sees too */
struct panthor_va_ctx {
	int fd;
	uint32_t vm_id;
	struct panthor_bo streams;
	uint32_t used;
	struct panthor_bo memory;
};

#define PANTHOR_VA_STREAMS 0x100000ull
#define PANTHOR_VA_MEMORY 0x800000ull

void panthor_va_init(struct panthor_va_ctx *ctx, int device, uint64_t heap_start, uint64_t heap_size);
void panthor_va_fini(struct panthor_va_ctx *ctx);
void panthor_va_close(struct panthor_va_ctx *ctx);
/* The word the CPU sees that lies at PANTHOR_VA_MEMORY + 64 * slot; slot 0 belongs to panthor_va_load(). */
volatile uint32_t *panthor_va_word(struct panthor_va_ctx *ctx, uint32_t slot);

/* ---- command streams */
struct panthor_va_stream {
	uint64_t *words;
	uint64_t va;
	uint32_t count;
};

struct panthor_va_stream panthor_va_stream(struct panthor_va_ctx *ctx);
void panthor_va_emit_store(struct panthor_va_stream *cs, uint64_t va, uint32_t value);
void panthor_va_emit_copy(struct panthor_va_stream *cs, uint64_t from, uint64_t to);
void panthor_va_emit_wait(struct panthor_va_stream *cs, uint64_t gate);
void panthor_va_emit_signal(struct panthor_va_stream *cs, uint64_t gate);
void panthor_va_emit_publish(struct panthor_va_stream *cs);
/* Starts again from the first instruction until the CPU makes the word at stop something else than 0. */
void panthor_va_emit_repeat(struct panthor_va_stream *cs, uint64_t stop);
/* One store every stride bytes, count of them, the values counting up from value. */
void panthor_va_emit_sweep(struct panthor_va_stream *cs, uint64_t va, uint64_t stride, uint32_t count, uint32_t value);

/* ---- jobs */
struct drm_panthor_group_create panthor_va_group_args(struct panthor_va_ctx *ctx, struct drm_panthor_queue_create *queue,
						      uint32_t queues);
uint32_t panthor_va_group(struct panthor_va_ctx *ctx, uint32_t queues);
/* Publishes and submits the stream; returns the syncobj its end signals, for panthor_va_wait(). */
uint32_t panthor_va_submit(struct panthor_va_ctx *ctx, uint32_t group, uint32_t queue, struct panthor_va_stream *cs);
uint32_t panthor_va_group_state(struct panthor_va_ctx *ctx, uint32_t group);
/* The fence of the faulting job has signaled; the group's state follows. */
void panthor_va_expect_fatal(struct panthor_va_ctx *ctx, uint32_t group);
/* Each in a group of its own. */
void panthor_va_run(struct panthor_va_ctx *ctx, struct panthor_va_stream *cs);
void panthor_va_run_faulting(struct panthor_va_ctx *ctx, struct panthor_va_stream *cs);
void panthor_va_store(struct panthor_va_ctx *ctx, uint64_t va, uint32_t value);
void panthor_va_store_faulting(struct panthor_va_ctx *ctx, uint64_t va);
uint32_t panthor_va_load(struct panthor_va_ctx *ctx, uint64_t va);
/* A new file, VM and group compute. */
void panthor_va_check_device(int device);

#endif /* PANTHOR_VA_H */

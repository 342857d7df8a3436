// SPDX-License-Identifier: MIT

#include <sys/mman.h>
#include <unistd.h>

#include "igt.h"
#include "igt_syncobj.h"
#include "panthor_va.h"

/* Registers: pairs start at even numbers. */
#define REG_ADDRESS 64
#define REG_DATA 66
#define REG_FLUSH_ID 68

/* Scoreboard entries of the G610. */
#define ALL_ENTRIES 0xff

#define STREAMS_SIZE SZ_1M
#define STREAM_SIZE SZ_64K

static uint64_t ldm32(uint8_t address, uint8_t dst)
{
	return 20ull << 56 | (uint64_t)dst << 48 | (uint64_t)address << 40 | 1u << 16;
}

static uint64_t sync_add32(uint8_t address, uint8_t data)
{
	return 37ull << 56 | (uint64_t)address << 40 | (uint64_t)data << 32;
}

/* Blocks until the word is greater than data. */
static uint64_t sync_wait32(uint8_t address, uint8_t data)
{
	return 39ull << 56 | (uint64_t)address << 40 | (uint64_t)data << 32 | 1u << 28;
}

/* Goes on with the instruction offset behind the next one if the register is 0. */
static uint64_t branch_zero(uint8_t reg, int16_t offset)
{
	return 22ull << 56 | (uint64_t)reg << 40 | 2u << 28 | (uint16_t)offset;
}

static void emit(struct panthor_va_stream *cs, uint64_t word)
{
	igt_assert_f(cs->count < STREAM_SIZE / sizeof(word), "command stream is full\n");
	cs->words[cs->count++] = word;
}

/**
 * panthor_va_init:
 * @ctx: initialized
 * @device: file descriptor of the device, which is opened once more
 * @heap_start: first address of the VM's heap, 0 for the default
 * @heap_size: its size, 0 for a VM without heap
 */
void panthor_va_init(struct panthor_va_ctx *ctx, int device, uint64_t heap_start, uint64_t heap_size)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->fd = drm_reopen_driver(device);
	ctx->vm_id = panthor_va_vm_create_simple(ctx->fd, heap_start, heap_size, 0);
	igt_panthor_bo_create_mapped(ctx->fd, &ctx->streams, STREAMS_SIZE, 0, 0);
	igt_panthor_bo_create_mapped(ctx->fd, &ctx->memory, SZ_64K, 0, 0);
	igt_assert(ctx->streams.map && ctx->memory.map);
	panthor_va_map(ctx->fd, ctx->vm_id, &ctx->streams, PANTHOR_VA_STREAMS, 0);
	panthor_va_map(ctx->fd, ctx->vm_id, &ctx->memory, PANTHOR_VA_MEMORY, 0);
}

void panthor_va_fini(struct panthor_va_ctx *ctx)
{
	igt_panthor_free_bo(ctx->fd, &ctx->streams);
	igt_panthor_free_bo(ctx->fd, &ctx->memory);
	igt_panthor_vm_destroy(ctx->fd, ctx->vm_id, 0);
	drm_close_driver(ctx->fd);
}

/**
 * panthor_va_close:
 * @ctx: context
 *
 * Leaves it to the kernel to clean up, as it does for a process that dies. A mapping would keep the file open.
 */
void panthor_va_close(struct panthor_va_ctx *ctx)
{
	igt_assert_eq(munmap(ctx->streams.map, ctx->streams.size), 0);
	igt_assert_eq(munmap(ctx->memory.map, ctx->memory.size), 0);
	drm_close_driver(ctx->fd);
}

volatile uint32_t *panthor_va_word(struct panthor_va_ctx *ctx, uint32_t slot)
{
	return (volatile uint32_t *)ctx->memory.map + slot * 16;
}

/**
 * panthor_va_stream:
 * @ctx: context
 *
 * Returns: an empty stream; as many as 16 can be in use at the same time
 */
struct panthor_va_stream panthor_va_stream(struct panthor_va_ctx *ctx)
{
	uint32_t offset = ctx->used++ % (STREAMS_SIZE / STREAM_SIZE) * STREAM_SIZE;

	return (struct panthor_va_stream){
		.words = (uint64_t *)((char *)ctx->streams.map + offset),
		.va = PANTHOR_VA_STREAMS + offset,
	};
}

void panthor_va_emit_store(struct panthor_va_stream *cs, uint64_t va, uint32_t value)
{
	emit(cs, cs_mov48(REG_ADDRESS, va));
	emit(cs, cs_mov32(REG_DATA, value));
	emit(cs, cs_stm32(REG_ADDRESS, REG_DATA, 0));
	emit(cs, cs_wait(ALL_ENTRIES, false));
}

void panthor_va_emit_copy(struct panthor_va_stream *cs, uint64_t from, uint64_t to)
{
	emit(cs, cs_mov48(REG_ADDRESS, from));
	emit(cs, ldm32(REG_ADDRESS, REG_DATA));
	emit(cs, cs_wait(ALL_ENTRIES, false));
	emit(cs, cs_mov48(REG_ADDRESS, to));
	emit(cs, cs_stm32(REG_ADDRESS, REG_DATA, 0));
	emit(cs, cs_wait(ALL_ENTRIES, false));
}

void panthor_va_emit_wait(struct panthor_va_stream *cs, uint64_t gate)
{
	emit(cs, cs_mov48(REG_ADDRESS, gate));
	emit(cs, cs_mov32(REG_DATA, 0));
	emit(cs, sync_wait32(REG_ADDRESS, REG_DATA));
}

void panthor_va_emit_signal(struct panthor_va_stream *cs, uint64_t gate)
{
	emit(cs, cs_mov48(REG_ADDRESS, gate));
	emit(cs, cs_mov32(REG_DATA, 1));
	emit(cs, sync_add32(REG_ADDRESS, REG_DATA));
}

void panthor_va_emit_publish(struct panthor_va_stream *cs)
{
	emit(cs, cs_mov32(REG_FLUSH_ID, 0));
	emit(cs, cs_flush(CS_FLUSH_MODE_CLEAN, CS_FLUSH_MODE_CLEAN, CS_FLUSH_MODE_NONE, 0, REG_FLUSH_ID, 1));
	emit(cs, cs_wait(ALL_ENTRIES, false));
}

void panthor_va_emit_sweep(struct panthor_va_stream *cs, uint64_t va, uint64_t stride, uint32_t count, uint32_t value)
{
	for (uint32_t i = 0; i < count; i++)
		panthor_va_emit_store(cs, va + i * stride, value + i);
}

void panthor_va_emit_repeat(struct panthor_va_stream *cs, uint64_t stop)
{
	/* The CPU's write must be seen, so nothing may stay in a cache. */
	emit(cs, cs_mov32(REG_FLUSH_ID, 0));
	emit(cs, cs_flush(CS_FLUSH_MODE_CLEAN_AND_INVALIDATE, CS_FLUSH_MODE_CLEAN_AND_INVALIDATE,
			  CS_FLUSH_MODE_INVALIDATE, 0, REG_FLUSH_ID, 1));
	emit(cs, cs_wait(ALL_ENTRIES, false));
	emit(cs, cs_mov48(REG_ADDRESS, stop));
	emit(cs, ldm32(REG_ADDRESS, REG_DATA));
	emit(cs, cs_wait(ALL_ENTRIES, false));
	emit(cs, branch_zero(REG_DATA, -(int)cs->count - 1));
}

/**
 * panthor_va_group_args:
 * @ctx: context
 * @queue: filled in, for @queues
 * @queues: number of queues
 *
 * Returns: what creates a group on all cores
 */
struct drm_panthor_group_create panthor_va_group_args(struct panthor_va_ctx *ctx, struct drm_panthor_queue_create *queue,
						      uint32_t queues)
{
	struct drm_panthor_gpu_info gpu = {};

	igt_panthor_query(ctx->fd, DRM_PANTHOR_DEV_QUERY_GPU_INFO, &gpu, sizeof(gpu), 0);
	for (uint32_t i = 0; i < queues; i++)
		queue[i] = (struct drm_panthor_queue_create){ .ringbuf_size = 4096 };

	return (struct drm_panthor_group_create){
		.queues = DRM_PANTHOR_OBJ_ARRAY(queues, queue),
		.max_compute_cores = 1,
		.max_fragment_cores = 1,
		.max_tiler_cores = 1,
		.compute_core_mask = gpu.shader_present,
		.fragment_core_mask = gpu.shader_present,
		.tiler_core_mask = igt_panthor_get_first_core(gpu.tiler_present),
		.priority = PANTHOR_GROUP_PRIORITY_MEDIUM,
		.vm_id = ctx->vm_id,
	};
}

/**
 * panthor_va_group:
 * @ctx: context
 * @queues: number of queues
 *
 * Returns: a group on all cores
 */
uint32_t panthor_va_group(struct panthor_va_ctx *ctx, uint32_t queues)
{
	struct drm_panthor_queue_create queue[8];
	struct drm_panthor_group_create group = panthor_va_group_args(ctx, queue, queues);

	igt_panthor_group_create(ctx->fd, &group, 0);
	return group.group_handle;
}

uint32_t panthor_va_submit(struct panthor_va_ctx *ctx, uint32_t group, uint32_t queue, struct panthor_va_stream *cs)
{
	uint32_t syncobj = syncobj_create(ctx->fd, 0);

	panthor_va_emit_publish(cs);
	igt_panthor_group_submit_simple(ctx->fd, group, queue, cs->va, cs->count * sizeof(*cs->words), syncobj, 0);
	return syncobj;
}

uint32_t panthor_va_group_state(struct panthor_va_ctx *ctx, uint32_t group)
{
	struct drm_panthor_group_get_state args = { .group_handle = group };

	do_ioctl(ctx->fd, DRM_IOCTL_PANTHOR_GROUP_GET_STATE, &args);
	return args.state;
}

void panthor_va_expect_fatal(struct panthor_va_ctx *ctx, uint32_t group)
{
	/* The state follows the fence. */
	for (int i = 0; i < 2000 && !panthor_va_group_state(ctx, group); i++)
		usleep(1000);

	igt_assert(panthor_va_group_state(ctx, group) & DRM_PANTHOR_GROUP_STATE_FATAL_FAULT);
}

void panthor_va_run(struct panthor_va_ctx *ctx, struct panthor_va_stream *cs)
{
	uint32_t group = panthor_va_group(ctx, 1);
	uint32_t syncobj = panthor_va_submit(ctx, group, 0, cs);

	igt_assert_f(panthor_va_wait(ctx->fd, &syncobj), "the job never ended\n");
	igt_assert_eq_u32(panthor_va_group_state(ctx, group), 0);
	igt_panthor_group_destroy(ctx->fd, group, 0);
}

void panthor_va_run_faulting(struct panthor_va_ctx *ctx, struct panthor_va_stream *cs)
{
	uint32_t group = panthor_va_group(ctx, 1), syncobj;

	igt_emit_ignore_dmesg_regex(PANTHOR_VA_FAULT_MESSAGES);
	syncobj = panthor_va_submit(ctx, group, 0, cs);
	igt_assert_f(panthor_va_wait(ctx->fd, &syncobj), "the fence of a job that faults never signaled\n");
	panthor_va_expect_fatal(ctx, group);
	igt_panthor_group_destroy(ctx->fd, group, 0);
}

void panthor_va_store(struct panthor_va_ctx *ctx, uint64_t va, uint32_t value)
{
	struct panthor_va_stream cs = panthor_va_stream(ctx);

	panthor_va_emit_store(&cs, va, value);
	panthor_va_run(ctx, &cs);
}

void panthor_va_store_faulting(struct panthor_va_ctx *ctx, uint64_t va)
{
	struct panthor_va_stream cs = panthor_va_stream(ctx);

	panthor_va_emit_store(&cs, va, 1);
	panthor_va_run_faulting(ctx, &cs);
}

uint32_t panthor_va_load(struct panthor_va_ctx *ctx, uint64_t va)
{
	struct panthor_va_stream cs = panthor_va_stream(ctx);

	*panthor_va_word(ctx, 0) = 0xdeadbeef;
	panthor_va_emit_copy(&cs, va, PANTHOR_VA_MEMORY);
	panthor_va_run(ctx, &cs);
	return *panthor_va_word(ctx, 0);
}

void panthor_va_check_device(int device)
{
	struct panthor_va_ctx fresh;

	panthor_va_init(&fresh, device, 0, 0);
	panthor_va_store(&fresh, PANTHOR_VA_MEMORY + 64, 0xa11fe);
	igt_assert_eq_u32(*panthor_va_word(&fresh, 1), 0xa11fe);
	panthor_va_fini(&fresh);
}

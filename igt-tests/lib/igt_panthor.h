/* SPDX-License-Identifier: MIT */
/*
 * Declarations of the panthor part of libigt.so.0 (igt-gpu-tools 2.5) our tests use, and its command-stream encoders, which
 * IGT has in a header. Layouts: userspace/libpanthor/isa/include/panthor/isa/table.hpp.
 */
#ifndef PANTHOR_LAB_IGT_PANTHOR_H
#define PANTHOR_LAB_IGT_PANTHOR_H

#include <stdbool.h>
#include <stdint.h>

#include <drm/panthor_drm.h>

struct panthor_bo {
	int handle;
	uint64_t offset;
	uint64_t size;
	void *map;
};

void igt_panthor_skip_on_big_endian(void);
void igt_panthor_query(int fd, int32_t type, void *data, size_t size, int err);
void igt_panthor_vm_destroy(int fd, uint32_t vm_id, int err);
void igt_panthor_bo_create_mapped(int fd, struct panthor_bo *bo, uint64_t size, uint32_t flags, int err);
void igt_panthor_free_bo(int fd, struct panthor_bo *bo);
void igt_panthor_group_create(int fd, struct drm_panthor_group_create *group_create, int err);
void igt_panthor_group_destroy(int fd, uint32_t group_handle, int err);
void igt_panthor_group_submit_simple(int fd, uint32_t group_handle, uint32_t queue_index, uint64_t stream_addr,
				     uint32_t stream_size, uint32_t syncobj_handle, int err);
uint64_t igt_panthor_get_first_core(uint64_t cores_present);

enum cs_flush_mode {
	CS_FLUSH_MODE_NONE = 0,
	CS_FLUSH_MODE_CLEAN = 1,
	CS_FLUSH_MODE_INVALIDATE = 2,
	CS_FLUSH_MODE_CLEAN_AND_INVALIDATE = 3,
};

static inline uint64_t cs_mov48(uint8_t dst, uint64_t immediate)
{
	return 1ull << 56 | (uint64_t)dst << 48 | (immediate & 0xffffffffffffull);
}

static inline uint64_t cs_mov32(uint8_t dst, uint32_t immediate)
{
	return 2ull << 56 | (uint64_t)dst << 48 | immediate;
}

static inline uint64_t cs_wait(uint16_t entries, bool progress_inc)
{
	return 3ull << 56 | (uint64_t)progress_inc << 32 | (uint64_t)entries << 16;
}

static inline uint64_t cs_stm32(uint8_t address, uint8_t src, int16_t offset)
{
	return 21ull << 56 | (uint64_t)src << 48 | (uint64_t)address << 40 | 1u << 16 | (uint16_t)offset;
}

static inline uint64_t cs_flush(enum cs_flush_mode l2, enum cs_flush_mode lsc, enum cs_flush_mode other,
				uint16_t wait_mask, uint8_t flush_id, uint8_t signal_slot)
{
	return 36ull << 56 | (uint64_t)signal_slot << 48 | (uint64_t)flush_id << 40 | (uint64_t)wait_mask << 16 |
	       (uint64_t)other << 8 | (uint64_t)lsc << 4 | (uint64_t)l2;
}

#endif

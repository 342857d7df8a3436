// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "igt.h"
#include "igt_syncobj.h"
#include "panthor_va.h"

/* What one fault gets when memory is plenty. */
#define BLOCK ((uint64_t)SZ_2M)

/* Where the buffer of a subtest is mapped, unless it is about addresses. */
#define BASE (16ull << 32)

/* A command buffer's stack for 5328 bytes a thread: 8 KiB for each of 2048 threads on 19 cores. */
#define STACK (304ull * SZ_1M)

/* Stores of a job that keeps faulting, each into a block of its own. */
#define SWEEP 64u
#define SWEEP_SIZE (SWEEP * BLOCK)

/* With room for words that move on with every block. */
#define SWEEP_BUFFER (SWEEP_SIZE + BLOCK)

struct scratch {
	struct panthor_va_ctx ctx;
	struct panthor_bo bo;
	uint64_t va;
};

static struct scratch scratch_init(int device, uint64_t size, uint32_t flags)
{
	struct scratch s = { .va = BASE };

	panthor_va_init(&s.ctx, device, 0, 0);
	panthor_va_bo_create(s.ctx.fd, &s.bo, size, PANTHOR_SCRATCH | flags, s.ctx.vm_id, 0);
	panthor_va_map(s.ctx.fd, s.ctx.vm_id, &s.bo, s.va, 0);
	return s;
}

static void scratch_fini(struct scratch *s)
{
	igt_panthor_free_bo(s->ctx.fd, &s->bo);
	panthor_va_fini(&s->ctx);
}

static void store(struct scratch *s, uint64_t offset, uint32_t value)
{
	panthor_va_store(&s->ctx, s->va + offset, value);
}

static void expect_at(struct scratch *s, uint64_t offset, uint32_t value)
{
	uint32_t found = panthor_va_load(&s->ctx, s->va + offset);

	igt_assert_f(found == value, "%#x instead of %#x at %#" PRIx64 "\n", found, value, offset);
}

static uint64_t reserved(int fd)
{
	return panthor_va_fdinfo(fd, "panthor-reserved-scratch");
}

static uint64_t resident(int fd)
{
	return panthor_va_fdinfo(fd, "panthor-resident-scratch");
}

static void create_flags(int device)
{
	const uint32_t on_fault = DRM_PANTHOR_BO_ALLOC_ON_FAULT, discardable = DRM_PANTHOR_BO_DISCARDABLE;
	uint32_t vm = panthor_va_vm_create_simple(device, 0, 0, 0);
	struct drm_panthor_va_info info;

	igt_assert(panthor_va_info(device, &info));
	{
		const struct {
			const char *what;
			uint64_t size;
			uint32_t flags, vm;
			int err;
		} rows[] = {
			{ "CPU mappings allowed", SZ_1M, on_fault, vm, EINVAL },
			{ "shared", SZ_1M, PANTHOR_SCRATCH, 0, EINVAL },
			{ "of a VM that isn't there", SZ_1M, PANTHOR_SCRATCH, vm + 1, EINVAL },
			{ "cached CPU mappings", SZ_1M, PANTHOR_SCRATCH | PANTHOR_BO_WB_MMAP, vm, EINVAL },
			{ "discardable, populated", SZ_1M, DRM_PANTHOR_BO_NO_MMAP | discardable, vm, EINVAL },
			{ "discardable alone", SZ_1M, discardable, vm, EINVAL },
			{ "unknown flag", SZ_1M, PANTHOR_SCRATCH | 1u << 28, vm, EINVAL },
			{ "last unknown flag", SZ_1M, PANTHOR_SCRATCH | 1u << 31, vm, EINVAL },
			{ "size 0", 0, PANTHOR_SCRATCH, vm, EINVAL },
			{ "too big", info.max_scratch_size + PANTHOR_PAGE, PANTHOR_SCRATCH, vm, EINVAL },
			{ "wraps when it's rounded up", ~0ull, PANTHOR_SCRATCH, vm, EINVAL },
			{ "one byte", 1, PANTHOR_SCRATCH, vm, 0 },
			{ "one page", PANTHOR_PAGE, PANTHOR_SCRATCH, vm, 0 },
			{ "discardable", SZ_1M, PANTHOR_SCRATCH | discardable, vm, 0 },
			{ "1 TiB", PANTHOR_1T, PANTHOR_SCRATCH, vm, 0 },
			{ "as big as it gets", info.max_scratch_size, PANTHOR_SCRATCH, vm, 0 },
		};

		for (int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct panthor_bo bo;

			igt_info("%s\n", rows[i].what);
			panthor_va_bo_create(device, &bo, rows[i].size, rows[i].flags, rows[i].vm, rows[i].err);
			if (!rows[i].err)
				igt_panthor_free_bo(device, &bo);
		}
	}
	igt_panthor_vm_destroy(device, vm, 0);
}

static void not_for_others(int device)
{
	struct scratch s = scratch_init(device, SZ_1M, 0);
	struct drm_panthor_bo_mmap_offset offset = { .handle = s.bo.handle };
	struct drm_prime_handle prime = { .handle = s.bo.handle, .flags = DRM_CLOEXEC };
	uint32_t vm = panthor_va_vm_create_simple(s.ctx.fd, 0, 0, 0);

	do_ioctl_err(s.ctx.fd, DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET, &offset, EPERM);
	do_ioctl_err(s.ctx.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime, EINVAL);
	panthor_va_map(s.ctx.fd, vm, &s.bo, BASE, EINVAL);
	igt_panthor_vm_destroy(s.ctx.fd, vm, 0);
	scratch_fini(&s);
}

static void first_touch(int device)
{
	struct scratch s = scratch_init(device, SZ_8M, 0);

	expect_at(&s, 0, 0);
	expect_at(&s, SZ_8M - 4, 0);
	store(&s, SZ_4M + 0x1234, 0x5ca7c4);
	expect_at(&s, SZ_4M + 0x1234, 0x5ca7c4);
	expect_at(&s, SZ_4M + 0x1238, 0);
	scratch_fini(&s);
}

static void accounting(int device)
{
	struct scratch s = scratch_init(device, STACK, 0);

	igt_assert_eq_u64(reserved(s.ctx.fd), STACK);
	igt_assert_eq_u64(resident(s.ctx.fd), 0);
	/* A CSG of RK3588's four cores: slices 0, 2, 16 and 18 of 19. */
	for (int slice = 0; slice < 19; slice += slice == 2 ? 14 : 2)
		store(&s, slice * 16ull * SZ_1M, 1);

	igt_assert_lt_u64(0, resident(s.ctx.fd));
	igt_assert_lte_u64(resident(s.ctx.fd), 4 * BLOCK);
	store(&s, PANTHOR_PAGE, 2);
	igt_assert_lte_u64(resident(s.ctx.fd), 4 * BLOCK);

	igt_panthor_free_bo(s.ctx.fd, &s.bo);
	igt_assert_eq_u64(reserved(s.ctx.fd), 0);
	panthor_va_fini(&s.ctx);
}

static uint64_t meminfo(const char *key)
{
	char line[128];
	uint64_t kib = 0;
	FILE *file = fopen("/proc/meminfo", "r");

	igt_assert(file);
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, key, strlen(key)))
			sscanf(line + strlen(key), ": %" SCNu64, &kib);
	}

	fclose(file);
	return kib << 10;
}

static void untouched_stacks(int device)
{
	struct panthor_va_ctx ctx;
	struct panthor_bo bo[12];
	uint64_t before, after;

	panthor_va_init(&ctx, device, 0, 0);
	before = meminfo("MemAvailable");
	for (int i = 0; i < 12; i++) {
		panthor_va_bo_create(ctx.fd, &bo[i], STACK, PANTHOR_SCRATCH, ctx.vm_id, 0);
		panthor_va_map(ctx.fd, ctx.vm_id, &bo[i], BASE + i * STACK, 0);
	}

	after = meminfo("MemAvailable");
	igt_assert_eq_u64(reserved(ctx.fd), 12 * STACK);
	igt_assert_eq_u64(resident(ctx.fd), 0);
	igt_assert_f(before < after + 12 * STACK / 100, "%" PRIu64 " KiB gone\n", (before - after) >> 10);
	for (int i = 0; i < 12; i++)
		igt_panthor_free_bo(ctx.fd, &bo[i]);

	panthor_va_fini(&ctx);
}

static void many_faults(int device)
{
	const uint64_t stride = SZ_1M + 4;
	struct scratch s = scratch_init(device, SWEEP_BUFFER, 0);
	struct panthor_va_stream cs = panthor_va_stream(&s.ctx);

	panthor_va_emit_sweep(&cs, s.va, stride, 2 * SWEEP, 100);
	panthor_va_run(&s.ctx, &cs);
	for (uint32_t i = 0; i < 2 * SWEEP; i += 15)
		expect_at(&s, i * stride, 100 + i);

	scratch_fini(&s);
}

/* Offsets in the buffer and addresses that no big page fits. */
static void unaligned(int device)
{
	const uint64_t size = 3 * SZ_1M + 5 * PANTHOR_PAGE, skip = 7 * PANTHOR_PAGE;
	const uint64_t offsets[] = { 0, SZ_1M, 2 * SZ_1M - 4, 2 * SZ_1M, size - 4 };
	struct scratch s = scratch_init(device, size + skip, 0);
	struct drm_panthor_vm_bind_op op = panthor_va_map_op(&s.bo, BASE + SZ_64M + 3 * PANTHOR_PAGE);

	op.bo_offset = skip;
	op.size = size;
	panthor_va_bind(s.ctx.fd, s.ctx.vm_id, 0, &op, 1, 0);
	s.va = op.va;
	for (int i = 0; i < 5; i++)
		store(&s, offsets[i], i + 1);

	for (int i = 0; i < 5; i++)
		expect_at(&s, offsets[i], i + 1);

	/* The other mapping shows the same. */
	s.va = BASE;
	for (int i = 0; i < 5; i++)
		expect_at(&s, offsets[i] + skip, i + 1);

	scratch_fini(&s);
}

static void outlives_mapping(int device)
{
	struct scratch s = scratch_init(device, SZ_8M, 0);

	store(&s, SZ_4M, 0xc0);
	panthor_va_unmap(s.ctx.fd, s.ctx.vm_id, s.va, SZ_8M, 0);
	s.va = BASE + SZ_1G;
	panthor_va_map(s.ctx.fd, s.ctx.vm_id, &s.bo, s.va, 0);
	expect_at(&s, SZ_4M, 0xc0);
	scratch_fini(&s);
}

static void boundaries_fault(int device)
{
	struct scratch s = scratch_init(device, SZ_4M, 0);

	store(&s, 0, 1);
	store(&s, SZ_4M - 4, 2);
	panthor_va_store_faulting(&s.ctx, s.va - 4);
	panthor_va_store_faulting(&s.ctx, s.va + SZ_4M);
	expect_at(&s, 0, 1);
	expect_at(&s, SZ_4M - 4, 2);
	scratch_fini(&s);
}

static void hole_faults(int device)
{
	struct scratch s = scratch_init(device, SZ_8M, 0);

	for (uint64_t at = 0; at < SZ_8M; at += SZ_1M)
		store(&s, at, at + 7);

	panthor_va_unmap(s.ctx.fd, s.ctx.vm_id, s.va + 3 * SZ_1M, PANTHOR_PAGE, 0);
	panthor_va_store_faulting(&s.ctx, s.va + 3 * SZ_1M);
	panthor_va_store_faulting(&s.ctx, s.va + 3 * SZ_1M + PANTHOR_PAGE - 4);
	for (uint64_t at = 0; at < SZ_8M; at += SZ_1M) {
		if (at != 3 * SZ_1M)
			expect_at(&s, at, at + 7);
	}

	store(&s, 3 * SZ_1M + PANTHOR_PAGE, 8);
	store(&s, 3 * SZ_1M - 4, 9);
	scratch_fini(&s);
}

static void readonly_store_faults(int device)
{
	struct scratch s = scratch_init(device, SZ_4M, 0);
	struct drm_panthor_vm_bind_op op = panthor_va_map_op(&s.bo, BASE + SZ_64M);

	op.flags |= DRM_PANTHOR_VM_BIND_OP_MAP_READONLY;
	panthor_va_bind(s.ctx.fd, s.ctx.vm_id, 0, &op, 1, 0);
	igt_assert_eq_u32(panthor_va_load(&s.ctx, op.va + SZ_2M), 0);
	panthor_va_store_faulting(&s.ctx, op.va + SZ_2M);
	store(&s, SZ_2M, 1);
	igt_assert_eq_u32(panthor_va_load(&s.ctx, op.va + SZ_2M), 1);
	scratch_fini(&s);
}

static void unmapped_faults(int device)
{
	struct scratch s = scratch_init(device, SZ_4M, 0);

	store(&s, 0, 1);
	panthor_va_unmap(s.ctx.fd, s.ctx.vm_id, s.va, SZ_4M, 0);
	panthor_va_store_faulting(&s.ctx, s.va);
	panthor_va_store_faulting(&s.ctx, s.va + SZ_2M);
	scratch_fini(&s);
}

/* Every address a mapping can have, and the buffer on both sides of 4 GiB. */
static void addresses(int device)
{
	struct scratch s = scratch_init(device, SZ_4M, 0);
	struct drm_panthor_va_info info;

	igt_assert(panthor_va_info(device, &info));
	{
		const uint64_t places[] = {
			SZ_16M, PANTHOR_4G - SZ_4M, PANTHOR_4G - SZ_2M, PANTHOR_4G - PANTHOR_PAGE, PANTHOR_4G,
			3 * PANTHOR_4G - PANTHOR_PAGE, PANTHOR_1T - SZ_2M, info.default_user_va_range - SZ_4M,
		};

		for (int i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			s.va = places[i];
			panthor_va_map(s.ctx.fd, s.ctx.vm_id, &s.bo, s.va, 0);
			store(&s, 0, i + 1);
			store(&s, SZ_2M - 4, i + 2);
			store(&s, SZ_2M, i + 3);
			store(&s, SZ_4M - 4, i + 4);
			expect_at(&s, 0, i + 1);
			expect_at(&s, SZ_2M - 4, i + 2);
			panthor_va_unmap(s.ctx.fd, s.ctx.vm_id, s.va, SZ_4M, 0);
		}

		s.va = info.default_user_va_range - SZ_2M;
		panthor_va_map(s.ctx.fd, s.ctx.vm_id, &s.bo, s.va, EINVAL);
	}
	scratch_fini(&s);
}

static void tebibyte(int device)
{
	struct scratch s = scratch_init(device, PANTHOR_1T, 0);
	const uint64_t offsets[] = { 0, PANTHOR_4G - 4, PANTHOR_4G, PANTHOR_1T / 2 + 3 * PANTHOR_PAGE, PANTHOR_1T - 4 };

	for (int i = 0; i < 5; i++)
		store(&s, offsets[i], i + 1);

	for (int i = 0; i < 5; i++)
		expect_at(&s, offsets[i], i + 1);

	igt_assert_lte_u64(resident(s.ctx.fd), 5 * BLOCK);
	panthor_va_unmap(s.ctx.fd, s.ctx.vm_id, s.va + PANTHOR_1T / 4, PANTHOR_1T / 2, 0);
	expect_at(&s, 0, 1);
	expect_at(&s, PANTHOR_1T - 4, 5);
	panthor_va_store_faulting(&s.ctx, s.va + PANTHOR_1T / 2);
	scratch_fini(&s);
}

static void discard(int device)
{
	igt_require_f(panthor_va_debugfs_write(device, "discard_scratch", "0x7fffffff"),
		      "no debugfs file \"discard_scratch\"\n");
}

/* Memory pressure leaves alone what is locked at that moment, as a VM is whose fault handler is about to return. */
static void discard_down_to(int device, uint64_t size)
{
	for (int i = 0; i < 100 && resident(device) > size; i++) {
		discard(device);
		usleep(100);
	}

	igt_assert_lte_u64(resident(device), size);
}

static void discard_idle(int device)
{
	struct scratch s = scratch_init(device, SZ_8M, DRM_PANTHOR_BO_DISCARDABLE);
	struct panthor_bo kept;

	panthor_va_bo_create(s.ctx.fd, &kept, SZ_8M, PANTHOR_SCRATCH, s.ctx.vm_id, 0);
	panthor_va_map(s.ctx.fd, s.ctx.vm_id, &kept, BASE + SZ_1G, 0);
	store(&s, PANTHOR_PAGE, 0x90e);
	panthor_va_store(&s.ctx, BASE + SZ_1G, 0x4e9);
	discard_down_to(s.ctx.fd, BLOCK);
	expect_at(&s, PANTHOR_PAGE, 0);
	igt_assert_eq_u32(panthor_va_load(&s.ctx, BASE + SZ_1G), 0x4e9);
	store(&s, PANTHOR_PAGE, 0x11);
	expect_at(&s, PANTHOR_PAGE, 0x11);
	igt_panthor_free_bo(s.ctx.fd, &kept);
	scratch_fini(&s);
}

static void discard_unmapped(int device)
{
	struct scratch s = scratch_init(device, SZ_8M, DRM_PANTHOR_BO_DISCARDABLE);

	store(&s, 0, 1);
	panthor_va_unmap(s.ctx.fd, s.ctx.vm_id, s.va, SZ_8M, 0);
	discard_down_to(s.ctx.fd, 0);
	panthor_va_map(s.ctx.fd, s.ctx.vm_id, &s.bo, s.va, 0);
	expect_at(&s, 0, 0);
	scratch_fini(&s);
}

/* A job that waits keeps its stack, also while its group is on no slot. */
static void discard_busy(int device)
{
	struct scratch s = scratch_init(device, SZ_8M, DRM_PANTHOR_BO_DISCARDABLE);
	const uint64_t gate = PANTHOR_VA_MEMORY + 64, seen = PANTHOR_VA_MEMORY + 128;
	uint32_t group = panthor_va_group(&s.ctx, 2), done, opened;
	struct panthor_va_stream cs = panthor_va_stream(&s.ctx);

	panthor_va_emit_store(&cs, s.va, 0x57ac);
	panthor_va_emit_publish(&cs);
	panthor_va_emit_wait(&cs, gate);
	panthor_va_emit_copy(&cs, s.va, seen);
	done = panthor_va_submit(&s.ctx, group, 0, &cs);
	for (int i = 0; i < 1000 && !resident(s.ctx.fd); i++)
		usleep(1000);

	discard(s.ctx.fd);
	igt_assert_lt_u64(0, resident(s.ctx.fd));

	cs = panthor_va_stream(&s.ctx);
	panthor_va_emit_signal(&cs, gate);
	opened = panthor_va_submit(&s.ctx, group, 1, &cs);
	igt_assert(panthor_va_wait(s.ctx.fd, &opened));
	igt_assert(panthor_va_wait(s.ctx.fd, &done));
	igt_assert_eq_u32(*panthor_va_word(&s.ctx, 2), 0x57ac);
	igt_panthor_group_destroy(s.ctx.fd, group, 0);
	scratch_fini(&s);
}

/* ---- while a job faults again and again
 *
 * The job stores into SWEEP blocks in turn until it is told to stop. Meanwhile the buffer is mapped over itself: what it holds
 * stays, but each block faults once more.
 */
struct churn {
	struct scratch s;
	uint32_t group, done;
};

#define CHURN_STOP (PANTHOR_VA_MEMORY + 64)

static uint32_t churn_submit(struct scratch *s, uint32_t group, uint64_t offset, uint32_t value)
{
	struct panthor_va_stream cs = panthor_va_stream(&s->ctx);

	panthor_va_emit_sweep(&cs, s->va + offset, BLOCK + 4, SWEEP, value);
	panthor_va_emit_repeat(&cs, CHURN_STOP);
	return panthor_va_submit(&s->ctx, group, 0, &cs);
}

static struct churn churn_start(int device)
{
	struct churn c = { .s = scratch_init(device, SWEEP_BUFFER, 0) };

	c.group = panthor_va_group(&c.s.ctx, 1);
	c.done = churn_submit(&c.s, c.group, 0, 1);
	return c;
}

/* Seconds a subtest keeps a job busy at most, also on a machine so slow that it isn't done with its rounds by then: the driver
 * gives a job up after 5.
 */
#define CHURN_SECONDS 2

/* Lets the job fault for about this many times 100 us, and for the last time right now. */
static void churn(struct scratch *s, uint32_t times)
{
	struct timespec start = {};

	for (uint32_t i = 0; i < times && igt_seconds_elapsed(&start) < CHURN_SECONDS; i++) {
		usleep(100);
		panthor_va_map(s->ctx.fd, s->ctx.vm_id, &s->bo, s->va, 0);
	}
}

static void churn_stop(struct churn *c)
{
	*panthor_va_word(&c->s.ctx, 1) = 1;
	igt_assert_f(panthor_va_wait(c->s.ctx.fd, &c->done), "the job never ended\n");
}

static void churn_fini(struct churn *c)
{
	igt_panthor_group_destroy(c->s.ctx.fd, c->group, 0);
	scratch_fini(&c->s);
}

/* For jobs that must not notice. */
static void churn_check(struct churn *c)
{
	churn_stop(c);
	igt_assert_eq_u32(panthor_va_group_state(&c->s.ctx, c->group), 0);
	for (uint32_t i = 0; i < SWEEP; i += 7)
		expect_at(&c->s, i * (BLOCK + 4), 1 + i);
}

static void bind_during_fault(int device)
{
	struct churn c = churn_start(device);
	const int fd = c.s.ctx.fd;
	const uint64_t va = BASE + 4 * PANTHOR_4G;
	struct timespec start = {};
	struct panthor_bo bo;

	panthor_va_bo_create(fd, &bo, SZ_4M, DRM_PANTHOR_BO_NO_MMAP, 0, 0);
	for (int i = 0; i < 200 && igt_seconds_elapsed(&start) < CHURN_SECONDS; i++) {
		churn(&c.s, 1);
		panthor_va_map(fd, c.s.ctx.vm_id, &bo, va, 0);
		panthor_va_unmap(fd, c.s.ctx.vm_id, va + SZ_1M, PANTHOR_PAGE, 0);
		panthor_va_unmap(fd, c.s.ctx.vm_id, va, SZ_4M, 0);
	}

	churn_check(&c);
	igt_panthor_free_bo(fd, &bo);
	churn_fini(&c);
}

static void unbind_during_fault(int device)
{
	igt_emit_ignore_dmesg_regex(PANTHOR_VA_FAULT_MESSAGES);
	for (int round = 0; round < 8; round++) {
		struct churn c = churn_start(device);
		const uint64_t kept = round * BLOCK;

		churn(&c.s, round);
		usleep(round * 10);
		panthor_va_unmap(c.s.ctx.fd, c.s.ctx.vm_id, c.s.va + kept, SWEEP_BUFFER - kept, 0);
		igt_assert_f(panthor_va_wait(c.s.ctx.fd, &c.done), "the fence of an unmapped job never signaled\n");
		churn_fini(&c);
	}

	panthor_va_check_device(device);
}

static void evict_during_fault(int device)
{
	struct igt_helper_process shrinker = {};
	struct scratch s = scratch_init(device, SWEEP_BUFFER, DRM_PANTHOR_BO_DISCARDABLE);
	uint32_t group = panthor_va_group(&s.ctx, 1);

	discard(s.ctx.fd);
	igt_fork_helper(&shrinker) {
		for (;;) {
			panthor_va_debugfs_write(device, "discard_scratch", "0x7fffffff");
			panthor_va_debugfs_write(device, "shrink", "0x100000");
			usleep(200);
		}
	}

	for (int round = 0; round < 8; round++) {
		const uint64_t seen = PANTHOR_VA_MEMORY + 64;
		struct panthor_va_stream cs = panthor_va_stream(&s.ctx);
		uint32_t done;

		/* What a job wrote it finds again, whatever happens around it. */
		panthor_va_emit_sweep(&cs, s.va, BLOCK + 4, SWEEP, round + 1);
		panthor_va_emit_copy(&cs, s.va, seen);
		done = panthor_va_submit(&s.ctx, group, 0, &cs);
		igt_assert(panthor_va_wait(s.ctx.fd, &done));
		igt_assert_eq_u32(*panthor_va_word(&s.ctx, 1), round + 1);
		igt_assert_eq_u32(panthor_va_group_state(&s.ctx, group), 0);
	}

	igt_stop_helper(&shrinker);
	discard_down_to(s.ctx.fd, 0);
	igt_panthor_group_destroy(s.ctx.fd, group, 0);
	scratch_fini(&s);
}

static void kill_during_fault(int device)
{
	igt_emit_ignore_dmesg_regex(PANTHOR_VA_FAULT_MESSAGES);
	for (int round = 0; round < 8; round++) {
		int ready[2], status;
		char byte;
		pid_t pid;

		igt_assert_eq(pipe(ready), 0);
		pid = fork();
		igt_assert(pid >= 0);
		if (pid == 0) {
			struct churn c = churn_start(device);

			if (write(ready[1], "", 1) != 1)
				_exit(1);
			for (;;)
				churn(&c.s, 1);
		}

		close(ready[1]);
		igt_assert_f(read(ready[0], &byte, 1) == 1, "the child submitted nothing\n");
		close(ready[0]);
		usleep(1000 + round * 15);
		igt_assert_eq(kill(pid, SIGKILL), 0);
		igt_assert_eq(waitpid(pid, &status, 0), pid);
		igt_assert(WIFSIGNALED(status));
	}

	panthor_va_check_device(device);
}

static void destroy_during_fault(int device)
{
	igt_emit_ignore_dmesg_regex(PANTHOR_VA_FAULT_MESSAGES);
	for (int round = 0; round < 9; round++) {
		struct churn c = churn_start(device);
		const int fd = c.s.ctx.fd;

		churn(&c.s, 3);
		usleep(round * 10);
		/* The group, the VM, or both with the file. */
		if (round % 3 == 0)
			igt_panthor_group_destroy(fd, c.group, 0);
		if (round % 3 == 1)
			igt_panthor_vm_destroy(fd, c.s.ctx.vm_id, 0);
		if (round % 3 < 2)
			igt_assert_f(panthor_va_wait(fd, &c.done), "the fence of a destroyed job never signaled\n");
		panthor_va_close(&c.s.ctx);
	}

	panthor_va_check_device(device);
}

/* More groups than there are slots, so each is suspended and resumed while it faults. */
static void group_suspend_during_fault(int device)
{
	struct scratch s = scratch_init(device, SWEEP_BUFFER, 0);
	struct drm_panthor_csif_info csif = {};
	uint32_t count, group[16], done[16];

	igt_panthor_query(s.ctx.fd, DRM_PANTHOR_DEV_QUERY_CSIF_INFO, &csif, sizeof(csif), 0);
	count = csif.csg_slot_count * 3 / 2;
	igt_assert_lte_u64(count, 16);
	for (uint32_t i = 0; i < count; i++) {
		group[i] = panthor_va_group(&s.ctx, 1);
		done[i] = churn_submit(&s, group[i], i * PANTHOR_PAGE, i * 1000);
	}

	/* Three ticks of the scheduler. */
	churn(&s, 300);
	*panthor_va_word(&s.ctx, 1) = 1;
	for (uint32_t i = 0; i < count; i++) {
		igt_assert_f(panthor_va_wait(s.ctx.fd, &done[i]), "group %u never ended\n", i);
		igt_assert_eq_u32(panthor_va_group_state(&s.ctx, group[i]), 0);
		igt_panthor_group_destroy(s.ctx.fd, group[i], 0);
	}

	for (uint32_t i = 0; i < count; i++)
		expect_at(&s, i * PANTHOR_PAGE + SWEEP / 2 * (BLOCK + 4), i * 1000 + SWEEP / 2);

	scratch_fini(&s);
}

static void system_suspend_during_fault(int device)
{
	struct churn c;

	igt_require_f(!access("/sys/power/pm_test", R_OK | W_OK), "the kernel can't try a suspend\n");
	c = churn_start(device);
	churn(&c.s, 3);
	igt_system_suspend_autoresume(SUSPEND_STATE_FREEZE, SUSPEND_TEST_DEVICES);
	churn(&c.s, 3);
	/* A suspend may end a job, but the fence must signal and the memory stay. */
	churn_stop(&c);
	store(&c.s, BLOCK / 2, 0x5afe);
	expect_at(&c.s, BLOCK / 2, 0x5afe);
	expect_at(&c.s, 0, 1);
	churn_fini(&c);
}

/* Nothing but failing hardware makes the driver reset the GPU, so this needs one whose failures can be ordered. */
static void reset_during_fault(int device)
{
	static const char control[] = "/sys/kernel/debug/panthor_vgpu/control";
	static const char order[] = "fault arm csg-ack-lost:count=1\n";

	igt_require_f(!access(control, W_OK), "not panthor-lab's virtual GPU\n");
	igt_emit_ignore_dmesg_regex("panthor");
	for (int round = 0; round < 3; round++) {
		struct churn c = churn_start(device);
		uint32_t other = panthor_va_group(&c.s.ctx, 1), late;
		struct panthor_va_stream cs = panthor_va_stream(&c.s.ctx);
		int fd = open(control, O_WRONLY);

		/* The START of a second group is never acknowledged; the driver waits 100 ms for it. */
		churn(&c.s, 3);
		igt_assert_eq(write(fd, order, strlen(order)), strlen(order));
		close(fd);
		panthor_va_emit_store(&cs, c.s.va + SWEEP_SIZE, 1);
		late = panthor_va_submit(&c.s.ctx, other, 0, &cs);
		usleep(95000);
		churn(&c.s, 150);
		churn_stop(&c);
		igt_assert_f(panthor_va_wait(c.s.ctx.fd, &late), "the fence of the other job never signaled\n");
		igt_panthor_group_destroy(c.s.ctx.fd, other, 0);

		/* The VM and its memory have survived. */
		store(&c.s, BLOCK / 2, 0x5afe);
		expect_at(&c.s, BLOCK / 2, 0x5afe);
		expect_at(&c.s, 0, 1);
		churn_fini(&c);
	}

	panthor_va_check_device(device);
}

/* The driver goes away under a job, and comes back. Returns the device's new file. */
static int unplug_during_fault(int device, int rounds, bool expect_fence)
{
	char path[64], real[PATH_MAX], driver[PATH_MAX];
	const char *name;
	struct stat info;
	int dir;

	igt_assert_eq(fstat(device, &info), 0);
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(info.st_rdev), minor(info.st_rdev));
	igt_require(realpath(path, real));
	name = strrchr(real, '/') + 1;
	dir = open(real, O_RDONLY | O_DIRECTORY);
	igt_assert(dir >= 0);
	igt_require_f(!faccessat(dir, "driver/unbind", W_OK, 0), "only root can do this\n");
	snprintf(path, sizeof(path), "/proc/self/fd/%d/driver", dir);
	igt_assert(realpath(path, driver));
	close(dir);
	dir = open(driver, O_RDONLY | O_DIRECTORY);
	igt_emit_ignore_dmesg_regex("panthor|fb000000.gpu");
	for (int round = 0; round < rounds; round++) {
		struct churn c = churn_start(device);
		struct drm_syncobj_handle done = { .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE };
		struct pollfd fence = { .events = POLLIN };

		/* The file's ioctls end with the device, a sync file does not. */
		done.handle = c.done;
		do_ioctl(c.s.ctx.fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &done);
		fence.fd = done.fd;
		churn(&c.s, 3);
		usleep(round * 20);
		for (int bind = 0; bind < 2; bind++) {
			int attribute = openat(dir, bind ? "bind" : "unbind", O_WRONLY);

			igt_assert_eq(write(attribute, name, strlen(name)), strlen(name));
			close(attribute);
		}

		panthor_va_close(&c.s.ctx);
		igt_assert_f(!expect_fence || poll(&fence, 1, 20000) == 1,
			     "the fence of a job whose device is gone never signaled\n");
		close(fence.fd);
		drm_close_driver(device);
		device = drm_open_driver(DRIVER_PANTHOR);
		panthor_va_check_device(device);
	}

	close(dir);
	return device;
}

int igt_main() {
	static int fd = -1;

	igt_fixture() {
		igt_panthor_skip_on_big_endian();
		fd = drm_open_driver(DRIVER_PANTHOR);
		panthor_va_require(fd, DRM_PANTHOR_VA_FEATURE_ALLOC_ON_FAULT);
	}

	igt_describe("Every combination of flags, owner and size that makes no sense is refused, the others are taken");
	igt_subtest("create_flags")
		create_flags(fd);

	igt_describe("Scratch memory is for one VM: no CPU mapping, no export, no other VM");
	igt_subtest("not_for_others")
		not_for_others(fd);

	igt_describe("The first access to a page sees zeroes, and what is stored stays");
	igt_subtest("first_touch")
		first_touch(fd);

	igt_describe("fdinfo tells what is reserved and what is resident; untouched slices of a stack cost nothing");
	igt_subtest("accounting")
		accounting(fd);

	igt_describe("Twelve mapped stacks of 304 MiB that nobody touches take less than 1 % of their size");
	igt_subtest("untouched_stacks")
		untouched_stacks(fd);

	igt_describe("One job faults many times, at changing offsets");
	igt_subtest("many_faults")
		many_faults(fd);

	igt_describe("Sizes, offsets and addresses that no big page fits, and two mappings of one buffer");
	igt_subtest("unaligned")
		unaligned(fd);

	igt_describe("The contents outlive the mapping");
	igt_subtest("outlives_mapping")
		outlives_mapping(fd);

	igt_describe("Addresses right before and behind the buffer fault as ever");
	igt_subtest("boundaries_fault")
		boundaries_fault(fd);

	igt_describe("A page unmapped in the middle faults, everything around it stays");
	igt_subtest("hole_faults")
		hole_faults(fd);

	igt_describe("A read-only mapping can be read, and a store to it faults");
	igt_subtest("readonly_store_faults")
		readonly_store_faults(fd);

	igt_describe("An unmapped buffer faults, touched before or not");
	igt_subtest("unmapped_faults")
		unmapped_faults(fd);

	igt_describe("Buffers below, above and on both sides of 4 GiB, and at the end of the user range");
	igt_subtest("addresses")
		addresses(fd);

	igt_describe("1 TiB of scratch memory takes what is touched of it, and can be unmapped in parts");
	igt_subtest("tebibyte")
		tebibyte(fd);

	igt_subtest_group() {
		igt_fixture()
			panthor_va_require(fd, DRM_PANTHOR_VA_FEATURE_DISCARDABLE);

		igt_describe("An idle discardable buffer is discarded and reads zero, one that is not keeps its contents");
		igt_subtest("discard_idle")
			discard_idle(fd);

		igt_describe("A discardable buffer that is not mapped is discarded too");
		igt_subtest("discard_unmapped")
			discard_unmapped(fd);

		igt_describe("A buffer of a VM with an unfinished job is not discarded");
		igt_subtest("discard_busy")
			discard_busy(fd);

		igt_describe("Buffers are discarded and evicted all the time while jobs fault; no job loses what it wrote");
		igt_subtest("evict_during_fault")
			evict_during_fault(fd);
	}

	igt_describe("Binds in the same VM go on while a job faults");
	igt_subtest("bind_during_fault")
		bind_during_fault(fd);

	igt_describe("A buffer unmapped under a faulting job ends that job, and nothing else");
	igt_subtest("unbind_during_fault")
		unbind_during_fault(fd);

	igt_describe("A process is killed while its job faults");
	igt_subtest("kill_during_fault")
		kill_during_fault(fd);

	igt_describe("Group, VM and file are destroyed while a job faults");
	igt_subtest("destroy_during_fault")
		destroy_during_fault(fd);

	igt_describe("Groups lose their slots and get them back while they fault");
	igt_subtest("group_suspend_during_fault")
		group_suspend_during_fault(fd);

	igt_describe("The system is suspended while a job faults");
	igt_subtest("system_suspend_during_fault")
		system_suspend_during_fault(fd);

	igt_describe("The GPU is reset while a job faults");
	igt_subtest("reset_during_fault")
		reset_during_fault(fd);

	igt_describe("The driver is unbound while a job faults, and bound again");
	igt_subtest("unplug_during_fault")
		fd = unplug_during_fault(fd, 3, false);

	igt_describe("The fence of a job that faults when the driver is unbound signals");
	igt_subtest("unplug_signals_fence")
		fd = unplug_during_fault(fd, 1, true);

	igt_fixture() {
		drm_close_driver(fd);
	}
}

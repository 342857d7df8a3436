// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <unistd.h>

#include "igt.h"
#include "igt_syncobj.h"
#include "panthor_va.h"

/*
 * Allocations fail inside the driver, and nowhere else: an ioctl says ENOMEM, a job ends with its group, every fence signals,
 * and what is created afterwards works.
 */

#define ROUNDS 200

/* Where a subtest maps; 4 GiB apart, mappings share no page table but the topmost. */
#define BASE (16ull << 32)

/* What the kernel says when it runs out of memory here. */
#define MEMORY_MESSAGES "Failed to setup GPU scheduler--out of memory|Not enough memory to allocate BO label"

/* Documentation/fault-injection/fault-injection.rst */
static const char *const injectors[] = { "failslab", "fail_page_alloc" };

static bool injector_write(const char *injector, const char *attribute, const char *value)
{
	char path[128];
	bool written;
	int file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", injector, attribute);
	file = open(path, O_WRONLY);
	if (file < 0)
		return false;

	written = write(file, value, strlen(value)) == strlen(value);
	close(file);
	return written;
}

/* Of 100 allocations that have panthor in their call chain, this many fail. */
static void fail(int percent)
{
	char value[16];

	snprintf(value, sizeof(value), "%d", percent);
	for (int i = 0; i < 2; i++)
		igt_assert(injector_write(injectors[i], "probability", value));
}

static void fail_nothing(int sig)
{
	for (int i = 0; i < 2; i++)
		injector_write(injectors[i], "probability", "0");
}

static void require_injectors(void)
{
	static const struct {
		const char *attribute, *value;
	} settings[] = {
		{ "probability", "0" },	    { "interval", "1" },	 { "times", "-1" },	  { "space", "0" },
		{ "verbose", "0" },	    { "task-filter", "N" },	 { "ignore-gfp-wait", "N" }, { "stacktrace-depth", "32" },
	};
	unsigned long start = 0, size = 0;
	char line[256], text[32];
	FILE *modules = fopen("/proc/modules", "r");

	igt_require(modules);
	while (fgets(line, sizeof(line), modules)) {
		if (sscanf(line, "panthor %lu %*s %*s %*s %lx", &size, &start) == 2)
			break;
	}

	fclose(modules);
	igt_require_f(start, "panthor is no module, or its address is hidden\n");
	for (int i = 0; i < 2; i++) {
		for (int s = 0; s < sizeof(settings) / sizeof(settings[0]); s++)
			igt_require_f(injector_write(injectors[i], settings[s].attribute, settings[s].value),
				      "no %s/%s in debugfs\n", injectors[i], settings[s].attribute);

		snprintf(text, sizeof(text), "%#lx", start);
		igt_require_f(injector_write(injectors[i], "require-start", text), "no filter by call chain\n");
		snprintf(text, sizeof(text), "%#lx", start + size);
		igt_require(injector_write(injectors[i], "require-end", text));
	}

	/* Single pages too. */
	igt_require(injector_write("fail_page_alloc", "min-order", "0"));
}

/*
 * Returns what an ioctl that may run out of memory says: 0 or ENOMEM. The kernel's own words for it count too: shmem says ENOSPC
 * if it gets no inode, alloc_io_pgtable_ops() doesn't say why it failed, of which panthor makes EINVAL.
 */
static int try(int fd, unsigned long request, void *argument)
{
	int err;

	fail(2);
	err = igt_ioctl(fd, request, argument) ? errno : 0;
	fail(0);
	igt_assert_f(!err || err == ENOMEM || err == ENOSPC || (err == EINVAL && request == DRM_IOCTL_PANTHOR_VM_CREATE),
		     "ioctl %#lx: %s\n", request, strerror(err));
	return err;
}

/* What failed and what did not; a run in which nothing failed, or everything, shows nothing. */
struct tally {
	uint32_t good, failed;
};

static void count(struct tally *tally, bool good)
{
	if (good)
		tally->good++;
	else
		tally->failed++;
}

static void check(int device, const struct tally *tally)
{
	igt_info("%u good, %u failed\n", tally->good, tally->failed);
	igt_assert(tally->good && tally->failed);
	panthor_va_check_device(device);
}

static void vm_create(int device)
{
	struct tally tally = {};

	igt_emit_ignore_dmesg_regex(MEMORY_MESSAGES);
	for (int i = 0; i < ROUNDS; i++) {
		struct drm_panthor_vm_create args = {};
		int err = try(device, DRM_IOCTL_PANTHOR_VM_CREATE, &args);

		count(&tally, !err);
		if (!err)
			igt_panthor_vm_destroy(device, args.id, 0);
	}

	check(device, &tally);
}

static void bo_create(int device)
{
	struct tally tally = {};

	for (int i = 0; i < ROUNDS; i++) {
		struct drm_panthor_bo_create args = { .size = SZ_64K };
		int err = try(device, DRM_IOCTL_PANTHOR_BO_CREATE, &args);

		count(&tally, !err);
		if (!err)
			gem_close(device, args.handle);
	}

	check(device, &tally);
}

static bool vm_usable(int fd, uint32_t vm_id)
{
	struct drm_panthor_vm_get_state args = { .vm_id = vm_id };

	do_ioctl(fd, DRM_IOCTL_PANTHOR_VM_GET_STATE, &args);
	return args.state == DRM_PANTHOR_VM_STATE_USABLE;
}

/*
 * Maps and unmaps. A mapping that failed halfway may cost the VM, which then says so. Asynchronous ones are complete when
 * their fence has signaled, whatever became of them.
 */
static void vm_bind(int device, bool async)
{
	struct tally tally = {};
	uint32_t vm_id = panthor_va_vm_create_simple(device, 0, 0, 0);
	struct panthor_bo bo;

	panthor_va_bo_create(device, &bo, SZ_4M, DRM_PANTHOR_BO_NO_MMAP, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t syncobj = syncobj_create(device, 0);
		struct drm_panthor_sync_op signal = {
			.flags = DRM_PANTHOR_SYNC_OP_SIGNAL | DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_SYNCOBJ,
			.handle = syncobj,
		};
		struct drm_panthor_vm_bind_op op = panthor_va_map_op(&bo, BASE + (i % 8) * PANTHOR_4G);
		struct drm_panthor_vm_bind args = {
			.vm_id = vm_id,
			.flags = async ? DRM_PANTHOR_VM_BIND_ASYNC : 0,
			.ops = DRM_PANTHOR_OBJ_ARRAY(1, &op),
		};
		bool good;

		if (i % 3 == 2)
			op = panthor_va_unmap_op(BASE + ((i - 2) % 8) * PANTHOR_4G + SZ_1M, SZ_2M);
		if (async)
			op.syncs = (struct drm_panthor_obj_array)DRM_PANTHOR_OBJ_ARRAY(1, &signal);

		good = !try(device, DRM_IOCTL_PANTHOR_VM_BIND, &args);
		if (async && good)
			igt_assert_f(panthor_va_wait(device, &syncobj), "the fence of bind %d never signaled\n", i);
		else
			syncobj_destroy(device, syncobj);

		count(&tally, good);
		if (!vm_usable(device, vm_id)) {
			igt_panthor_vm_destroy(device, vm_id, 0);
			vm_id = panthor_va_vm_create_simple(device, 0, 0, 0);
		}
	}

	igt_panthor_free_bo(device, &bo);
	igt_panthor_vm_destroy(device, vm_id, 0);
	check(device, &tally);
}

static void group_create(int device)
{
	struct tally tally = {};
	struct panthor_va_ctx ctx;

	igt_emit_ignore_dmesg_regex(MEMORY_MESSAGES);
	panthor_va_init(&ctx, device, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		struct drm_panthor_queue_create queue;
		struct drm_panthor_group_create args = panthor_va_group_args(&ctx, &queue, 1);
		int err = try(ctx.fd, DRM_IOCTL_PANTHOR_GROUP_CREATE, &args);

		count(&tally, !err);
		if (!err)
			igt_panthor_group_destroy(ctx.fd, args.group_handle, 0);
	}

	panthor_va_fini(&ctx);
	check(device, &tally);
}

static int try_submit(struct panthor_va_ctx *ctx, uint32_t group, const struct panthor_va_stream *cs, uint32_t syncobj)
{
	struct drm_panthor_sync_op signal = {
		.flags = DRM_PANTHOR_SYNC_OP_SIGNAL | DRM_PANTHOR_SYNC_OP_HANDLE_TYPE_SYNCOBJ,
		.handle = syncobj,
	};
	struct drm_panthor_queue_submit job = {
		.syncs = DRM_PANTHOR_OBJ_ARRAY(1, &signal),
		.stream_addr = cs->va,
		.stream_size = cs->count * sizeof(*cs->words),
	};
	struct drm_panthor_group_submit args = {
		.group_handle = group,
		.queue_submits = DRM_PANTHOR_OBJ_ARRAY(1, &job),
	};

	return try(ctx->fd, DRM_IOCTL_PANTHOR_GROUP_SUBMIT, &args);
}

/* What the kernel took is done, though nothing could be allocated meanwhile. */
static void submit(int device)
{
	struct tally tally = {};
	struct panthor_va_ctx ctx;
	uint32_t group;

	panthor_va_init(&ctx, device, 0, 0);
	group = panthor_va_group(&ctx, 1);
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		struct panthor_va_stream cs = panthor_va_stream(&ctx);
		uint32_t syncobj = syncobj_create(ctx.fd, 0);
		int err;

		panthor_va_emit_store(&cs, PANTHOR_VA_MEMORY, i);
		panthor_va_emit_publish(&cs);
		err = try_submit(&ctx, group, &cs, syncobj);
		count(&tally, !err);
		if (err) {
			syncobj_destroy(ctx.fd, syncobj);
			continue;
		}

		fail(100);
		igt_assert_f(panthor_va_wait(ctx.fd, &syncobj), "the fence of job %u never signaled\n", i);
		fail(0);
		igt_assert_eq_u32(*panthor_va_word(&ctx, 0), i);
		igt_assert_eq_u32(panthor_va_group_state(&ctx, group), 0);
	}

	igt_panthor_group_destroy(ctx.fd, group, 0);
	panthor_va_fini(&ctx);
	check(device, &tally);
}

/* A job touches memory that is allocated then, more than the kernel keeps ready: it gets there, or its group ends. */
static void scratch_fault(int device)
{
	const uint32_t blocks = 256;
	struct tally tally = {};

	igt_emit_ignore_dmesg_regex(PANTHOR_VA_FAULT_MESSAGES);
	for (int i = 0; i < ROUNDS / 10; i++) {
		struct panthor_va_ctx ctx;
		struct panthor_va_stream cs;
		struct panthor_bo bo;
		uint32_t group, done;

		panthor_va_init(&ctx, device, 0, 0);
		panthor_va_bo_create(ctx.fd, &bo, blocks * (uint64_t)SZ_2M, PANTHOR_SCRATCH, ctx.vm_id, 0);
		panthor_va_map(ctx.fd, ctx.vm_id, &bo, BASE, 0);
		group = panthor_va_group(&ctx, 1);
		cs = panthor_va_stream(&ctx);
		panthor_va_emit_sweep(&cs, BASE, SZ_2M, blocks, 1);
		panthor_va_emit_copy(&cs, BASE + (blocks - 1) * (uint64_t)SZ_2M, PANTHOR_VA_MEMORY);
		done = panthor_va_submit(&ctx, group, 0, &cs);
		fail(i % 2 ? 100 : 1);
		igt_assert_f(panthor_va_wait(ctx.fd, &done), "the fence of job %d never signaled\n", i);
		fail(0);
		count(&tally, *panthor_va_word(&ctx, 0) == blocks);
		if (*panthor_va_word(&ctx, 0) == blocks)
			igt_assert_eq_u32(panthor_va_group_state(&ctx, group), 0);
		else
			panthor_va_expect_fatal(&ctx, group);

		igt_panthor_group_destroy(ctx.fd, group, 0);
		igt_panthor_free_bo(ctx.fd, &bo);
		panthor_va_fini(&ctx);
	}

	check(device, &tally);
}

int igt_main() {
	static int fd = -1;

	igt_fixture() {
		igt_panthor_skip_on_big_endian();
		fd = drm_open_driver(DRIVER_PANTHOR);
		require_injectors();
		igt_install_exit_handler(fail_nothing);
	}

	igt_describe("VMs can be created, or there is no memory");
	igt_subtest("vm_create")
		vm_create(fd);

	igt_describe("Buffers can be created, or there is no memory");
	igt_subtest("bo_create")
		bo_create(fd);

	igt_describe("Mappings are made and undone, or there is no memory; a VM that suffered says so");
	igt_subtest("vm_bind")
		vm_bind(fd, false);

	igt_describe("The same by the bind queue, whose fences signal");
	igt_subtest("vm_bind_async")
		vm_bind(fd, true);

	igt_describe("Groups can be created, or there is no memory");
	igt_subtest("group_create")
		group_create(fd);

	igt_describe("Jobs are refused or run to their end, though no allocation succeeds meanwhile");
	igt_subtest("submit")
		submit(fd);

	igt_describe("A job that needs memory on first touch gets it or ends with its group, and its fence signals");
	igt_subtest("scratch_fault") {
		panthor_va_require(fd, DRM_PANTHOR_VA_FEATURE_ALLOC_ON_FAULT);
		scratch_fault(fd);
	}

	igt_fixture() {
		fail_nothing(0);
		drm_close_driver(fd);
	}
}

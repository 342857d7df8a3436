// SPDX-License-Identifier: MIT

#include <sys/mman.h>
#include <unistd.h>

#include "igt.h"
#include "igt_syncobj.h"
#include "panthor_va.h"
#include "sw_sync.h"

#define LINE PANTHOR_4G
#define PLACE DRM_PANTHOR_VM_BIND_OP_MAP_PLACE
#define BELOW_4G DRM_PANTHOR_VM_BIND_OP_PLACE_BELOW_4G
#define NO_CROSS_4G DRM_PANTHOR_VM_BIND_OP_PLACE_NO_CROSS_4G
#define ASYNC DRM_PANTHOR_VM_BIND_ASYNC

/* A VM with a heap, and a buffer to place in it again and again. */
struct place {
	int fd;
	uint32_t vm;
	struct panthor_bo bo;
};

static struct place place_init(int device, uint64_t start, uint64_t size, uint64_t bo_size)
{
	struct place place = { .fd = drm_reopen_driver(device) };

	place.vm = panthor_va_vm_create_simple(place.fd, start, size, 0);
	panthor_va_bo_create(place.fd, &place.bo, bo_size, DRM_PANTHOR_BO_NO_MMAP, 0, 0);
	return place;
}

static void place_fini(struct place *place)
{
	igt_panthor_free_bo(place->fd, &place->bo);
	igt_panthor_vm_destroy(place->fd, place->vm, 0);
	drm_close_driver(place->fd);
}

static uint64_t place_one(struct place *place, uint64_t align, uint32_t flags)
{
	return panthor_va_place(place->fd, place->vm, &place->bo, align, flags, 0);
}

static void place_fails(struct place *place, uint64_t align, uint32_t flags, int err)
{
	panthor_va_place(place->fd, place->vm, &place->bo, align, flags, err);
}

static void unplace(struct place *place, uint64_t va, uint64_t size)
{
	panthor_va_unmap(place->fd, place->vm, va, size, 0);
}

/* Whether a mapping can't be seen from a VM is checked by placing another one there. */
static void expect_room_for(struct place *place, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		place_one(place, 0, 0);

	place_fails(place, 0, 0, ENOSPC);
}

static void query_va_info(int fd)
{
	struct drm_panthor_va_info info;
	struct drm_panthor_gpu_info gpu = {};
	uint64_t page_sizes = 0;

	igt_assert(panthor_va_info(fd, &info));
	igt_panthor_query(fd, DRM_PANTHOR_DEV_QUERY_GPU_INFO, &gpu, sizeof(gpu), 0);
	igt_panthor_query(fd, PANTHOR_QUERY_MMU_INFO, &page_sizes, sizeof(page_sizes), 0);

	igt_assert_eq_u32(info.va_bits, gpu.mmu_features & 0xff);
	igt_assert_eq_u64(info.page_size_bitmap, page_sizes);
	igt_assert_eq_u64(info.max_user_va_range + info.min_kernel_va_range, 1ull << info.va_bits);
	igt_assert_lte_u64(info.default_user_va_range, info.max_user_va_range);
	igt_assert_lte_u64(info.min_heap_start, info.default_heap_start);
	igt_assert_lte_u64(info.default_heap_start + info.default_heap_size, info.default_user_va_range);
	igt_assert_lt_u64(PANTHOR_4G, info.default_heap_size);
	igt_assert_neq_u64(info.max_placement_align, 0);
	igt_assert_eq_u64(info.max_placement_align & (info.max_placement_align - 1), 0);
}

static void query_size(int fd)
{
	struct drm_panthor_dev_query query = { .type = DRM_PANTHOR_DEV_QUERY_VA_INFO };
	struct drm_panthor_va_info info, part;
	/* What the first version of the structure ends with. */
	size_t least = offsetof(struct drm_panthor_va_info, min_heap_start);

	do_ioctl(fd, DRM_IOCTL_PANTHOR_DEV_QUERY, &query);
	igt_assert_lte_u64(sizeof(info), query.size);

	igt_assert(panthor_va_info(fd, &info));
	memset(&part, 0xa5, sizeof(part));
	igt_panthor_query(fd, DRM_PANTHOR_DEV_QUERY_VA_INFO, &part, least, 0);
	igt_assert(!memcmp(&part, &info, least));
	igt_assert_eq_u64(part.min_heap_start, 0xa5a5a5a5a5a5a5a5ull);

	igt_panthor_query(fd, DRM_PANTHOR_DEV_QUERY_VA_INFO, &part, least - 1, EINVAL);
	igt_panthor_query(fd, DRM_PANTHOR_DEV_QUERY_VA_INFO + 1, &info, sizeof(info), EINVAL);
}

static void create_limits(int fd)
{
	struct panthor_vm_create_heap args = {};
	struct drm_panthor_va_info info;

	igt_assert(panthor_va_info(fd, &info));
	panthor_va_vm_create(fd, &args, 0);
	igt_assert_eq_u64(args.user_va_range, info.default_user_va_range);
	igt_panthor_vm_destroy(fd, args.id, 0);

	args.user_va_range = info.max_user_va_range;
	panthor_va_vm_create(fd, &args, 0);
	igt_assert_eq_u64(args.user_va_range, info.max_user_va_range);
	igt_panthor_vm_destroy(fd, args.id, 0);

	args.user_va_range = info.max_user_va_range + PANTHOR_PAGE;
	panthor_va_vm_create(fd, &args, EINVAL);
}

static void create_bounds(int fd)
{
	const uint64_t automatic = DRM_PANTHOR_VM_HEAP_SIZE_AUTO;
	struct drm_panthor_va_info info;
	uint64_t user, middle;

	igt_assert(panthor_va_info(fd, &info));
	user = info.default_user_va_range;
	middle = user / 2;
	{
		const struct {
			uint64_t range, start, size, chosen_start, chosen_size;
		} rows[] = {
			{ 0, 0, automatic, info.default_heap_start, info.default_heap_size },
			{ 0, 0, SZ_1M, info.default_heap_start, SZ_1M },
			{ 0, LINE, automatic, LINE, middle - LINE },
			{ 0, middle, automatic, middle, user - middle },
			{ 0, user - PANTHOR_PAGE, automatic, user - PANTHOR_PAGE, PANTHOR_PAGE },
			{ 0, info.min_heap_start, user - info.min_heap_start, info.min_heap_start,
			  user - info.min_heap_start },
			{ 0, LINE - PANTHOR_PAGE, 2 * PANTHOR_PAGE, LINE - PANTHOR_PAGE, 2 * PANTHOR_PAGE },
			{ 0, LINE, PANTHOR_1T, LINE, PANTHOR_1T },
			{ info.max_user_va_range, 0, automatic, info.default_heap_start,
			  info.max_user_va_range / 2 - info.default_heap_start },
			{ info.max_user_va_range, LINE, info.max_user_va_range - LINE, LINE,
			  info.max_user_va_range - LINE },
		};

		for (int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct panthor_vm_create_heap args = {
				.flags = DRM_PANTHOR_VM_CREATE_VA_HEAP,
				.user_va_range = rows[i].range,
				.heap_start = rows[i].start,
				.heap_size = rows[i].size,
			};

			panthor_va_vm_create(fd, &args, 0);
			igt_assert_f(args.heap_start == rows[i].chosen_start && args.heap_size == rows[i].chosen_size,
				     "row %d: %" PRIx64 " + %" PRIx64 " chosen\n", i, (uint64_t)args.heap_start,
				     (uint64_t)args.heap_size);
			igt_panthor_vm_destroy(fd, args.id, 0);
		}
	}
}

static void create_invalid(int fd)
{
	const uint32_t heap = DRM_PANTHOR_VM_CREATE_VA_HEAP;
	struct drm_panthor_va_info info;
	uint64_t user;

	igt_assert(panthor_va_info(fd, &info));
	user = info.default_user_va_range;
	{
		const struct {
			const char *what;
			struct panthor_vm_create_heap args;
		} rows[] = {
			{ "no size", { .flags = heap, .heap_start = LINE } },
			{ "unaligned start", { .flags = heap, .heap_start = LINE + 1, .heap_size = SZ_1M } },
			{ "start below a page", { .flags = heap, .heap_start = 1, .heap_size = SZ_1M } },
			{ "unaligned size", { .flags = heap, .heap_start = LINE, .heap_size = SZ_1M + 1 } },
			{ "start behind the end", { .flags = heap, .heap_start = user, .heap_size = PANTHOR_PAGE } },
			{ "automatic behind the end", { .flags = heap, .heap_start = user,
							.heap_size = DRM_PANTHOR_VM_HEAP_SIZE_AUTO } },
			{ "over the end", { .flags = heap, .heap_start = user - PANTHOR_PAGE,
					    .heap_size = 2 * PANTHOR_PAGE } },
			{ "wraps", { .flags = heap, .heap_start = PANTHOR_PAGE, .heap_size = -PANTHOR_PAGE } },
			{ "over the end of the biggest user range",
			  { .flags = heap, .user_va_range = info.max_user_va_range, .heap_start = LINE,
			    .heap_size = info.max_user_va_range } },
			{ "start without flag", { .heap_start = LINE } },
			{ "size without flag", { .heap_size = SZ_1M } },
			{ "unknown flag", { .flags = heap | 1, .heap_size = SZ_1M } },
			{ "unknown flag, last bit", { .flags = 1u << 31 } },
		};

		for (int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct panthor_vm_create_heap args = rows[i].args;

			igt_info("%s\n", rows[i].what);
			panthor_va_vm_create(fd, &args, EINVAL);
		}
	}
}

/* What a program built before the heap passes. */
struct vm_create_short {
	uint32_t flags, id;
	uint64_t user_va_range;
};

static void create_short_struct(int fd)
{
	const unsigned long request = DRM_IOWR(DRM_COMMAND_BASE + DRM_PANTHOR_VM_CREATE, struct vm_create_short);
	struct vm_create_short args = {};

	do_ioctl(fd, request, &args);
	igt_panthor_vm_destroy(fd, args.id, 0);

	args.flags = DRM_PANTHOR_VM_CREATE_VA_HEAP;
	do_ioctl_err(fd, request, &args, EINVAL);
}

static void place_high_first(int device)
{
	struct place place = place_init(device, LINE - SZ_1M, SZ_2M, SZ_64K);

	for (uint32_t i = 0; i < 16; i++)
		igt_assert_lte_u64(LINE, place_one(&place, 0, 0));

	for (uint32_t i = 0; i < 16; i++)
		igt_assert_lte_u64(place_one(&place, 0, 0), LINE - SZ_64K);

	place_fails(&place, 0, 0, ENOSPC);
	place_fini(&place);
}

static void place_below_4g(int device)
{
	struct place place = place_init(device, LINE - 2 * SZ_64K, SZ_1G, SZ_64K);

	igt_assert_eq_u64(place_one(&place, 0, BELOW_4G), LINE - 2 * SZ_64K);
	igt_assert_eq_u64(place_one(&place, 0, BELOW_4G | NO_CROSS_4G), LINE - SZ_64K);
	place_fails(&place, 0, BELOW_4G, ENOSPC);
	igt_assert_lte_u64(LINE, place_one(&place, 0, 0));
	place_fini(&place);
}

static void place_no_cross_4g(int device)
{
	/* 6 MiB up to a line that is not the first, and 8 MiB behind it. */
	struct place place = place_init(device, 2 * LINE - 6 * SZ_1M, 14 * SZ_1M, SZ_4M);
	uint64_t va[3];

	for (int i = 0; i < 3; i++) {
		va[i] = place_one(&place, 0, NO_CROSS_4G);
		igt_assert_eq_u64(va[i] / LINE, (va[i] + SZ_4M - 1) / LINE);
	}

	place_fails(&place, 0, NO_CROSS_4G, ENOSPC);
	unplace(&place, 2 * LINE, SZ_4M);
	igt_assert_f(place_one(&place, PANTHOR_PAGE, 0) < 2 * LINE, "without the flag it may cross this line\n");
	place_fini(&place);
}

static void place_never_spans_4g(int device)
{
	struct place place = place_init(device, LINE - 3 * SZ_1M, 6 * SZ_1M, SZ_4M);

	place_fails(&place, 0, 0, ENOSPC);
	place_fails(&place, PANTHOR_PAGE, 0, ENOSPC);
	/* User space may do what the kernel does not. */
	panthor_va_map(place.fd, place.vm, &place.bo, LINE - SZ_2M, 0);
	place_fini(&place);
}

static void place_alignment(int device)
{
	struct drm_panthor_va_info info;
	struct place place = place_init(device, LINE + PANTHOR_PAGE, PANTHOR_1T, 3 * PANTHOR_PAGE);

	igt_assert(panthor_va_info(place.fd, &info));
	for (uint64_t align = PANTHOR_PAGE; align <= info.max_placement_align; align *= 2) {
		igt_assert_eq_u64(place_one(&place, align, 0) % align, 0);
		igt_assert_eq_u64(place_one(&place, align, NO_CROSS_4G) % align, 0);
	}

	place_fini(&place);
}

static void place_default_alignment(int device)
{
	struct place place = place_init(device, LINE + PANTHOR_PAGE, SZ_4M, SZ_2M);

	igt_assert_eq_u64(place_one(&place, 0, 0), LINE + SZ_2M);
	place_fails(&place, 0, 0, ENOSPC);
	place_fini(&place);

	/* Where nothing aligned fits, a page is enough. */
	place = place_init(device, LINE + PANTHOR_PAGE, SZ_4M - 2 * PANTHOR_PAGE, SZ_2M);
	place_fails(&place, SZ_2M, 0, ENOSPC);
	igt_assert_lt_u64(place_one(&place, 0, 0), LINE + SZ_2M);
	place_fini(&place);
}

static void place_invalid(int device)
{
	struct place place = place_init(device, LINE, SZ_1M, SZ_64K);
	struct drm_panthor_va_info info;
	uint64_t range;

	igt_assert(panthor_va_info(place.fd, &info));
	range = place.bo.size;
	{
		const uint32_t map = DRM_PANTHOR_VM_BIND_OP_TYPE_MAP;
		const struct {
			const char *what;
			uint32_t flags, handle;
			uint64_t va, size, offset;
			int err;
		} rows[] = {
			{ "alignment 3 pages", map | PLACE, place.bo.handle, 3 * PANTHOR_PAGE, range, 0, EINVAL },
			{ "alignment 1", map | PLACE, place.bo.handle, 1, range, 0, EINVAL },
			{ "alignment half a page", map | PLACE, place.bo.handle, PANTHOR_PAGE / 2, range, 0, EINVAL },
			{ "alignment too big", map | PLACE, place.bo.handle, 2 * info.max_placement_align, range, 0,
			  EINVAL },
			{ "alignment 2^63", map | PLACE, place.bo.handle, 1ull << 63, range, 0, EINVAL },
			{ "size 0", map | PLACE, place.bo.handle, 0, 0, 0, EINVAL },
			{ "unaligned size", map | PLACE, place.bo.handle, 0, range - 1, 0, EINVAL },
			{ "unaligned offset", map | PLACE, place.bo.handle, 0, PANTHOR_PAGE, 1, EINVAL },
			{ "beyond the buffer", map | PLACE, place.bo.handle, 0, range, PANTHOR_PAGE, EINVAL },
			{ "no buffer", map | PLACE, 0xdead, 0, range, 0, EINVAL },
			{ "bigger than 4 GiB below 4 GiB", map | PLACE | BELOW_4G, place.bo.handle, 0,
			  LINE + PANTHOR_PAGE, 0, EINVAL },
			{ "bigger than 4 GiB without crossing", map | PLACE | NO_CROSS_4G, place.bo.handle, 0,
			  LINE + PANTHOR_PAGE, 0, EINVAL },
			{ "unmap", DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP | PLACE, 0, 0, range, 0, EINVAL },
			{ "sync-only", DRM_PANTHOR_VM_BIND_OP_TYPE_SYNC_ONLY | PLACE, 0, 0, 0, 0, EINVAL },
			{ "below 4 GiB, not placed", map | BELOW_4G, place.bo.handle, LINE, range, 0, EINVAL },
			{ "no crossing, not placed", map | NO_CROSS_4G, place.bo.handle, LINE, range, 0, EINVAL },
			{ "unmap below 4 GiB", DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP | BELOW_4G, 0, LINE, range, 0,
			  EINVAL },
			{ "unknown flag", map | PLACE | 1u << 24, place.bo.handle, 0, range, 0, EINVAL },
		};

		for (int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct drm_panthor_vm_bind_op op = {
				.flags = rows[i].flags,
				.bo_handle = rows[i].handle,
				.va = rows[i].va,
				.size = rows[i].size,
				.bo_offset = rows[i].offset,
			};

			igt_info("%s\n", rows[i].what);
			panthor_va_bind(place.fd, place.vm, 0, &op, 1, rows[i].err);
			panthor_va_bind(place.fd, place.vm, ASYNC, &op, 1, rows[i].err);
		}
	}
	expect_room_for(&place, 16);
	place_fini(&place);
}

static void place_without_heap(int device)
{
	struct place place = place_init(device, 0, 0, SZ_64K);

	place_fails(&place, 0, 0, EINVAL);
	place_fails(&place, 0, BELOW_4G, EINVAL);
	panthor_va_map(place.fd, place.vm, &place.bo, LINE, 0);
	place_fini(&place);
}

static void place_readonly_array(int device)
{
	struct place place = place_init(device, LINE, SZ_64K, SZ_64K);
	struct drm_panthor_vm_bind_op *op;

	op = mmap(NULL, PANTHOR_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(op != MAP_FAILED);
	*op = panthor_va_place_op(&place.bo, 0, 0);
	igt_assert_eq(mprotect(op, PANTHOR_PAGE, PROT_READ), 0);
	igt_assert_eq(panthor_va_bind(place.fd, place.vm, 0, op, 1, EFAULT), 0);
	panthor_va_bind(place.fd, place.vm, ASYNC, op, 1, EFAULT);
	munmap(op, PANTHOR_PAGE);
	expect_room_for(&place, 1);
	place_fini(&place);
}

static void place_stride(int device)
{
	struct place place = place_init(device, LINE, SZ_1M, SZ_64K);
	struct {
		struct drm_panthor_vm_bind_op op;
		uint64_t mine;
	} ops[3];
	struct drm_panthor_vm_bind args = {
		.vm_id = place.vm,
		.ops = { .stride = sizeof(ops[0]), .count = 3, .array = (uintptr_t)ops },
	};

	for (int i = 0; i < 3; i++) {
		ops[i].op = panthor_va_place_op(&place.bo, 0, 0);
		ops[i].mine = 0;
	}

	do_ioctl(place.fd, DRM_IOCTL_PANTHOR_VM_BIND, &args);
	for (int i = 0; i < 3; i++) {
		igt_assert_eq_u64(ops[i].op.va, LINE + i * SZ_64K);
		igt_assert_eq_u64(ops[i].mine, 0);
	}

	place_fini(&place);
}

static void exhaust(int device)
{
	struct place place = place_init(device, LINE, SZ_1M, SZ_64K);
	struct drm_panthor_vm_get_state state = { .vm_id = place.vm };

	expect_room_for(&place, 16);
	do_ioctl(place.fd, DRM_IOCTL_PANTHOR_VM_GET_STATE, &state);
	igt_assert_eq_u32(state.state, DRM_PANTHOR_VM_STATE_USABLE);

	unplace(&place, LINE + 5 * SZ_64K, SZ_64K);
	igt_assert_eq_u64(place_one(&place, 0, 0), LINE + 5 * SZ_64K);
	place_fails(&place, 0, 0, ENOSPC);
	place_fini(&place);
}

static void many(int device)
{
	const uint64_t count = 2000;
	struct place place = place_init(device, LINE, count * PANTHOR_PAGE, PANTHOR_PAGE);
	uint8_t *taken = calloc(count, 1);

	igt_assert(taken);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t page = (place_one(&place, 0, 0) - LINE) / PANTHOR_PAGE;

		igt_assert_lt_u64(page, count);
		igt_assert_f(!taken[page], "page %" PRIu64 " placed twice\n", page);
		taken[page] = 1;
	}

	place_fails(&place, 0, 0, ENOSPC);
	free(taken);
	place_fini(&place);
}

static void unmap_parts(int device)
{
	struct place place = place_init(device, LINE, SZ_1M, SZ_1M);
	struct panthor_bo small;

	panthor_va_bo_create(place.fd, &small, 2 * PANTHOR_PAGE, DRM_PANTHOR_BO_NO_MMAP, 0, 0);
	igt_assert_eq_u64(place_one(&place, 0, 0), LINE);
	unplace(&place, LINE + 16 * PANTHOR_PAGE, PANTHOR_PAGE);
	panthor_va_place(place.fd, place.vm, &small, 0, 0, ENOSPC);
	unplace(&place, LINE + 32 * PANTHOR_PAGE, 3 * PANTHOR_PAGE);
	igt_assert_eq_u64(panthor_va_place(place.fd, place.vm, &small, 0, 0, 0), LINE + 32 * PANTHOR_PAGE);
	/* Both ends, and what is not mapped as well. */
	unplace(&place, LINE, PANTHOR_PAGE);
	unplace(&place, LINE + SZ_1M - PANTHOR_PAGE, PANTHOR_PAGE);
	unplace(&place, 0, PANTHOR_1T);
	igt_assert_eq_u64(place_one(&place, 0, 0), LINE);
	igt_panthor_free_bo(place.fd, &small);
	place_fini(&place);
}

static void fixed_mappings(int device)
{
	struct place place = place_init(device, LINE, 4 * SZ_64K, SZ_64K);

	/* Inside, over the start, and over the end. */
	panthor_va_map(place.fd, place.vm, &place.bo, LINE + SZ_64K, 0);
	panthor_va_map(place.fd, place.vm, &place.bo, LINE - SZ_64K + PANTHOR_PAGE, 0);
	panthor_va_map(place.fd, place.vm, &place.bo, LINE + 4 * SZ_64K - PANTHOR_PAGE, 0);
	igt_assert_eq_u64(place_one(&place, 0, 0), LINE + 2 * SZ_64K);
	place_fails(&place, 0, 0, ENOSPC);

	/* Over a placed one: it is one mapping, gone with one unmap. */
	panthor_va_map(place.fd, place.vm, &place.bo, LINE + 2 * SZ_64K, 0);
	unplace(&place, LINE + 2 * SZ_64K, SZ_64K);
	igt_assert_eq_u64(place_one(&place, 0, 0), LINE + 2 * SZ_64K);

	unplace(&place, LINE - SZ_64K, SZ_64K + PANTHOR_PAGE);
	igt_assert_eq_u64(place_one(&place, 0, 0), LINE);
	place_fini(&place);
}

static void sync_array(int device)
{
	struct place place = place_init(device, LINE, 4 * SZ_64K, SZ_64K);
	struct drm_panthor_vm_bind_op ops[4] = {
		panthor_va_place_op(&place.bo, 0, 0),
		panthor_va_map_op(&place.bo, LINE + SZ_64K),
		panthor_va_unmap_op(LINE, SZ_64K),
		panthor_va_place_op(&place.bo, 0, 0),
	};

	panthor_va_bind(place.fd, place.vm, 0, ops, 4, 0);
	igt_assert_eq_u64(ops[0].va, LINE);
	igt_assert_eq_u64(ops[1].va, LINE + SZ_64K);
	igt_assert_eq_u64(ops[3].va, LINE);

	/* The third fails: two are done, and one more fits. */
	ops[0] = panthor_va_unmap_op(LINE, SZ_64K);
	ops[1] = panthor_va_place_op(&place.bo, SZ_64K, 0);
	ops[2] = panthor_va_place_op(&place.bo, 0, BELOW_4G);
	ops[3] = panthor_va_place_op(&place.bo, 0, 0);
	igt_assert_eq(panthor_va_bind(place.fd, place.vm, 0, ops, 4, ENOSPC), 2);
	igt_assert_eq_u64(ops[1].va, LINE);
	expect_room_for(&place, 2);
	place_fini(&place);
}

static void async_array(int device)
{
	struct place place = place_init(device, LINE, 3 * SZ_64K, SZ_64K);
	uint32_t syncobj = syncobj_create(place.fd, 0);
	struct drm_panthor_sync_op signal = { .flags = DRM_PANTHOR_SYNC_OP_SIGNAL, .handle = syncobj };
	struct drm_panthor_sync_op unknown = { .handle = 0xdead };
	struct drm_panthor_vm_bind_op ops[4];

	/* One too many: nothing is queued, and nothing is taken. */
	for (int i = 0; i < 4; i++)
		ops[i] = panthor_va_place_op(&place.bo, 0, 0);

	panthor_va_bind(place.fd, place.vm, ASYNC, ops, 4, ENOSPC);

	/* A wait that is refused, behind placements which are not. */
	for (int i = 0; i < 2; i++)
		ops[i] = panthor_va_place_op(&place.bo, 0, 0);
	ops[1].syncs = (struct drm_panthor_obj_array)DRM_PANTHOR_OBJ_ARRAY(1, &unknown);
	panthor_va_bind(place.fd, place.vm, ASYNC, ops, 2, ENOENT);

	for (int i = 0; i < 3; i++)
		ops[i] = panthor_va_place_op(&place.bo, 0, 0);
	ops[2].syncs = (struct drm_panthor_obj_array)DRM_PANTHOR_OBJ_ARRAY(1, &signal);
	panthor_va_bind(place.fd, place.vm, ASYNC, ops, 3, 0);
	for (int i = 0; i < 3; i++)
		igt_assert_eq_u64(ops[i].va, LINE + i * SZ_64K);

	place_fails(&place, 0, 0, ENOSPC);
	igt_assert(panthor_va_wait(place.fd, &syncobj));
	unplace(&place, ops[1].va, SZ_64K);
	expect_room_for(&place, 1);
	place_fini(&place);
}

/* A fence that keeps the bind queue waiting until it is let go. */
struct gate {
	int timeline;
	uint32_t wait, done;
	struct drm_panthor_sync_op syncs[2];
};

static struct gate gate_init(int fd)
{
	struct gate gate = { .timeline = sw_sync_timeline_create() };
	int fence = sw_sync_timeline_create_fence(gate.timeline, 1);

	gate.wait = syncobj_create(fd, 0);
	gate.done = syncobj_create(fd, 0);
	syncobj_import_sync_file(fd, gate.wait, fence);
	close(fence);
	gate.syncs[0].handle = gate.wait;
	gate.syncs[1].flags = DRM_PANTHOR_SYNC_OP_SIGNAL;
	gate.syncs[1].handle = gate.done;
	return gate;
}

static struct drm_panthor_obj_array gate_syncs(struct gate *gate)
{
	return (struct drm_panthor_obj_array)DRM_PANTHOR_OBJ_ARRAY(2, gate->syncs);
}

static void gate_open(struct gate *gate, int fd)
{
	sw_sync_timeline_inc(gate->timeline, 1);
	close(gate->timeline);
	igt_assert(panthor_va_wait(fd, &gate->done));
	syncobj_destroy(fd, gate->wait);
}

static void async_unmap(int device)
{
	struct place place = place_init(device, LINE, SZ_64K, SZ_64K);
	struct gate gate = gate_init(place.fd);
	struct drm_panthor_vm_bind_op op = panthor_va_unmap_op(place_one(&place, 0, 0), SZ_64K);

	op.syncs = gate_syncs(&gate);
	panthor_va_bind(place.fd, place.vm, ASYNC, &op, 1, 0);
	place_fails(&place, 0, 0, ENOSPC);
	gate_open(&gate, place.fd);
	expect_room_for(&place, 1);
	place_fini(&place);
}

static void async_map_keeps_address(int device)
{
	struct place place = place_init(device, LINE, 2 * SZ_64K, SZ_64K);
	struct gate gate = gate_init(place.fd);
	struct drm_panthor_vm_bind_op ops[2] = {
		panthor_va_unmap_op(place_one(&place, 0, 0), SZ_64K),
		panthor_va_map_op(&place.bo, LINE),
	};

	ops[0].syncs = (struct drm_panthor_obj_array)DRM_PANTHOR_OBJ_ARRAY(1, &gate.syncs[0]);
	ops[1].syncs = (struct drm_panthor_obj_array)DRM_PANTHOR_OBJ_ARRAY(1, &gate.syncs[1]);
	panthor_va_bind(place.fd, place.vm, ASYNC, ops, 2, 0);
	igt_assert_eq_u64(place_one(&place, 0, 0), LINE + SZ_64K);
	gate_open(&gate, place.fd);
	place_fails(&place, 0, 0, ENOSPC);
	unplace(&place, LINE, SZ_64K);
	expect_room_for(&place, 1);
	place_fini(&place);
}

static void destroy_with_queued_place(int device)
{
	struct place place = place_init(device, LINE, SZ_64K, SZ_64K);
	struct gate gate = gate_init(place.fd);
	struct drm_panthor_vm_bind_op op = panthor_va_place_op(&place.bo, 0, 0);

	op.syncs = gate_syncs(&gate);
	panthor_va_bind(place.fd, place.vm, ASYNC, &op, 1, 0);
	igt_panthor_vm_destroy(place.fd, place.vm, 0);
	panthor_va_place(place.fd, place.vm, &place.bo, 0, 0, EINVAL);
	gate_open(&gate, place.fd);
	igt_panthor_free_bo(place.fd, &place.bo);
	drm_close_driver(place.fd);
}

static void close_bo_keeps_mapping(int device)
{
	struct place place = place_init(device, LINE, SZ_64K, SZ_64K);

	igt_assert_eq_u64(place_one(&place, 0, 0), LINE);
	igt_panthor_free_bo(place.fd, &place.bo);
	panthor_va_bo_create(place.fd, &place.bo, SZ_64K, DRM_PANTHOR_BO_NO_MMAP, 0, 0);
	place_fails(&place, 0, 0, ENOSPC);
	unplace(&place, LINE, SZ_64K);
	expect_room_for(&place, 1);
	place_fini(&place);
}

/* The GPU reaches what was placed, on both sides of 4 GiB. */
static void gpu_access(int device)
{
	const uint32_t flags[] = { 0, BELOW_4G, NO_CROSS_4G };
	struct panthor_va_ctx ctx;
	struct panthor_bo bo;

	panthor_va_init(&ctx, device, SZ_32M, PANTHOR_1T);
	for (int i = 0; i < 3; i++) {
		uint64_t va;

		igt_panthor_bo_create_mapped(ctx.fd, &bo, SZ_2M + PANTHOR_PAGE, 0, 0);
		va = panthor_va_place(ctx.fd, ctx.vm_id, &bo, 0, flags[i] | DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC, 0);
		panthor_va_store(&ctx, va, 0x5eed0 + i);
		panthor_va_store(&ctx, va + bo.size - 4, 0x5eed8 + i);
		igt_assert_eq_u32(*(volatile uint32_t *)bo.map, 0x5eed0 + i);
		igt_assert_eq_u32(*((volatile uint32_t *)bo.map + bo.size / 4 - 1), 0x5eed8 + i);
		igt_panthor_free_bo(ctx.fd, &bo);
	}

	panthor_va_fini(&ctx);
}

/* Mappings bigger than 4 GiB, of a buffer that takes no memory. */
static void bigger_than_4g(int device)
{
	struct panthor_va_ctx ctx;
	struct panthor_bo bo;
	uint64_t va;

	panthor_va_require(device, DRM_PANTHOR_VA_FEATURE_ALLOC_ON_FAULT);
	panthor_va_init(&ctx, device, SZ_32M, 4 * PANTHOR_1T);

	panthor_va_bo_create(ctx.fd, &bo, LINE, PANTHOR_SCRATCH, ctx.vm_id, 0);
	va = panthor_va_place(ctx.fd, ctx.vm_id, &bo, 0, NO_CROSS_4G, 0);
	igt_assert_eq_u64(va % LINE, 0);
	panthor_va_place(ctx.fd, ctx.vm_id, &bo, 0, BELOW_4G, ENOSPC);
	igt_panthor_free_bo(ctx.fd, &bo);

	panthor_va_bo_create(ctx.fd, &bo, LINE + PANTHOR_PAGE, PANTHOR_SCRATCH, ctx.vm_id, 0);
	panthor_va_place(ctx.fd, ctx.vm_id, &bo, 0, NO_CROSS_4G, EINVAL);
	va = panthor_va_place(ctx.fd, ctx.vm_id, &bo, 0, 0, 0);
	panthor_va_store(&ctx, va + LINE, 0x46);
	igt_assert_eq_u32(panthor_va_load(&ctx, va + LINE), 0x46);
	igt_panthor_free_bo(ctx.fd, &bo);

	panthor_va_bo_create(ctx.fd, &bo, PANTHOR_1T, PANTHOR_SCRATCH, ctx.vm_id, 0);
	va = panthor_va_place(ctx.fd, ctx.vm_id, &bo, 0, 0, 0);
	panthor_va_store(&ctx, va + PANTHOR_1T - 4, 0x17);
	igt_assert_eq_u32(panthor_va_load(&ctx, va + PANTHOR_1T - 4), 0x17);
	panthor_va_unmap(ctx.fd, ctx.vm_id, va + PANTHOR_1T / 4, PANTHOR_1T / 2, 0);
	igt_assert_eq_u64(panthor_va_place(ctx.fd, ctx.vm_id, &ctx.memory, SZ_1G, NO_CROSS_4G, 0) % SZ_1G, 0);
	igt_panthor_free_bo(ctx.fd, &bo);
	panthor_va_fini(&ctx);
}

static void sparse(int device)
{
	struct drm_panthor_vm_bind_op op = panthor_va_sparse_op(0, 6 * SZ_2M, PLACE);
	struct drm_version version = {};
	struct panthor_va_ctx ctx;

	do_ioctl(device, DRM_IOCTL_VERSION, &version);
	igt_require_f(version.version_major > 1 || version.version_minor >= 8, "driver without sparse mappings\n");
	panthor_va_init(&ctx, device, LINE, PANTHOR_1T);
	panthor_va_bind(ctx.fd, ctx.vm_id, 0, &op, 1, 0);
	igt_assert_eq_u64(op.va, LINE);
	panthor_va_store(&ctx, op.va + 5 * SZ_2M, 1);
	panthor_va_unmap(ctx.fd, ctx.vm_id, op.va, op.size, 0);
	op.va = 0;
	panthor_va_bind(ctx.fd, ctx.vm_id, 0, &op, 1, 0);
	igt_assert_eq_u64(op.va, LINE);
	panthor_va_fini(&ctx);
}

/* Several processes place in one VM at the same time: no address is given twice. */
static void place_race(int device)
{
	enum { children = 4, each = 64, rounds = 8 };
	struct place place = place_init(device, LINE, (uint64_t)children * each * SZ_64K, SZ_64K);
	uint32_t *taken = mmap(NULL, SZ_64K, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	igt_assert(taken != MAP_FAILED);
	igt_fork(child, children) {
		for (int round = 0; round < rounds; round++) {
			uint64_t va[each];

			for (int i = 0; i < each; i++) {
				va[i] = place_one(&place, 0, 0);
				igt_assert_eq_u32(__sync_fetch_and_add(&taken[(va[i] - LINE) / SZ_64K], 1), 0);
			}

			for (int i = 0; i < each; i++) {
				__sync_fetch_and_sub(&taken[(va[i] - LINE) / SZ_64K], 1);
				unplace(&place, va[i], SZ_64K);
			}
		}
	}
	igt_waitchildren();
	munmap(taken, SZ_64K);
	expect_room_for(&place, children * each);
	place_fini(&place);
}

/* Placements go on, and what is placed keeps its contents, while the shrinker takes buffers away. */
static void bind_while_evicting(int device)
{
	struct igt_helper_process shrinker = {};
	struct panthor_va_ctx ctx;
	struct panthor_bo bo[8];
	uint64_t va[8];
	char swaps[512];
	FILE *file = fopen("/proc/swaps", "r");
	bool has_swap = file && fgets(swaps, sizeof(swaps), file) && fgets(swaps, sizeof(swaps), file);

	if (file)
		fclose(file);
	igt_require_f(has_swap, "no swap, without which nothing is evicted\n");
	igt_require_f(panthor_va_debugfs_write(device, "shrink", "0"), "no debugfs file \"shrink\"\n");
	panthor_va_init(&ctx, device, LINE, SZ_64M);
	for (int i = 0; i < 8; i++)
		igt_panthor_bo_create_mapped(ctx.fd, &bo[i], SZ_2M, 0, 0);

	igt_fork_helper(&shrinker) {
		for (;;) {
			panthor_va_debugfs_write(device, "shrink", "0x100000");
			usleep(500);
		}
	}

	for (uint32_t round = 0; round < 16; round++) {
		for (int i = 0; i < 8; i++)
			va[i] = panthor_va_place(ctx.fd, ctx.vm_id, &bo[i], 0, DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC, 0);

		for (int i = 0; i < 8; i++)
			panthor_va_store(&ctx, va[i] + round * PANTHOR_PAGE, round * 8 + i + 1);

		for (int i = 0; i < 8; i++) {
			igt_assert_eq_u32(panthor_va_load(&ctx, va[i] + round * PANTHOR_PAGE), round * 8 + i + 1);
			panthor_va_unmap(ctx.fd, ctx.vm_id, va[i], SZ_2M, 0);
		}
	}

	igt_stop_helper(&shrinker);
	for (int i = 0; i < 8; i++) {
		for (uint32_t round = 0; round < 16; round++)
			igt_assert_eq_u32(*((volatile uint32_t *)bo[i].map + round * PANTHOR_PAGE / 4), round * 8 + i + 1);
		igt_panthor_free_bo(ctx.fd, &bo[i]);
	}

	panthor_va_fini(&ctx);
}

int igt_main() {
	static int fd = -1;

	igt_fixture() {
		igt_panthor_skip_on_big_endian();
		fd = drm_open_driver(DRIVER_PANTHOR);
		panthor_va_require(fd, DRM_PANTHOR_VA_FEATURE_HEAP);
	}

	igt_describe("The VA layout agrees with the GPU, the MMU query and itself");
	igt_subtest("query_va_info")
		query_va_info(fd);

	igt_describe("A program that knows less or more of the VA layout than the kernel gets what both know");
	igt_subtest("query_size")
		query_size(fd);

	igt_describe("VM creation takes and returns the user ranges the VA layout names");
	igt_subtest("vm_create_limits")
		create_limits(fd);

	igt_describe("Heap bounds come back as asked for, and defaults as documented");
	igt_subtest("vm_create_heap")
		create_bounds(fd);

	igt_describe("Heap bounds that make no sense are refused");
	igt_subtest("vm_create_heap_invalid")
		create_invalid(fd);

	igt_describe("VM creation with the structure from before the heap");
	igt_subtest("vm_create_short_struct")
		create_short_struct(fd);

	igt_describe("Addresses above 4 GiB are given first, those below only when they are gone");
	igt_subtest("place_high_first")
		place_high_first(fd);

	igt_describe("PLACE_BELOW_4G gives addresses below 4 GiB only, up to the very last one");
	igt_subtest("place_below_4g")
		place_below_4g(fd);

	igt_describe("PLACE_NO_CROSS_4G crosses no multiple of 4 GiB");
	igt_subtest("place_no_cross_4g")
		place_no_cross_4g(fd);

	igt_describe("No placed mapping lies on both sides of 4 GiB, a fixed one may");
	igt_subtest("place_never_spans_4g")
		place_never_spans_4g(fd);

	igt_describe("Every alignment up to the maximum is kept");
	igt_subtest("place_alignment")
		place_alignment(fd);

	igt_describe("Mappings of 2 MiB or more are aligned to 2 MiB, and to a page when only that fits");
	igt_subtest("place_default_alignment")
		place_default_alignment(fd);

	igt_describe("Placements that make no sense are refused, synchronous and asynchronous, and take no address");
	igt_subtest("place_invalid")
		place_invalid(fd);

	igt_describe("A VM without heap places nothing");
	igt_subtest("place_without_heap")
		place_without_heap(fd);

	igt_describe("EFAULT when the address can't be written back, and nothing stays mapped");
	igt_subtest("place_readonly_array")
		place_readonly_array(fd);

	igt_describe("Addresses are written where the array's stride says");
	igt_subtest("place_stride")
		place_stride(fd);

	igt_describe("ENOSPC when the heap is full; the VM stays usable and addresses come back");
	igt_subtest("place_exhaust")
		exhaust(fd);

	igt_describe("2000 mappings, no address given twice");
	igt_subtest("place_many")
		many(fd);

	igt_describe("Sparse mappings can be placed");
	igt_subtest("place_sparse")
		sparse(fd);

	igt_describe("Mappings of 4 GiB, more, and 1 TiB are placed, and the GPU reaches their ends");
	igt_subtest("place_bigger_than_4g")
		bigger_than_4g(fd);

	igt_describe("The GPU reaches placed mappings below and above 4 GiB");
	igt_subtest("place_gpu_access")
		gpu_access(fd);

	igt_describe("Unmapping parts of mappings frees just these, unmapping everything frees everything");
	igt_subtest("unmap_parts")
		unmap_parts(fd);

	igt_describe("Placements go round fixed mappings, which may overlap the ends of the heap and placed mappings");
	igt_subtest("fixed_mappings")
		fixed_mappings(fd);

	igt_describe("Placed, fixed and unmap operations in one array; where it fails it stops");
	igt_subtest("sync_array")
		sync_array(fd);

	igt_describe("Addresses of asynchronous placements are known at once; all or nothing is queued");
	igt_subtest("async_array")
		async_array(fd);

	igt_describe("Closing a placed buffer frees no address, unmapping it does");
	igt_subtest("close_bo_keeps_mapping")
		close_bo_keeps_mapping(fd);

	igt_subtest_group() {
		igt_fixture()
			igt_require_sw_sync();

		igt_describe("An asynchronous unmap frees addresses when it runs, not when it's queued");
		igt_subtest("async_unmap")
			async_unmap(fd);

		igt_describe("A queued map keeps its address through the unmap queued in front of it");
		igt_subtest("async_map_keeps_address")
			async_map_keeps_address(fd);

		igt_describe("A VM is destroyed while a placement is queued");
		igt_subtest("destroy_with_queued_place")
			destroy_with_queued_place(fd);
	}

	igt_describe("Processes that place and unmap in one VM at the same time never get the same address");
	igt_subtest("place_race")
		place_race(fd);

	igt_describe("Buffers are placed and used while the shrinker evicts them");
	igt_subtest("bind_while_evicting")
		bind_while_evicting(fd);

	igt_fixture() {
		drm_close_driver(fd);
	}
}

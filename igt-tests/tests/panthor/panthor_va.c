// SPDX-License-Identifier: MIT

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "igt.h"
#include "igt_syncobj.h"
#include "panthor_va.h"

/* Longer than the driver's own job timeout, 5 s. */
#define HANG_SECONDS 20

static void expect(int fd, unsigned long request, void *argument, int err)
{
	if (err)
		do_ioctl_err(fd, request, argument, err);
	else
		do_ioctl(fd, request, argument);
}

/**
 * panthor_va_info:
 * @fd: device file descriptor
 * @info: filled in on success
 *
 * Returns: false if the kernel knows of no placed mappings and scratch buffers
 */
bool panthor_va_info(int fd, struct drm_panthor_va_info *info)
{
	struct drm_panthor_dev_query query = {
		.type = DRM_PANTHOR_DEV_QUERY_VA_INFO,
		.size = sizeof(*info),
		.pointer = (uintptr_t)info,
	};

	memset(info, 0, sizeof(*info));
	if (!igt_ioctl(fd, DRM_IOCTL_PANTHOR_DEV_QUERY, &query))
		return true;

	igt_assert_eq(errno, EINVAL);
	return false;
}

/**
 * panthor_va_require:
 * @fd: device file descriptor
 * @features: DRM_PANTHOR_VA_FEATURE_xxx
 *
 * Skips the test if the kernel lacks one of the features.
 */
void panthor_va_require(int fd, uint32_t features)
{
	struct drm_panthor_va_info info;

	igt_require_f(panthor_va_info(fd, &info), "kernel without DRM_PANTHOR_DEV_QUERY_VA_INFO\n");
	igt_require_f((info.features & features) == features, "kernel without VA features %#x\n",
		      features & ~info.features);
}

/**
 * panthor_va_vm_create:
 * @fd: device file descriptor
 * @args: in and out
 * @err: expected error code, or 0 for success
 */
void panthor_va_vm_create(int fd, struct panthor_vm_create_heap *args, int err)
{
	expect(fd, PANTHOR_IOCTL_VM_CREATE_HEAP, args, err);
}

/**
 * panthor_va_vm_create_simple:
 * @fd: device file descriptor
 * @heap_start: first address of the heap, 0 for the default
 * @heap_size: its size, 0 for a VM without heap
 * @err: expected error code, or 0 for success
 *
 * Returns: VM ID on success
 */
uint32_t panthor_va_vm_create_simple(int fd, uint64_t heap_start, uint64_t heap_size, int err)
{
	struct panthor_vm_create_heap args = {
		.flags = heap_size ? DRM_PANTHOR_VM_CREATE_VA_HEAP : 0,
		.heap_start = heap_start,
		.heap_size = heap_size,
	};

	panthor_va_vm_create(fd, &args, err);
	return args.id;
}

/**
 * panthor_va_bo_create:
 * @fd: device file descriptor
 * @bo: initialized, freed by igt_panthor_free_bo()
 * @size: size in bytes
 * @flags: DRM_PANTHOR_BO_xxx
 * @vm_id: VM the buffer is exclusive to, or 0
 * @err: expected error code, or 0 for success
 */
void panthor_va_bo_create(int fd, struct panthor_bo *bo, uint64_t size, uint32_t flags, uint32_t vm_id, int err)
{
	struct drm_panthor_bo_create args = {
		.size = size,
		.flags = flags,
		.exclusive_vm_id = vm_id,
	};

	expect(fd, DRM_IOCTL_PANTHOR_BO_CREATE, &args, err);
	*bo = (struct panthor_bo){ .handle = args.handle, .size = args.size };
}

struct drm_panthor_vm_bind_op panthor_va_map_op(const struct panthor_bo *bo, uint64_t va)
{
	return (struct drm_panthor_vm_bind_op){
		.flags = DRM_PANTHOR_VM_BIND_OP_TYPE_MAP,
		.bo_handle = bo->handle,
		.va = va,
		.size = bo->size,
	};
}

struct drm_panthor_vm_bind_op panthor_va_place_op(const struct panthor_bo *bo, uint64_t align, uint32_t flags)
{
	struct drm_panthor_vm_bind_op op = panthor_va_map_op(bo, align);

	op.flags |= DRM_PANTHOR_VM_BIND_OP_MAP_PLACE | flags;
	return op;
}

struct drm_panthor_vm_bind_op panthor_va_sparse_op(uint64_t va, uint64_t size, uint32_t flags)
{
	return (struct drm_panthor_vm_bind_op){
		.flags = DRM_PANTHOR_VM_BIND_OP_TYPE_MAP | PANTHOR_BIND_SPARSE |
			 DRM_PANTHOR_VM_BIND_OP_MAP_NOEXEC | flags,
		.va = va,
		.size = size,
	};
}

struct drm_panthor_vm_bind_op panthor_va_unmap_op(uint64_t va, uint64_t size)
{
	return (struct drm_panthor_vm_bind_op){
		.flags = DRM_PANTHOR_VM_BIND_OP_TYPE_UNMAP,
		.va = va,
		.size = size,
	};
}

/**
 * panthor_va_bind:
 * @fd: device file descriptor
 * @vm_id: VM to change
 * @flags: DRM_PANTHOR_VM_BIND_xxx
 * @ops: operations, the addresses of placed ones are written back
 * @count: number of operations
 * @err: expected error code, or 0 for success
 *
 * Returns: drm_panthor_vm_bind.ops.count as the kernel left it
 */
uint32_t panthor_va_bind(int fd, uint32_t vm_id, uint32_t flags, struct drm_panthor_vm_bind_op *ops, uint32_t count,
			 int err)
{
	struct drm_panthor_vm_bind args = {
		.vm_id = vm_id,
		.flags = flags,
		.ops = DRM_PANTHOR_OBJ_ARRAY(count, ops),
	};

	expect(fd, DRM_IOCTL_PANTHOR_VM_BIND, &args, err);
	return args.ops.count;
}

void panthor_va_map(int fd, uint32_t vm_id, const struct panthor_bo *bo, uint64_t va, int err)
{
	struct drm_panthor_vm_bind_op op = panthor_va_map_op(bo, va);

	panthor_va_bind(fd, vm_id, 0, &op, 1, err);
}

void panthor_va_unmap(int fd, uint32_t vm_id, uint64_t va, uint64_t size, int err)
{
	struct drm_panthor_vm_bind_op op = panthor_va_unmap_op(va, size);

	panthor_va_bind(fd, vm_id, 0, &op, 1, err);
}

/**
 * panthor_va_place:
 * @fd: device file descriptor
 * @vm_id: VM with a heap
 * @bo: buffer to map as a whole
 * @align: alignment, or 0 to leave it to the kernel
 * @flags: DRM_PANTHOR_VM_BIND_OP_xxx
 * @err: expected error code, or 0 for success
 *
 * Returns: the address, 0 when an error was expected
 */
uint64_t panthor_va_place(int fd, uint32_t vm_id, const struct panthor_bo *bo, uint64_t align, uint32_t flags, int err)
{
	struct drm_panthor_vm_bind_op op = panthor_va_place_op(bo, align, flags);

	panthor_va_bind(fd, vm_id, 0, &op, 1, err);
	return err ? 0 : op.va;
}

/**
 * panthor_va_fdinfo:
 * @fd: device file descriptor
 * @key: key with a size
 *
 * Returns: its value in bytes, 0 if there is no such key
 */
uint64_t panthor_va_fdinfo(int fd, const char *key)
{
	size_t length = strlen(key);
	char path[64], line[256];
	uint64_t bytes = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	igt_assert(file);
	while (fgets(line, sizeof(line), file)) {
		char unit[8] = "";
		uint64_t value;

		if (strncmp(line, key, length) || line[length] != ':' ||
		    sscanf(line + length + 1, " %" SCNu64 " %7s", &value, unit) < 1)
			continue;

		bytes = !strcmp(unit, "MiB") ? value << 20 : !strcmp(unit, "KiB") ? value << 10 : value;
	}

	fclose(file);
	return bytes;
}

/**
 * panthor_va_debugfs_write:
 * @fd: device file descriptor
 * @file: name of a file in the device's debugfs directory
 * @text: what to write
 *
 * Returns: false if there is no such file
 */
bool panthor_va_debugfs_write(int fd, const char *file, const char *text)
{
	int dir = igt_debugfs_dir(fd);
	int attribute = openat(dir, file, O_WRONLY);
	bool exists = attribute >= 0;

	if (exists) {
		igt_assert_eq(write(attribute, text, strlen(text)), strlen(text));
		close(attribute);
	}

	close(dir);
	return exists;
}

/* CLOCK_MONOTONIC in ns, when a test gives up waiting. */
uint64_t panthor_va_deadline(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec + HANG_SECONDS) * 1000000000ull + now.tv_nsec;
}

/**
 * panthor_va_wait:
 * @fd: device file descriptor
 * @syncobj: destroyed once it is signaled
 *
 * Returns: false if it was not signaled in time
 */
bool panthor_va_wait(int fd, uint32_t *syncobj)
{
	if (!syncobj_wait(fd, syncobj, 1, panthor_va_deadline(), 0, NULL))
		return false;

	syncobj_destroy(fd, *syncobj);
	*syncobj = 0;
	return true;
}

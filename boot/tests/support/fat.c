/* SPDX-License-Identifier: MIT */
/*
 * A FAT /boot for tests: preloaded, it refuses what FAT refuses below $FAT_BOOT: a change of mode, links, symbolic links.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int on_fat(int dir, const char *path)
{
	const char *root = getenv("FAT_BOOT");
	char link[64], base[PATH_MAX] = "", full[2 * PATH_MAX];

	if (!root)
		return 0;
	if (path[0] != '/') {
		snprintf(link, sizeof(link), dir == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir);
		if (readlink(link, base, sizeof(base) - 1) < 0)
			return 0;
	}
	snprintf(full, sizeof(full), "%s%s%s", base, *base && *path ? "/" : "", path);
	return !strncmp(full, root, strlen(root));
}

static int refused(int dir, const char *path, const struct stat *now, mode_t mode)
{
	if (!on_fat(dir, path) || (now->st_mode & 07777) == mode)
		return 0;
	errno = EPERM;
	return 1;
}

int chmod(const char *path, mode_t mode)
{
	int (*next)(const char *, mode_t) = dlsym(RTLD_NEXT, "chmod");
	struct stat now;

	return !stat(path, &now) && refused(AT_FDCWD, path, &now, mode) ? -1 : next(path, mode);
}
int fchmod(int fd, mode_t mode)
{
	int (*next)(int, mode_t) = dlsym(RTLD_NEXT, "fchmod");
	struct stat now;

	return !fstat(fd, &now) && refused(fd, "", &now, mode) ? -1 : next(fd, mode);
}
int fchmodat(int dir, const char *path, mode_t mode, int flags)
{
	int (*next)(int, const char *, mode_t, int) = dlsym(RTLD_NEXT, "fchmodat");
	struct stat now;

	return !fstatat(dir, path, &now, 0) && refused(dir, path, &now, mode) ? -1 : next(dir, path, mode, flags);
}
int symlinkat(const char *target, int dir, const char *path)
{
	int (*next)(const char *, int, const char *) = dlsym(RTLD_NEXT, "symlinkat");

	if (!on_fat(dir, path))
		return next(target, dir, path);
	errno = EPERM;
	return -1;
}
int linkat(int from, const char *a, int to, const char *b, int flags)
{
	int (*next)(int, const char *, int, const char *, int) = dlsym(RTLD_NEXT, "linkat");

	if (!on_fat(to, b))
		return next(from, a, to, b, flags);
	errno = EPERM;
	return -1;
}

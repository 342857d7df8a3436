/* SPDX-License-Identifier: MIT */
/*
 * A power cut for tests: preloaded into a program and all it starts. Every change below $CUT_ROOT is counted in the file $CUT_LOG
 * (one line each, shared by all processes); at change number $CUT_AT the whole process group is killed before the change is made.
 *
 * Lines: W PATH (opened for writing or truncated), S PATH (fsync), A (sync or syncfs), R FROM<TAB>TO (rename), D PATH (unlink, rmdir),
 * M PATH (mkdir, link, symlink). What was W and never S or A may be empty after a real power cut (for GRUB: never A); the test makes it
 * so. Neither is really done unless $CUT_SYNC is set: most tests need not wait for the disk.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The log is opened when a program starts, before a chroot can hide it, and handed on under this number. */
enum { LOG_FD = 197 };

static int real_open(const char *path, int flags)
{
	int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");

	return next(path, flags, 0600);
}

static void absolute(int dir, const char *path, char *out)
{
	char link[64], base[PATH_MAX] = "";

	if (path[0] != '/') {
		ssize_t n;

		snprintf(link, sizeof(link), dir == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir);
		n = readlink(link, base, sizeof(base) - 1);
		if (n < 0 && dir == AT_FDCWD && !getcwd(base, sizeof(base)))
			base[0] = '\0';
	}
	if (snprintf(out, PATH_MAX, "%s%s%s", base, path[0] == '/' ? "" : "/", path) >= PATH_MAX)
		abort();
}

/* Inside the chroot (which has a file .cut-inside) paths lack the root's prefix, outside they have it; the log has them without. */
static int below_root(char *path)
{
	const char *root = getenv("CUT_ROOT");
	static const char *const watched[] = { "/boot/", "/etc/", "/usr/lib/modules/", "/lib/modules/", NULL };

	if (!root)
		return 0;
	if (!strncmp(path, root, strlen(root)))
		memmove(path, path + strlen(root), strlen(path + strlen(root)) + 1);
	else if (access("/.cut-inside", F_OK))
		return 0;
	for (int i = 0; watched[i]; i++)
		if (!strncmp(path, watched[i], strlen(watched[i])))
			return 1;
	return 0;
}

__attribute__((constructor)) static void open_log(void)
{
	int fd;

	if (fcntl(LOG_FD, F_GETFD) >= 0 || !getenv("CUT_LOG"))
		return;
	fd = real_open(getenv("CUT_LOG"), O_RDWR | O_CREAT | O_APPEND);
	if (fd < 0 || dup2(fd, LOG_FD) < 0)
		abort();
	close(fd);
}

/* A lock of this process: the open file is shared with the parent's, so flock would not keep the two apart. */
static void lock(short type)
{
	struct flock whole = { .l_type = type, .l_whence = SEEK_SET };

	while (fcntl(LOG_FD, F_SETLKW, &whole) < 0 && errno == EINTR)
		;
}

static void note(const char *what, const char *a, const char *b)
{
	const char *at = getenv("CUT_AT");
	char line[2 * PATH_MAX + 16], buffer[65536];
	long count = 0;
	off_t offset = 0;
	ssize_t n;

	if (fcntl(LOG_FD, F_GETFD) < 0)
		return;
	lock(F_WRLCK);
	for (; (n = pread(LOG_FD, buffer, sizeof(buffer), offset)) > 0; offset += n)
		for (ssize_t i = 0; i < n; i++)
			count += buffer[i] == '\n';
	if (at && atol(at) > 0 && count + 1 >= atol(at))
		kill(0, SIGKILL);
	n = snprintf(line, sizeof(line), "%s %s%s%s\n", what, a, b ? "\t" : "", b ? b : "");
	if (write(LOG_FD, line, n) != n)
		abort();
	lock(F_UNLCK);
}

static void change(const char *what, int dir, const char *path)
{
	char full[PATH_MAX];

	absolute(dir, path, full);
	if (below_root(full))
		note(what, full, NULL);
}

static void opened(int dir, const char *path, int flags)
{
	if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))
		change("W", dir, path);
}

#define NEXT(type, name) type = dlsym(RTLD_NEXT, name)
#define MODE(flags, mode) do { va_list list; va_start(list, flags); mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; va_end(list); } while (0)

#define DEFINE_OPEN(name) \
int name(const char *path, int flags, ...) \
{ \
	NEXT(int (*next)(const char *, int, ...), #name); \
	mode_t mode; \
	MODE(flags, mode); \
	opened(AT_FDCWD, path, flags); \
	return next(path, flags, mode); \
}
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name) \
int name(int dir, const char *path, int flags, ...) \
{ \
	NEXT(int (*next)(int, const char *, int, ...), #name); \
	mode_t mode; \
	MODE(flags, mode); \
	opened(dir, path, flags); \
	return next(dir, path, flags, mode); \
}
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

#define DEFINE_FOPEN(name) \
FILE *name(const char *path, const char *mode) \
{ \
	NEXT(FILE *(*next)(const char *, const char *), #name); \
	if (strpbrk(mode, "wa+")) \
		change("W", AT_FDCWD, path); \
	return next(path, mode); \
}
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

static int really(int fd, const char *how)
{
	NEXT(int (*next)(int), how);

	return getenv("CUT_SYNC") ? next(fd) : 0;
}

static int flushed(int fd, const char *how)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n > 0) {
		path[n] = '\0';
		if (below_root(path))
			note("S", path, NULL);
	}
	return really(fd, how);
}
int fsync(int fd) { return flushed(fd, "fsync"); }
int fdatasync(int fd) { return flushed(fd, "fdatasync"); }
int syncfs(int fd) { note("A", "", NULL); return really(fd, "syncfs"); }
void sync(void) { note("A", "", NULL); }

static void renamed(int from_dir, const char *from, int to_dir, const char *to)
{
	char a[PATH_MAX], b[PATH_MAX];

	absolute(from_dir, from, a);
	absolute(to_dir, to, b);
	if (below_root(a) | below_root(b))
		note("R", a, b);
}
int rename(const char *from, const char *to)
{
	NEXT(int (*next)(const char *, const char *), "rename");
	renamed(AT_FDCWD, from, AT_FDCWD, to);
	return next(from, to);
}
int renameat(int fd, const char *from, int td, const char *to)
{
	NEXT(int (*next)(int, const char *, int, const char *), "renameat");
	renamed(fd, from, td, to);
	return next(fd, from, td, to);
}
int renameat2(int fd, const char *from, int td, const char *to, unsigned int flags)
{
	NEXT(int (*next)(int, const char *, int, const char *, unsigned int), "renameat2");
	renamed(fd, from, td, to);
	return next(fd, from, td, to, flags);
}

#define DEFINE_PATH(name, what) \
int name(const char *path) \
{ \
	NEXT(int (*next)(const char *), #name); \
	change(what, AT_FDCWD, path); \
	return next(path); \
}
DEFINE_PATH(unlink, "D")
DEFINE_PATH(rmdir, "D")

int unlinkat(int dir, const char *path, int flags)
{
	NEXT(int (*next)(int, const char *, int), "unlinkat");
	change("D", dir, path);
	return next(dir, path, flags);
}
int mkdir(const char *path, mode_t mode)
{
	NEXT(int (*next)(const char *, mode_t), "mkdir");
	change("M", AT_FDCWD, path);
	return next(path, mode);
}
int mkdirat(int dir, const char *path, mode_t mode)
{
	NEXT(int (*next)(int, const char *, mode_t), "mkdirat");
	change("M", dir, path);
	return next(dir, path, mode);
}

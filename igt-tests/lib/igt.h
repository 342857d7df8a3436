/* SPDX-License-Identifier: MIT */
/*
 * Declarations of what our tests use of libigt.so.0, which Debian ships without headers: igt_core, drmtest, ioctl_wrappers,
 * igt_aux, igt_debugfs, igt_sizes. Checked against igt-gpu-tools 2.5. In an IGT tree its own headers are used.
 */
#ifndef PANTHOR_LAB_IGT_H
#define PANTHOR_LAB_IGT_H

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#define IGT_NORETURN __attribute__((noreturn))
#define IGT_PRINTF(string, first) __attribute__((format(printf, string, first)))

/* ---- subtests: libigt decides what is entered, and comes back to the jump buffer when a subtest ends early */
struct option;
typedef int (*igt_opt_handler_t)(int opt, int opt_index, void *data);

extern jmp_buf igt_subtest_jmpbuf;
int igt_subtest_init_parse_opts(int *argc, char **argv, const char *short_opts, const struct option *long_opts,
				const char *help, igt_opt_handler_t handler, void *data);
bool __igt_fixture(void);
void __igt_fixture_complete(void);
bool __igt_run_subtest(const char *name, const char *file, const int line);
void __igt_subtest_group_save(int *save, int *describe);
void __igt_subtest_group_restore(int save, int describe);
void igt_success(void);
IGT_NORETURN void igt_exit(void);
typedef void (*igt_exit_handler_t)(int signal);
void igt_install_exit_handler(igt_exit_handler_t handler);
IGT_PRINTF(1, 2) void igt_describe_f(const char *format, ...);

#define IGT_ENTER(wanted) ((wanted) && sigsetjmp(igt_subtest_jmpbuf, 1) == 0)

#define igt_fixture() \
	for (volatile bool igt_done = false; !igt_done && IGT_ENTER(__igt_fixture()); \
	     igt_done = true, __igt_fixture_complete())
#define igt_subtest(name) \
	for (; IGT_ENTER(__igt_run_subtest(name, __FILE__, __LINE__)); igt_success())
#define igt_subtest_f(...) \
	for (char igt_name[256]; snprintf(igt_name, sizeof(igt_name), __VA_ARGS__) > 0 && \
	     IGT_ENTER(__igt_run_subtest(igt_name, __FILE__, __LINE__)); igt_success())
#define igt_subtest_group() \
	for (int igt_state[3] = { 0 }; \
	     !igt_state[0] && (__igt_subtest_group_save(&igt_state[1], &igt_state[2]), true); \
	     igt_state[0] = 1, __igt_subtest_group_restore(igt_state[1], igt_state[2]))
#define igt_describe(text) igt_describe_f("%s", text)

/* int igt_main() { … } */
#define igt_main() \
	main(int argc, char **argv); \
	static void igt_body(void); \
	int main(int argc, char **argv) \
	{ \
		igt_subtest_init_parse_opts(&argc, argv, NULL, NULL, NULL, NULL, NULL); \
		igt_body(); \
		igt_exit(); \
	} \
	static void igt_body(void)

/* ---- checks: a failed one ends the subtest */
IGT_NORETURN IGT_PRINTF(6, 7)
void __igt_fail_assert(const char *domain, const char *file, const int line, const char *function,
		       const char *assertion, const char *format, ...);
IGT_NORETURN IGT_PRINTF(5, 6)
void __igt_skip_check(const char *file, const int line, const char *function, const char *check,
		      const char *format, ...);

#define IGT_CHECK(condition, text, ...) \
	do { \
		if (!(condition)) \
			__igt_fail_assert(NULL, __FILE__, __LINE__, __func__, text, __VA_ARGS__); \
	} while (0)
#define IGT_COMPARE(type, format, a, op, b) \
	do { \
		const type igt_a = (type)(a), igt_b = (type)(b); \
		IGT_CHECK(igt_a op igt_b, #a " " #op " " #b, "%" format " against %" format "\n", igt_a, igt_b); \
	} while (0)

#define igt_assert(condition) IGT_CHECK(condition, #condition, NULL)
#define igt_assert_f(condition, ...) IGT_CHECK(condition, #condition, __VA_ARGS__)
#define igt_assert_eq(a, b) IGT_COMPARE(int, "d", a, ==, b)
#define igt_assert_neq(a, b) IGT_COMPARE(int, "d", a, !=, b)
#define igt_assert_eq_u32(a, b) IGT_COMPARE(uint32_t, PRIx32, a, ==, b)
#define igt_assert_eq_u64(a, b) IGT_COMPARE(uint64_t, PRIx64, a, ==, b)
#define igt_assert_neq_u64(a, b) IGT_COMPARE(uint64_t, PRIx64, a, !=, b)
#define igt_assert_lt_u64(a, b) IGT_COMPARE(uint64_t, PRIx64, a, <, b)
#define igt_assert_lte_u64(a, b) IGT_COMPARE(uint64_t, PRIx64, a, <=, b)
#define igt_require_f(condition, ...) \
	do { \
		if (!(condition)) \
			__igt_skip_check(__FILE__, __LINE__, __func__, #condition, __VA_ARGS__); \
	} while (0)
#define igt_require(condition) igt_require_f(condition, NULL)

/* ---- processes and messages */
struct igt_helper_process {
	bool running;
	bool use_SIGKILL;
	pid_t pid;
	int id;
};

bool __igt_fork(void);
void igt_waitchildren(void);
bool __igt_fork_helper(struct igt_helper_process *process);
void igt_stop_helper(struct igt_helper_process *process);
void igt_emit_ignore_dmesg_regex(const char *regex);
/* Since the first call, which wants zeroes. */
uint64_t igt_nsec_elapsed(struct timespec *start);
static inline uint32_t igt_seconds_elapsed(struct timespec *start)
{
	return igt_nsec_elapsed(start) / 1000000000;
}

#define igt_fork(child, count) \
	for (int child = 0; child < (count); child++) \
		for (; __igt_fork(); exit(0))
#define igt_fork_helper(process) for (; __igt_fork_helper(process); exit(0))

enum igt_log_level { IGT_LOG_DEBUG, IGT_LOG_INFO, IGT_LOG_WARN, IGT_LOG_CRITICAL };
IGT_PRINTF(3, 4) void igt_log(const char *domain, enum igt_log_level level, const char *format, ...);
#define igt_info(...) igt_log(NULL, IGT_LOG_INFO, __VA_ARGS__)

/* ---- devices */
#define DRIVER_PANTHOR (1 << 11)

extern __thread int (*igt_ioctl)(int fd, unsigned long request, void *argument);
int drm_open_driver(int chipset);
int drm_reopen_driver(int fd);
int drm_close_driver(int fd);
void gem_close(int fd, uint32_t handle);
int igt_debugfs_dir(int device);
int igt_sysfs_open(int device);
bool igt_sysfs_set(int dir, const char *attribute, const char *value);

#define do_ioctl(fd, request, argument) \
	do { \
		igt_assert_eq(igt_ioctl(fd, request, argument), 0); \
		errno = 0; \
	} while (0)
#define do_ioctl_err(fd, request, argument, error) \
	do { \
		igt_assert_eq(igt_ioctl(fd, request, argument), -1); \
		igt_assert_eq(errno, error); \
		errno = 0; \
	} while (0)

/* ---- igt_aux.h */
enum igt_suspend_state { SUSPEND_STATE_FREEZE, SUSPEND_STATE_STANDBY, SUSPEND_STATE_S3, SUSPEND_STATE_MEM };
enum igt_suspend_test { SUSPEND_TEST_NONE, SUSPEND_TEST_FREEZER, SUSPEND_TEST_DEVICES };
void igt_system_suspend_autoresume(enum igt_suspend_state state, enum igt_suspend_test test);

/* ---- igt_sizes.h */
#define SZ_4K 0x1000
#define SZ_64K 0x10000
#define SZ_1M 0x100000
#define SZ_2M 0x200000
#define SZ_4M 0x400000
#define SZ_8M 0x800000
#define SZ_16M 0x1000000
#define SZ_32M 0x2000000
#define SZ_64M 0x4000000
#define SZ_1G 0x40000000

#endif

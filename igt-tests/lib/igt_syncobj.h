/* SPDX-License-Identifier: MIT */
/* Declarations of the syncobj part of libigt.so.0 (igt-gpu-tools 2.5) our tests use. */
#ifndef PANTHOR_LAB_IGT_SYNCOBJ_H
#define PANTHOR_LAB_IGT_SYNCOBJ_H

#include <stdbool.h>
#include <stdint.h>

uint32_t syncobj_create(int fd, uint32_t flags);
void syncobj_destroy(int fd, uint32_t handle);
void syncobj_import_sync_file(int fd, uint32_t handle, int sync_file);
bool syncobj_wait(int fd, uint32_t *handles, uint32_t count, uint64_t abs_timeout_nsec, uint32_t flags,
		  uint32_t *first_signaled);

#endif

/* SPDX-License-Identifier: MIT */
/* Declarations of the sw_sync part of libigt.so.0 (igt-gpu-tools 2.5) our tests use. */
#ifndef PANTHOR_LAB_SW_SYNC_H
#define PANTHOR_LAB_SW_SYNC_H

#include <stdint.h>

void igt_require_sw_sync(void);
int sw_sync_timeline_create(void);
int sw_sync_timeline_create_fence(int timeline, uint32_t seqno);
void sw_sync_timeline_inc(int timeline, uint32_t count);

#endif

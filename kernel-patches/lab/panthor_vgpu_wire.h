/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * Wire format between the guest module panthor_vgpu and the virtual GPU process.
 *
 * One virtio device with two split queues, carried by vhost-user:
 *
 *   queue 0 "cmd": the guest sends requests. The device-readable part starts with
 *                  struct panthor_vgpu_request; a request that wants an answer also
 *                  has a device-writable part that starts with struct panthor_vgpu_reply.
 *                  Requests are served in ring order, so a request without an answer
 *                  is a posted write.
 *   queue 1 "irq": the guest offers buffers of struct panthor_vgpu_irq; the device
 *                  fills one for each interrupt it delivers.
 *
 * Interrupts are level triggered. The device delivers a line when its level is high
 * and the line is not in service; from then on the line is in service until the guest
 * sends PANTHOR_VGPU_OP_EOI for it. The request is ordered behind the register writes
 * of the handler, so the device looks at the level the handler left behind and
 * delivers again only if it is still high.
 *
 * Both ends run on one machine: fields are in host byte order.
 */
#ifndef PANTHOR_VGPU_WIRE_H
#define PANTHOR_VGPU_WIRE_H

#include <linux/types.h>

/* Virtio device id, of no device in virtio_ids.h. */
#define PANTHOR_VGPU_VIRTIO_ID		1235

/* Changes whenever this file changes meaning: both ends must agree. */
#define PANTHOR_VGPU_WIRE_VERSION	1

/* Bytes of the register window, as on RK3588 (fb000000.gpu). */
#define PANTHOR_VGPU_WINDOW_SIZE	0x200000u

/* Bytes of the trap map: one bit for each 32-bit word of the window. */
#define PANTHOR_VGPU_TRAP_MAP_SIZE	(PANTHOR_VGPU_WINDOW_SIZE / 4 / 8)

/* Longest control command or answer, in bytes. */
#define PANTHOR_VGPU_CONTROL_MAX	16384

/* struct panthor_vgpu_request.op */
enum panthor_vgpu_op {
	/* value = PANTHOR_VGPU_WIRE_VERSION of the guest; answer: that of the device. */
	PANTHOR_VGPU_OP_HELLO = 1,
	/* Answer: the register of `size` bytes at `offset`. */
	PANTHOR_VGPU_OP_READ = 2,
	/* Posted write of `value`, `size` bytes at `offset`. */
	PANTHOR_VGPU_OP_WRITE = 3,
	/*
	 * value = guest physical address of PANTHOR_VGPU_WINDOW_SIZE bytes of RAM in which
	 * the device keeps the register values from now on; 0 stops that.
	 */
	PANTHOR_VGPU_OP_SHADOW = 4,
	/*
	 * value = guest physical address of PANTHOR_VGPU_TRAP_MAP_SIZE bytes. The device
	 * sets bit n % 8 of byte n / 8 when word n must be read with PANTHOR_VGPU_OP_READ,
	 * because it changes by itself or because it is no register.
	 */
	PANTHOR_VGPU_OP_TRAP_MAP = 5,
	/* Posted: the handler of line `value` (enum panthor_vgpu_line) has run. */
	PANTHOR_VGPU_OP_EOI = 6,
	/*
	 * A control command: `size` is unused, `value` bytes of text follow the request.
	 * Answer: reply.value bytes of text follow the reply.
	 */
	PANTHOR_VGPU_OP_CONTROL = 7,
};

enum panthor_vgpu_line {
	PANTHOR_VGPU_LINE_JOB = 0,
	PANTHOR_VGPU_LINE_MMU = 1,
	PANTHOR_VGPU_LINE_GPU = 2,
	PANTHOR_VGPU_LINE_COUNT = 3,
};

/* struct panthor_vgpu_reply.status */
enum panthor_vgpu_status {
	PANTHOR_VGPU_OK = 0,
	/* The request made no sense: unknown op, bad size, address outside RAM. */
	PANTHOR_VGPU_BAD_REQUEST = 1,
};

struct panthor_vgpu_request {
	__u8 op;
	__u8 size;
	__u16 reserved;
	__u32 offset;
	__u64 value;
};

struct panthor_vgpu_reply {
	__u32 status;
	__u32 reserved;
	__u64 value;
};

struct panthor_vgpu_irq {
	__u32 line;
	__u32 reserved;
};

#endif /* PANTHOR_VGPU_WIRE_H */

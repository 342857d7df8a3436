/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PANTHOR_VGPU_H
#define PANTHOR_VGPU_H

#include <linux/clk-provider.h>
#include <linux/ioport.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/virtio.h>

#include "panthor_vgpu_wire.h"

struct clk_lookup;
struct dentry;
struct panthor_vgpu;
struct platform_device;

/* Requests that may be under way at once. */
#define PANTHOR_VGPU_COMMANDS	64

/* Interrupt buffers on offer: more than the lines that can be in service. */
#define PANTHOR_VGPU_IRQ_BUFFERS 16

/**
 * struct panthor_vgpu_command - one entry of the cmd queue
 * @request: what the device reads
 * @reply: what the device writes, if an answer was asked for
 * @busy: the device owns this entry
 */
struct panthor_vgpu_command {
	struct panthor_vgpu_request request;
	struct panthor_vgpu_reply reply;
	bool busy;
};

/**
 * struct panthor_vgpu_link - the cmd queue
 * @vdev: for messages
 * @vq: the queue; its callback is never enabled, completions are polled for
 * @lock: serialises everything here. Raw, because registers are accessed and interrupts are
 *	unmasked under raw locks
 * @commands: PANTHOR_VGPU_COMMANDS entries. Queue buffers have to be kmalloc'ed: UML does not
 *	share module data, .bss and stacks with the device
 * @next: where to look for a free entry
 * @in_flight: entries owned by the device
 * @broken: the device stopped answering; every later read gives ~0
 */
struct panthor_vgpu_link {
	struct virtio_device *vdev;
	struct virtqueue *vq;
	raw_spinlock_t lock;
	struct panthor_vgpu_command *commands;
	unsigned int next;
	unsigned int in_flight;
	bool broken;
};

/**
 * struct panthor_vgpu_irqs - the irq queue and the three lines behind it
 * @vq: the queue
 * @link: carries the end-of-interrupt requests
 * @buffers: PANTHOR_VGPU_IRQ_BUFFERS entries
 * @base: Linux interrupt number of line 0
 * @in_service: the device delivered this line and waits for an end of interrupt
 */
struct panthor_vgpu_irqs {
	struct virtqueue *vq;
	struct panthor_vgpu_link *link;
	struct panthor_vgpu_irq *buffers;
	int base;
	bool in_service[PANTHOR_VGPU_LINE_COUNT];
};

/**
 * struct panthor_vgpu_clock - the core clock, whose rate devfreq sets
 * @hw: for the common clock framework
 * @lookup: finds it by device name
 * @rate: in Hz
 */
struct panthor_vgpu_clock {
	struct clk_hw hw;
	struct clk_lookup *lookup;
	unsigned long rate;
};

/**
 * struct panthor_vgpu_debug - debugfs state
 * @dir: the directory
 * @lock: protects @reply and @length
 * @reply: answer to the last control command
 * @length: its length in bytes
 */
struct panthor_vgpu_debug {
	struct dentry *dir;
	struct mutex lock; /* protects reply and length */
	char *reply;
	size_t length;
};

/**
 * struct panthor_vgpu - one virtual GPU
 * @vdev: the virtio device it is
 * @link: register accesses
 * @irqs: interrupts
 * @clock: its clock
 * @debug: its debugfs files
 * @pdev: the platform device panthor binds to
 */
struct panthor_vgpu {
	struct virtio_device *vdev;
	struct panthor_vgpu_link link;
	struct panthor_vgpu_irqs irqs;
	struct panthor_vgpu_clock clock;
	struct panthor_vgpu_debug debug;
	struct platform_device *pdev;
};

/* panthor_vgpu_link.c */
int panthor_vgpu_link_init(struct panthor_vgpu_link *link, struct virtio_device *vdev);
void panthor_vgpu_link_fini(struct panthor_vgpu_link *link);
int panthor_vgpu_link_call(struct panthor_vgpu_link *link,
			   const struct panthor_vgpu_request *request, u64 *value);
void panthor_vgpu_link_post(struct panthor_vgpu_link *link,
			    const struct panthor_vgpu_request *request);
int panthor_vgpu_link_drain(struct panthor_vgpu_link *link);
int panthor_vgpu_link_control(struct panthor_vgpu_link *link, const char *line, size_t length,
			      char *reply, size_t *reply_length);

/* panthor_vgpu_irq.c */
int panthor_vgpu_irq_init(struct panthor_vgpu_irqs *irqs, struct panthor_vgpu_link *link);
void panthor_vgpu_irq_fini(struct panthor_vgpu_irqs *irqs);
int panthor_vgpu_irq_start(struct panthor_vgpu_irqs *irqs);
void panthor_vgpu_irq_callback(struct virtqueue *vq);

/* panthor_vgpu_window.c */
int panthor_vgpu_window_attach(struct panthor_vgpu_link *link);
void panthor_vgpu_window_detach(struct panthor_vgpu_link *link);
phys_addr_t panthor_vgpu_window_start(void);

/* panthor_vgpu_clock.c */
int panthor_vgpu_clock_init(struct panthor_vgpu_clock *clock, const char *device_name);
void panthor_vgpu_clock_fini(struct panthor_vgpu_clock *clock);

/* panthor_vgpu_debugfs.c */
void panthor_vgpu_debugfs_init(struct panthor_vgpu *vgpu);
void panthor_vgpu_debugfs_fini(struct panthor_vgpu *vgpu);

#endif /* PANTHOR_VGPU_H */

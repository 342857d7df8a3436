// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to the virtual GPU process.
 *
 * Writes are posted: the queue keeps their order. Reads wait, with interrupts off, for a
 * process on the host, so the wait has an end: a device that died or hangs must not take the
 * guest with it. From then on the link is broken and every read gives ~0, which is what a bus
 * gives when nothing answers.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/processor.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/time-internal.h>

#include "panthor_vgpu.h"

static unsigned int link_timeout_ms = 10000;
module_param(link_timeout_ms, uint, 0644);
MODULE_PARM_DESC(link_timeout_ms,
		 "wait that long for the device before declaring it dead (0: for ever)");

/* Looking at the time costs a system call of the host: do it once in so many polls. */
#define POLLS_PER_LOOK	4096

/* In virtual time the device has answered when the notification returns. */
#define VIRTUAL_TIME_POLLS 16

static void vgpu_link_break(struct panthor_vgpu_link *link, const char *why)
{
	if (link->broken)
		return;

	link->broken = true;
	dev_err(&link->vdev->dev, "virtual GPU does not answer (%s): registers read as ~0\n", why);
}

static void vgpu_link_reap(struct panthor_vgpu_link *link)
{
	struct panthor_vgpu_command *command;
	unsigned int length;

	while ((command = virtqueue_get_buf(link->vq, &length))) {
		command->busy = false;
		link->in_flight--;
	}
}

static bool vgpu_link_expired(struct panthor_vgpu_link *link, unsigned int polls, u64 *deadline)
{
	unsigned int timeout_ms = READ_ONCE(link_timeout_ms);
	u64 now;

	if (virtqueue_is_broken(link->vq)) {
		vgpu_link_break(link, "queue broken");
		return true;
	}
	if (time_travel_mode == TT_MODE_EXTERNAL) {
		if (polls < VIRTUAL_TIME_POLLS)
			return false;
		vgpu_link_break(link, "no synchronous answer");
		return true;
	}
	if (polls % POLLS_PER_LOOK || !timeout_ms)
		return false;

	now = ktime_get_mono_fast_ns();
	if (!*deadline)
		*deadline = now + (u64)timeout_ms * NSEC_PER_MSEC;
	if (now < *deadline)
		return false;

	vgpu_link_break(link, "timeout");
	return true;
}

/* Waits until the device has given back @command, or everything if it is NULL. */
static int vgpu_link_wait(struct panthor_vgpu_link *link, struct panthor_vgpu_command *command)
{
	unsigned int polls = 0;
	u64 deadline = 0;

	while (!link->broken) {
		if (link->in_flight)
			vgpu_link_reap(link);
		if (command ? !command->busy : !link->in_flight)
			return 0;
		if (vgpu_link_expired(link, ++polls, &deadline))
			break;
		cpu_relax();
	}
	return -EIO;
}

/* A free entry, after waiting for one if need be; NULL when the link is broken. */
static struct panthor_vgpu_command *vgpu_link_take(struct panthor_vgpu_link *link)
{
	struct panthor_vgpu_command *command = &link->commands[link->next];

	/* Entries come back in order, so the oldest one is next. */
	if (vgpu_link_wait(link, command))
		return NULL;

	link->next = (link->next + 1) % PANTHOR_VGPU_COMMANDS;
	command->busy = true;
	return command;
}

static int vgpu_link_send(struct panthor_vgpu_link *link, struct panthor_vgpu_command *command,
			  struct scatterlist *sgs[], unsigned int out, unsigned int in)
{
	int ret;

	ret = virtqueue_add_sgs(link->vq, sgs, out, in, command, GFP_ATOMIC);
	if (ret) {
		command->busy = false;
		vgpu_link_break(link, "queue full");
		return ret;
	}
	link->in_flight++;
	if (!virtqueue_kick(link->vq)) {
		vgpu_link_break(link, "notification failed");
		return -EIO;
	}
	return 0;
}

/**
 * panthor_vgpu_link_call() - send a request and wait for its answer
 * @link: the link
 * @request: what to ask
 * @value: where the answer's value goes, may be NULL
 *
 * Any context. Return: 0, -EINVAL if the device refused the request, -EIO if it is dead.
 */
int panthor_vgpu_link_call(struct panthor_vgpu_link *link,
			   const struct panthor_vgpu_request *request, u64 *value)
{
	struct scatterlist out, in, *sgs[] = { &out, &in };
	struct panthor_vgpu_command *command;
	unsigned long flags;
	int ret = -EIO;

	raw_spin_lock_irqsave(&link->lock, flags);
	command = vgpu_link_take(link);
	if (!command)
		goto out_unlock;

	command->request = *request;
	command->reply = (struct panthor_vgpu_reply){ .status = PANTHOR_VGPU_BAD_REQUEST };
	sg_init_one(&out, &command->request, sizeof(command->request));
	sg_init_one(&in, &command->reply, sizeof(command->reply));
	ret = vgpu_link_send(link, command, sgs, 1, 1);
	if (!ret)
		ret = vgpu_link_wait(link, command);
	if (ret)
		goto out_unlock;

	if (READ_ONCE(command->reply.status) != PANTHOR_VGPU_OK)
		ret = -EINVAL;
	else if (value)
		*value = READ_ONCE(command->reply.value);
out_unlock:
	raw_spin_unlock_irqrestore(&link->lock, flags);
	return ret;
}

/* Sends a request that has no answer. Any context; lost when the device is dead. */
void panthor_vgpu_link_post(struct panthor_vgpu_link *link,
			    const struct panthor_vgpu_request *request)
{
	struct panthor_vgpu_command *command;
	struct scatterlist out, *sgs[] = { &out };
	unsigned long flags;

	raw_spin_lock_irqsave(&link->lock, flags);
	command = vgpu_link_take(link);
	if (command) {
		command->request = *request;
		sg_init_one(&out, &command->request, sizeof(command->request));
		vgpu_link_send(link, command, sgs, 1, 0);
	}
	raw_spin_unlock_irqrestore(&link->lock, flags);
}

/* Waits until the device has done all that was sent. Return: 0, or -EIO if it is dead. */
int panthor_vgpu_link_drain(struct panthor_vgpu_link *link)
{
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&link->lock, flags);
	ret = vgpu_link_wait(link, NULL);
	raw_spin_unlock_irqrestore(&link->lock, flags);
	return ret;
}

struct vgpu_control_buffers {
	struct panthor_vgpu_reply reply;
	char answer[PANTHOR_VGPU_CONTROL_MAX];
	char line[PANTHOR_VGPU_CONTROL_MAX];
};

/**
 * panthor_vgpu_link_control() - run one control command in the device
 * @link: the link
 * @line: the command
 * @length: its length in bytes, at most PANTHOR_VGPU_CONTROL_MAX
 * @reply: room for PANTHOR_VGPU_CONTROL_MAX bytes of answer
 * @reply_length: set to the bytes used of it
 *
 * May sleep. Return: 0 or a negative error code.
 */
int panthor_vgpu_link_control(struct panthor_vgpu_link *link, const char *line, size_t length,
			      char *reply, size_t *reply_length)
{
	struct scatterlist out[2], in[2], *sgs[] = { out, in };
	struct panthor_vgpu_command *command;
	struct vgpu_control_buffers *buffers;
	unsigned long flags;
	int ret = -EIO;
	u64 used;

	if (!length || length > PANTHOR_VGPU_CONTROL_MAX)
		return -EMSGSIZE;
	buffers = kzalloc_obj(*buffers);
	if (!buffers)
		return -ENOMEM;
	memcpy(buffers->line, line, length);
	buffers->reply.status = PANTHOR_VGPU_BAD_REQUEST;

	raw_spin_lock_irqsave(&link->lock, flags);
	command = vgpu_link_take(link);
	if (command) {
		command->request = (struct panthor_vgpu_request){
			.op = PANTHOR_VGPU_OP_CONTROL,
			.value = length,
		};
		sg_init_table(out, ARRAY_SIZE(out));
		sg_set_buf(&out[0], &command->request, sizeof(command->request));
		sg_set_buf(&out[1], buffers->line, length);
		sg_init_table(in, ARRAY_SIZE(in));
		sg_set_buf(&in[0], &buffers->reply, sizeof(buffers->reply));
		sg_set_buf(&in[1], buffers->answer, sizeof(buffers->answer));
		ret = vgpu_link_send(link, command, sgs, 1, 1);
		if (!ret)
			ret = vgpu_link_wait(link, command);
	}
	raw_spin_unlock_irqrestore(&link->lock, flags);

	/* A device that did not answer may still write: then the memory stays its own. */
	if (ret == -EIO && command)
		return ret;

	if (!ret) {
		used = buffers->reply.value;
		if (buffers->reply.status != PANTHOR_VGPU_OK || used > sizeof(buffers->answer)) {
			ret = -EINVAL;
		} else {
			memcpy(reply, buffers->answer, used);
			*reply_length = used;
		}
	}
	kfree(buffers);
	return ret;
}

int panthor_vgpu_link_init(struct panthor_vgpu_link *link, struct virtio_device *vdev)
{
	link->vdev = vdev;
	raw_spin_lock_init(&link->lock);
	link->commands = kcalloc(PANTHOR_VGPU_COMMANDS, sizeof(*link->commands), GFP_KERNEL);
	return link->commands ? 0 : -ENOMEM;
}

/* Call when the queues are gone. */
void panthor_vgpu_link_fini(struct panthor_vgpu_link *link)
{
	kfree(link->commands);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/panthor_vgpu:
 *
 *  control	write one command line, read the answer to the last one ("help" lists commands); a
 *		line the device refuses is EINVAL, the answer then says why
 *  mmio_latency	read: what a register access costs, in nanoseconds
 */
#include <linux/debugfs.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "panthor_vgpu.h"

static bool is_refusal(const struct panthor_vgpu_debug *debug)
{
	static const char prefix[] = "error:";

	return debug->length >= sizeof(prefix) - 1 &&
	       !memcmp(debug->reply, prefix, sizeof(prefix) - 1);
}

static ssize_t control_write(struct file *file, const char __user *user, size_t count,
			     loff_t *position)
{
	struct panthor_vgpu *vgpu = file->private_data;
	struct panthor_vgpu_debug *debug = &vgpu->debug;
	char *line;
	int ret;

	if (count > PANTHOR_VGPU_CONTROL_MAX)
		return -EMSGSIZE;
	line = memdup_user_nul(user, count);
	if (IS_ERR(line))
		return PTR_ERR(line);

	mutex_lock(&debug->lock);
	debug->length = 0;
	ret = panthor_vgpu_link_control(&vgpu->link, line, count, debug->reply, &debug->length);
	if (!ret && is_refusal(debug))
		ret = -EINVAL;
	mutex_unlock(&debug->lock);

	kfree(line);
	return ret ? ret : count;
}

static ssize_t control_read(struct file *file, char __user *user, size_t count, loff_t *position)
{
	struct panthor_vgpu *vgpu = file->private_data;
	struct panthor_vgpu_debug *debug = &vgpu->debug;
	ssize_t ret;

	mutex_lock(&debug->lock);
	ret = simple_read_from_buffer(user, count, position, debug->reply, debug->length);
	mutex_unlock(&debug->lock);
	return ret;
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = control_write,
	.read = control_read,
	.llseek = default_llseek,
};

#define LATENCY_ROUNDS	1000

static int mmio_latency_show(struct seq_file *m, void *unused)
{
	struct panthor_vgpu *vgpu = m->private;
	struct panthor_vgpu_request request = {
		.op = PANTHOR_VGPU_OP_READ,
		.size = 4,
		.offset = 0,
	};
	void __iomem *registers;
	ktime_t start;
	unsigned int i;
	u64 value;

	registers = ioremap(panthor_vgpu_window_start(), PANTHOR_VGPU_WINDOW_SIZE);
	if (!registers)
		return -ENOMEM;

	start = ktime_get();
	for (i = 0; i < LATENCY_ROUNDS; i++)
		if (panthor_vgpu_link_call(&vgpu->link, &request, &value))
			break;
	seq_printf(m, "round_trip_ns %lld\n",
		   ktime_to_ns(ktime_sub(ktime_get(), start)) / LATENCY_ROUNDS);

	start = ktime_get();
	for (i = 0; i < LATENCY_ROUNDS; i++)
		readl(registers);
	seq_printf(m, "shadow_read_ns %lld\n",
		   ktime_to_ns(ktime_sub(ktime_get(), start)) / LATENCY_ROUNDS);

	iounmap(registers);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(mmio_latency);

/* Failures only cost the files. */
void panthor_vgpu_debugfs_init(struct panthor_vgpu *vgpu)
{
	struct panthor_vgpu_debug *debug = &vgpu->debug;

	mutex_init(&debug->lock);
	debug->reply = kzalloc(PANTHOR_VGPU_CONTROL_MAX, GFP_KERNEL);
	if (!debug->reply)
		return;

	debug->dir = debugfs_create_dir("panthor_vgpu", NULL);
	debugfs_create_file("control", 0600, debug->dir, vgpu, &control_fops);
	debugfs_create_file("mmio_latency", 0400, debug->dir, vgpu, &mmio_latency_fops);
}

void panthor_vgpu_debugfs_fini(struct panthor_vgpu *vgpu)
{
	debugfs_remove_recursive(vgpu->debug.dir);
	kfree(vgpu->debug.reply);
}

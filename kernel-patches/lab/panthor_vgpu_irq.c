// SPDX-License-Identifier: GPL-2.0
/*
 * The three interrupt lines of the GPU, level triggered.
 *
 * A line that the device delivered stays in service until it is unmasked after its handler:
 * then the device is told, looks at the level behind all register writes of the handler, and
 * delivers again if it is still high. A line that nobody requested yet, or that is disabled,
 * stays masked and so is delivered once, not in a storm; enabling it makes the device look
 * again.
 */
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "panthor_vgpu.h"

static void vgpu_irq_mask(struct irq_data *data)
{
	/* The device delivers nothing more by itself: the line is in service. */
}

static void vgpu_irq_unmask(struct irq_data *data)
{
	struct panthor_vgpu_irqs *irqs = irq_data_get_irq_chip_data(data);
	unsigned int line = data->irq - irqs->base;
	struct panthor_vgpu_request request = {
		.op = PANTHOR_VGPU_OP_EOI,
		.value = line,
	};

	if (!READ_ONCE(irqs->in_service[line]))
		return;

	WRITE_ONCE(irqs->in_service[line], false);
	panthor_vgpu_link_post(irqs->link, &request);
}

static struct irq_chip vgpu_irq_chip = {
	.name = "panthor-vgpu",
	.irq_mask = vgpu_irq_mask,
	.irq_unmask = vgpu_irq_unmask,
};

static int vgpu_irq_offer(struct panthor_vgpu_irqs *irqs, struct panthor_vgpu_irq *buffer,
			  gfp_t gfp)
{
	struct scatterlist sg;

	sg_init_one(&sg, buffer, sizeof(*buffer));
	return virtqueue_add_inbuf(irqs->vq, &sg, 1, buffer, gfp);
}

/* The device filled some buffers. Runs in hard interrupt context. */
void panthor_vgpu_irq_callback(struct virtqueue *vq)
{
	struct panthor_vgpu *vgpu = vq->vdev->priv;
	struct panthor_vgpu_irqs *irqs = &vgpu->irqs;
	struct panthor_vgpu_irq *buffer;
	unsigned int length;

	while ((buffer = virtqueue_get_buf(vq, &length))) {
		u32 line = READ_ONCE(buffer->line);

		/* Never fails: the buffer's own descriptor has just become free. */
		vgpu_irq_offer(irqs, buffer, GFP_ATOMIC);

		if (length < sizeof(*buffer) || line >= PANTHOR_VGPU_LINE_COUNT) {
			dev_err_ratelimited(&vq->vdev->dev, "bad interrupt message\n");
			continue;
		}
		WRITE_ONCE(irqs->in_service[line], true);
		generic_handle_irq(irqs->base + line);
	}
	virtqueue_kick(vq);
}

/* Makes the Linux interrupts; nothing is delivered before panthor_vgpu_irq_start(). */
int panthor_vgpu_irq_init(struct panthor_vgpu_irqs *irqs, struct panthor_vgpu_link *link)
{
	unsigned int line;

	irqs->link = link;
	irqs->buffers = kcalloc(PANTHOR_VGPU_IRQ_BUFFERS, sizeof(*irqs->buffers), GFP_KERNEL);
	if (!irqs->buffers)
		return -ENOMEM;

	irqs->base = irq_alloc_descs(-1, 0, PANTHOR_VGPU_LINE_COUNT, NUMA_NO_NODE);
	if (irqs->base < 0) {
		kfree(irqs->buffers);
		return irqs->base;
	}

	for (line = 0; line < PANTHOR_VGPU_LINE_COUNT; line++) {
		irq_set_chip_data(irqs->base + line, irqs);
		irq_set_chip_and_handler(irqs->base + line, &vgpu_irq_chip, handle_level_irq);
		irq_set_status_flags(irqs->base + line, IRQ_LEVEL);
		irq_clear_status_flags(irqs->base + line, IRQ_NOREQUEST);
	}
	return 0;
}

/* Call when the device is quiet and the queues are gone. */
void panthor_vgpu_irq_fini(struct panthor_vgpu_irqs *irqs)
{
	irq_free_descs(irqs->base, PANTHOR_VGPU_LINE_COUNT);
	kfree(irqs->buffers);
}

/* Offers the buffers: from now on the device delivers. */
int panthor_vgpu_irq_start(struct panthor_vgpu_irqs *irqs)
{
	unsigned int i;
	int ret;

	for (i = 0; i < PANTHOR_VGPU_IRQ_BUFFERS; i++) {
		ret = vgpu_irq_offer(irqs, &irqs->buffers[i], GFP_KERNEL);
		if (ret)
			return ret;
	}
	virtqueue_kick(irqs->vq);
	return 0;
}

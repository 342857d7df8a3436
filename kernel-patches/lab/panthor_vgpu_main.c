// SPDX-License-Identifier: GPL-2.0
/*
 * Glue between the virtual GPU process and the unmodified panthor driver, for User-Mode Linux.
 *
 * Binds to virtio device PANTHOR_VGPU_VIRTIO_ID and makes what panthor expects of its platform:
 * a register window, the interrupts "job", "mmu" and "gpu", a core clock and a platform device
 * with the device tree node of a Mali CSF GPU (which brings the compatible string and the OPP
 * table). The node must not become a platform device by itself: put it under a bus node without
 * a compatible string.
 */
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/virtio.h>
#include <linux/virtio_config.h>

#include "panthor_vgpu.h"

/* The name panthor's device has on RK3588. */
#define VGPU_DEVICE_NAME "fb000000.gpu"

static int vgpu_hello(struct panthor_vgpu *vgpu)
{
	struct panthor_vgpu_request request = {
		.op = PANTHOR_VGPU_OP_HELLO,
		.value = PANTHOR_VGPU_WIRE_VERSION,
	};
	u64 version;
	int ret;

	ret = panthor_vgpu_link_call(&vgpu->link, &request, &version);
	if (ret)
		return dev_err_probe(&vgpu->vdev->dev, ret, "no answer to the first request\n");
	if (version != PANTHOR_VGPU_WIRE_VERSION)
		return dev_err_probe(&vgpu->vdev->dev, -EPROTO,
				     "device speaks version %llu, this module version %u\n",
				     version, PANTHOR_VGPU_WIRE_VERSION);
	return 0;
}

static int vgpu_add_platform_device(struct panthor_vgpu *vgpu)
{
	phys_addr_t start = panthor_vgpu_window_start();
	int irq = vgpu->irqs.base;
	const struct resource resources[] = {
		DEFINE_RES_MEM_NAMED(start, PANTHOR_VGPU_WINDOW_SIZE, "mali"),
		DEFINE_RES_IRQ_NAMED(irq + PANTHOR_VGPU_LINE_JOB, "job"),
		DEFINE_RES_IRQ_NAMED(irq + PANTHOR_VGPU_LINE_MMU, "mmu"),
		DEFINE_RES_IRQ_NAMED(irq + PANTHOR_VGPU_LINE_GPU, "gpu"),
	};
	struct platform_device_info info = {
		.name = VGPU_DEVICE_NAME,
		.id = PLATFORM_DEVID_NONE,
		.parent = &vgpu->vdev->dev,
		.res = resources,
		.num_res = ARRAY_SIZE(resources),
		.dma_mask = DMA_BIT_MASK(40),
	};
	struct platform_device *pdev;
	struct device_node *node;

	node = of_find_compatible_node(NULL, NULL, "arm,mali-valhall-csf");
	if (!node)
		return dev_err_probe(&vgpu->vdev->dev, -ENODEV,
				     "no arm,mali-valhall-csf node in the device tree\n");
	info.fwnode = of_fwnode_handle(node);
	pdev = platform_device_register_full(&info);
	of_node_put(node);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);

	vgpu->pdev = pdev;
	return 0;
}

static void vgpu_remove_platform_device(struct panthor_vgpu *vgpu)
{
	platform_device_unregister(vgpu->pdev);
	vgpu->pdev = NULL;
}

static int vgpu_probe(struct virtio_device *vdev)
{
	struct virtqueue_info infos[] = {
		{ .name = "cmd" },
		{ .name = "irq", .callback = panthor_vgpu_irq_callback },
	};
	struct virtqueue *vqs[ARRAY_SIZE(infos)];
	struct panthor_vgpu *vgpu;
	int ret;

	vgpu = kzalloc_obj(*vgpu);
	if (!vgpu)
		return -ENOMEM;
	vgpu->vdev = vdev;
	vdev->priv = vgpu;

	ret = panthor_vgpu_link_init(&vgpu->link, vdev);
	if (ret)
		goto err_free;
	ret = panthor_vgpu_irq_init(&vgpu->irqs, &vgpu->link);
	if (ret)
		goto err_link;

	ret = virtio_find_vqs(vdev, ARRAY_SIZE(vqs), vqs, infos, NULL);
	if (ret)
		goto err_irq;
	vgpu->link.vq = vqs[0];
	vgpu->irqs.vq = vqs[1];
	virtqueue_disable_cb(vgpu->link.vq);
	virtio_device_ready(vdev);

	ret = vgpu_hello(vgpu);
	if (ret)
		goto err_vqs;
	ret = panthor_vgpu_window_attach(&vgpu->link);
	if (ret)
		goto err_vqs;
	ret = panthor_vgpu_irq_start(&vgpu->irqs);
	if (ret)
		goto err_window;
	ret = panthor_vgpu_clock_init(&vgpu->clock, VGPU_DEVICE_NAME);
	if (ret)
		goto err_window;
	panthor_vgpu_debugfs_init(vgpu);

	ret = vgpu_add_platform_device(vgpu);
	if (ret)
		goto err_clock;
	return 0;

err_clock:
	panthor_vgpu_debugfs_fini(vgpu);
	panthor_vgpu_clock_fini(&vgpu->clock);
err_window:
	panthor_vgpu_window_detach(&vgpu->link);
err_vqs:
	virtio_reset_device(vdev);
	vdev->config->del_vqs(vdev);
err_irq:
	panthor_vgpu_irq_fini(&vgpu->irqs);
err_link:
	panthor_vgpu_link_fini(&vgpu->link);
err_free:
	vdev->priv = NULL;
	kfree(vgpu);
	return ret;
}

static void vgpu_remove(struct virtio_device *vdev)
{
	struct panthor_vgpu *vgpu = vdev->priv;

	vgpu_remove_platform_device(vgpu);
	panthor_vgpu_debugfs_fini(vgpu);
	panthor_vgpu_clock_fini(&vgpu->clock);
	panthor_vgpu_window_detach(&vgpu->link);
	virtio_reset_device(vdev);
	vdev->config->del_vqs(vdev);
	panthor_vgpu_irq_fini(&vgpu->irqs);
	panthor_vgpu_link_fini(&vgpu->link);
	vdev->priv = NULL;
	kfree(vgpu);
}

/*
 * Without this the virtio core breaks the queues when the machine goes down, before panthor,
 * which UML removes last, has put the GPU to rest.
 */
static void vgpu_shutdown(struct virtio_device *vdev)
{
	struct panthor_vgpu *vgpu = vdev->priv;

	/*
	 * device_shutdown() keeps every device it has passed awake, and it has passed ours, the
	 * child. Give that reference back, or the driver cannot suspend the GPU when it goes.
	 */
	pm_runtime_put_noidle(&vgpu->pdev->dev);
	vgpu_remove_platform_device(vgpu);
}

static const struct virtio_device_id vgpu_ids[] = {
	{ PANTHOR_VGPU_VIRTIO_ID, VIRTIO_DEV_ANY_ID },
	{ }
};
MODULE_DEVICE_TABLE(virtio, vgpu_ids);

static struct virtio_driver vgpu_driver = {
	.driver.name = "panthor_vgpu",
	.id_table = vgpu_ids,
	.probe = vgpu_probe,
	.remove = vgpu_remove,
	.shutdown = vgpu_shutdown,
};
module_virtio_driver(vgpu_driver);

MODULE_DESCRIPTION("Platform device for panthor on a virtual Mali GPU");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * The register window: 2 MiB of guest RAM that stand for the GPU's registers.
 *
 * Kernel accesses through ioremap() trap into the operations below (logic_iomem). A user mapping
 * of the window (the FLUSH_ID page that panthor lets user space map) is plain memory, which only
 * works inside RAM: UML maps nothing else to user space. The device keeps the register values in
 * that memory, so a read of a register that does not change by itself costs a load, once all
 * writes before it have been done.
 *
 * logic_iomem regions cannot be removed, so the window is made once and stays.
 */
#include <linux/bitops.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/logic_iomem.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "panthor_vgpu.h"

static bool fast_reads = true;
module_param(fast_reads, bool, 0644);
MODULE_PARM_DESC(fast_reads, "read registers from shared memory where possible");

static struct {
	struct mutex lock; /* serialises attach and detach */
	struct panthor_vgpu_link *link;
	struct resource resource;
	void *registers;
	unsigned long *trap_map;
} vgpu_window = {
	.lock = __MUTEX_INITIALIZER(vgpu_window.lock),
};

static bool vgpu_window_traps(unsigned int offset, int size)
{
	unsigned int word = offset / 4;

	if (!fast_reads || size < 4 || offset % size || offset > PANTHOR_VGPU_WINDOW_SIZE - size)
		return true;
	return test_bit(word, vgpu_window.trap_map) ||
	       (size == 8 && test_bit(word + 1, vgpu_window.trap_map));
}

static unsigned long vgpu_window_read(void *priv, unsigned int offset, int size)
{
	struct panthor_vgpu_link *link = READ_ONCE(vgpu_window.link);
	struct panthor_vgpu_request request = {
		.op = PANTHOR_VGPU_OP_READ,
		.size = size,
		.offset = offset,
	};
	u64 value;

	if (!link)
		return ~0UL;
	if (vgpu_window_traps(offset, size))
		return panthor_vgpu_link_call(link, &request, &value) ? ~0UL : value;
	if (panthor_vgpu_link_drain(link))
		return ~0UL;
	return size == 8 ? READ_ONCE(*(u64 *)(vgpu_window.registers + offset)) :
			   READ_ONCE(*(u32 *)(vgpu_window.registers + offset));
}

static void vgpu_window_write(void *priv, unsigned int offset, int size, unsigned long value)
{
	struct panthor_vgpu_link *link = READ_ONCE(vgpu_window.link);
	struct panthor_vgpu_request request = {
		.op = PANTHOR_VGPU_OP_WRITE,
		.size = size,
		.offset = offset,
		.value = value,
	};

	if (link)
		panthor_vgpu_link_post(link, &request);
}

static const struct logic_iomem_ops vgpu_window_ops = {
	.read = vgpu_window_read,
	.write = vgpu_window_write,
};

static long vgpu_window_map(unsigned long offset, size_t size, const struct logic_iomem_ops **ops,
			    void **priv)
{
	*ops = &vgpu_window_ops;
	*priv = &vgpu_window;
	return offset;
}

static const struct logic_iomem_region_ops vgpu_window_region_ops = {
	.map = vgpu_window_map,
};

static int vgpu_window_create(void)
{
	unsigned int order = get_order(PANTHOR_VGPU_WINDOW_SIZE);
	unsigned int map_order = get_order(PANTHOR_VGPU_TRAP_MAP_SIZE);
	void *registers;
	int ret;

	if (vgpu_window.registers)
		return 0;

	vgpu_window.trap_map = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, map_order);
	registers = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, order);
	if (!vgpu_window.trap_map || !registers) {
		ret = -ENOMEM;
		goto err_free;
	}

	vgpu_window.resource = DEFINE_RES_MEM_NAMED(virt_to_phys(registers),
						    PANTHOR_VGPU_WINDOW_SIZE, "panthor-vgpu");
	ret = logic_iomem_add_region(&vgpu_window.resource, &vgpu_window_region_ops);
	if (ret)
		goto err_free;

	/* The region points at this module for ever. */
	__module_get(THIS_MODULE);
	vgpu_window.registers = registers;
	return 0;

err_free:
	free_pages((unsigned long)registers, order);
	free_pages((unsigned long)vgpu_window.trap_map, map_order);
	vgpu_window.trap_map = NULL;
	return ret;
}

/* Makes @link the device behind the window. -EBUSY if another one is. May sleep. */
int panthor_vgpu_window_attach(struct panthor_vgpu_link *link)
{
	struct panthor_vgpu_request request = { };
	int ret;

	mutex_lock(&vgpu_window.lock);
	ret = vgpu_window.link ? -EBUSY : vgpu_window_create();
	if (ret)
		goto out_unlock;

	request.op = PANTHOR_VGPU_OP_TRAP_MAP;
	request.value = virt_to_phys(vgpu_window.trap_map);
	ret = panthor_vgpu_link_call(link, &request, NULL);
	if (ret)
		goto out_unlock;

	request.op = PANTHOR_VGPU_OP_SHADOW;
	request.value = virt_to_phys(vgpu_window.registers);
	ret = panthor_vgpu_link_call(link, &request, NULL);
	if (!ret)
		WRITE_ONCE(vgpu_window.link, link);
out_unlock:
	mutex_unlock(&vgpu_window.lock);
	return ret;
}

/* Nobody may be inside an access: the platform device is gone. May sleep. */
void panthor_vgpu_window_detach(struct panthor_vgpu_link *link)
{
	struct panthor_vgpu_request request = {
		.op = PANTHOR_VGPU_OP_SHADOW,
	};

	mutex_lock(&vgpu_window.lock);
	WRITE_ONCE(vgpu_window.link, NULL);
	panthor_vgpu_link_call(link, &request, NULL);
	mutex_unlock(&vgpu_window.lock);
}

phys_addr_t panthor_vgpu_window_start(void)
{
	return vgpu_window.resource.start;
}

// SPDX-License-Identifier: GPL-2.0
/* The GPU's core clock: any rate panthor's OPP table asks for is accepted. */
#include <linux/clk-provider.h>
#include <linux/clkdev.h>
#include <linux/err.h>

#include "panthor_vgpu.h"

static struct panthor_vgpu_clock *to_clock(struct clk_hw *hw)
{
	return container_of(hw, struct panthor_vgpu_clock, hw);
}

static unsigned long vgpu_clock_recalc_rate(struct clk_hw *hw, unsigned long parent_rate)
{
	return to_clock(hw)->rate;
}

static int vgpu_clock_determine_rate(struct clk_hw *hw, struct clk_rate_request *req)
{
	return 0;
}

static int vgpu_clock_set_rate(struct clk_hw *hw, unsigned long rate, unsigned long parent_rate)
{
	to_clock(hw)->rate = rate;
	return 0;
}

static const struct clk_ops vgpu_clock_ops = {
	.recalc_rate = vgpu_clock_recalc_rate,
	.determine_rate = vgpu_clock_determine_rate,
	.set_rate = vgpu_clock_set_rate,
};

/* Registers the clock so that clk_get(device, NULL) finds it for @device_name. */
int panthor_vgpu_clock_init(struct panthor_vgpu_clock *clock, const char *device_name)
{
	struct clk_init_data init = {
		.name = "panthor-vgpu-core",
		.ops = &vgpu_clock_ops,
		.flags = CLK_GET_RATE_NOCACHE,
	};
	int ret;

	clock->rate = 1000000000;
	clock->hw.init = &init;
	ret = clk_hw_register(NULL, &clock->hw);
	if (ret)
		return ret;

	clock->lookup = clkdev_hw_create(&clock->hw, NULL, "%s", device_name);
	if (!clock->lookup) {
		clk_hw_unregister(&clock->hw);
		return -ENOMEM;
	}
	return 0;
}

void panthor_vgpu_clock_fini(struct panthor_vgpu_clock *clock)
{
	clkdev_drop(clock->lookup);
	clk_hw_unregister(&clock->hw);
}

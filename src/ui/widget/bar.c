/* SPDX-License-Identifier: MIT */
#include "ui/widget/bar.h"

void bar_draw(const struct term_area *area, unsigned x, unsigned y, unsigned width, enum term_role role,
	unsigned high)
{
	for (unsigned k = 0; high > k * 8; k++)
		term_area_fill(area, x, y - k, width, 1, role, 0x2580 + MIN(high - k * 8, 8)); /* ▁ to █ */
}

unsigned bar_height(uint64_t count, uint64_t most, unsigned lines)
{
	if (!count)
		return 0;
	return MAX((unsigned)((double)count * lines * 8 / (double)MAX(most, 1) + 0.5), 1);
}

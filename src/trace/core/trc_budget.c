/* SPDX-License-Identifier: MIT */
#include "trace/core/trc_budget.h"

#include "base/base_error.h"

void trc_budget_set_error(const struct trc_budget *b, const char *path, GError **error)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED,
		"cannot read the trace %s: %s: it is damaged or made to do harm; copy the trace again", path,
		b->refused);
}

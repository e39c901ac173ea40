/* SPDX-License-Identifier: MIT */
/* By what cases are told apart, as it is typed. */
#include "analysis/latency/latency.h"

#include "base/base_error.h"

static const char *const by_names[ANA_LATENCY_BY_N] = { [ANA_LATENCY_BY_THREAD] = "thread",
	[ANA_LATENCY_BY_NAME] = "name",
	[ANA_LATENCY_BY_PROCESS] = "process",
	[ANA_LATENCY_BY_CPU] = "cpu",
	[ANA_LATENCY_BY_HOST] = "host",
	[ANA_LATENCY_BY_CLASS] = "class",
	[ANA_LATENCY_BY_KEY] = "key",
	[ANA_LATENCY_BY_CALL] = "call",
	[ANA_LATENCY_BY_DEVICE] = "device",
	[ANA_LATENCY_BY_DISK] = "disk" };

const char *ana_latency_by_name(enum ana_latency_by by)
{
	return by_names[by];
}

bool ana_latency_by_is_text(enum ana_latency_by by)
{
	return by == ANA_LATENCY_BY_NAME || by >= ANA_LATENCY_BY_KEY;
}

bool ana_latency_by_parse(const char *name, enum ana_latency_by *by, GError **error)
{
	g_autofree char *known = NULL;

	for (unsigned i = 0; i < ANA_LATENCY_BY_N; i++) {
		if (g_strcmp0(by_names[i], name) != 0)
			continue;
		*by = i;
		return true;
	}
	known = g_strjoinv(", ", (char **)(uintptr_t)(by_names + 1));
	return base_error_false(error, BASE_ERROR_USAGE, "\"%s\" makes no groups: use one of %s", name,
		known);
}

/* SPDX-License-Identifier: MIT */
/* Finding all cases of a kind: thread by thread, so that those of one lie together, or host by host. */
#include "analysis/latency/kind.h"

#include "base/base_error.h"

bool ana_cases_stopped(struct base_progress *progress, GError **error)
{
	if (!base_progress_cancelled(progress))
		return false;
	g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED, "the measuring of latencies was interrupted");
	return true;
}

static bool find_all(void *data, struct qry_kept *kept, struct base_progress *progress, GError **error)
{
	const struct ana_latency_kind *kind = data;

	if (kind->walk)
		return qry_cases_find(kept, kind->walk, progress, error);
	for (uint32_t host = 0; host < qry_host_count(kept->q); host++)
		if (!kind->collect_host(kept, host, progress, error) || ana_cases_stopped(progress, error))
			return false;
	return true;
}

bool ana_cases_open(struct qry *q, const struct ana_latency_kind *kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error)
{
	struct qry_kept kept = { .name = kind->name, .key = "", .outline = kind->walk, .holds = kind->holds };
	bool fine;

	if (!kind->walk && !kind->collect_host)
		return qry_spans_open(q, kind->span, spans, progress, error);
	fine = qry_kept_open(q, &kept, 1, find_all, (void *)(uintptr_t)kind, progress, error);
	*spans = (struct qry_spans){ kept.file, 0, kind->walk };
	return fine;
}

/* SPDX-License-Identifier: MIT */
/* Finding all cases of a kind: thread by thread, so that those of one lie together, or host by host. */
#include "analysis/ana_latency_kind.h"

#include "base/base_error.h"

static void put(struct qry_kept *cases, uint32_t row, int64_t start, int64_t end, enum mdl_span_fate fate)
{
	struct mdl_span span = { .start = start,
		.end = end,
		.row = row,
		.cpu = MDL_NONE,
		.fate = (uint8_t)fate };

	qry_kept_add(cases, qry_row(cases->q, row)->host, &span);
}

void ana_cases_add(struct qry_kept *cases, uint32_t row, int64_t start, int64_t end)
{
	put(cases, row, start, end, MDL_SPAN_DONE);
}

void ana_cases_unfinished(struct qry_kept *cases, uint32_t row, int64_t start)
{
	put(cases, row, start, start, MDL_SPAN_OPEN);
}

void ana_cases_dropped(struct qry_kept *cases, uint32_t row, int64_t start)
{
	put(cases, row, start, start, MDL_SPAN_LOST);
}

/* ---- the whole ---- */

bool ana_cases_stopped(struct base_progress *progress, GError **error)
{
	if (!base_progress_cancelled(progress))
		return false;
	g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED, "the measuring of latencies was interrupted");
	return true;
}

static bool find_rows(const struct ana_latency_kind *kind, struct qry_kept *cases,
	struct base_progress *progress, GError **error)
{
	uint32_t n = qry_row_count(cases->q);

	for (uint32_t row = 0; row < n; row++) {
		if (ana_cases_stopped(progress, error))
			return false;
		if (qry_row(cases->q, row)->type == MDL_ROW_THREAD)
			kind->collect(cases, row);
		if (progress)
			base_progress_set(progress, (double)(row + 1) / n, 0);
	}
	return true;
}

static bool find_all(void *data, struct qry_kept *kept, struct base_progress *progress, GError **error)
{
	const struct ana_latency_kind *kind = data;

	if (kind->collect)
		return find_rows(kind, kept, progress, error);
	for (uint32_t host = 0; host < qry_host_count(kept->q); host++)
		if (!kind->collect_host(kept, host, progress, error) || ana_cases_stopped(progress, error))
			return false;
	return true;
}

bool ana_cases_open(struct qry *q, const struct ana_latency_kind *kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error)
{
	struct qry_kept kept = { .name = kind->name, .key = "" };
	bool fine;

	if (!kind->collect && !kind->collect_host)
		return qry_spans_open(q, kind->span, spans, progress, error);
	fine = qry_kept_open(q, &kept, 1, find_all, (void *)(uintptr_t)kind, progress, error);
	*spans = (struct qry_spans){ kept.file, 0 };
	return fine;
}

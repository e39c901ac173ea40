/* SPDX-License-Identifier: MIT */
/*
 * What a disk did that a wait was for: "write of vdb".
 *
 * A thread that reads, or writes past the page cache, waits for a request of its own, whose completion wakes
 * it.  One in fsync() waits for the thread that writes the journal (jbd2_log_wait_commit(),
 * fs/jbd2/journal.c), which waits for the disk in its stead; so does one that waits for a lock in the kernel
 * whose owner reads.  These waits are uninterruptible.  They are put down to the last request that who ended
 * the wait waited for meanwhile.
 */
#include "analysis/latency/kind.h"

#include "analysis/kind/words.h"

/* "write of vdb", of several hosts "write of db/vda", if a request ended the wait of SOURCE; else NULL. */
static char *request_of(struct qry *q, const struct ana_source *source)
{
	bool several = qry_host_count(q) > 1;
	struct mdl_cause cause;

	if (source->kind != ANA_KIND_BLOCK || !ana_source_cause(q, source, &cause) ||
		!(cause.facts.has & MDL_FACT_REQUEST))
		return NULL;
	return g_strdup_printf("%s of %s%s%s", ana_words_operation(cause.facts.request.op),
		several ? qry_host(q, source->host)->name : "", several ? "/" : "",
		qry_device_name(q, source->host, cause.facts.request.dev));
}

/* The last request that thread ROW waited for and that was done in [FROM, TO]; NULL: there is none. */
static char *request_within(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	struct mdl_wakeup w;
	char *request = NULL;

	while (!request && qry_wakeup_before(q, row, to, &w) && w.time >= from) {
		struct ana_source source = ana_source_of(q, row, &w);

		request = request_of(q, &source);
		to = w.time;
	}
	return request;
}

char *ana_latency_disk_of(struct qry *q, const struct ana_latency_case *c)
{
	g_autofree char *request = NULL;
	struct ana_source source;
	struct mdl_interval iv;

	if (!ana_latency_source_of(q, c, &source))
		return NULL;
	if (source.kind == ANA_KIND_BLOCK)
		return request_of(q, &source);
	if (source.thread == MDL_NONE || !qry_kernel_state_at(q, c->row, c->start, &iv) ||
		iv.state != MDL_ST_BLOCKED || iv.detail != MDL_BLOCK_UNINTERRUPTIBLE)
		return NULL;
	request = request_within(q, source.thread, c->start, source.wakeup.time);
	return request ? g_strdup_printf("%s by %s", request, qry_name_at(q, source.thread, c->start)) : NULL;
}

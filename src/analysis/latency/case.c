/* SPDX-License-Identifier: MIT */
/*
 * Facts about a case: the system call that its thread was in, the device that ended its wait, the
 * operation of the disk that it waited for.
 */
#include "analysis/kind/kind.h"
#include "analysis/latency/kind.h"

/* ---- the system call ---- */

/*
 * A thread that leaves its CPU, is interrupted or woken stays in its system call: the exit event is the last
 * thing before it returns to user mode (syscall_exit_work(), kernel/entry/common.c).  A thread that never ran
 * has no call of its own: it returns from the call of its creator, copy_process() in kernel/fork.c.  A page
 * fault is no system call, and kernel threads make none.
 */

#define BIT(state) (1u << (state))
/* States in which a thread stays in the system call that it was in before. */
#define STAYS (BIT(MDL_ST_INTERRUPTED) | BIT(MDL_ST_BLOCKED) | BIT(MDL_ST_WAIT_CPU) | BIT(MDL_ST_PREEMPTED))

/* Find the state of thread ROW at TIME, or the last one before in which it did not stay where it was.  False
 * if unknown. */
static bool doing_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *iv)
{
	bool known = qry_kernel_state_at(q, row, time, iv) || qry_kernel_state_before(q, row, time, iv);

	while (known && BIT(iv->state) & STAYS)
		known = qry_kernel_state_before(q, row, iv->from, iv);
	return known;
}

char *ana_latency_call_of(struct qry *q, const struct ana_latency_case *c)
{
	const struct qry_row *r = c->row != MDL_NONE ? qry_row(q, c->row) : NULL;
	struct mdl_interval iv;
	bool known = r && r->type == MDL_ROW_THREAD && doing_at(q, c->row, c->start, &iv);

	if (known && iv.state == MDL_ST_NEW) {
		known = r->parent != MDL_NONE && doing_at(q, r->parent, r->first, &iv);
		r = known ? qry_row(q, r->parent) : r;
	}
	if (known && iv.state == MDL_ST_SYSCALL)
		return qry_detail_text(q, r->id, &iv);
	if (known && (iv.state == MDL_ST_USERMODE || qry_is_kernel_thread(q, r->id)))
		return g_strdup("no system call");
	return NULL;
}

/* ---- the source of a wait, and its device ---- */

bool ana_latency_source_of(struct qry *q, const struct ana_latency_case *c, struct ana_source *source)
{
	struct mdl_wakeup w;

	if (!qry_wakeup_after(q, c->row, c->start, &w) || w.time > (c->end == MDL_NEVER ? c->start : c->end))
		return false;
	*source = ana_source_of(q, c->row, &w);
	return true;
}

char *ana_latency_device_of(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_source source;

	if (!ana_latency_source_of(q, c, &source))
		return NULL;
	switch (source.kind) {
	case ANA_KIND_BLOCK:
	case ANA_KIND_NETWORK:
	case ANA_KIND_IRQ:
	case ANA_KIND_USER_INPUT: return g_strdup(source.device);
	default: return NULL;
	}
}

/* ---- the disk ---- */

/*
 * The operation of a disk that a wait was for: "write of vdb".
 *
 * A thread that reads, or writes past the page cache, waits for a request of its own, whose completion wakes
 * it.  A thread in fsync() waits for the thread that writes the journal (jbd2_log_wait_commit(),
 * fs/jbd2/journal.c), which waits for the disk in its stead.  A thread that waits for a kernel lock whose
 * owner reads is in the same position.  These waits are uninterruptible.  They count for the last request
 * that the waker waited for meanwhile.
 */

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

/* The last request that thread ROW waited for and that completed in [FROM, TO]; NULL: none. */
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

/* SPDX-License-Identifier: MIT */
/*
 * How it works: a recorder whose name is not known is found by what it does.
 *
 * A recorder of ftrace forks one process for each CPU, which reads the buffer of that CPU. The process sleeps
 * in ring_buffer_wait(), and an irq_work of the buffer wakes it: rb_wakeups() and rb_wake_up_waiters(),
 * kernel/trace/ring_buffer.c. An irq_work runs in the interrupt irq_work (x86), in the IPI "IRQ work
 * interrupts" (arm, arm64: do_handle_IPI()), or in the kernel thread irq_work/N (PREEMPT_RT,
 * kernel/irq_work.c).
 *
 * One such wake-up proves nothing, because other irq_works wake threads, too: that of printk wakes the reader
 * of the kernel's log (wake_up_klogd_work_func(), one process), that of perf wakes the poller of one event
 * (perf_pending_irq()), that of a BPF program unlocks an address space (do_up_read()). A reader is therefore
 * the first thread of its process, and only irq_work wakes it. Wake-ups by its fork, a signal, the disk, RCU
 * or a kernel thread do not count against it. All readers have one name. They are a recorder if there is one
 * for each CPU and irq_work woke at least one, or if irq_work woke two. A worker fails this, because a thread
 * of a program or a packet wakes it. A sleeper fails, because a timer wakes it.
 *
 * perf, rtla and LTTng's consumer cannot be found that way. A timer of their own wakes them about once a
 * second, like any program that polls, and few of their wake-ups come from their buffers (perf_pending_irq()
 * of one process, a timer or work of LTTng). They are known only by their names (tracer.c).
 *
 * The process that started the readers belongs to them: it is their parent, or the only other process of
 * their name. A program that it runs has a name of its own.
 */
#include "query/host/parts.h"

#include <string.h>

#define ENOUGH 2 /* woken readers that suffice, even if there are fewer readers than CPUs */

/* Deeds of the first thread of a process. */
struct deeds {
	uint32_t row;
	uint64_t works; /* wake-ups by irq_work */
	bool reads;
};

static bool is_work_context(const char *name)
{
	return g_str_equal(name, "irq_work") || g_str_equal(name, "IRQ work interrupts");
}

/* True if an irq_work sent W to a thread of HOST. */
static bool by_irq_work(const struct qry *q, uint32_t host, const struct mdl_wakeup *w)
{
	if (w->n_contexts > 0)
		return is_work_context(qry_context(q, host, w->contexts[w->n_contexts - 1].context).name);
	return w->waker != MDL_NONE && q->rows[w->waker].is_kernel &&
		g_str_has_prefix(q->rows[w->waker].name, "irq_work/");
}

/* True if W may end a reader's wait for the disk, RCU, a kernel thread or a signal, not for its buffer. */
static bool is_aside(struct qry *q, uint32_t host, const struct mdl_wakeup *w)
{
	struct qry_context by;
	struct mdl_cause cause;

	if (w->via == MDL_VIA_NEW || w->via == MDL_VIA_NONE)
		return true;
	if (w->cause != 0 && qry_cause(q, host, w->cause, &cause) &&
		cause.facts.has & (MDL_FACT_SIGNAL | MDL_FACT_REQUEST))
		return true;
	if (w->n_contexts == 0)
		return w->waker != MDL_NONE && q->rows[w->waker].is_kernel;
	by = qry_context(q, host, w->contexts[w->n_contexts - 1].context);
	return by.type == MDL_CTX_SOFTIRQ && (g_str_equal(by.name, "RCU") || g_str_equal(by.name, "BLOCK"));
}

static struct deeds deeds_of(struct qry *q, uint32_t row)
{
	struct deeds d = { .row = row, .reads = true };
	struct mdl_wakeup w;

	for (uint64_t i = 0; d.reads && qry_wakeup_get(q, row, i, &w); i++)
		if (by_irq_work(q, q->rows[row].host, &w))
			d.works++;
		else
			d.reads = is_aside(q, q->rows[row].host, &w);
	d.reads = d.reads && (d.works > 0 || qry_wakeup_count(q, row) == 0);
	return d;
}

/* Mark the processes ROWS (of uint32_t), which have one name, if they are the readers of a recorder. Mark the
 * process that started them, too. */
static void mark_group(struct qry *q, const GArray *rows, uint32_t cpus)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct deeds));
	guint readers = 0, woken = 0;

	for (guint i = 0; i < rows->len; i++) {
		struct deeds d = deeds_of(q, g_array_index(rows, uint32_t, i));

		readers += d.reads;
		woken += d.reads && d.works > 0;
		g_array_append_val(all, d);
	}
	if (woken < ENOUGH && (woken == 0 || readers < cpus))
		return;
	for (guint i = 0; i < all->len; i++) {
		const struct deeds *d = &g_array_index(all, struct deeds, i);
		uint32_t parent = q->rows[d->row].parent;

		if (!d->reads)
			continue;
		q->tracer[d->row] = true;
		for (guint k = 0; k < all->len; k++) {
			const struct deeds *other = &g_array_index(all, struct deeds, k);

			if (other->row == parent || all->len - readers == 1)
				q->tracer[other->row] = true;
		}
	}
}

/* Number of CPUs of HOST if its trace has a context or a thread of irq_works; else 0. */
static uint32_t host_cpus(const struct qry *q, uint32_t host)
{
	const struct qry_host *h = qry_host(q, host);

	for (uint32_t i = 0; i < qry_context_count(q, host); i++)
		if (is_work_context(qry_context(q, host, i).name))
			return h->meta->n_cpus;
	for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++)
		if (q->rows[row].is_kernel && g_str_has_prefix(q->rows[row].name, "irq_work/"))
			return h->meta->n_cpus;
	return 0;
}

void qry_tracer_find_deeds(struct qry *q)
{
	for (uint32_t host = 0; host < q->sources->len; host++) {
		const struct qry_host *h = qry_host(q, host);
		uint32_t cpus = host_cpus(q, host);
		g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
			(GDestroyNotify)g_array_unref);
		GHashTableIter iter;
		gpointer rows;

		if (cpus == 0)
			continue;
		for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++) {
			const struct qry_row *r = &q->rows[row];

			if (r->type != MDL_ROW_THREAD || r->nr == 0 || r->is_kernel || r->process != row ||
				q->tracer[row] || *r->name == '\0')
				continue;
			rows = g_hash_table_lookup(names, r->name);
			if (!rows)
				g_hash_table_insert(names, (gpointer)r->name,
					rows = g_array_new(FALSE, FALSE, sizeof row));
			g_array_append_val((GArray *)rows, row);
		}
		g_hash_table_iter_init(&iter, names);
		while (g_hash_table_iter_next(&iter, NULL, &rows))
			if (((GArray *)rows)->len >= ENOUGH)
				mark_group(q, rows, cpus);
	}
}

char *qry_tracer_deeds_text(struct qry *q, uint32_t row)
{
	struct deeds d = deeds_of(q, q->rows[row].process);
	struct mdl_wakeup w;
	bool woken = qry_wakeup_get(q, d.row, 0, &w);

	if (d.reads && d.works > 0)
		return g_strdup_printf(
			"recorder, by its deeds: woken %" G_GUINT64_FORMAT
			" time%s by irq_work, as the trace buffer wakes its readers, never by a program",
			d.works, d.works == 1 ? "" : "s");
	return g_strdup(woken ? "recorder, by its deeds: started the readers of the trace buffer"
			      : "recorder, by its deeds: one of a reader for each CPU's trace buffer");
}

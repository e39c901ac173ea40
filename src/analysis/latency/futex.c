/* SPDX-License-Identifier: MIT */
/*
 * Waits for futexes, and the threads that held one meanwhile.  While a thread waits on a lock, each thread
 * that releases it wakes a waiter (FUTEX_WAKE, FUTEX_UNLOCK_PI).  So a thread that releases it held it since
 * the previous release, or since the wait began.
 *
 *   wait of A   |------------------------------------|
 *   releases             by B               by C     by B
 *   held by     B B B B B   C C C C C C C C   B B B B
 *
 * This is inferred (proofs.md R20.4): a futex may not be a lock, and a thread that spins for one may take and
 * release it without a system call.
 */
#include "analysis/cpu/blame.h"
#include "analysis/latency/kind.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

#define TOLD 2            /* holders that the text names */
#define LOOKED_MOST 20000 /* wake-ups of a process that are read for one wait */

struct release {
	int64_t time;
	uint32_t of, by; /* threads: the one that waited, the one that released it */
};

static int futex_by_time(const void *a, const void *b)
{
	const struct release *x = a, *y = b;

	return BASE_BY(x, y, time);
}

/* The futex that wake-up W of HOST released; false: unknown. */
static bool futex_of(struct qry *q, uint32_t host, const struct mdl_wakeup *w, struct mdl_cause *cause)
{
	return w->cause != 0 && qry_cause(q, host, w->cause, cause) && cause->facts.has & MDL_FACT_FUTEX &&
		cause->facts.futex.by != MDL_FUTEX_BY_EXIT;
}

/* The last wake-up in C that released a futex; false: unknown. */
static bool last_release(struct qry *q, const struct ana_latency_case *c, struct mdl_wakeup *w,
	struct mdl_cause *cause)
{
	for (int64_t time = c->end + 1; qry_wakeup_before(q, c->row, time, w) && w->time >= c->start;
		time = w->time)
		if (futex_of(q, c->host, w, cause))
			return w->since != MDL_NEVER;
	return false;
}

/* Append each release of the futex at ADDRESS by a wake-up of thread ROW in (FROM, TO].  False if there are
 * too many wake-ups to read; LOOKED counts them. */
static bool add_releases(struct qry *q, uint32_t row, uint64_t address, int64_t from, int64_t to,
	unsigned *looked, GArray *releases)
{
	struct mdl_cause cause;
	struct mdl_wakeup w;

	for (uint64_t i = qry_wakeup_seek(q, row, from + 1); qry_wakeup_get(q, row, i, &w) && w.time <= to;
		i++) {
		struct release r = { w.time, row, MDL_NONE };

		if (++*looked > LOOKED_MOST)
			return false;
		if (!futex_of(q, qry_row(q, row)->host, &w, &cause) || cause.facts.futex.address != address)
			continue;
		r.by = ana_source_of(q, row, &w).thread;
		if (r.by != MDL_NONE)
			g_array_append_val(releases, r);
	}
	return true;
}

/* Remove the releases that do not concern thread ROW.  A thread that releases a private futex shares its
 * memory with the waiter; the others are of other processes, with something else at that address. */
static void keep_related(GArray *releases, uint32_t row)
{
	g_autoptr(GHashTable) of = g_hash_table_new(NULL, NULL);
	bool more = g_hash_table_add(of, GUINT_TO_POINTER(row));

	while (more) {
		more = false;
		for (guint i = 0; i < releases->len; i++) {
			const struct release *r = &g_array_index(releases, struct release, i);

			if (g_hash_table_contains(of, GUINT_TO_POINTER(r->of)) ||
				g_hash_table_contains(of, GUINT_TO_POINTER(r->by))) {
				more |= g_hash_table_add(of, GUINT_TO_POINTER(r->of));
				more |= g_hash_table_add(of, GUINT_TO_POINTER(r->by));
			}
		}
	}
	for (guint i = releases->len; i-- > 0;)
		if (!g_hash_table_contains(of,
			    GUINT_TO_POINTER(g_array_index(releases, struct release, i).of)))
			g_array_remove_index(releases, i);
}

/* True if thread R may be of the process of ROW. */
static bool may_be_of(const struct qry_row *r, const struct qry_row *row)
{
	return r->type == MDL_ROW_THREAD && (row->pid == -1 ? r->pid == -1 : r->process == row->process);
}

/* The releases of the futex at ADDRESS by wake-ups of threads of the process of ROW in (FROM, TO], by time.
 * NULL if there are too many wake-ups to read.  The caller unrefs. */
static GArray *releases_of(struct qry *q, uint32_t row, uint64_t address, int64_t from, int64_t to)
{
	GArray *releases = g_array_new(FALSE, FALSE, sizeof(struct release));
	const struct qry_host *h = qry_host(q, qry_row(q, row)->host);
	unsigned looked = 0;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, i);

		if (may_be_of(r, qry_row(q, row)) && r->first <= to && r->last >= from &&
			!add_releases(q, i, address, from, to, &looked, releases)) {
			g_array_unref(releases);
			return NULL;
		}
	}
	if (qry_row(q, row)->pid == -1)
		keep_related(releases, row);
	g_array_sort(releases, futex_by_time);
	return releases;
}

/* "wk-fighter0[471] held it 8.21 ms, wk-fighter2[473] 3.76 ms and 1 other: futex 0x4bf360 (inferred)", for
 * HOLDERS, longest first; NULL: none is known.  The caller frees. */
static char *holders_text(struct qry *q, const struct ana_blame *holders, uint64_t address)
{
	guint n = holders->parts->len, told = MIN(n, TOLD);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < told; i++) {
		const struct ana_blame_part *part = &g_array_index(holders->parts, struct ana_blame_part, i);
		g_autofree char *time = base_time_format_duration(part->time, false),
				*who = ana_blame_part_text(q, part);

		g_string_append_printf(text, "%s%s %s%s", i > 0 ? ", " : "", who, i > 0 ? "" : "held it ",
			time);
	}
	if (n > told)
		g_string_append_printf(text, " and %u other%s", n - told, base_text_s(n - told));
	g_string_append_printf(text, ": futex 0x%" PRIx64 "%s", address, ana_grade_mark(MDL_DOUBT(FUTEX)));
	return g_string_free(text, n == 0);
}

char *ana_latency_holders(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_blame *holders;
	struct mdl_cause cause;
	struct mdl_wakeup w;
	g_autoptr(GArray) releases = NULL;
	char *who;
	int64_t from;

	if (c->row == MDL_NONE || c->end == MDL_NEVER || !last_release(q, c, &w, &cause))
		return NULL;
	from = MAX(w.since, c->start);
	releases = releases_of(q, c->row, cause.facts.futex.address, from, w.time);
	holders = ana_blame_new(from, w.time);
	for (guint i = 0; releases && i < releases->len; i++) {
		const struct release *r = &g_array_index(releases, struct release, i);
		struct ana_blame_part part = ana_blame_part(ANA_BLAME_THREAD, ANA_PHASE_NONE, c->host,
			MDL_NONE);

		part.row = r->by;
		part.name = qry_name_at(q, r->by, r->time);
		part.from = from;
		part.to = from = r->time;
		part.time = part.to - part.from;
		if (part.time > 0)
			ana_blame_add(holders, &part);
	}
	ana_blame_sort(holders);
	who = holders_text(q, holders, cause.facts.futex.address);
	ana_blame_free(holders);
	return who;
}

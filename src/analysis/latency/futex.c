/* SPDX-License-Identifier: MIT */
/*
 * Waits for futexes, and who held one meanwhile: as long as a thread waits on a lock, each thread that gives it up
 * wakes a waiter (FUTEX_WAKE, FUTEX_UNLOCK_PI).  So whoever released it held it since the release before, or since the
 * wait began.
 *
 *   wait of A   |------------------------------------|
 *   releases             by B               by C     by B
 *   held by     B B B B B   C C C C C C C C   B B B B
 *
 * It is inferred (proofs.md R20.4): a futex may be no lock, and one may be taken by a thread that spun for it and gave it up without a
 * call.
 */
#include "analysis/cpu/blame.h"
#include "analysis/latency/kind.h"
#include "base/base_search.h"

#define LOOKED_MOST 20000 /* wake-ups of a process that are looked through for one wait */

struct release {
	int64_t time;
	uint32_t by; /* a thread */
};

static int futex_by_time(const void *a, const void *b)
{
	const struct release *x = a, *y = b;

	return BASE_BY(x, y, time);
}

/* The futex that W of HOST released; false: none is known. */
static bool futex_of(struct qry *q, uint32_t host, const struct mdl_wakeup *w, struct mdl_cause *cause)
{
	return w->cause != 0 && qry_cause(q, host, w->cause, cause) && cause->facts.has & MDL_FACT_FUTEX &&
		cause->facts.futex.by != MDL_FUTEX_BY_EXIT;
}

/* The last wake-up in C that released a futex; false: none is known. */
static bool last_release(struct qry *q, const struct ana_latency_case *c, struct mdl_wakeup *w,
	struct mdl_cause *cause)
{
	for (int64_t time = c->end + 1; qry_wakeup_before(q, c->row, time, w) && w->time >= c->start;
		time = w->time)
		if (futex_of(q, c->host, w, cause))
			return w->since != MDL_NEVER;
	return false;
}

/* Append each release of the futex at ADDRESS by a wake-up of thread ROW in (FROM, TO].  False: too many wake-ups
 * had to be looked at; LOOKED counts them. */
static bool add_releases(struct qry *q, uint32_t row, uint64_t address, int64_t from, int64_t to,
	unsigned *looked, GArray *releases)
{
	struct mdl_cause cause;
	struct mdl_wakeup w;

	for (uint64_t i = qry_wakeup_seek(q, row, from + 1); qry_wakeup_get(q, row, i, &w) && w.time <= to;
		i++) {
		struct release r = { w.time, MDL_NONE };

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

/* The releases of the futex at ADDRESS by wake-ups of threads of the process of ROW in (FROM, TO], by time; NULL: too many
 * wake-ups had to be looked at.  The caller unrefs. */
static GArray *releases_of(struct qry *q, uint32_t row, uint64_t address, int64_t from, int64_t to)
{
	GArray *releases = g_array_new(FALSE, FALSE, sizeof(struct release));
	const struct qry_host *h = qry_host(q, qry_row(q, row)->host);
	unsigned looked = 0;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, i);

		if (r->type == MDL_ROW_THREAD && r->process == qry_row(q, row)->process && r->first <= to &&
			r->last >= from && !add_releases(q, i, address, from, to, &looked, releases)) {
			g_array_unref(releases);
			return NULL;
		}
	}
	g_array_sort(releases, futex_by_time);
	return releases;
}

char *ana_latency_holders(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_blame *holders;
	struct mdl_cause cause;
	struct mdl_wakeup w;
	g_autoptr(GArray) releases = NULL;
	g_autofree char *who = NULL;
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
	who = ana_blame_text(q, holders, ana_blame_part_text);
	ana_blame_free(holders);
	return who ? g_strdup_printf("held by %s%s", who, ana_grade_mark(MDL_DOUBT(FUTEX))) : NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * A CPU is looked through once for each of three classes; what is kept are the pieces of those runs of idle and
 * lower time that are long enough as a whole.  On a busy CPU these are few.
 */
#include "analysis/cpu/lower.h"

#include "base/base_search.h"

/* Idle or lower time.  All pieces between two threads of another class are one run. */
struct piece {
	int64_t from, to;
	uint64_t run;
};

enum class { DEADLINE, REAL_TIME, FAIR, CLASSES };

struct ana_lower {
	struct qry *q;               /* weak */
	GHashTable *pieces[CLASSES]; /* row of a CPU → GArray of struct piece, owned */
};

struct ana_lower *ana_lower_new(struct qry *q)
{
	struct ana_lower *l = g_new(struct ana_lower, 1);

	l->q = q;
	for (unsigned i = 0; i < CLASSES; i++)
		l->pieces[i] = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
	return l;
}

void ana_lower_free(struct ana_lower *l)
{
	for (unsigned i = 0; i < CLASSES; i++)
		g_hash_table_unref(l->pieces[i]);
	g_free(l);
}

/* Nothing goes behind a fair thread by its class, and nothing is known of one without a priority. */
static enum class class_of(int priority) {
	return priority == MDL_PRIORITY_NONE        ? FAIR
		: priority <= MDL_PRIORITY_DEADLINE ? DEADLINE
		: priority < MDL_PRIORITY_FAIR      ? REAL_TIME
						    : FAIR;
}

static bool runs_lower(struct qry *q, enum class class, const struct mdl_interval *iv)
{
	int priority;

	if (class == FAIR || iv->aux == MDL_NONE || !mdl_state_runs(iv->state))
		return false;
	priority = qry_priority_at(q, iv->aux, iv->from);
	return priority != MDL_PRIORITY_NONE && class_of(priority) > class;
}

static GArray *look_through(struct ana_lower *l, uint32_t line, enum class class)
{
	GArray *pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));
	struct piece piece = { .run = 0 };
	guint begin = 0; /* of the run at hand, in PIECES */
	struct mdl_interval iv;
	int64_t sum = 0;

	for (int64_t t = qry_row(l->q, line)->first; qry_kernel_state_at(l->q, line, t, &iv); t = iv.to) {
		if (iv.state == MDL_ST_INTERRUPTED)
			continue;
		if (iv.state != MDL_ST_IDLE && !runs_lower(l->q, class, &iv)) {
			if (sum < ANA_SOON)
				g_array_set_size(pieces, begin);
			begin = pieces->len;
			sum = 0;
			piece.run++;
			continue;
		}
		piece.from = iv.from;
		piece.to = iv.to;
		sum += iv.to - iv.from;
		g_array_append_val(pieces, piece);
	}
	if (sum < ANA_SOON)
		g_array_set_size(pieces, begin);
	return pieces;
}

bool ana_lower_is_long(struct ana_lower *l, uint32_t line, int priority, int64_t from, int64_t to)
{
	enum class class = class_of(priority);
	GArray *pieces = g_hash_table_lookup(l->pieces[class], GUINT_TO_POINTER(line));
	uint64_t run = 0;
	int64_t sum = 0;

	if (!pieces) {
		pieces = look_through(l, line, class);
		g_hash_table_insert(l->pieces[class], GUINT_TO_POINTER(line), pieces);
	}
	if (pieces->len == 0)
		return false;
	for (size_t i = base_search_holding(&g_array_index(pieces, struct piece, 0).from, pieces->len,
		     sizeof(struct piece), from);
		i < pieces->len; i++) {
		const struct piece *p = &g_array_index(pieces, struct piece, i);

		if (p->from >= to)
			return false;
		if (p->to <= from)
			continue;
		sum = (p->run == run ? sum : 0) + MIN(p->to, to) - MAX(p->from, from);
		run = p->run;
		if (sum >= ANA_SOON)
			return true;
	}
	return false;
}

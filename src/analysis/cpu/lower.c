/* SPDX-License-Identifier: MIT */
/*
 * A CPU is scanned once for each of three classes. Kept are the pieces of runs of idle and lower time that
 * are long enough as a whole. A busy CPU has few of them.
 */
#include "analysis/cpu/lower.h"

#include "base/base_search.h"

/* Idle or lower time. All pieces between two threads of another class are one run. */
struct piece {
	int64_t from, to;
	uint64_t run;
};

enum class { DEADLINE, REAL_TIME, FAIR, CLASSES };

#define PARTS 1024 /* of the life of a CPU; each is read at once */

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

/* No class is behind the fair class but idle. A thread without a priority counts as fair. */
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

/* The current run, and the pieces kept of earlier runs. */
struct run {
	GArray *pieces;
	guint begin; /* in PIECES */
	uint64_t number;
	int64_t sum;
};

static void end_run(struct run *run)
{
	if (run->sum < ANA_SOON)
		g_array_set_size(run->pieces, run->begin);
	run->begin = run->pieces->len;
	run->sum = 0;
	run->number++;
}

static void look_at(struct ana_lower *l, enum class class, const struct mdl_interval *iv, struct run *run)
{
	struct piece piece = { iv->from, iv->to, run->number };

	if (iv->state == MDL_ST_INTERRUPTED)
		return;
	if (iv->state != MDL_ST_IDLE && !runs_lower(l->q, class, iv)) {
		end_run(run);
		return;
	}
	run->sum += iv->to - iv->from;
	g_array_append_val(run->pieces, piece);
}

static GArray *look_through(struct ana_lower *l, uint32_t line, enum class class)
{
	const struct qry_row *r = qry_row(l->q, line);
	struct run run = { .pieces = g_array_new(FALSE, FALSE, sizeof(struct piece)) };
	g_autoptr(GArray) states = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
	int64_t from = r->first, to;

	for (uint32_t i = 0; i < PARTS; i++, from = to) {
		struct qry_cell cell;

		to = qry_column_time(r->first, r->last, PARTS, i + 1);
		qry_share(l->q, line, from, to, &cell);
		/* Only idle is lower than fair. */
		if (class == FAIR && cell.ns[MDL_ST_IDLE] == 0 && qry_cell_ran(&cell) > 0) {
			end_run(&run);
			continue;
		}
		g_array_set_size(states, 0);
		qry_kernel_states_whole(l->q, line, from, to, states);
		for (guint k = 0; k < states->len; k++) {
			const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, k);

			/* An interval that begins earlier was handled with the part before. */
			if (i == 0 || iv->from >= from)
				look_at(l, class, iv, &run);
		}
	}
	end_run(&run);
	return run.pieces;
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

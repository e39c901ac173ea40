/* SPDX-License-Identifier: MIT */
/*
 * An experiment: its hosts, its warnings, notes and damage, and derived data that others keep with it.
 *
 * How it works: a shown time can be that of many instants of a host, or of none. The state at a shown time is
 * the one at the last instant of the host that is shown at that time or before. So a state whose begin and
 * end are shown at one time is never an answer. Things that happen at an instant are all answers: those of
 * [FROM, TO) begin with the first instant shown at FROM or later.
 *
 * This file calls no other file of this folder.
 */
#include "query/host/parts.h"

/* ---- hosts ---- */

struct qry_source *qry_source(const struct qry *q, uint32_t host)
{
	return g_ptr_array_index(q->sources, host);
}

struct qry_source *qry_source_of(const struct qry *q, uint32_t row, uint32_t *local)
{
	struct qry_source *s = qry_source(q, q->rows[row].host);

	*local = row - s->host.first_row;
	return s;
}

struct idx_intervals *qry_source_intervals(struct qry_source *s, uint32_t local)
{
	struct idx_intervals **cursor = &s->intervals[local % QRY_CURSORS];

	if (!*cursor)
		*cursor = idx_intervals_new(s->reader);
	return *cursor;
}

struct idx_wakeups *qry_source_wakeups(struct qry_source *s, uint32_t local)
{
	struct idx_wakeups **cursor = &s->wakeups[local % QRY_CURSORS];

	if (!*cursor)
		*cursor = idx_wakeups_new(s->reader);
	return *cursor;
}

int64_t qry_source_held(const struct qry_source *s, int64_t shown)
{
	int64_t next;

	if (!s->clock || shown == INT64_MAX)
		return shown;
	next = qry_source_host(s, shown + 1);
	return next > INT64_MIN ? next - 1 : next;
}

void qry_source_show_act(const struct qry_source *s, struct mdl_act *act)
{
	act->time = qry_source_shown(s, act->time);
	act->entry = qry_source_shown(s, act->entry);
	if (act->thread != MDL_NONE)
		act->thread += s->host.first_row;
}

uint32_t qry_host_count(const struct qry *q)
{
	return q->sources->len;
}

const struct qry_host *qry_host(const struct qry *q, uint32_t host)
{
	return &qry_source(q, host)->host;
}

mdl_doubts qry_hides(const struct qry *q, uint32_t host, int64_t time)
{
	const struct qry_source *s = qry_source(q, host);
	const GArray *all = s->host.meta->hides;
	mdl_doubts always = g_array_index(all, struct mdl_hides, all->len - 1).doubts &
		(MDL_DOUBT(UNTOLD) | MDL_DOUBT(RT_LOCK));
	int64_t own = qry_source_host(s, time);
	guint i = all->len - 1;

	while (i > 0 && g_array_index(all, struct mdl_hides, i).from > own)
		i--;
	return g_array_index(all, struct mdl_hides, i).doubts | always;
}

bool qry_host_has(const struct qry *q, uint32_t host, enum mdl_group group)
{
	return qry_host(q, host)->meta->recorded & (uint64_t)1 << group;
}

/* ---- warnings and notes ---- */

const GPtrArray *qry_warnings(const struct qry *q)
{
	return q->warnings;
}

const GPtrArray *qry_warnings_overall(const struct qry *q)
{
	return q->overall;
}

const GPtrArray *qry_notes(const struct qry *q)
{
	return q->notes;
}

/* Add TEXT to TEXTS.  False if it is there already. */
static bool add_once(GPtrArray *texts, const char *text)
{
	if (g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL))
		return false;
	g_ptr_array_add(texts, g_strdup(text));
	return true;
}

void qry_warn(struct qry *q, const char *text)
{
	if (!add_once(q->overall, text))
		return;
	/* The warnings about clocks remain last, because they change. */
	g_ptr_array_insert(q->warnings, (gint)(q->n_clock_warnings ? q->clock_warnings : q->warnings->len),
		g_strdup(text));
	q->clock_warnings++;
}

void qry_note(struct qry *q, const char *text)
{
	add_once(q->notes, text);
}

/* ---- damage ---- */

const GError *qry_sync_damage(const struct qry *q)
{
	return q->pairs ? idx_pairs_damage(q->pairs) : NULL;
}

static const GError *spans_damage(const struct qry *q)
{
	GHashTableIter iter;
	gpointer file;

	for (guint i = 0; i < q->sources->len; i++) {
		const struct qry_source *s = qry_source(q, i);
		const GError *damage = s->spans ? idx_spans_damage(s->spans) : NULL;

		if (damage)
			return damage;
	}
	if (!q->kept)
		return NULL;
	g_hash_table_iter_init(&iter, q->kept);
	while (g_hash_table_iter_next(&iter, NULL, &file))
		if (idx_spans_damage(file))
			return idx_spans_damage(file);
	return NULL;
}

/* Q is const for its readers. Noting a failure changes no answer. */
void qry_fail(const struct qry *q, GError *failure)
{
	if (q->failure)
		g_error_free(failure);
	else
		((struct qry *)(uintptr_t)q)->failure = failure;
}

const GError *qry_index_damage(const struct qry *q)
{
	if (q->failure)
		return q->failure;
	for (guint i = 0; i < q->sources->len; i++) {
		const GError *damage = idx_reader_damage(qry_source(q, i)->reader);

		if (damage)
			return damage;
	}
	return NULL;
}

const GError *qry_damage(const struct qry *q)
{
	return qry_index_damage(q) ?: qry_sync_damage(q) ?: spans_damage(q);
}

/* ---- derived data that others cache here ---- */

struct memo {
	void *value;
	GDestroyNotify free;
};

static void memo_free(void *data)
{
	struct memo *memo = data;

	memo->free(memo->value);
	g_free(memo);
}

void *qry_memo(struct qry *q, const void *key, void *(*make)(struct qry *q), GDestroyNotify free)
{
	struct memo *memo = q->memos ? g_hash_table_lookup(q->memos, key) : NULL;

	if (memo)
		return memo->value;
	memo = g_new(struct memo, 1);
	*memo = (struct memo){ make(q), free };
	if (!q->memos)
		q->memos = g_hash_table_new_full(NULL, NULL, NULL, memo_free);
	g_hash_table_insert(q->memos, (void *)(uintptr_t)key, memo);
	return memo->value;
}

/* SPDX-License-Identifier: MIT */
/* What is to be said of an experiment beside its answers. */
#include "query/host/parts.h"

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

/* False: it is there already. */
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
	/* Before those of the clocks, which come and go. */
	g_ptr_array_insert(q->warnings, (gint)(q->n_clock_warnings ? q->clock_warnings : q->warnings->len),
		g_strdup(text));
	q->clock_warnings++;
}

void qry_note(struct qry *q, const char *text)
{
	add_once(q->notes, text);
}

const GError *qry_sync_damage(const struct qry *q)
{
	return q->pairs ? idx_pairs_damage(q->pairs) : NULL;
}

static const GError *kept_damage(const struct qry *q)
{
	GHashTableIter iter;
	gpointer file;

	if (!q->kept)
		return NULL;
	g_hash_table_iter_init(&iter, q->kept);
	while (g_hash_table_iter_next(&iter, NULL, &file))
		if (idx_spans_damage(file))
			return idx_spans_damage(file);
	return NULL;
}

const GError *qry_spans_damage(const struct qry *q)
{
	for (guint i = 0; i < q->sources->len; i++) {
		const struct qry_source *s = qry_source(q, i);
		const GError *damage = s->spans ? idx_spans_damage(s->spans) : NULL;

		if (damage)
			return damage;
	}
	return kept_damage(q);
}

/* (Q is const to those who ask it, and what it says does not change by this.) */
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
	const GError *damage = q->failure ? q->failure : qry_index_damage(q);

	if (!damage)
		damage = qry_sync_damage(q);
	return damage ? damage : qry_spans_damage(q);
}

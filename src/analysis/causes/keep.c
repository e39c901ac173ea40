/* SPDX-License-Identifier: MIT */
/*
 * Causes of all threads over the whole time of the traces.  They are found once and stored beside the index.
 */
#include "analysis/causes/parts.h"

#include "analysis/kind/record.h"
#include "analysis/latency/program.h"
#include "query/cases/kept.h"

#define VERSION 5 /* raise it when the meaning of a stored cause changes */

/* The numbers of an entry, in their order. */
enum {
	KIND,
	HOST,
	ROW,
	GUEST,
	THREADS,
	COUNT,
	GRADES,
	TOTAL = GRADES + MDL_GRADES,
	LONGEST,
	LONGEST_ROW,
	LONGEST_END,
	NUMBERS
};

void ana_causes_keep_name(struct ana_causes_keep *keep, struct qry *q, const struct ana_causes_asked *asked)
{
	GString *key = g_string_new(NULL);
	int64_t begin, end;

	qry_span(q, &begin, &end);
	if (asked->row != MDL_NONE || asked->from > begin || asked->to < end) {
		g_string_free(key, TRUE);
		return;
	}
	g_string_printf(key, "%d %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, VERSION, asked->from, asked->to);
	ana_throttle_key(q, key);
	ana_program_key(q, key);
	keep->key = g_string_free(key, FALSE);
	keep->name = g_strdup_printf("causes %d %d %d", (int)asked->by, asked->hide_tracer,
		asked->user_threads);
}

void ana_causes_keep_clear(struct ana_causes_keep *keep)
{
	g_free(keep->name);
	g_free(keep->key);
}

static bool is_row(const struct qry *q, int64_t row)
{
	return row == MDL_NONE || (row >= 0 && row < qry_row_count(q));
}

/* Add the entry of NUMBERS, with NAME and LABEL (taken).  False if the numbers are invalid. */
static bool add_entry(struct ana_causes_table *t, const int64_t *n, char *name, char *label)
{
	struct ana_causes_sum *sum = g_new0(struct ana_causes_sum, 1);
	struct ana_causes_entry *e = &sum->entry;

	*e = (struct ana_causes_entry){ .kind = (enum ana_kind)n[KIND],
		.host = (uint32_t)n[HOST],
		.name = name,
		.label = label,
		.row = (uint32_t)n[ROW],
		.guest = (uint32_t)n[GUEST],
		.threads = (uint32_t)n[THREADS],
		.count = (uint32_t)n[COUNT],
		.total = n[TOTAL],
		.longest = n[LONGEST],
		.longest_row = (uint32_t)n[LONGEST_ROW],
		.longest_end = n[LONGEST_END] };
	for (unsigned i = 0; i < MDL_GRADES; i++)
		e->grades[i] = (uint32_t)n[GRADES + i];
	g_hash_table_insert(t->by_key, g_strdup_printf("%u", g_hash_table_size(t->by_key)), sum);
	for (unsigned i = THREADS; i < TOTAL; i++)
		if (n[i] < 0 || n[i] > UINT32_MAX)
			return false;
	return n[KIND] >= 0 && n[KIND] < ANA_KIND_N && n[HOST] >= 0 && n[HOST] < qry_host_count(t->q) &&
		is_row(t->q, n[ROW]) && is_row(t->q, n[GUEST]) && is_row(t->q, n[LONGEST_ROW]) &&
		n[LONGEST] >= 0 && n[LONGEST] <= n[TOTAL] && name && *name && label;
}

bool ana_causes_keep_read(const struct ana_causes_keep *keep, struct ana_causes_table *t)
{
	const char *at = qry_kept_answer(t->q, keep->name, keep->key);
	int64_t numbers[NUMBERS];
	char *texts[2];
	bool fine = at;

	while (fine && *at)
		fine = ana_record_get(&at, numbers, NUMBERS, texts, 2) &&
			add_entry(t, numbers, texts[0], texts[1]);
	if (!fine)
		g_hash_table_remove_all(t->by_key);
	return fine;
}

void ana_causes_keep_write(const struct ana_causes_keep *keep, struct qry *q, const GArray *entries)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);
		int64_t numbers[NUMBERS] = { [KIND] = e->kind,
			[HOST] = e->host,
			[ROW] = e->row,
			[GUEST] = e->guest,
			[THREADS] = e->threads,
			[COUNT] = e->count,
			[TOTAL] = e->total,
			[LONGEST] = e->longest,
			[LONGEST_ROW] = e->longest_row,
			[LONGEST_END] = e->longest_end };

		for (unsigned k = 0; k < MDL_GRADES; k++)
			numbers[GRADES + k] = e->grades[k];
		ana_record_put(text, numbers, NUMBERS, (const char *const[]){ e->name, e->label }, 2);
	}
	qry_keep_answer(q, keep->name, keep->key, text->str);
}

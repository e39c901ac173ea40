/* SPDX-License-Identifier: MIT */
/* Warnings and notes about the recording and the answers: lost events, events not recorded, and remedies. */
#include "table/rows.h"

#include "analysis/kind/advice.h"
#include "base/base_text.h"
#include "base/base_time.h"

#define GAPS_MAX 1000 /* limit of listed places with lost events for each host */

/* A note. HOST and ROW may be MDL_NONE, TIME may be BASE_TIME_NONE. */
struct note {
	const char *kind; /* static */
	char *text;       /* owned */
	uint32_t host, row;
	int64_t time;
};

static void note_clear(gpointer data)
{
	g_free(((struct note *)data)->text);
}

/* Takes ownership of TEXT. */
static void add(GArray *notes, const char *kind, uint32_t host, char *text)
{
	const struct note note = { kind, text, host, MDL_NONE, BASE_TIME_NONE };

	g_array_append_val(notes, note);
}

/* Add the texts from number FROM to before END. */
static void add_texts(GArray *notes, const char *kind, const GPtrArray *texts, guint from, guint end)
{
	for (guint i = from; texts && i < MIN(end, texts->len); i++)
		add(notes, kind, MDL_NONE, g_strdup(g_ptr_array_index(texts, i)));
}

static void add_gaps(GArray *notes, const struct qry *q, uint32_t host)
{
	const GArray *gaps = qry_host(q, host)->gaps;

	for (guint i = 0; i < MIN(gaps->len, GAPS_MAX); i++) {
		const struct idx_gap *gap = &g_array_index(gaps, struct idx_gap, i);
		g_autofree char *length = table_duration_text(gap->to - gap->from),
				*count = gap->count ? g_strdup_printf("%" G_GUINT64_FORMAT " event%s",
							      gap->count, base_text_s(gap->count))
						    : g_strdup("events");
		struct note note = { "lost",
			g_strdup_printf("CPU %u: %s lost within %s", gap->cpu, count, length), host,
			qry_cpu_row(q, host, gap->cpu), gap->from };

		g_array_append_val(notes, note);
	}
	if (gaps->len > GAPS_MAX)
		add(notes, "lost", host, g_strdup("and in more places: the table gap has them all"));
}

static void add_advice(GArray *notes, const struct qry *q, uint32_t host)
{
	g_autoptr(GArray) all = ana_advice_new(q, host);
	g_autoptr(GArray) questions = ana_advice_questions(q, host);

	g_array_append_vals(all, questions->data, questions->len);
	for (guint i = 0; i < all->len; i++) {
		const struct ana_advice *advice = &g_array_index(all, struct ana_advice, i);

		add(notes, "not recorded", host, g_strdup_printf("%s: %s", advice->why, advice->command));
	}
}

GArray *table_notes_new(const struct qry *q, const GPtrArray *since, bool hide_tracer)
{
	g_autoptr(GPtrArray) lacks = ana_advice_lacks(q, hide_tracer);
	guint warnings = qry_warnings(q)->len;
	GArray *notes = g_array_new(FALSE, FALSE, sizeof(struct note));

	g_array_set_clear_func(notes, note_clear);
	add_texts(notes, "warning", lacks, 0, warnings);
	add_texts(notes, "at opening", qry_notes(q), 0, UINT_MAX);
	add_texts(notes, "since then", since, 0, UINT_MAX);
	add_texts(notes, "lacks", lacks, warnings, UINT_MAX);
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		add_gaps(notes, q, host);
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		add_advice(notes, q, host);
	return notes;
}

static void *make_notes(struct table_cursor *c, G_GNUC_UNUSED GError **error)
{
	return table_notes_new(c->q, NULL, c->ask.hide_tracer);
}

TABLE_COLUMNS(note_columns)
{
	const struct note *n = row;

	TABLE_COLUMN("note", "NOTE", TABLE_WORD,
		"`warning`; a note `at opening` or `since then`; `lost` events: states are unknown until the next event that shows them; events `not recorded`, which would prove more; what the recording `lacks` on the whole",
		word = n->kind);
	TABLE_COLUMN("host", "HOST", TABLE_WORD, "", word = table_host(in->q, n->host));
	TABLE_COLUMN("time", "TIME", TABLE_TIME, "", number = n->time);
	TABLE_COLUMN("text", "TEXT", TABLE_LONG, "what it says, and what to do", word = n->text);
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct note *n = row;

	*to = (struct table_place){ .row = n->row, .from = n->time, .to = n->time };
	return n->time != BASE_TIME_NONE;
}

const struct table table_notes = {
	.name = "note",
	.list = "notes",
	.doc = "a warning or a note about the recording and the answers",
	.columns = note_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.make = make_notes,
	.free = (GDestroyNotify)g_array_unref,
	.lead = lead,
};

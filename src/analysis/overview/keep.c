/* SPDX-License-Identifier: MIT */
/* Parts of an overview that are found once and stored beside the index. */
#include "analysis/overview/parts.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/record.h"
#include "analysis/latency/program.h"
#include "query/cases/kept.h"

#define VERSION 22 /* of the lines' meaning; raise it when any of them changes */

/* The numbers of a line, in their order. */
enum {
	TIME,
	OF,
	COUNT,
	WAY,
	ROW,
	FROM,
	TO,
	KIND,
	LIFE,
	RAN,
	OF_KIND,
	BY_CAUSE,
	TIMES,
	LONGEST,
	WHOLE,
	ALIKE,
	P50,
	STOLEN,
	NUMBERS
};
enum { NAME, WHAT, SENTENCE, CAUSE, TEXTS };

struct ana_overview_keep ana_overview_keep(struct qry *q, const char *part, unsigned top, bool hide_tracer)
{
	const struct ana_rules *declared = qry_declared(q);
	g_autofree char *meaning = declared ? ana_rules_all_mean(declared, NULL) : g_strdup("");
	GString *key = g_string_new(NULL);

	g_string_printf(key, "%d", VERSION);
	ana_throttle_key(q, key);
	g_string_append_printf(key, " %s", meaning);
	return (struct ana_overview_keep){ g_strdup_printf("overview %s %u %d", part, top, hide_tracer),
		g_string_free(key, FALSE) };
}

void ana_overview_keep_clear(struct ana_overview_keep *keep)
{
	g_free(keep->name);
	g_free(keep->key);
}

/* Add the line of N, with TEXTS (taken).  False if the numbers are invalid. */
static bool add_line(const struct qry *q, const int64_t *n, char *const *texts, GArray *lines)
{
	struct ana_overview_line line = { .name = texts[NAME],
		.what = texts[WHAT],
		.time = n[TIME],
		.of = n[OF],
		.count = (uint64_t)n[COUNT],
		.way = (enum ana_overview_way)n[WAY],
		.row = (uint32_t)n[ROW],
		.from = n[FROM],
		.to = n[TO] };

	if (texts[SENTENCE]) {
		line.answer = g_new(struct ana_answer, 1);
		*line.answer = (struct ana_answer){ .text = texts[SENTENCE],
			.kind = (enum ana_kind)n[KIND],
			.life = n[LIFE],
			.ran = n[RAN],
			.of_kind = n[OF_KIND],
			.cause = texts[CAUSE],
			.by_cause = n[BY_CAUSE],
			.count = (uint64_t)n[TIMES],
			.longest = n[LONGEST],
			.whole = n[WHOLE],
			.alike = (uint64_t)n[ALIKE],
			.p50 = n[P50],
			.stolen = n[STOLEN] };
	} else {
		g_free(texts[CAUSE]);
	}
	g_array_append_val(lines, line);
	return line.name && (n[WAY] != ANA_OVERVIEW_SPANS || (line.what && texts[SENTENCE])) &&
		n[COUNT] >= 0 && n[WAY] >= 0 && n[WAY] <= ANA_OVERVIEW_SPANS && n[KIND] >= 0 &&
		n[KIND] < ANA_KIND_N && n[TIMES] >= 0 && n[ALIKE] >= 0 &&
		(n[ROW] == MDL_NONE || (n[ROW] >= 0 && n[ROW] < qry_row_count(q))) && n[FROM] <= n[TO];
}

bool ana_overview_keep_read(const struct ana_overview_keep *keep, struct qry *q, GArray *lines)
{
	const char *at = qry_kept_answer(q, keep->name, keep->key);
	int64_t numbers[NUMBERS];
	char *texts[TEXTS];
	bool fine = at;

	while (fine && *at)
		fine = ana_record_get(&at, numbers, NUMBERS, texts, TEXTS) &&
			add_line(q, numbers, texts, lines);
	if (!fine)
		g_array_set_size(lines, 0);
	return fine;
}

void ana_overview_keep_write(const struct ana_overview_keep *keep, struct qry *q, const GArray *lines)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < lines->len; i++) {
		static const struct ana_answer none;
		const struct ana_overview_line *line = &g_array_index(lines, struct ana_overview_line, i);
		const struct ana_answer *answer = line->answer ? line->answer : &none;

		ana_record_put(text,
			(const int64_t[]){ [TIME] = line->time,
				[OF] = line->of,
				[COUNT] = (int64_t)line->count,
				[WAY] = line->way,
				[ROW] = line->row,
				[FROM] = line->from,
				[TO] = line->to,
				[KIND] = answer->kind,
				[LIFE] = answer->life,
				[RAN] = answer->ran,
				[OF_KIND] = answer->of_kind,
				[BY_CAUSE] = answer->by_cause,
				[TIMES] = (int64_t)answer->count,
				[LONGEST] = answer->longest,
				[WHOLE] = answer->whole,
				[ALIKE] = (int64_t)answer->alike,
				[P50] = answer->p50,
				[STOLEN] = answer->stolen },
			NUMBERS,
			(const char *const[]){ [NAME] = line->name,
				[WHAT] = line->what,
				[SENTENCE] = answer->text,
				[CAUSE] = answer->cause },
			TEXTS);
	}
	qry_keep_answer(q, keep->name, keep->key, text->str);
}

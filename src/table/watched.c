/* SPDX-License-Identifier: MIT */
/* Results of a watch: hits, hours, triggers and their distributions. */
#include "table/table.h"

#include "table/json.h"

#include <string.h>

#include "analysis/watched/watched.h"
#include "base/base_time.h"

/* N as a cell's number; BASE_TIME_NONE for 0. */
static int64_t or_none(uint64_t n)
{
	return n > 0 ? (int64_t)n : BASE_TIME_NONE;
}

/* WALL (ns since the Epoch) as date and time, to the second. The caller frees. */
static char *date_text(int64_t wall)
{
	g_autofree char *text = base_time_format_full(wall);

	return g_strndup(text, strcspn(text, "."));
}

TABLE_COLUMNS(hit_columns)
{
	const struct ana_watched_hit *h = row;
	const struct watch_hit *hit = h ? h->hit : NULL;

	TABLE_COLUMN("n", NULL, TABLE_NUMBER,
		"number of the hit; a typical case has that of the hit beside it",
		number = (int64_t)hit->number);
	TABLE_COLUMN("sort", NULL, TABLE_WORD, "`hit`, or `typical`: a case between the quartiles of all",
		word = hit->typical ? "typical" : "hit");
	TABLE_COLUMN("wall", "(TIME", TABLE_NUMBER,
		"when it ended, by the wall clock at that time: ns since the Epoch", number = hit->wall);
	TABLE_COLUMN("date", "TIME", TABLE_WORD, "the same as a date, in your time zone",
		taken = date_text(hit->wall));
	TABLE_COLUMN("trigger", "TRIGGER", TABLE_WORD, "as it was typed", word = h->trigger);
	TABLE_COLUMN("latency", ">LATENCY", TABLE_DURATION, "", number = hit->value);
	TABLE_COLUMN("limit", NULL, TABLE_DURATION, "of the trigger at that time; null for a typical case",
		number = or_none((uint64_t)hit->limit));
	TABLE_COLUMN("thread", "THREAD", TABLE_WORD, "its name then; empty: it had ended", word = hit->name);
	TABLE_COLUMN("tid", ">TID", TABLE_NUMBER, "", number = or_none((uint64_t)hit->tid));
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "CPU on which it ended", number = hit->cpu);
	TABLE_COLUMN("cases", ">CASES", TABLE_NUMBER,
		"latencies over the limit at about this time, of which this is the longest",
		number = (int64_t)hit->cases);
	TABLE_COLUMN("file", "FILE", TABLE_WORD, "its recording, in the folder of the watch",
		word = hit->file);
	TABLE_COLUMN("whole", NULL, TABLE_YES, "true: the recording begins before the latency does",
		number = hit->whole);
	TABLE_COLUMN("host", NULL, TABLE_WORD,
		"host name of this recording in wakepath; null: the recording is not open",
		word = table_host(in->q, h->host));
	TABLE_COLUMN("from", NULL, TABLE_TIME, "begin of the latency in the recording", number = h->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "end of the latency in the recording", number = h->to);
	TABLE_COLUMN("text", "WHAT HAPPENED", TABLE_LONG, "a sentence", word = h->text);
}

TABLE_COLUMNS(hour_columns)
{
	const struct ana_watched_hour *h = row;

	TABLE_COLUMN("wall", "(HOUR FROM", TABLE_NUMBER, "begin of the hour (UTC): ns since the Epoch",
		number = h->from);
	TABLE_COLUMN("date", "HOUR FROM", TABLE_WORD, "the same as a date, in your time zone",
		taken = date_text(h->from));
	TABLE_COLUMN("trigger", "TRIGGER", TABLE_WORD, "", word = h->trigger);
	TABLE_COLUMN("over", ">OVER", TABLE_NUMBER, "latencies over the limit", number = (int64_t)h->over);
	TABLE_COLUMN("hits", ">HITS", TABLE_NUMBER, "hits among these: at most one in the time of `--every`",
		number = (int64_t)h->kept);
	TABLE_COLUMN("worst", ">WORST", TABLE_DURATION, "of the hits", number = h->worst);
}

TABLE_COLUMNS(trigger_columns)
{
	const struct ana_watched_sum *s = row;

	TABLE_COLUMN("trigger", "TRIGGER", TABLE_WORD, "as it was typed", word = s->trigger);
	TABLE_COLUMN("kind", NULL, TABLE_WORD, "kind of [latency](#latency)", word = s->kind);
	TABLE_COLUMN("count", ">LATENCIES", TABLE_NUMBER, "latencies measured", number = (int64_t)s->count);
	TABLE_COLUMN("over", ">OVER", TABLE_NUMBER, "latencies over the limit", number = (int64_t)s->over);
	TABLE_COLUMN("hits", ">HITS", TABLE_NUMBER, "hits among these: at most one in the time of `--every`",
		number = (int64_t)s->hits);
	TABLE_COLUMN("lost", NULL, TABLE_NUMBER,
		"how often the measurement lost events; latencies open at that moment are in no distribution (text: below the first line)",
		number = (int64_t)s->lost);
	TABLE_COLUMN("p50", ">P50", TABLE_DURATION, "at most 1/32 too large, like the percentiles below",
		number = s->p50);
	TABLE_COLUMN("p90", ">P90", TABLE_DURATION, "", number = s->p90);
	TABLE_COLUMN("p99", ">P99", TABLE_DURATION, "", number = s->p99);
	TABLE_COLUMN("p999", ">P99.9", TABLE_DURATION, "", number = s->p999);
	TABLE_COLUMN("max", ">MAX", TABLE_DURATION, "", number = s->max);
}

TABLE_COLUMNS(class_columns)
{
	const struct ana_watched_class *c = row;

	TABLE_COLUMN("trigger", "TRIGGER", TABLE_WORD, "", word = c->trigger);
	TABLE_COLUMN("from", ">FROM", TABLE_DURATION, "", number = c->from);
	TABLE_COLUMN("to", ">TO", TABLE_DURATION, "exclusive", number = c->to);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "", number = (int64_t)c->count);
	TABLE_COLUMN("", "", TABLE_LONG, "", taken = table_bar(c->count, c->most, 40));
}

/* With the sentence of each hit, because hits are few. */
static void *make_hits(struct table_cursor *c, GError **error)
{
	struct ana_watched *w = ana_watched_new(c->q, NULL, error);

	for (guint i = 0; w && i < w->hits->len; i++)
		ana_watched_explain(c->q, &g_array_index(w->hits, struct ana_watched_hit, i),
			c->ask.progress);
	return w;
}

static void *make_watched(struct table_cursor *c, GError **error)
{
	return ana_watched_new(c->q, NULL, error);
}

static bool lead_hit(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_watched_hit *h = row;

	*to = (struct table_place){ .row = h->row, .from = h->from, .to = h->to };
	return h->host != MDL_NONE;
}

#define WATCHED(member, made_by, text)                                   \
	.list = #member, .doc = (text), .rows_are = TABLE_ROWS_ARRAY,    \
	.part = offsetof(struct ana_watched, member), .make = (made_by), \
	.free = (GDestroyNotify)ana_watched_free

const struct table table_watch_hits = {
	WATCHED(hits, make_hits, "a hit of a watch, or a typical case beside one, that is kept"),
	.name = "watch_hit",
	.columns = hit_columns,
	.lead = lead_hit,
};

const struct table table_watch_hours = {
	WATCHED(hours, make_watched, "an hour of a watch, by trigger"),
	.name = "watch_hour",
	.columns = hour_columns,
};

const struct table table_watch_triggers = {
	WATCHED(triggers, make_watched,
		"a trigger of a watch, with the distribution of all that was measured"),
	.name = "watch_trigger",
	.columns = trigger_columns,
};

const struct table table_watch_classes = {
	WATCHED(classes, make_watched, "a class of the distribution of a trigger"),
	.name = "watch_class",
	.columns = class_columns,
};

/* SPDX-License-Identifier: MIT */
/* The wake-ups of one thread, or of all, and what made them. */
#include "table/json.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/kind.h"
#include "analysis/wait/why.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

/* A wake-up and what made it. */
struct wakeup {
	uint32_t row;
	struct mdl_wakeup w;
	struct ana_source source;
};

struct wakeups {
	struct table_cursor of;
	uint32_t next;  /* row to look at after this one */
	uint64_t index; /* of the next wake-up of the row */
	struct wakeup wakeup;
};

/* "IRQ 25 virtio2-req.0 > softirq BLOCK", empty without interrupts.  The caller frees. */
static char *contexts_text(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	GString *text = g_string_new(NULL);

	ana_source_chain(q, s, &cause, &chain);
	for (unsigned i = 0; i < chain.n && (chain.n > 1 || chain.hops[0].act.context != MDL_NONE); i++) {
		g_autofree char *context = ana_words_act(q, s->host, &chain.hops[i].act);

		g_string_append_printf(text, "%s%s", i ? " > " : "", context);
	}
	return g_string_free(text, FALSE);
}

/* When the wakee of U ran, if the time from its wake-up to that is known: an event told when it was woken. */
static int64_t ran_at(const struct qry *q, const struct wakeup *u)
{
	/* An interrupt of a virtual CPU has the time at which it was injected. */
	if (u->w.ran_at == MDL_NEVER ||
		(!mdl_wakeup_is_timed(&u->w) && qry_row(q, u->row)->type == MDL_ROW_THREAD))
		return BASE_TIME_NONE;
	return u->w.ran_at;
}

TABLE_COLUMNS(wakeup_columns)
{
	const struct wakeup *u = row;
	int64_t ran = row ? ran_at(in->q, u) : BASE_TIME_NONE;

	TABLE_COLUMN("utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "the thread that was woken",
		number = u->row);
	TABLE_COLUMN("by_utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "the thread that woke it",
		number = table_id(u->source.thread));
	TABLE_COLUMN("time", "WOKEN AT", TABLE_TIME, "", number = u->w.time);
	TABLE_COLUMN("since", "(WAITED", TABLE_TIME, "start of the wait", number = u->w.since);
	TABLE_COLUMN("", ">WAITED", TABLE_DURATION, "",
		number = u->w.since == MDL_NEVER ? BASE_TIME_NONE : u->w.time - u->w.since);
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "CPU that sent the wake-up", number = table_id(u->w.cpu));
	TABLE_COLUMN("target_cpu", ">TO CPU", TABLE_NUMBER, "CPU that the wakee is to run on",
		number = table_id(u->w.target_cpu));
	TABLE_COLUMN("kind", "KIND", TABLE_WORD, "from `source`", word = ana_kind_name(u->source.kind));
	TABLE_COLUMN("grade", "GRADE", TABLE_WORD, "from `source`", word = ana_grade_name(u->source.doubts));
	TABLE_COLUMN("tid", "(BY", TABLE_NUMBER, "TID of the thread in `source`",
		number = table_nr(in->q, u->source.thread));
	TABLE_COLUMN("name", "(BY", TABLE_WORD, "name of the thread in `source`",
		word = table_name(in->q, u->source.thread, u->w.time));
	TABLE_COLUMN("context", "(BY", TABLE_WORD, "the contexts in `source` as one text",
		taken = contexts_text(in->q, &u->source));
	TABLE_COLUMN("device", "(BY", TABLE_WORD, "from `source`", word = u->source.device);
	TABLE_COLUMN("ran_at", "(RAN AFTER", TABLE_TIME,
		"when the wakee ran; null if it did not, or if no event recorded the wake-up: then `time` is when the thread ran, and `latency` is not known",
		number = ran);
	TABLE_COLUMN("latency", ">RAN AFTER", TABLE_DURATION, "`time` to `ran_at`",
		number = ran == BASE_TIME_NONE ? BASE_TIME_NONE : ran - u->w.time);
	TABLE_OBJECT("source", "BY", TABLE_LONG,
		"SOURCE: ", table_source_json(in->q, u->row, &u->w, in->evidence),
		ana_source_text(in->q, &u->source));
	TABLE_DOUBTS("", true, u->source.doubts);
}

static void begin_row(struct wakeups *c, uint32_t row)
{
	c->wakeup.row = row;
	c->index = qry_wakeup_seek(c->of.q, row, c->of.ask.from);
}

static bool next_row(struct wakeups *c)
{
	const struct table_question *ask = &c->of.ask;

	for (; ask->row == MDL_NONE && c->next < qry_row_count(c->of.q); c->next++) {
		const struct qry_row *r = qry_row(c->of.q, c->next);

		if (r->type != MDL_ROW_THREAD || (ask->host != MDL_NONE && r->host != ask->host) ||
			(ask->hide_tracer && qry_is_tracer(c->of.q, c->next)))
			continue;
		begin_row(c, c->next++);
		return true;
	}
	return false;
}

static bool open_wakeups(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	struct wakeups *c = (struct wakeups *)cursor;

	c->wakeup.row = MDL_NONE;
	if (cursor->ask.row != MDL_NONE)
		begin_row(c, cursor->ask.row);
	return true;
}

static int next_wakeup(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct wakeups *c = (struct wakeups *)cursor;
	struct wakeup *u = &c->wakeup;

	while (u->row == MDL_NONE || !qry_wakeup_get(cursor->q, u->row, c->index, &u->w) ||
		u->w.time >= cursor->ask.to)
		if (!next_row(c))
			return 0;
	c->index++;
	u->source = ana_source_of(cursor->q, u->row, &u->w);
	*row = u;
	return 1;
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct wakeup *u = row;

	*to = (struct table_place){ .row = u->row,
		.from = u->w.since == MDL_NEVER ? u->w.time : u->w.since,
		.to = u->w.time,
		.is_wait = true };
	return true;
}

static const struct table_alias aliases[] = {
	{ "time", "ts" },
	{ "tid", "by_tid" },
	{ "name", "by_name" },
	{ "source", NULL },
	{ NULL, NULL },
};

const struct table table_wakeups = {
	.name = "wakeup",
	.list = "wakeups",
	.doc = "a wake-up of a thread, and what made it",
	.columns = wakeup_columns,
	.aliases = aliases,
	.size = sizeof(struct wakeups),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_TAKES_WINDOW,
	.open = open_wakeups,
	.next = next_wakeup,
	.lead = lead,
};

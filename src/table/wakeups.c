/* SPDX-License-Identifier: MIT */
/* The wake-ups of one thread, or of all, and what caused them. */
#include "table/json.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/kind.h"
#include "analysis/wait/why.h"
#include "base/base_time.h"

#include <inttypes.h>

/* A wake-up and what caused it. */
struct wakeup {
	uint32_t row;
	struct mdl_wakeup w;
	bool has_source, has_cause;
	struct ana_source source; /* see source_of() */
	struct mdl_cause cause;   /* see facts_of() */
	struct mdl_chain chain;
};

struct wakeups {
	struct table_cursor of;
	uint32_t next;  /* row after the current one */
	uint64_t index; /* of the next wake-up of the row */
	struct wakeup wakeup;
};

/* When the wakee of U ran; BASE_TIME_NONE if no event has the time of the wake-up: unknown latency. */
static int64_t ran_at(const struct qry *q, const struct wakeup *u)
{
	/* The wake-up of a virtual CPU has the time at which the interrupt was injected. */
	if (u->w.ran_at == MDL_NEVER ||
		(!mdl_wakeup_is_timed(&u->w) && qry_row(q, u->row)->type == MDL_ROW_THREAD))
		return BASE_TIME_NONE;
	return u->w.ran_at;
}

/* The source of U. Only found when needed, because it takes longer than the wake-up itself. */
static const struct ana_source *source_of(struct qry *q, struct wakeup *u)
{
	if (!u->has_source)
		u->source = ana_source_of(q, u->row, &u->w);
	u->has_source = true;
	return &u->source;
}

/* The facts of U's cause. Sets its chain, too. */
static const struct mdl_facts *facts_of(struct qry *q, struct wakeup *u)
{
	if (!u->has_cause && !ana_source_chain(q, source_of(q, u), &u->cause, &u->chain))
		u->cause.facts.has = 0;
	u->has_cause = true;
	return &u->cause.facts;
}

/* Set CELL to "IRQ 25 virtio2-req.0 > softirq BLOCK"; empty without interrupts. */
static void put_contexts(struct table_cell *cell, struct qry *q, struct wakeup *u)
{
	const struct mdl_chain *chain = &u->chain;

	facts_of(q, u);
	if (chain->n == 0 || (chain->n == 1 && chain->hops[0].act.context == MDL_NONE))
		cell->word = "";
	else
		cell->taken = ana_words_chain(q, u->source.host, chain);
}

/* "0xffffffff82f68260"; NULL for 0.  The caller frees. */
static char *address_text(uint64_t address)
{
	return address ? g_strdup_printf("0x%" PRIx64, address) : NULL;
}

static char *signal_text(uint32_t number)
{
	const char *name = ana_words_signal_name(number);

	return name ? g_strconcat("SIG", name, NULL) : g_strdup_printf("%" PRIu32, number);
}

/* Columns of facts that only SQL has. Other formats have them in SOURCE. */
static void put_facts(struct table_row *to, struct wakeup *u, const struct table_in *in)
{
	const struct wakeup *row = u;
	struct qry *q = in->q;

#define FACT(name, type, doc, BIT, is)                              \
	TABLE_COLUMN_BY(name, NULL, (type) | TABLE_ONLY_SQL, doc,   \
			const struct mdl_facts *f = facts_of(q, u); \
			if (f->has & MDL_FACT_##BIT) cell->is)
	TABLE_COLUMN_BY("irq", NULL, TABLE_WORD | TABLE_ONLY_SQL, "the first IRQ of the chain to the wake-up",
			facts_of(q, u);
			cell->word = ana_chain_line(q, u->source.host, &u->chain));
	FACT("futex", TABLE_WORD, "address of the futex that the thread waited for", FUTEX,
		taken = address_text(f->futex.address));
	FACT("sector", TABLE_NUMBER, "first sector of the block request that it waited for", REQUEST,
		number = f->request.sector == MDL_SECTOR_NONE ? BASE_TIME_NONE : (int64_t)f->request.sector);
	FACT("op", TABLE_WORD, "operation of that request", REQUEST, word = mdl_op_name(f->request.op));
	FACT("queued", TABLE_TIME, "when that request was queued", REQUEST, number = f->request.queued);
	FACT("issued", TABLE_TIME, "when the driver got it", REQUEST, number = f->request.issued);
	FACT("completed", TABLE_TIME, "when it was complete", REQUEST, number = f->request.completed);
	FACT("received", TABLE_TIME, "when the packet that it waited for was received", PACKET,
		number = f->packet.time);
	FACT("timer", TABLE_WORD, "function of the timer that ended the wait, or was its time-out", TIMER,
		taken = f->timer.function ? ana_words_function(q, u->source.host, f->timer.function) : NULL);
	FACT("due", TABLE_TIME, "when that timer was to expire", TIMER, number = f->timer.due);
	FACT("work", TABLE_WORD, "function of the work item", WORK,
		taken = f->work.function ? ana_words_function(q, u->source.host, f->work.function) : NULL);
	FACT("signal", TABLE_WORD, "the signal that was sent with the wake-up", SIGNAL,
		taken = signal_text(f->signal.number));
#undef FACT
}

TABLE_COLUMNS(wakeup_columns)
{
	struct wakeup *u = (struct wakeup *)(uintptr_t)row;
	int64_t ran = row ? ran_at(in->q, u) : BASE_TIME_NONE;

	TABLE_COLUMN("utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "the thread that was woken",
		number = u->row);
	TABLE_COLUMN("host", NULL, TABLE_WORD | TABLE_ONLY_SQL, "the host of that thread",
		word = qry_host(in->q, qry_row(in->q, u->row)->host)->name);
	TABLE_COLUMN("by_utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "the thread that woke it",
		number = table_id(source_of(in->q, u)->thread));
	TABLE_COLUMN("time", "WOKEN AT", TABLE_TIME, "", number = u->w.time);
	TABLE_COLUMN("since", "(WAITED", TABLE_TIME, "start of the wait", number = u->w.since);
	TABLE_COLUMN("", ">WAITED", TABLE_DURATION, "",
		number = u->w.since == MDL_NEVER ? BASE_TIME_NONE : u->w.time - u->w.since);
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "CPU that sent the wake-up", number = table_id(u->w.cpu));
	TABLE_COLUMN("target_cpu", ">TO CPU", TABLE_NUMBER, "CPU that the wakee is to run on",
		number = table_id(u->w.target_cpu));
	TABLE_COLUMN("kind", "KIND", TABLE_WORD, "from `source`",
		word = ana_kind_name(source_of(in->q, u)->kind));
	TABLE_COLUMN("grade", "GRADE", TABLE_WORD, "from `source`",
		word = ana_grade_name(source_of(in->q, u)->doubts));
	TABLE_COLUMN("tid", "(BY", TABLE_NUMBER, "TID of the thread in `source`",
		number = table_nr(in->q, source_of(in->q, u)->thread));
	TABLE_COLUMN("name", "(BY", TABLE_WORD, "name of the thread in `source`",
		word = table_name(in->q, source_of(in->q, u)->thread, u->w.time));
	TABLE_COLUMN_BY("context", "(BY", TABLE_WORD, "the contexts in `source` as one text",
		put_contexts(cell, in->q, u));
	TABLE_COLUMN("device", "(BY", TABLE_WORD, "from `source`", word = source_of(in->q, u)->device);
	TABLE_COLUMN("ran_at", "(RAN AFTER", TABLE_TIME,
		"when the wakee ran; null if it did not, or if no event recorded the wake-up: then `time` is when the thread ran, and `latency` is not known",
		number = ran);
	TABLE_COLUMN("latency", ">RAN AFTER", TABLE_DURATION, "`time` to `ran_at`",
		number = ran == BASE_TIME_NONE ? BASE_TIME_NONE : ran - u->w.time);
	TABLE_OBJECT("source", "BY", TABLE_LONG,
		"SOURCE: ", table_source_json(in->q, u->row, &u->w, in->evidence),
		ana_source_text(in->q, source_of(in->q, u)));
	put_facts(to, u, in);
	TABLE_DOUBTS("", true, source_of(in->q, u)->doubts);
}

static void begin_row(struct wakeups *c, uint32_t row)
{
	c->wakeup.row = row;
	c->index = qry_wakeup_seek(c->of.q, row, c->of.ask.from);
}

static bool next_row(struct wakeups *c)
{
	uint32_t row = table_next_thread(&c->of, &c->next);

	if (row != MDL_NONE)
		begin_row(c, row);
	return row != MDL_NONE;
}

static bool open_wakeups(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	struct wakeups *c = (struct wakeups *)cursor;

	c->wakeup.row = MDL_NONE;
	if (cursor->ask.row != MDL_NONE) {
		begin_row(c, cursor->ask.row); /* this may be a row of any type */
		c->next = UINT32_MAX;
	}
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
	u->has_source = u->has_cause = false;
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

static uint64_t count_wakeups(struct qry *q)
{
	uint64_t n = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++)
		n += qry_wakeup_count(q, row);
	return n;
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
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_TAKES_WINDOW | TABLE_BY_ROW |
		TABLE_NEEDS_SWITCHES,
	.rows = count_wakeups,
	.open = open_wakeups,
	.next = next_wakeup,
	.lead = lead,
};

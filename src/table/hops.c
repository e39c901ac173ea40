/* SPDX-License-Identifier: MIT */
/* The hops of the chains that led to wake-ups. */
#include "table/rows.h"

#include "analysis/kind/chain.h"
#include "analysis/wait/source.h"
#include "base/base_time.h"

struct hop {
	uint32_t row; /* the wakee */
	int64_t woken;
	uint32_t host;
	unsigned number;
	struct mdl_hop hop;
};

struct hops {
	struct table_cursor of;
	uint32_t next;  /* row after the current one */
	uint32_t row;   /* MDL_NONE: none yet */
	uint64_t index; /* of the next wake-up of ROW */
	struct mdl_cause cause;
	struct mdl_chain chain; /* of the current wake-up */
	unsigned at;            /* its next hop */
	struct hop hop;
};

static bool open_hops(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	((struct hops *)cursor)->row = MDL_NONE;
	return true;
}

static bool next_row(struct hops *c)
{
	c->row = table_next_thread(&c->of, &c->next);
	if (c->row != MDL_NONE)
		c->index = qry_wakeup_seek(c->of.q, c->row, c->of.ask.from);
	return c->row != MDL_NONE;
}

/* Go to the chain of the next wake-up. False if there is none. */
static bool next_chain(struct hops *c)
{
	struct mdl_wakeup w;
	struct ana_source source;

	while (c->row == MDL_NONE || !qry_wakeup_get(c->of.q, c->row, c->index, &w) || w.time >= c->of.ask.to)
		if (!next_row(c))
			return false;
	c->index++;
	source = ana_source_of(c->of.q, c->row, &w);
	ana_source_chain(c->of.q, &source, &c->cause, &c->chain);
	c->at = 0;
	c->hop = (struct hop){ .row = c->row, .woken = w.time, .host = source.host };
	return true;
}

static int next_hop(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct hops *c = (struct hops *)cursor;

	while (c->at >= c->chain.n)
		if (!next_chain(c))
			return 0;
	c->hop.number = c->at;
	c->hop.hop = c->chain.hops[c->at++];
	*row = &c->hop;
	return 1;
}

TABLE_COLUMNS(hop_columns)
{
	const struct hop *h = row;
	const struct mdl_act *act = row ? &h->hop.act : NULL;
	bool interrupt = act && act->context != MDL_NONE;
	struct qry_context context = { .name = NULL };

	if (interrupt)
		context = qry_context(in->q, h->host, act->context);
	TABLE_COLUMN("ts", NULL, TABLE_TIME, "time of the wake-up", number = h->woken);
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread that was woken", number = h->row);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, h->host));
	TABLE_COLUMN("number", NULL, TABLE_NUMBER, "0: the origin", number = h->number);
	TABLE_COLUMN("at", NULL, TABLE_TIME,
		"when it caused the next hop; for the last hop: when it woke the thread", number = act->time);
	TABLE_COLUMN("type", NULL, TABLE_WORD, "`thread`, `irq`, `softirq`, `hrtimer`, `ipi`, `vector`",
		word = interrupt ? mdl_ctx_type_name(context.type) : "thread");
	TABLE_COLUMN("nr", NULL, TABLE_NUMBER, "of the interrupt",
		number = interrupt && context.type != MDL_CTX_HRTIMER ? table_natural(context.nr)
								      : BASE_TIME_NONE);
	TABLE_COLUMN("name", NULL, TABLE_WORD, "of the thread or the interrupt",
		word = interrupt ? (*context.name ? context.name : NULL)
				 : table_name(in->q, act->thread, act->time));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = table_id(act->cpu));
	TABLE_COLUMN("entry", NULL, TABLE_TIME, "of an interrupt: its entry", number = act->entry);
	TABLE_COLUMN("by_utid", NULL, TABLE_NUMBER, "of a thread: it",
		number = table_id(ana_chain_actor(in->q, act)));
	TABLE_COLUMN("on_top_of", NULL, TABLE_NUMBER, "of an interrupt: the thread that it interrupted",
		number = interrupt ? table_id(act->thread) : BASE_TIME_NONE);
	TABLE_COLUMN("grade", NULL, TABLE_WORD, "", word = ana_grade_name(h->hop.doubts));
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct hop *h = row;

	*to = (struct table_place){ .row = h->row, .from = h->woken, .to = h->woken, .is_wait = true };
	return true;
}

static uint64_t count_hops(struct qry *q)
{
	return 2 * table_wakeups.rows(q);
}

const struct table table_hops = {
	.name = "hop",
	.list = "hops",
	.doc = "a hop of the chain that led to a wake-up, from its origin to the waker",
	.columns = hop_columns,
	.size = sizeof(struct hops),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_TAKES_WINDOW | TABLE_BY_ROW |
		TABLE_NEEDS_SWITCHES,
	.rows = count_hops,
	.open = open_hops,
	.next = next_hop,
	.lead = lead,
};

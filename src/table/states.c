/* SPDX-License-Identifier: MIT */
/*
 * The states of one row, or of all threads.
 *
 * The states of one row fill the window: before its life they are unknown, after it exited or unknown. Those
 * of all threads cover only their lives. Adjacent intervals that read alike are joined. Then each wait for a
 * CPU is split after its throttled part.
 */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/cpu/cpuwait.h"
#include "base/base_time.h"

struct states {
	struct table_cursor of;
	uint32_t next; /* row after the current one */
	const struct qry_row *r;
	int64_t at, to; /* the rest of the window of R */
	bool has_ahead, has_rest;
	struct mdl_interval ahead; /* the next interval, which may be joined */
	struct mdl_interval rest;  /* the interval after a throttled part */
	struct table_state state;
	bool counts; /* the experiment has counters */
};

/* ---- intervals ---- */

/* True if B, the interval after A, reads like A. hrtimers may differ by an address, which no output shows. */
static bool reads_alike(const struct qry *q, uint32_t host, const struct mdl_interval *a,
	const struct mdl_interval *b)
{
	struct qry_context ca, cb;

	if (a->state != b->state || a->aux != b->aux)
		return false;
	if (a->detail == b->detail || a->state != MDL_ST_INTERRUPTED)
		return a->detail == b->detail;
	ca = qry_context(q, host, a->detail);
	cb = qry_context(q, host, b->detail);
	return ca.type == MDL_CTX_HRTIMER && cb.type == MDL_CTX_HRTIMER && g_str_equal(ca.name, cb.name);
}

/* Set *I to the next interval of the row's window. False at its end. */
static bool take(struct states *c, struct mdl_interval *i)
{
	const struct qry_row *r = c->r;
	int64_t life = MIN(MAX(r->first, c->at), c->to);

	if (c->at >= c->to)
		return false;
	if (life > c->at) {
		*i = (struct mdl_interval){ .to = life, .state = MDL_ST_UNKNOWN, .aux = MDL_NONE };
	} else if (c->at >= r->last || !qry_state_at(c->of.q, r->id, c->at, i)) {
		*i = (struct mdl_interval){ .to = c->to,
			.state = r->died ? MDL_ST_EXITED : MDL_ST_UNKNOWN,
			.aux = MDL_NONE };
	}
	i->from = c->at;
	c->at = i->to = MIN(i->to, c->to);
	return true;
}

/* Set *I to the next interval, joined with all that follow and read like it. */
static bool take_joined(struct states *c, struct mdl_interval *i)
{
	struct mdl_interval next;

	if (!c->has_ahead && !take(c, &c->ahead))
		return false;
	*i = c->ahead;
	while ((c->has_ahead = take(c, &next)) && reads_alike(c->of.q, c->r->host, i, &next))
		i->to = next.to;
	c->ahead = next;
	return true;
}

/* Split the state of C: its throttled part becomes the state, the rest the next state. */
static void split(struct states *c)
{
	struct mdl_interval *i = &c->state.interval, whole = *i;
	struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS];
	struct ana_wait_near near;

	c->state.throttled = NULL;
	if (c->r->type != MDL_ROW_THREAD || !ana_cpuwait_is(c->of.q, c->r->id, i) ||
		!qry_kernel_state_at(c->of.q, c->r->id, i->from, &whole))
		return;
	near = ana_wait_near(c->of.q, c->r->id);
	if (ana_cpuwait_split(c->of.q, c->r->id, &whole, &near, parts) == 0 || !parts[0].quota ||
		parts[0].to <= i->from)
		return;
	c->state.throttled = parts[0].quota;
	c->has_rest = parts[0].to < i->to;
	c->rest = *i;
	c->rest.from = parts[0].to;
	i->to = MIN(i->to, parts[0].to);
}

/* ---- rows ---- */

/* The begin of the state at TIME in the row's life. Earlier intervals that read like it are a part of it. */
static int64_t begin_of(const struct states *c, int64_t time)
{
	struct mdl_interval i, before;

	if (time >= c->r->last || !qry_state_at(c->of.q, c->r->id, time, &i))
		return time;
	while (i.from > c->r->first && qry_state_before(c->of.q, c->r->id, i.from, &before) &&
		reads_alike(c->of.q, c->r->host, &before, &i))
		i = before;
	return MAX(i.from, c->r->first);
}

static void begin_row(struct states *c, uint32_t row)
{
	const struct table_question *ask = &c->of.ask;

	c->state.r = c->r = qry_row(c->of.q, row);
	c->at = ask->from;
	c->to = ask->to;
	c->has_ahead = c->has_rest = false;
	if (ask->whole) {
		c->at = begin_of(c, MAX(MAX(ask->from, ask->ends_after), c->r->first));
		c->to = c->r->last;
	} else if (ask->row == MDL_NONE) {
		c->at = MAX(c->at, c->r->first);
		c->to = MIN(c->to, c->r->last);
	}
}

static bool next_row(struct states *c)
{
	uint32_t row = table_next_thread(&c->of, &c->next);

	if (row != MDL_NONE)
		begin_row(c, row);
	return row != MDL_NONE;
}

static bool open_states(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	struct states *c = (struct states *)cursor;

	ana_throttle_many(cursor->q);
	c->counts = qry_has_counters(cursor->q);
	if (cursor->ask.row != MDL_NONE) {
		begin_row(c, cursor->ask.row); /* this may be a row of any type */
		cursor->in.context = c->r;
		c->next = UINT32_MAX;
	}
	return true;
}

/* True if the state begins in the window. After the window the row is finished. */
static bool is_within(struct states *c)
{
	int64_t from = c->state.interval.from;

	if (from >= c->of.ask.to) {
		c->at = c->to;
		c->has_ahead = c->has_rest = false;
	}
	return from >= c->of.ask.from && from < c->of.ask.to && c->state.interval.to > c->of.ask.ends_after;
}

static uint64_t count_states(struct qry *q)
{
	uint64_t n = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++)
		n += qry_row(q, row)->type == MDL_ROW_THREAD ? 1 + 4 * qry_wakeup_count(q, row) : 0;
	return n;
}

static int next_state(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct states *c = (struct states *)cursor;

	*row = &c->state;
	c->state.counts.time = 0;
	do {
		if (c->has_rest) {
			c->state.interval = c->rest;
			c->state.throttled = NULL;
			c->has_rest = false;
			continue;
		}
		while (!c->r || !take_joined(c, &c->state.interval))
			if (!next_row(c))
				return 0;
		split(c);
	} while (cursor->ask.whole && !is_within(c));
	if (c->counts && mdl_state_has_cpu(c->state.interval.state))
		qry_counts(cursor->q, c->r->id, c->state.interval.from, c->state.interval.to,
			&c->state.counts);
	return 1;
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct table_state *s = row;

	*to = (struct table_place){ .row = s->r->id, .from = s->interval.from, .to = s->interval.to };
	return true;
}

/* ---- columns ---- */

static bool is_interrupt(const struct mdl_interval *i)
{
	return i->state == MDL_ST_INTERRUPTED && i->detail != MDL_NONE;
}

static GString *interrupt_json(const struct qry *q, const struct qry_row *r, const struct mdl_interval *i)
{
	struct qry_context c;
	GString *o;

	if (!is_interrupt(i))
		return NULL;
	c = qry_context(q, r->host, i->detail);
	o = base_json_object();
	base_json_text(o, "type", mdl_ctx_type_name(c.type == MDL_CTX_VECTOR ? MDL_CTX_IRQ : c.type));
	base_json_natural(o, "nr", c.type == MDL_CTX_HRTIMER ? -1 : c.nr);
	base_json_text(o, "name", c.name);
	return o;
}

/* "throttled: CPU quota: about 20 ms of every 100 ms", or the detail of the state. The caller frees. */
static char *state_detail(const struct qry *q, const struct table_state *s)
{
	return s->throttled ? g_strdup_printf("throttled: %s", s->throttled)
			    : qry_detail_text(q, s->r->id, &s->interval);
}

TABLE_COLUMNS(interval_columns)
{
	const struct table_state *s = row;
	const struct mdl_interval *i = row ? &s->interval : NULL;
	const struct qry_row *r = in->context; /* the only row; NULL: all threads */

	TABLE_COLUMN("utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "the thread", number = s->r->id);
	TABLE_COLUMN("host", NULL, TABLE_WORD | TABLE_ONLY_SQL, "the host of that thread",
		word = qry_host(in->q, s->r->host)->name);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION | TABLE_ONLY_SQL, "how long it lasts",
		number = i->to - i->from);
	TABLE_COLUMN("from", "FROM", TABLE_TIME, "", number = i->from);
	TABLE_COLUMN("to", "(FOR", TABLE_TIME, "", number = i->to);
	TABLE_COLUMN("", ">FOR", TABLE_DURATION, "", number = i->to - i->from);
	TABLE_COLUMN("state", "STATE", TABLE_WORD, "", word = mdl_state_name(i->state));
	TABLE_COLUMN("detail", "DETAIL", TABLE_LONG,
		"`syscall`: the call; `blocked`: how; `interrupted`: by what; `wait-cpu`, `preempted`: \"throttled: \" and the quota or budget, for the part of the wait in which the thread was [throttled](#why); `vcpu-exit`: why the virtual CPU left its guest (\"TSC set\" from `kvm_write_tsc_offset` on; for a guest's threads and CPUs also \"interrupt of the host\", \"halted\" or \"asleep in the host\"); for a CPU: its thread and the system call of that thread; for a device: \"2 in flight, 1 queued\"",
		taken = state_detail(in->q, s));
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "current or last CPU",
		number = s->r->type == MDL_ROW_CPU ? s->r->nr : table_id(i->aux));
	if (r && r->type == MDL_ROW_CPU) { /* AUX is the thread that it ran */
		TABLE_COLUMN("tid", ">TID", TABLE_NUMBER, "only for a CPU: the thread on it",
			number = table_nr(in->q, i->aux));
		TABLE_COLUMN("name", "NAME", TABLE_WORD, "only for a CPU: name of that thread",
			word = table_name(in->q, i->aux, i->from));
	}
	TABLE_OBJECT("interrupted_by", "(DETAIL", TABLE_WORD, "CONTEXT: for `interrupted`",
		interrupt_json(in->q, s->r, i), is_interrupt(i) ? qry_detail_text(in->q, s->r->id, i) : NULL);
	TABLE_COUNTS(&s->counts,
		"name → number: what each counter counted in it; null if it was not read at both ends, or within");
}

static const struct table_alias aliases[] = {
	{ "from", "ts" },
	{ "to", NULL },
	{ "interrupted_by", NULL },
	{ NULL, NULL },
};

const struct table table_states = {
	.name = "thread_state",
	.list = "intervals",
	.doc = "a state of a thread, from its begin to its end",
	.columns = interval_columns,
	.aliases = aliases,
	.size = sizeof(struct states),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_TAKES_WINDOW | TABLE_TAKES_ENDS | TABLE_BY_ROW |
		TABLE_NEEDS_SWITCHES,
	.rows = count_states,
	.open = open_states,
	.next = next_state,
	.lead = lead,
};

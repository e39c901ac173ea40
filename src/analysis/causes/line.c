/* SPDX-License-Identifier: MIT */
/*
 * How it works: the owners of each CPU in a stretch of time are found once: a line of marks.
 *
 * Threads that are counted together and follow each other are one turn, so that a wait looks at few turns,
 * not at each switch.  The sums of the threads get their time once.
 *
 * The owner of an interval of a CPU (ana_blame) is looked up once for each thread and interrupt.  The result
 * is reused while the same unrecorded contexts may hide in its time (ana_chain_hidden()).  For virtual CPUs,
 * and for threads that run one, it is looked up each time.
 */
#include "analysis/causes/parts.h"

#include "analysis/kind/chain.h"
#include "base/base_search.h"
#include "base/base_time.h"

#define PARTS 64           /* a line is filled in so many parts of a stretch */
#define BUCKETS (1u << 15) /* buckets of a line, about */
#define BLOCK 16u          /* turns that are summed up together */
#define NEAR 8             /* turns that are tried one by one */
/* Marks in a stretch, of all CPUs together, about. A change decides which of several equally long waits is
 * called the longest. */
#define MARKS_MAX (1u << 19)

/* The sums of BLOCK turns, for waits that cover all of them: N shares, one for each group; N 0: not summed up
 * yet. */
struct block {
	guint first, n;
};

struct share {
	int64_t ns;
	uint32_t group;
};

/* HOLDER has the CPU from FROM on. */
struct mark {
	int64_t from;
	uint32_t holder;
};

static void line_free(void *data)
{
	struct ana_causes_line *line = data;

	if (!line)
		return;
	g_array_unref(line->marks);
	g_array_unref(line->turns);
	g_array_unref(line->told);
	g_array_unref(line->blocks);
	g_array_unref(line->shares);
	g_array_unref(line->idle);
	g_array_unref(line->buckets);
	g_array_unref(line->contexts);
	g_free(line);
}

struct ana_causes_cpus *ana_causes_cpus_new(struct ana_causes_table *t)
{
	struct ana_causes_cpus *c = g_new0(struct ana_causes_cpus, 1);

	c->t = t;
	ana_throttle_many(t->q);
	ana_causes_holders_init(c);
	c->threads = g_array_new(FALSE, TRUE, sizeof(struct ana_causes_memo));
	g_array_set_size(c->threads, qry_row_count(t->q));
	c->states = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
	c->lines = g_ptr_array_new_with_free_func(line_free);
	g_ptr_array_set_size(c->lines, (gint)qry_row_count(t->q) + 1);
	return c;
}

void ana_causes_cpus_free(struct ana_causes_cpus *c)
{
	if (!c)
		return;
	g_array_unref(c->holders);
	g_array_unref(c->threads);
	g_array_unref(c->states);
	g_hash_table_unref(c->by_key);
	g_hash_table_unref(c->groups);
	g_ptr_array_unref(c->lines);
	g_free(c);
}

/* The first time, FROM or later, at which any host has recorded something; INT64_MAX: none has.  Hosts
 * without a common clock may be centuries apart. */
static int64_t recorded_from(struct qry *q, int64_t from)
{
	int64_t next = INT64_MAX;

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const struct qry_host *h = qry_host(q, i);

		if (h->to > from)
			next = MIN(next, MAX(h->from, from));
	}
	return next;
}

static struct ana_causes_turn *nth_turn(const struct ana_causes_line *line, guint i)
{
	return &g_array_index(line->turns, struct ana_causes_turn, i);
}

/* The turn of LINE, which is not empty, at TIME, in the stretch or after it.  It is often soon after the one
 * found last. */
static guint turn_at(const struct ana_causes_cpus *c, struct ana_causes_line *line, int64_t time)
{
	guint at = line->at, n = line->turns->len, known = line->buckets->len, bucket;

	for (unsigned i = 0; i < NEAR && at < n && nth_turn(line, at)->from <= time; i++, at++)
		if (at + 1 == n || nth_turn(line, at + 1)->from > time)
			return line->at = at;
	bucket = (guint)(time > c->from ? (uint64_t)(time - c->from) >> c->width : 0);
	at = known > 0 ? g_array_index(line->buckets, guint, MIN(bucket, known - 1)) : 0;
	if (bucket + 1 < known)
		n = g_array_index(line->buckets, guint, bucket + 1) + 1;
	return line->at = at +
		(guint)base_search_holding(&nth_turn(line, at)->from, n - at, sizeof(struct ana_causes_turn),
			time);
}

/* Add the buckets of LINE that begin before its turn I: they begin in the turn before it. */
static void fill_buckets(const struct ana_causes_cpus *c, struct ana_causes_line *line, guint i)
{
	guint before = MAX(i, 1) - 1;

	while (c->from + (int64_t)((uint64_t)line->buckets->len << c->width) < nth_turn(line, i)->from)
		g_array_append_val(line->buckets, before);
}

/* Keep of LINE only the part from FROM on. */
static void begin_line(const struct ana_causes_cpus *c, struct ana_causes_line *line, int64_t from)
{
	guint turns = line->turns->len, idle = 0, marks;

	if (line->to > from)
		turns = (guint)base_search_holding(&nth_turn(line, 0)->from, turns,
			sizeof(struct ana_causes_turn), from);
	marks = turns < line->turns->len ? nth_turn(line, turns)->first : line->marks->len;
	while (idle < line->idle->len && g_array_index(line->idle, struct ana_causes_span, idle).to <= from)
		idle++;
	g_array_remove_range(line->turns, 0, turns);
	g_array_remove_range(line->told, 0, turns);
	g_array_remove_range(line->marks, 0, marks);
	g_array_remove_range(line->idle, 0, idle);
	g_array_set_size(line->buckets, 0);
	g_array_set_size(line->blocks, 0);
	g_array_set_size(line->shares, 0);
	for (guint i = 0; i < line->turns->len; i++) {
		nth_turn(line, i)->first -= marks;
		fill_buckets(c, line, i);
	}
	line->to = MAX(line->to, from);
	line->at = 0;
}

bool ana_causes_cpus_stretch(struct ana_causes_cpus *c, int64_t *from, int64_t to, int64_t *end)
{
	double length;

	*from = recorded_from(c->t->q, *from);
	if (*from >= to)
		return false;
	/* A CPU changes at most once per event. */
	length = (double)to - (double)*from;
	for (uint32_t i = 0; i < qry_host_count(c->t->q); i++) {
		const struct qry_host *h = qry_host(c->t->q, i);

		if (h->from > *from)
			to = MIN(to, h->from);
		else if (h->to > *from)
			length = MIN(length,
				((double)h->to - (double)h->from) * MARKS_MAX / qry_host_count(c->t->q) /
					(double)MAX(h->meta->events, 1));
	}
	c->from = *from;
	c->to = *end = length >= (double)to - (double)*from ? to : *from + MAX((int64_t)length, 1);
	c->limit = base_time_sum(c->to, c->to - c->from);
	for (c->width = 0; (uint64_t)(c->limit - c->from) >> c->width >= BUCKETS;)
		c->width++;
	for (guint i = 0; i < c->lines->len; i++)
		if (g_ptr_array_index(c->lines, i))
			begin_line(c, g_ptr_array_index(c->lines, i), c->from);
	return true;
}

/* ---- the line of a CPU ---- */

struct filling {
	struct ana_causes_cpus *c;
	struct ana_causes_line *line;
};

static const struct mark *nth_mark(const struct ana_causes_line *line, guint i)
{
	return &g_array_index(line->marks, struct mark, i);
}

static void mark_holder(const struct filling *f, int64_t from, uint32_t holder)
{
	GArray *turns = f->line->turns;
	guint n = f->line->marks->len;
	struct mark mark = { from, holder };
	struct ana_causes_turn turn = { from, ana_causes_nth_holder(f->c, holder)->group, n };
	struct ana_causes_told told = { { { from, from }, { from, from } } };

	if (n > 0 && nth_mark(f->line, n - 1)->holder == holder)
		return;
	g_array_append_val(f->line->marks, mark);
	if (turns->len == 0 || nth_turn(f->line, turns->len - 1)->group != turn.group) {
		g_array_append_val(turns, turn);
		g_array_append_val(f->line->told, told);
		fill_buckets(f->c, f->line, turns->len - 1);
	}
}

static void add_mark(void *data, const struct ana_blame_part *span)
{
	const struct filling *f = data;

	mark_holder(f, span->from, ana_causes_holder_of(f->c, span));
}

/* True if the thread that runs in IV runs a virtual CPU. Threads of the guest then take turns within IV. */
static bool has_guest(struct qry *q, const struct mdl_interval *iv)
{
	return mdl_state_runs(iv->state) && iv->aux != MDL_NONE && qry_guest_cpu_of(q, iv->aux) != MDL_NONE;
}

/* The memo of the holder of IV; NULL: it must be looked up each time. */
static struct ana_causes_memo *memo_of(const struct filling *f, const struct mdl_interval *iv)
{
	struct qry *q = f->c->t->q;
	bool thread = iv->aux != MDL_NONE && qry_row(q, iv->aux)->nr != 0;

	if (iv->state == MDL_ST_INTERRUPTED)
		return iv->detail < f->line->contexts->len
			? &g_array_index(f->line->contexts, struct ana_causes_memo, iv->detail)
			: NULL;
	if (iv->state == MDL_ST_IDLE && !thread)
		return iv->detail < MDL_IDLE_N ? &f->line->nobody[iv->detail] : NULL;
	return mdl_state_runs(iv->state) && thread && !has_guest(q, iv)
		? &g_array_index(f->c->threads, struct ana_causes_memo, iv->aux)
		: NULL;
}

static void add_interval(const struct filling *f, const struct mdl_interval *iv)
{
	struct ana_causes_line *line = f->line;
	struct ana_causes_memo *memo = memo_of(f, iv);
	mdl_doubts hidden = ana_chain_hidden(f->c->t->q, line->host, iv->from);

	if (memo && memo->holder > 0 && memo->hidden == hidden) {
		mark_holder(f, iv->from, memo->holder - 1);
		return;
	}
	ana_blame_spans(f->c->t->q, line->host, line->cpu, iv->from, iv->to, add_mark, (void *)f);
	if (memo)
		*memo = (struct ana_causes_memo){ nth_mark(line, line->marks->len - 1)->holder + 1, hidden };
}

static void add_idle(struct ana_causes_line *line, const struct mdl_interval *iv)
{
	struct ana_causes_span idle = { iv->from, iv->to }, *last;

	last = line->idle->len > 0 ? &g_array_index(line->idle, struct ana_causes_span, line->idle->len - 1)
				   : NULL;
	if (last && last->to == idle.from)
		last->to = idle.to;
	else
		g_array_append_val(line->idle, idle);
}

/* True if LINE ends with the owner of IV: LINE contains its begin, or its thread runs on in another mode. */
static bool goes_on(struct qry *q, const struct ana_causes_line *line, const struct mdl_interval *iv)
{
	const struct mdl_interval *before = &line->before;

	return line->marks->len > 0 && !has_guest(q, iv) &&
		(iv->from < line->to ||
			(before->to == iv->from && before->aux == iv->aux && mdl_state_runs(before->state) &&
				mdl_state_runs(iv->state)));
}

/* Add the states of F's CPU up to TO. */
static void add_states(const struct filling *f, int64_t to)
{
	struct ana_causes_line *line = f->line;
	struct qry *q = f->c->t->q;
	GArray *states = f->c->states;

	g_array_set_size(states, 0);
	qry_kernel_states_whole(q, line->row, line->to, to, states);
	for (guint i = 0; i < states->len; i++) {
		struct mdl_interval iv = g_array_index(states, struct mdl_interval, i);
		bool on = goes_on(q, line, &iv);

		iv.from = MAX(iv.from, line->to);
		iv.to = MIN(iv.to, to);
		if (line->to < iv.from)
			ana_blame_spans(q, line->host, line->cpu, line->to, iv.from, add_mark, (void *)f);
		if (!on)
			add_interval(f, &iv);
		if (ana_throttle_is_idle(q, &iv))
			add_idle(line, &iv);
		line->before = iv;
		line->to = iv.to;
	}
	if (line->to < to)
		ana_blame_spans(q, line->host, line->cpu, line->to, to, add_mark, (void *)f);
	line->to = to;
}

static struct ana_causes_line *line_new(struct ana_causes_cpus *c, uint32_t host, uint32_t cpu, uint32_t row)
{
	struct ana_causes_line *line = g_new(struct ana_causes_line, 1);

	*line = (struct ana_causes_line){ .host = host,
		.cpu = cpu,
		.row = row,
		.to = c->from,
		.marks = g_array_new(FALSE, FALSE, sizeof(struct mark)),
		.turns = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_turn)),
		.told = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_told)),
		.buckets = g_array_new(FALSE, FALSE, sizeof(guint)),
		.blocks = g_array_new(FALSE, TRUE, sizeof(struct block)),
		.shares = g_array_new(FALSE, FALSE, sizeof(struct share)),
		.idle = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_span)),
		.contexts = g_array_new(FALSE, TRUE, sizeof(struct ana_causes_memo)) };
	g_array_set_size(line->contexts, qry_context_count(c->t->q, host));
	return line;
}

struct ana_causes_line *ana_causes_line(struct ana_causes_cpus *c, uint32_t host, uint32_t cpu, int64_t to)
{
	uint32_t row = cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(c->t->q, host, cpu);
	void **place = &g_ptr_array_index(c->lines, row == MDL_NONE ? c->lines->len - 1 : row);
	struct filling f = { c, *place };
	int64_t part;

	if (!f.line)
		*place = f.line = line_new(c, host, cpu, row);
	to = CLAMP(to, c->to, c->limit);
	if (f.line->to >= to)
		return f.line;
	part = (to - f.line->to) / PARTS + 1;
	while (row != MDL_NONE && qry_vcpu_of(c->t->q, host, cpu) == MDL_NONE && f.line->to < to)
		add_states(&f, to - f.line->to > part ? f.line->to + part : to);
	if (f.line->to < to)
		ana_blame_spans(c->t->q, host, cpu, f.line->to, to, add_mark, &f);
	f.line->to = MAX(f.line->to, to);
	return f.line;
}

/* Make the sums, for waits of KIND, of all holders of the CPU in [FROM, TO) of turn I of LINE. */
static void tell_marks(struct ana_causes_cpus *c, const struct ana_causes_line *line, guint i,
	enum ana_kind kind, int64_t from, int64_t to)
{
	guint at = nth_turn(line, i)->first,
	      end = i + 1 < line->turns->len ? nth_turn(line, i + 1)->first : line->marks->len;

	if (from >= to)
		return;
	at += (guint)base_search_holding(&nth_mark(line, at)->from, end - at, sizeof(struct mark), from);
	for (; at < end && nth_mark(line, at)->from < to; at++)
		ana_causes_holder_sum(c, nth_mark(line, at)->holder, kind);
}

/* Like tell_marks(), but leaves out the time for which the sums exist. */
static void tell(struct ana_causes_cpus *c, const struct ana_causes_line *line, guint i, enum ana_kind kind,
	int64_t from, int64_t to)
{
	struct ana_causes_span *told =
		&g_array_index(line->told, struct ana_causes_told, i).by[kind == ANA_KIND_PREEMPTED];

	if (from >= told->from && to <= told->to)
		return;
	if (from > told->to || to < told->from) { /* a gap between them */
		tell_marks(c, line, i, kind, from, to);
		if (to - from > told->to - told->from)
			*told = (struct ana_causes_span){ from, to };
		return;
	}
	tell_marks(c, line, i, kind, from, told->from);
	tell_marks(c, line, i, kind, told->to, to);
	told->from = MIN(told->from, from);
	told->to = MAX(told->to, to);
}

/* Sum up BLOCK turns of LINE from turn I on; another turn follows them. */
static void sum_up(struct ana_causes_line *line, guint i, struct block *block)
{
	block->first = line->shares->len;
	for (guint end = i + BLOCK; i < end; i++) {
		const struct ana_causes_turn *turn = nth_turn(line, i);
		struct share new = { turn[1].from - turn->from, turn->group };
		guint k = block->first;

		while (k < line->shares->len &&
			g_array_index(line->shares, struct share, k).group != new.group)
			k++;
		if (k < line->shares->len)
			g_array_index(line->shares, struct share, k).ns += new.ns;
		else
			g_array_append_val(line->shares, new);
	}
	block->n = line->shares->len - block->first;
}

static bool is_told(const struct ana_causes_holder *group, enum ana_kind kind)
{
	return group->told[kind == ANA_KIND_PREEMPTED] == group->members;
}

/* Count BLOCK turns of LINE from turn I on for the owners of the CPU.  False if some of these have no sum
 * yet. */
static bool put_down_block(struct ana_causes_cpus *c, struct ana_causes_line *line, guint i,
	enum ana_kind kind, mdl_doubts doubts)
{
	const struct share *shares;
	struct block *block;

	if (line->blocks->len <= i / BLOCK)
		g_array_set_size(line->blocks, i / BLOCK + 1);
	block = &g_array_index(line->blocks, struct block, i / BLOCK);
	if (block->n == 0)
		sum_up(line, i, block);
	shares = &g_array_index(line->shares, struct share, block->first);
	for (guint k = 0; k < block->n; k++)
		if (!is_told(ana_causes_nth_holder(c, shares[k].group), kind))
			return false;
	for (guint k = 0; k < block->n; k++) {
		const struct ana_causes_holder *group = ana_causes_nth_holder(c, shares[k].group);

		ana_causes_add(c->t, group->all[kind == ANA_KIND_PREEMPTED], shares[k].ns,
			group->doubts | doubts);
	}
	c->looked++;
	return true;
}

/* True if [FROM, END) covers the BLOCK turns of LINE from turn I on. */
static bool has_block(const struct ana_causes_line *line, guint i, int64_t from, int64_t end)
{
	return i % BLOCK == 0 && i + BLOCK < line->turns->len && nth_turn(line, i)->from == from &&
		nth_turn(line, i + BLOCK)->from <= end;
}

int64_t ana_causes_turns(struct ana_causes_cpus *c, struct ana_causes_line *line, enum ana_kind kind,
	int64_t from, int64_t to, mdl_doubts doubts)
{
	int64_t end = MIN(to, line->to), next;

	for (guint i = from < end ? turn_at(c, line, from) : 0; from < end; from = next) {
		const struct ana_causes_holder *group = ana_causes_nth_holder(c, nth_turn(line, i)->group);

		if (has_block(line, i, from, end) && put_down_block(c, line, i, kind, doubts)) {
			i += BLOCK;
			next = nth_turn(line, i)->from;
			continue;
		}
		next = ++i < line->turns->len ? MIN(nth_turn(line, i)->from, end) : end;
		if (!is_told(group, kind))
			tell(c, line, i - 1, kind, from, next);
		ana_causes_add(c->t, group->all[kind == ANA_KIND_PREEMPTED], next - from,
			group->doubts | doubts);
		c->looked++;
	}
	return from;
}

bool ana_causes_idle_at(const struct ana_causes_cpus *c, struct ana_causes_line *line, int64_t time)
{
	const struct ana_causes_span *idle = (const struct ana_causes_span *)(const void *)line->idle->data;
	size_t i;

	if (line->idle->len == 0 ||
		ana_causes_is_thread(
			&ana_causes_nth_holder(c, nth_turn(line, turn_at(c, line, time))->group)->part))
		return false;
	i = base_search_holding(&idle->from, line->idle->len, sizeof *idle, time);
	return idle[i].from <= time && time < idle[i].to;
}

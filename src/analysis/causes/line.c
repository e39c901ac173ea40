/* SPDX-License-Identifier: MIT */
/*
 * Who had each CPU, made out once for a stretch of time: a line of marks.
 *
 * Threads that stand together and follow each other make one turn, so that a wait takes a look at few turns, not
 * at each switch.  Who of them had the CPU is told to the sums once.
 *
 * Who an interval of a CPU belongs to is asked once for each thread and interrupt (ana_blame); it stays so as
 * long as nothing else may hide in its time.  Time of virtual CPUs, and of threads that run one, is asked for
 * each time.
 */
#include "analysis/causes/parts.h"

#include "analysis/kind/chain.h"
#include "base/base_search.h"
#include "base/base_time.h"

#define NEAR 8               /* turns that are looked at one by one */
/* About so many in a stretch, of all CPUs together.  (Where several waits are the longest, it depends on this
 * which is told.) */
#define MARKS_MAX (1u << 19)

/* One who had a CPU. */
struct holder {
	struct ana_blame_part part;
	mdl_doubts doubts;              /* as far as they are told */
	uint32_t group;                 /* the first holder whose time goes where its does; itself if alone */
	struct ana_causes_sum *sums[2]; /* where its time goes, by kind; weak; NULL: not needed yet */
	struct ana_causes_sum *all[2];  /* the same of the first of a group: of any of them */
};

/* HOLDER has the CPU from then on. */
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
	g_array_unref(line->idle);
	g_array_unref(line->contexts);
	g_free(line);
}

static guint key_hash(gconstpointer key)
{
	const int64_t *k = key;

	return (g_int64_hash(&k[0]) * 31 + g_int64_hash(&k[1])) * 31 + g_int64_hash(&k[2]);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	const int64_t *x = a, *y = b;

	return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

struct ana_causes_cpus *ana_causes_cpus_new(struct ana_causes_table *t)
{
	struct ana_causes_cpus *c = g_new0(struct ana_causes_cpus, 1);

	c->t = t;
	ana_throttle_many(t->q);
	c->holders = g_array_new(FALSE, TRUE, sizeof(struct holder));
	c->threads = g_array_new(FALSE, TRUE, sizeof(struct ana_causes_memo));
	g_array_set_size(c->threads, qry_row_count(t->q));
	c->states = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
	c->by_key = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	c->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
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

/* The time from FROM on when any host has recorded something; INT64_MAX: none has.  Hosts without a common
 * clock may be centuries apart. */
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

/* The turn of LINE, which has some, in which TIME lies: often one of those behind the one found last. */
static guint turn_at(struct ana_causes_line *line, int64_t time)
{
	guint at = line->at, n = line->turns->len;

	for (unsigned i = 0; i < NEAR && at < n && nth_turn(line, at)->from <= time; i++, at++)
		if (at + 1 == n || nth_turn(line, at + 1)->from > time)
			return line->at = at;
	return line->at = (guint)base_search_holding(&nth_turn(line, 0)->from, n,
		       sizeof(struct ana_causes_turn), time);
}

/* Leave of LINE what it has from FROM on. */
static void begin_line(struct ana_causes_line *line, int64_t from)
{
	guint turns = line->to > from ? turn_at(line, from) : line->turns->len, idle = 0,
	      marks = turns < line->turns->len ? nth_turn(line, turns)->first : line->marks->len;

	while (idle < line->idle->len && g_array_index(line->idle, struct ana_causes_span, idle).to <= from)
		idle++;
	g_array_remove_range(line->turns, 0, turns);
	g_array_remove_range(line->marks, 0, marks);
	g_array_remove_range(line->idle, 0, idle);
	for (guint i = 0; i < line->turns->len; i++) {
		struct ana_causes_turn *turn = nth_turn(line, i);

		turn->first -= marks;
		turn->told[0] -= marks;
		turn->told[1] -= marks;
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
	/* A CPU changes no more often than there are events. */
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
	for (guint i = 0; i < c->lines->len; i++)
		if (g_ptr_array_index(c->lines, i))
			begin_line(g_ptr_array_index(c->lines, i), c->from);
	return true;
}


static struct holder *nth_holder(const struct ana_causes_cpus *c, uint32_t i)
{
	return &g_array_index(c->holders, struct holder, i);
}

/* How sure S is, as far as it is told. */
static mdl_doubts cpu_doubts_of(const struct ana_causes_cpus *c, const struct ana_blame_part *s)
{
	return s->guest != MDL_NONE && c->t->by != ANA_CAUSES_BY_GUEST ? s->alone : s->doubts;
}

static bool is_thread(const struct ana_blame_part *part)
{
	return part->what == ANA_BLAME_THREAD && part->row != MDL_NONE;
}

/* The group of PART, which becomes holder NUMBER. */
static uint32_t group_of(struct ana_causes_cpus *c, const struct ana_blame_part *part, uint32_t number)
{
	g_autofree char *name = NULL, *key = NULL;
	gpointer found;

	if (c->t->by != ANA_CAUSES_BY_NAME || !is_thread(part))
		return number;
	name = ana_group_name(qry_row(c->t->q, part->row)->name);
	key = g_strdup_printf("%u/%d/%s", qry_row(c->t->q, part->row)->host,
		(int)mdl_grade_of(cpu_doubts_of(c, part)), name);
	if (g_hash_table_lookup_extended(c->groups, key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	g_hash_table_insert(c->groups, g_steal_pointer(&key), GUINT_TO_POINTER(number));
	return number;
}

static uint32_t holder_of(struct ana_causes_cpus *c, const struct ana_blame_part *s)
{
	bool context = s->context != MDL_NONE, row = !context && s->row != MDL_NONE;
	int64_t key[3] = { (int64_t)s->what << 56 | (int64_t)s->host << 32 |
			(context              ? s->context
					: row ? s->row
					      : s->cpu),
		(int64_t)mdl_grade_of(cpu_doubts_of(c, s)) << 32 |
			(c->t->by == ANA_CAUSES_BY_GUEST ? s->guest : MDL_NONE),
		/* What has neither is told apart by its name: why a virtual CPU was left. */
		context       ? 1
			: row ? 2
			      : (int64_t)(uintptr_t)s->name };
	struct holder new = { .part = *s, .doubts = cpu_doubts_of(c, s) };
	gpointer found;

	if (g_hash_table_lookup_extended(c->by_key, key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	new.group = group_of(c, s, c->holders->len);
	g_hash_table_insert(c->by_key, g_memdup2(key, sizeof key), GUINT_TO_POINTER(c->holders->len));
	g_array_append_val(c->holders, new);
	return c->holders->len - 1;
}

/* The sum for the time of HOLDER in waits of KIND. */
static struct ana_causes_sum *sum_of(struct ana_causes_cpus *c, uint32_t holder, enum ana_kind kind)
{
	struct holder *h = nth_holder(c, holder);
	struct ana_causes_sum **sum = &h->sums[kind == ANA_KIND_PREEMPTED];
	bool line = h->part.row != MDL_NONE && qry_row(c->t->q, h->part.row)->type != MDL_ROW_THREAD;

	if (*sum)
		return *sum;
	if (c->t->by == ANA_CAUSES_BY_GUEST && h->part.guest != MDL_NONE)
		*sum = ana_causes_of_guest(c->t, kind, h->part.row, h->part.guest);
	else if (is_thread(&h->part))
		*sum = ana_causes_of_thread(c->t, kind, h->part.row);
	else
		*sum = ana_causes_of_thing(c->t, kind, h->part.host, line ? h->part.row : MDL_NONE,
			ana_blame_part_text(c->t->q, &h->part));
	nth_holder(c, h->group)->all[kind == ANA_KIND_PREEMPTED] = *sum;
	return *sum;
}

void ana_causes_put_down(struct ana_causes_cpus *c, const struct ana_blame_part *span, enum ana_kind kind,
	mdl_doubts doubts)
{
	uint32_t holder = holder_of(c, span);

	ana_causes_add(c->t, sum_of(c, holder, kind), span->time,
		nth_holder(c, holder)->doubts | doubts);
	c->looked++;
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
	struct ana_causes_turn turn = { from, nth_holder(f->c, holder)->group, n, { n, n } };

	if (n > 0 && nth_mark(f->line, n - 1)->holder == holder)
		return;
	g_array_append_val(f->line->marks, mark);
	if (turns->len == 0 || nth_turn(f->line, turns->len - 1)->group != turn.group)
		g_array_append_val(turns, turn);
}

static void add_mark(void *data, const struct ana_blame_part *span)
{
	const struct filling *f = data;

	mark_holder(f, span->from, holder_of(f->c, span));
}

/* Where it is kept whose IV is; NULL: nowhere. */
static struct ana_causes_memo *memo_of(const struct filling *f, const struct mdl_interval *iv)
{
	struct qry *q = f->c->t->q;
	bool thread = iv->aux != MDL_NONE && qry_row(q, iv->aux)->nr != 0;

	if (iv->state == MDL_ST_INTERRUPTED)
		return iv->detail < f->line->contexts->len
			? &g_array_index(f->line->contexts, struct ana_causes_memo, iv->detail)
			: NULL;
	if (iv->state == MDL_ST_IDLE && !thread)
		return &f->line->nobody;
	return mdl_state_runs(iv->state) && thread && qry_guest_cpu_of(q, iv->aux) == MDL_NONE
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

	last = line->idle->len > 0
		? &g_array_index(line->idle, struct ana_causes_span, line->idle->len - 1)
		: NULL;
	if (last && last->to == idle.from)
		last->to = idle.to;
	else
		g_array_append_val(line->idle, idle);
}

/* Add the states of F's CPU up to TO. */
static void add_states(const struct filling *f, int64_t to)
{
	struct ana_causes_line *line = f->line;
	struct qry *q = f->c->t->q;
	int64_t from = line->to;
	struct mdl_interval before = { .to = INT64_MIN };
	GArray *states = f->c->states;

	g_array_set_size(states, 0);
	qry_kernel_states_whole(q, line->row, from, to, states);
	for (guint i = 0; i < states->len; i++) {
		struct mdl_interval iv = g_array_index(states, struct mdl_interval, i);

		iv.from = MAX(iv.from, from);
		iv.to = MIN(iv.to, to);
		if (from < iv.from)
			ana_blame_spans(q, line->host, line->cpu, from, iv.from, add_mark, (void *)f);
		/* A thread may run on in another mode. */
		if (before.to != iv.from || before.aux != iv.aux || !mdl_state_runs(before.state) ||
			!mdl_state_runs(iv.state))
			add_interval(f, &iv);
		if (ana_throttle_is_idle(q, &iv))
			add_idle(line, &iv);
		from = iv.to;
		before = iv;
	}
	ana_blame_spans(q, line->host, line->cpu, from, to, add_mark, (void *)f);
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

	if (!f.line)
		*place = f.line = line_new(c, host, cpu, row);
	to = CLAMP(to, c->to, c->limit);
	if (f.line->to >= to)
		return f.line;
	if (row == MDL_NONE || qry_vcpu_of(c->t->q, host, cpu) != MDL_NONE)
		ana_blame_spans(c->t->q, host, cpu, f.line->to, to, add_mark, &f);
	else
		add_states(&f, to);
	f.line->to = to;
	return f.line;
}

/* See to it that each who had the CPU in [FROM, TO) of turn I of LINE has its sum for waits of KIND. */
static void tell(struct ana_causes_cpus *c, const struct ana_causes_line *line, guint i, enum ana_kind kind,
	int64_t from, int64_t to)
{
	struct ana_causes_turn *turn = nth_turn(line, i);
	guint end = i + 1 < line->turns->len ? nth_turn(line, i + 1)->first
					     : line->marks->len,
	      *told = &turn->told[kind == ANA_KIND_PREEMPTED], at = *told;

	if (at == end)
		return;
	if (at == turn->first || nth_mark(line, at)->from < from)
		at = turn->first +
			(guint)base_search_holding(&nth_mark(line, turn->first)->from,
				end - turn->first, sizeof(struct mark), from);
	if (at > *told)
		told = NULL; /* those between are not told */
	for (; at < end && nth_mark(line, at)->from < to; at++)
		sum_of(c, nth_mark(line, at)->holder, kind);
	if (told)
		*told = MAX(*told, at);
}

int64_t ana_causes_turns(struct ana_causes_cpus *c, struct ana_causes_line *line, enum ana_kind kind,
	int64_t from, int64_t to, mdl_doubts doubts)
{
	int64_t end = MIN(to, line->to), next;

	for (guint i = from < end ? turn_at(line, from) : 0; from < end; i++, from = next) {
		const struct holder *group = nth_holder(c, nth_turn(line, i)->group);

		next = i + 1 < line->turns->len ? MIN(nth_turn(line, i + 1)->from, end) : end;
		tell(c, line, i, kind, from, next);
		ana_causes_add(c->t, group->all[kind == ANA_KIND_PREEMPTED], next - from,
			group->doubts | doubts);
		c->looked++;
	}
	return from;
}

bool ana_causes_idle_at(const struct ana_causes_line *line, int64_t time)
{
	const struct ana_causes_span *idle = (const struct ana_causes_span *)(const void *)line->idle->data;
	size_t i = line->idle->len > 0
		? base_search_holding(&idle->from, line->idle->len, sizeof *idle, time)
		: 0;

	return line->idle->len > 0 && idle[i].from <= time && time < idle[i].to;
}

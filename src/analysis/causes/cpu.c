/* SPDX-License-Identifier: MIT */
/*
 * The causes of waits for a CPU: the owners of it, thread by thread, interrupts by themselves (ana_blame), or
 * a quota that was used up (ana_cpuwait_split()).
 *
 * On a busy host hundreds of threads wait for the same CPU at the same time, and each wait is put down to all
 * who had it meanwhile.  So who had each CPU is made out once for a stretch of time (a line of marks), and
 * looked up for all waits that begin in the stretch; what of a wait lies beyond it, which is little, is asked
 * for by itself.
 *
 * Threads that stand together and follow each other make one turn, so that a wait takes a look at few turns, not
 * at each switch.  Who of them had the CPU is told to the sums once.
 */
#include "analysis/causes/parts.h"

#include "base/base_search.h"
#include "analysis/cpu/blame.h"
#include "analysis/cpu/cpuwait.h"

#define MARKS_MAX (1u << 19) /* about so many in a stretch, of all CPUs together */

/* One who had a CPU. */
struct holder {
	struct ana_blame_part part;
	uint32_t group;                 /* the first holder whose time goes where its does; itself if alone */
	struct ana_causes_sum *sums[2]; /* where its time goes, by kind; weak; NULL: not needed yet */
	struct ana_causes_sum *all[2];  /* the same of the first of a group: of any of them */
};

/* HOLDER has the CPU from then on. */
struct mark {
	int64_t from;
	uint32_t holder;
};

/* Holders of GROUP have the CPU from then on. */
struct turn {
	int64_t from;
	uint32_t group;
	guint first;   /* its first mark */
	guint told[2]; /* by kind: the marks before have their sums */
};

/* A CPU in the stretch. */
struct line {
	GArray *marks; /* of struct mark */
	GArray *turns; /* of struct turn */
};

struct ana_causes_cpus {
	struct ana_causes_table *t; /* weak */
	int64_t from, to;           /* the stretch */
	mdl_doubts doubts;          /* of what the wait at hand is put down to */
	uint64_t looked;            /* how often it was looked up who had a CPU */
	GArray *holders;            /* of struct holder */
	GArray *by_row;     /* of uint32_t: number in HOLDERS, plus 1, that thread ROW was last; 0: none */
	GHashTable *by_key; /* int64_t[3], owned → number in HOLDERS */
	GHashTable *groups; /* "host/grade/name" of threads, owned → number in HOLDERS of the first */
	GHashTable *lines;  /* row of a CPU → struct line, owned */
};

static void line_free(void *data)
{
	struct line *line = data;

	g_array_unref(line->marks);
	g_array_unref(line->turns);
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
	c->by_row = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	g_array_set_size(c->by_row, qry_row_count(t->q));
	c->by_key = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	c->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	c->lines = g_hash_table_new_full(NULL, NULL, NULL, line_free);
	return c;
}

void ana_causes_cpus_free(struct ana_causes_cpus *c)
{
	if (!c)
		return;
	g_array_unref(c->holders);
	g_array_unref(c->by_row);
	g_hash_table_unref(c->by_key);
	g_hash_table_unref(c->groups);
	g_hash_table_unref(c->lines);
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
	g_hash_table_remove_all(c->lines);
	c->from = *from;
	c->to = *end = length >= (double)to - (double)*from ? to : *from + MAX((int64_t)length, 1);
	return true;
}

uint64_t ana_causes_cpus_looked(const struct ana_causes_cpus *c)
{
	return c->looked;
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

static uint32_t look_up(struct ana_causes_cpus *c, const struct ana_blame_part *s)
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
	struct holder new = { .part = *s };
	gpointer found;

	if (g_hash_table_lookup_extended(c->by_key, key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	new.group = group_of(c, s, c->holders->len);
	g_hash_table_insert(c->by_key, g_memdup2(key, sizeof key), GUINT_TO_POINTER(c->holders->len));
	g_array_append_val(c->holders, new);
	return c->holders->len - 1;
}

/* True if holder NUMBER stands for PART, of the same thread, too. */
static bool stands_for(const struct ana_causes_cpus *c, uint32_t number, const struct ana_blame_part *part)
{
	const struct ana_blame_part *own = &nth_holder(c, number)->part;

	return own->what == part->what && own->context == MDL_NONE && part->context == MDL_NONE &&
		mdl_grade_of(cpu_doubts_of(c, own)) == mdl_grade_of(cpu_doubts_of(c, part)) &&
		(c->t->by != ANA_CAUSES_BY_GUEST || own->guest == part->guest);
}

static uint32_t holder_of(struct ana_causes_cpus *c, const struct ana_blame_part *part)
{
	uint32_t *last = part->row == MDL_NONE ? NULL : &g_array_index(c->by_row, uint32_t, part->row), found;

	if (last && *last > 0 && stands_for(c, *last - 1, part))
		return *last - 1;
	found = look_up(c, part);
	if (last)
		*last = found + 1;
	return found;
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

/* Put NS down to SUM for the time of HOLDER. */
static void cpu_add(struct ana_causes_cpus *c, struct ana_causes_sum *sum, uint32_t holder, int64_t ns)
{
	c->looked++;
	ana_causes_add(c->t, sum, ns, cpu_doubts_of(c, &nth_holder(c, holder)->part) | c->doubts);
}

/* ---- the line of a CPU ---- */

struct filling {
	struct ana_causes_cpus *c;
	struct line *line;
};

static void add_mark(void *data, const struct ana_blame_part *span)
{
	struct filling *f = data;
	struct mark mark = { span->from, holder_of(f->c, span) };
	GArray *turns = f->line->turns;
	guint n = f->line->marks->len;
	struct turn turn = { span->from, nth_holder(f->c, mark.holder)->group, n, { n, n } };

	g_array_append_val(f->line->marks, mark);
	if (turns->len == 0 || g_array_index(turns, struct turn, turns->len - 1).group != turn.group)
		g_array_append_val(turns, turn);
}

static const struct line *cpu_line_of(struct ana_causes_cpus *c, uint32_t host, uint32_t cpu)
{
	gpointer key = GUINT_TO_POINTER(cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(c->t->q, host, cpu));
	struct filling f = { c, g_hash_table_lookup(c->lines, key) };

	if (f.line)
		return f.line;
	f.line = g_new(struct line, 1);
	f.line->marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
	f.line->turns = g_array_new(FALSE, FALSE, sizeof(struct turn));
	ana_blame_spans(c->t->q, host, cpu, c->from, c->to, add_mark, &f);
	g_hash_table_insert(c->lines, key, f.line);
	return f.line;
}

/* See to it that each who had the CPU in [FROM, TO) of turn I of LINE has its sum for waits of KIND. */
static void tell(struct ana_causes_cpus *c, const struct line *line, guint i, enum ana_kind kind,
	int64_t from, int64_t to)
{
	struct turn *turn = &g_array_index(line->turns, struct turn, i);
	guint end = i + 1 < line->turns->len ? g_array_index(line->turns, struct turn, i + 1).first
					     : line->marks->len,
	      *told = &turn->told[kind == ANA_KIND_PREEMPTED], at = *told;

	if (at == end)
		return;
	if (at == turn->first || g_array_index(line->marks, struct mark, at).from < from)
		at = turn->first +
			(guint)base_search_holding(&g_array_index(line->marks, struct mark, turn->first).from,
				end - turn->first, sizeof(struct mark), from);
	if (at > *told)
		told = NULL; /* those between are not told */
	for (; at < end && g_array_index(line->marks, struct mark, at).from < to; at++)
		sum_of(c, g_array_index(line->marks, struct mark, at).holder, kind);
	if (told)
		*told = MAX(*told, at);
}

/* ---- a wait ---- */

struct beyond {
	struct ana_causes_cpus *c;
	enum ana_kind kind;
};

static void add_beyond(void *data, const struct ana_blame_part *span)
{
	struct beyond *b = data;

	uint32_t holder = holder_of(b->c, span);

	cpu_add(b->c, sum_of(b->c, holder, b->kind), holder, span->time);
}

/* Put [FROM, TO) of a wait of KIND for CPU of HOST, which begins in the stretch, down to who had it. */
static void put_down(struct ana_causes_cpus *c, enum ana_kind kind, uint32_t host, uint32_t cpu, int64_t from,
	int64_t to)
{
	const struct line *line = from < c->to ? cpu_line_of(c, host, cpu) : NULL;
	const GArray *turns = line ? line->turns : NULL;
	int64_t end = MIN(to, c->to);
	struct beyond b = { c, kind };
	size_t at = 0;

	if (turns) /* the turn in which FROM lies */
		at = base_search_holding(&g_array_index(turns, struct turn, 0).from, turns->len,
			sizeof(struct turn), from);
	for (guint i = (guint)at; turns && from < end; i++) {
		uint32_t group = g_array_index(turns, struct turn, i).group;
		int64_t next = i + 1 < turns->len ? MIN(g_array_index(turns, struct turn, i + 1).from, end)
						  : end;

		tell(c, line, i, kind, from, next);
		cpu_add(c, nth_holder(c, group)->all[kind == ANA_KIND_PREEMPTED], group, next - from);
		from = next;
	}
	ana_blame_spans(c->t->q, host, cpu, from, to, add_beyond, &b);
}

/* Go from IV to the next interval of the same wait of thread ROW for a CPU: it may have been moved to the
 * queue of another. */
static bool waits_on(struct qry *q, uint32_t row, struct mdl_interval *iv)
{
	struct mdl_interval next;

	if (!qry_kernel_state_at(q, row, iv->to, &next) || next.from != iv->to || next.state != iv->state)
		return false;
	*iv = next;
	return true;
}

int64_t ana_causes_cpu_end(struct qry *q, uint32_t row, const struct mdl_interval *interval)
{
	struct mdl_interval iv = *interval;

	while (ana_cpuwait_is(q, row, &iv) && waits_on(q, row, &iv))
		;
	return iv.to;
}

/* Put [FROM, TO) of PART of a wait of KIND of thread ROW in IV down to who had the CPU, or to the quota. */
static void put_down_part(struct ana_causes_cpus *c, const struct ana_cpuwait_part *part, enum ana_kind kind,
	uint32_t row, const struct mdl_interval *iv, int64_t from, int64_t to)
{
	uint32_t host = qry_row(c->t->q, row)->host;

	c->doubts = ana_cpuwait_doubts(c->t->q, row, iv, part);
	if (!part->quota)
		put_down(c, kind, host, iv->aux, from, to);
	else if (from < to)
		ana_causes_add(c->t,
			ana_causes_of_thing(c->t, ANA_KIND_THROTTLED, host, MDL_NONE, g_strdup(part->quota)),
			to - from, c->doubts);
}

int64_t ana_causes_cpu_wait(struct ana_causes_cpus *c, uint32_t row, const struct mdl_interval *first,
	int64_t from, int64_t to)
{
	enum ana_kind kind = first->state == MDL_ST_PREEMPTED ? ANA_KIND_PREEMPTED : ANA_KIND_WAIT_CPU;
	struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS];
	struct mdl_interval iv = *first;

	if (!ana_cpuwait_is(c->t->q, row, first))
		return first->to;
	do {
		unsigned n = ana_cpuwait_split(c->t->q, row, &iv, parts);

		for (unsigned i = 0; i < n; i++)
			put_down_part(c, &parts[i], kind, row, &iv, MAX(parts[i].from, from),
				MIN(parts[i].to, to));
	} while (iv.to < to && waits_on(c->t->q, row, &iv));
	ana_causes_end_wait(c->t, row, iv.to);
	return iv.to;
}

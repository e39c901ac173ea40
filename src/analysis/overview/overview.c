/* SPDX-License-Identifier: MIT */
/*
 * How it works: values that state history gives with two look-ups per row (CPU time, interrupts) are read for
 * all rows.  Waiting time costs a look at each wait.  So threads are examined in the order of the time in
 * which they did not run, which bounds the sum of their waits, until no remaining one can be among the first.
 */
#include "analysis/overview/parts.h"

#include "analysis/kind/advice.h"
#include "analysis/causes/causes.h"
#include "analysis/request/request.h"
#include "analysis/latency/latency.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

#include <string.h>

#define PARTS 256 /* of a life; a part is skipped if nothing in it can be the longest run */

struct overview {
	struct qry *q;
	unsigned top;
	bool hide_tracer;
	struct base_progress *progress;
	GArray *lines;
};

static GArray *new_lines(void)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct ana_overview_line));

	g_array_set_clear_func(lines, ana_overview_line_clear);
	return lines;
}

static int overview_by_time(const void *a, const void *b)
{
	const struct ana_overview_line *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, row);
}

/* Sort the lines and keep the first ones. */
static void keep_first(struct overview *o)
{
	g_array_sort(o->lines, overview_by_time);
	if (o->lines->len > o->top)
		g_array_set_size(o->lines, o->top);
}

static bool is_stopped(const struct overview *o, GError **error)
{
	if (!base_progress_cancelled(o->progress))
		return false;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	return true;
}

static struct ana_overview_line *line_at(const struct overview *o, guint i)
{
	return &g_array_index(o->lines, struct ana_overview_line, i);
}

/* ---- parts from state history ---- */

static bool overview_is_thread(const struct overview *o, uint32_t row)
{
	const struct qry_row *r = qry_row(o->q, row);

	return r->type == MDL_ROW_THREAD && r->cpu == MDL_NONE && r->first < r->last &&
		!(o->hide_tracer && qry_is_tracer(o->q, row));
}

/* Add a line of ROW and its life, with TIME. */
static void add_row(struct overview *o, uint32_t row, int64_t time)
{
	const struct qry_row *r = qry_row(o->q, row);
	const struct qry_host *h = qry_host(o->q, r->host);
	struct ana_overview_line line = { .time = time,
		.of = h->to - h->from,
		.way = ANA_OVERVIEW_ROW,
		.row = row,
		.from = r->first,
		.to = r->last };

	if (time > 0)
		g_array_append_val(o->lines, line);
}

/* Set the interval of LINE to RUN if RUN is longer. */
static void take_run(struct ana_overview_line *line, const struct mdl_interval *run)
{
	struct qry_cell cell = { .ns = { 0 } };

	cell.ns[run->state] = run->to - run->from;
	if (qry_cell_ran(&cell) > line->to - line->from) {
		line->from = run->from;
		line->to = run->to;
	}
}

/* Take the runs of LINE's row that begin or lie in [FROM, TO); one across FROM counts as a whole. */
static void take_runs(const struct overview *o, struct ana_overview_line *line, int64_t from, int64_t to)
{
	struct mdl_interval run;
	struct qry_cell cell;
	g_autoptr(GArray) all = NULL;

	if (qry_state_at(o->q, line->row, from, &run))
		take_run(line, &run);
	qry_share(o->q, line->row, from, to, &cell);
	if (qry_cell_ran(&cell) <= line->to - line->from)
		return;
	all = qry_states(o->q, line->row, from, to);
	for (guint i = 0; i < all->len; i++)
		take_run(line, &g_array_index(all, struct mdl_interval, i));
}

/* Set FROM and TO of LINE to the longest run of its row, or else to its life. */
static void find_longest_run(const struct overview *o, struct ana_overview_line *line)
{
	const struct qry_row *r = qry_row(o->q, line->row);
	int64_t from = r->first, to;

	line->from = line->to = r->first;
	for (uint32_t i = 0; i < PARTS; i++, from = to) {
		to = qry_column_time(r->first, r->last, PARTS, i + 1);
		if (from < to)
			take_runs(o, line, from, to);
	}
	if (line->from == line->to)
		line->to = r->last;
}

/* Keep the first lines; set the name, the WAY and the longest run of each.  False: cancelled. */
static bool name_rows(struct overview *o, enum ana_overview_way way, GError **error)
{
	keep_first(o);
	for (guint i = 0; i < o->lines->len; i++) {
		struct ana_overview_line *line = line_at(o, i);

		if (is_stopped(o, error))
			return false;
		line->name = qry_row_label(o->q, line->row);
		line->way = way;
		find_longest_run(o, line);
	}
	return true;
}

static bool find_cpu(struct overview *o, GError **error)
{
	for (uint32_t row = 0; row < qry_row_count(o->q); row++)
		if (overview_is_thread(o, row)) {
			struct qry_cell cell = qry_life(o->q, row);

			add_row(o, row, qry_cell_ran(&cell));
		}
	return name_rows(o, ANA_OVERVIEW_LIFE, error);
}

static bool find_interrupts(struct overview *o, GError **error)
{
	for (uint32_t row = 0; row < qry_row_count(o->q); row++) {
		const struct qry_row *r = qry_row(o->q, row);

		if ((r->type == MDL_ROW_IRQ || r->type == MDL_ROW_SOFTIRQ) && r->first < r->last) {
			struct qry_cell cell = qry_life(o->q, row);

			add_row(o, row, cell.ns[MDL_ST_RUNNING]);
		}
	}
	if (!name_rows(o, ANA_OVERVIEW_ROW, error))
		return false;
	for (guint i = 0; i < o->lines->len; i++) {
		struct ana_overview_line *line = line_at(o, i);
		g_autofree char *longest = base_time_format_duration(line->to - line->from, false);

		line->what = g_strdup_printf("longest %s", longest);
	}
	return true;
}

/* ---- waits ---- */

/* The causes of the waits of the N threads ROWS, restricted by ONLY (NULL: all waits).  NULL with an error.
 * The caller frees. */
static struct ana_causes *causes_of(const struct overview *o, const uint32_t *rows, uint32_t n,
	void (*only)(struct ana_causes *causes), GError **error)
{
	struct ana_causes *causes;
	int64_t from, to;

	qry_span(o->q, &from, &to);
	causes = ana_causes_new(o->q, rows, n, ANA_CAUSES_BY_NAME, from, to);
	if (only)
		only(causes);
	if (ana_causes_finish(causes, o->progress, error))
		return causes;
	ana_causes_free(causes);
	return NULL;
}

/* Add user threads, sorted by the time in which each did not run, or waited on its CPU. */
static void find_user_threads(struct overview *o)
{
	for (uint32_t row = 0; row < qry_row_count(o->q); row++)
		if (overview_is_thread(o, row) && !qry_is_kernel_thread(o->q, row)) {
			struct qry_cell cell = qry_life(o->q, row);

			add_row(o, row,
				qry_row(o->q, row)->last - qry_row(o->q, row)->first - qry_cell_ran(&cell) +
					ana_overview_spun(o->q, row));
		}
	g_array_sort(o->lines, overview_by_time);
}

/* Time that LINE's thread waited for or on a CPU: its least loss. */
static int64_t queued(const struct overview *o, const struct ana_overview_line *line)
{
	struct qry_cell cell = qry_life(o->q, line->row);

	return cell.ns[MDL_ST_PREEMPTED] + cell.ns[MDL_ST_WAIT_CPU] + cell.ns[MDL_ST_NEW] +
		cell.ns[MDL_ST_VCPU_PREEMPTED] + cell.ns[MDL_ST_VCPU_EXIT] +
		ana_overview_spun(o->q, line->row);
}

/* Append a line with the most that C's thread can have lost: its waiting time for a CPU is known, its blocked
 * time is measured. */
static bool add_most_lost(struct overview *o, const struct ana_overview_line *c, GError **error)
{
	struct ana_causes *causes = causes_of(o, &c->row, 1, ana_causes_only_blocked, error);
	struct ana_overview_losses l = { .q = NULL };

	if (!causes)
		return false;
	ana_overview_lose(&l, o->q, c->row, ana_causes_entries(causes), NULL, false);
	ana_causes_free(causes);
	add_row(o, c->row, l.lost + queued(o, c));
	return true;
}

/* Append the line of thread ROW, with its loss as the sentences count it. */
static bool add_lost(struct overview *o, uint32_t row, GError **error)
{
	struct ana_overview_line line = { .way = ANA_OVERVIEW_WAIT, .row = row };
	struct qry_cell cell = qry_life(o->q, row);
	struct ana_overview_losses l = { .q = NULL };
	const struct ana_causes_entry *most = NULL;
	g_autoptr(GArray) stolen = NULL;
	struct ana_causes *causes;

	if (ana_overview_lost_cpu(&cell)) {
		stolen = ana_overview_stolen(o->q, row, o->progress, error);
		if (!stolen)
			return false;
	}
	causes = causes_of(o, &row, 1, NULL, error);
	if (!causes)
		return false;
	ana_overview_lose(&l, o->q, row, ana_causes_entries(causes), stolen, false);
	for (unsigned i = 0; i < ANA_OVERVIEW_KINDS; i++)
		if (l.kinds[i].time > 0 && (!most || l.kinds[i].most.total > most->total))
			most = &l.kinds[i].most;
	if (most) {
		line.name = qry_row_label(o->q, row);
		line.what = g_strdup_printf("%.0f%% %s %s", 100 * (double)most->total / (double)l.lost,
			most == &l.kinds[ANA_OVERVIEW_STOLEN].most ? ana_phase_name(ANA_PHASE_STOLEN)
								   : ana_kind_name(most->kind),
			most->label);
		line.time = l.lost;
		line.of = l.life;
		line.count = l.count;
		line.to = most->longest_end;
		line.from = line.to - most->longest;
		g_array_append_val(o->lines, line);
	}
	ana_causes_free(causes);
	return true;
}

/* The host and the name, without numbers, of thread ROW.  The caller frees. */
static char *name_key(const struct overview *o, uint32_t row)
{
	g_autofree char *group = ana_group_name(qry_row(o->q, row)->name);

	return g_strdup_printf("%u/%s", qry_row(o->q, row)->host, group);
}

/* Threads that share a name: their number, and the one that waited longest for a CPU. */
struct namesakes {
	guint count, tried;
	uint32_t row;
	int64_t queued;
};

/* The namesakes of all LINES by name_key().  The caller unrefs. */
static GHashTable *namesakes_of(const struct overview *o, const GArray *lines)
{
	GHashTable *all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (guint i = 0; i < lines->len; i++) {
		const struct ana_overview_line *line = &g_array_index(lines, struct ana_overview_line, i);
		char *key = name_key(o, line->row);
		struct namesakes *n = g_hash_table_lookup(all, key);

		if (n)
			g_free(key);
		else
			g_hash_table_insert(all, key, n = g_new0(struct namesakes, 1));
		if (n->count++ == 0 || queued(o, line) > n->queued) {
			n->row = line->row;
			n->queued = queued(o, line);
		}
	}
	return all;
}

/* Keep only the first of the sorted lines for each name, with the number of such threads from ALL. */
static void keep_one_of_each(struct overview *o, GHashTable *all)
{
	for (guint i = 0; i < o->lines->len;) {
		struct ana_overview_line *line = line_at(o, i);
		g_autofree char *key = name_key(o, line->row), *what = line->what;
		struct namesakes *n = g_hash_table_lookup(all, key);

		if (n->count == 0) { /* another line has this name */
			line->what = g_steal_pointer(&what);
			g_array_remove_index(o->lines, i);
			continue;
		}
		line->what = n->count == 1 ? g_steal_pointer(&what)
					   : g_strdup_printf("one of %u such: %s", n->count, what);
		n->count = 0;
		i++;
	}
}

/*
 * Add one thread of each name.  A program may have thousands of threads of one name, too many to measure all
 * their waits.  So two are measured: the one that ran least of its life, and the one that waited longest for
 * a CPU.
 */
static bool find_waiting(struct overview *o, GError **error)
{
	g_autoptr(GArray) candidates = o->lines, most = NULL;
	g_autoptr(GHashTable) names = NULL;

	find_user_threads(o);
	names = namesakes_of(o, candidates);
	o->lines = new_lines();
	o->top *= 2;
	for (guint i = 0; i < candidates->len; i++) {
		const struct ana_overview_line *c = &g_array_index(candidates, struct ana_overview_line, i);
		g_autofree char *key = name_key(o, c->row);
		struct namesakes *n = g_hash_table_lookup(names, key);

		if (o->lines->len == o->top && line_at(o, o->top - 1)->time >= c->time)
			break;
		if (n->tried++ > 0 && n->row != c->row)
			continue;
		if (!add_most_lost(o, c, error))
			return false;
		keep_first(o);
	}
	o->top /= 2;
	most = o->lines;
	o->lines = new_lines();
	for (guint i = 0; i < most->len; i++)
		if (!add_lost(o, g_array_index(most, struct ana_overview_line, i).row, error))
			return false;
	g_array_sort(o->lines, overview_by_time);
	keep_one_of_each(o, names);
	keep_first(o);
	return true;
}

/* Add E to the line of the owner of the CPU. */
static void add_taken(struct overview *o, GHashTable *lines, const struct ana_causes_entry *e)
{
	guint i = GPOINTER_TO_UINT(g_hash_table_lookup(lines, e->label));
	struct ana_overview_line *line;

	if (i == 0) {
		struct ana_overview_line none = { .name = g_strdup(e->label),
			.way = ANA_OVERVIEW_WAIT,
			.row = MDL_NONE };

		g_array_append_val(o->lines, none);
		i = o->lines->len;
		g_hash_table_insert(lines, none.name, GUINT_TO_POINTER(i));
	}
	line = line_at(o, i - 1);
	line->time = base_time_sum(line->time, e->total);
	line->count += e->count;
	if (line->row == MDL_NONE || e->longest > line->to - line->from) {
		line->row = e->longest_row;
		line->to = e->longest_end;
		line->from = line->to - e->longest;
	}
}

/* Add a line for each owner of a CPU while the threads ROWS waited for one, with the longest of these
 * waits. */
static bool find_takers(struct overview *o, const uint32_t *rows, uint32_t n, GError **error)
{
	g_autoptr(GHashTable) lines = g_hash_table_new(g_str_hash, g_str_equal);
	struct ana_causes *causes = causes_of(o, rows, n, ana_causes_only_cpu, error);
	const GArray *entries;

	if (!causes)
		return false;
	entries = ana_causes_entries(causes);
	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);

		if (e->kind == ANA_KIND_PREEMPTED || e->kind == ANA_KIND_WAIT_CPU)
			add_taken(o, lines, e);
	}
	ana_causes_free(causes);
	return true;
}

static bool find_taken(struct overview *o, GError **error)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	find_user_threads(o);
	for (guint i = 0; i < o->lines->len; i++)
		g_array_append_val(rows, line_at(o, i)->row);
	g_array_set_size(o->lines, 0);
	if (!find_takers(o, (const uint32_t *)(const void *)rows->data, rows->len, error))
		return false;
	keep_first(o);
	for (guint i = 0; i < o->lines->len; i++) {
		struct ana_overview_line *line = line_at(o, i);
		g_autofree char *victim = line->row == MDL_NONE ? NULL : qry_row_label(o->q, line->row);
		g_autofree char *length = base_time_format_duration(line->to - line->from, false);

		if (victim)
			line->what = g_strdup_printf("longest %s, from %s", length, victim);
	}
	return true;
}

/* ---- virtual CPUs ---- */

static bool is_vcpu(const struct qry *q, uint32_t row)
{
	return qry_row(q, row)->type == MDL_ROW_VCPU;
}

/* Fill LINE, of the thread of a virtual CPU: how long it waited for a CPU, the owners of that, and their
 * longest times. */
static bool tell_vcpu(struct overview *o, struct ana_overview_line *line, GError **error)
{
	struct overview takers = *o;
	uint32_t cpu = qry_guest_cpu_of(o->q, line->row);
	g_autofree char *name = cpu == MDL_NONE ? NULL : qry_row_label(o->q, cpu);
	bool whole;

	takers.lines = new_lines();
	whole = find_takers(&takers, &line->row, 1, error);
	line->name = qry_row_label(o->q, line->row);
	line->way = ANA_OVERVIEW_ACCOUNT;
	line->time = 0;
	for (guint i = 0; i < takers.lines->len; i++)
		line->time = base_time_sum(line->time, line_at(&takers, i)->time);
	keep_first(&takers);
	if (takers.lines->len) {
		const struct ana_overview_line *most = line_at(&takers, 0);

		line->from = most->from;
		line->to = most->to;
		line->what = g_strdup_printf("%.0f%% taken by %s%s%s",
			100 * (double)most->time / (double)line->time, most->name, name ? "; it is " : "",
			name ? name : "");
	}
	g_array_unref(takers.lines);
	return whole;
}

static bool find_vcpus(struct overview *o, GError **error)
{
	for (uint32_t row = 0; row < qry_row_count(o->q); row++) {
		struct qry_cell cell;

		if (!is_vcpu(o->q, row))
			continue;
		cell = qry_life(o->q, row);
		add_row(o, qry_row(o->q, row)->parent, cell.ns[MDL_ST_VCPU_PREEMPTED]);
	}
	keep_first(o);
	for (guint i = 0; i < o->lines->len; i++)
		if (!tell_vcpu(o, line_at(o, i), error))
			return false;
	g_array_sort(o->lines, overview_by_time);
	return true;
}

/* ---- cases of latencies ---- */

static struct ana_latency *overview_measure(const struct overview *o, struct ana_latency_options *options,
	GError **error)
{
	options->row = MDL_NONE;
	options->from = options->to = options->columns_to = BASE_TIME_NONE;
	options->hide_tracer = o->hide_tracer;
	return ana_latency_new(o->q, options, o->progress, error);
}

static bool find_wakeup(struct overview *o, GError **error)
{
	struct ana_latency_options options = { .kind = "wakeup", .top = o->top };
	struct ana_latency *latency = overview_measure(o, &options, error);

	if (!latency)
		return false;
	for (guint i = 0; i < latency->worst->len; i++) {
		struct ana_latency_case *c = &g_array_index(latency->worst, struct ana_latency_case, i);
		struct ana_overview_line line = { .time = c->latency,
			.way = ANA_OVERVIEW_ACCOUNT,
			.row = c->row,
			.from = c->start,
			.to = c->end };

		ana_latency_explain(o->q, NULL, "wakeup", c);
		line.name = qry_row_label(o->q, c->row);
		line.what = g_steal_pointer(&c->cause);
		g_clear_pointer(&c->key, g_free);
		g_array_append_val(o->lines, line);
	}
	ana_latency_free(latency);
	return true;
}

/* Add the slowest operation of the disk of GROUP. */
static bool add_disk(struct overview *o, const struct ana_latency_group *group, GError **error)
{
	struct ana_latency_options options = { .kind = "block",
		.by = ANA_LATENCY_BY_DEVICE,
		.only = group->name,
		.only_id = group->id,
		.top = 1 };
	struct ana_latency *latency = overview_measure(o, &options, error);
	g_autofree char *mean = base_time_format_duration((int64_t)group->figures.mean, false),
			*p99 = base_time_format_duration(group->figures.p99, false);
	struct ana_overview_line line = { .name = g_strdup(group->name),
		.what = g_strdup_printf("mean %s, 99 %% within %s", mean, p99),
		.time = group->figures.max,
		.count = group->figures.count,
		.way = ANA_OVERVIEW_PATH,
		.row = MDL_NONE };

	if (latency && latency->worst->len > 0) {
		const struct ana_latency_case *c = &g_array_index(latency->worst, struct ana_latency_case, 0);

		line.row = c->row;
		line.from = c->start;
		line.to = c->end;
	}
	g_array_append_val(o->lines, line);
	ana_latency_free(latency);
	return latency;
}

static bool find_disks(struct overview *o, GError **error)
{
	struct ana_latency_options options = { .kind = "block", .by = ANA_LATENCY_BY_DEVICE };
	struct ana_latency *latency = overview_measure(o, &options, error);
	bool whole = latency;

	for (guint i = 0; whole && i < latency->groups->len; i++) {
		const struct ana_latency_group *g = &g_array_index(latency->groups, struct ana_latency_group,
			i);

		whole = g->figures.count == 0 || add_disk(o, g, error);
	}
	ana_latency_free(latency);
	keep_first(o);
	return whole;
}

/* ---- requests ---- */

static char *end_name(struct qry *q, uint32_t thread, uint32_t host)
{
	if (thread != MDL_NONE)
		return qry_row_label(q, thread);
	return g_strdup(host != MDL_NONE ? qry_host(q, host)->name : "another machine");
}

/* A line for the requests PAIR (of struct ana_request, shortest first) from one client to one server. */
static void overview_add_pair(struct overview *o, const GArray *pair)
{
	const struct ana_request *worst = &g_array_index(pair, struct ana_request, pair->len - 1),
				 *middle = &g_array_index(pair, struct ana_request, (pair->len - 1) / 2);
	g_autofree char *server = end_name(o->q, worst->server, worst->server_host),
			*p50 = base_time_format_duration(ana_overview_took(middle), false);
	struct ana_overview_line line = { .time = ana_overview_took(worst),
		.name = end_name(o->q, worst->asker, worst->asker_host),
		.what = g_strdup_printf("asked %s, p50 %s", server, p50),
		.count = pair->len,
		.way = ANA_OVERVIEW_PATH,
		.row = worst->row,
		.from = worst->from,
		.to = worst->to };

	g_array_append_val(o->lines, line);
}

/* True if some host recorded packets.  False with the event that is missing. */
static bool has_packets(const struct qry *q, GError **error)
{
	const char *missing = NULL;

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		missing = ana_advice_packets(q, i);
		if (!missing)
			return true;
	}
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "requests are unknown without %s, not recorded",
		missing);
}

static bool find_requests(struct overview *o, GError **error)
{
	g_autoptr(GPtrArray) pairs = ana_overview_pairs(o->q, o->hide_tracer, o->progress, error);

	if (!pairs || (pairs->len == 0 && !has_packets(o->q, error)))
		return false;
	for (guint i = 0; i < pairs->len && o->lines->len < o->top; i++)
		overview_add_pair(o, g_ptr_array_index(pairs, i));
	return true;
}

/* ---- all parts ---- */

static bool find_answers(struct overview *o, GError **error)
{
	return ana_overview_answers(o->q, o->top, o->hide_tracer, o->progress, o->lines, error);
}

static const struct {
	const char *name, *title;
	bool (*find)(struct overview *o, GError **error);
} parts[] = {
#define PART(ID, name, title) [ANA_OVERVIEW_##ID] = { #name, title, find_##name },
	ANA_OVERVIEW_PARTS(PART)
#undef PART
};

const char *ana_overview_name(enum ana_overview_part part)
{
	return parts[part].name;
}

const char *ana_overview_title(enum ana_overview_part part)
{
	return parts[part].title;
}

bool ana_overview_has(const struct qry *q, enum ana_overview_part part)
{
	for (uint32_t row = 0; part == ANA_OVERVIEW_VCPU && row < qry_row_count(q); row++)
		if (is_vcpu(q, row))
			return true;
	return part != ANA_OVERVIEW_VCPU;
}

GArray *ana_overview_find(struct qry *q, enum ana_overview_part part, unsigned top, bool hide_tracer,
	struct base_progress *progress, GError **error)
{
	struct overview o = { .q = q,
		.top = top,
		.hide_tracer = hide_tracer,
		.progress = progress,
		.lines = new_lines() };

	/* Parts that look at each wait of many threads are stored. */
	bool kept = part == ANA_OVERVIEW_ANSWER || part == ANA_OVERVIEW_VCPU ||
		part == ANA_OVERVIEW_WAITING || part == ANA_OVERVIEW_TAKEN;
	struct ana_overview_keep keep = { NULL, NULL };

	if (kept)
		keep = ana_overview_keep(q, parts[part].name, top, hide_tracer);
	if (!kept || !ana_overview_keep_read(&keep, q, o.lines)) {
		if (!parts[part].find(&o, error))
			g_clear_pointer(&o.lines, g_array_unref);
		else if (kept)
			ana_overview_keep_write(&keep, q, o.lines);
	}
	ana_overview_keep_clear(&keep);
	return o.lines;
}

struct ana_overview *ana_overview_new(struct qry *q, unsigned top, bool hide_tracer,
	struct base_progress *progress, GError **error)
{
	struct ana_overview *all = g_new0(struct ana_overview, 1);

	for (unsigned i = ANA_OVERVIEW_ANSWER + 1; i < ANA_OVERVIEW_N; i++) {
		g_autoptr(GError) problem = NULL;

		all->lines[i] = ana_overview_find(q, i, top, hide_tracer, progress, &problem);
		if (all->lines[i])
			continue;
		g_assert(problem);
		if (!g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
			g_propagate_error(error, g_steal_pointer(&problem));
			ana_overview_free(all);
			return NULL;
		}
		all->missing[i] = g_strdup(problem->message);
	}
	return all;
}

void ana_overview_free(struct ana_overview *all)
{
	if (!all)
		return;
	for (unsigned i = 0; i < ANA_OVERVIEW_N; i++) {
		g_clear_pointer(&all->lines[i], g_array_unref);
		g_free(all->missing[i]);
	}
	g_free(all);
}

/* SPDX-License-Identifier: MIT */
/* The answers about a fleet. Their context is a struct flt_fleet. */
#include "table/table.h"

#include "base/base_time.h"
#include "fleet/flt_fleet.h"

#include <string.h>

static const struct flt_host *host_at(const struct table_in *in, uint32_t host)
{
	const struct flt_fleet *f = in->context;

	return host == MDL_NONE ? NULL : &g_array_index(f->hosts, struct flt_host, host);
}

static const char *host_name(const struct table_in *in, uint32_t host)
{
	const struct flt_host *h = host_at(in, host);

	return h ? h->name : NULL;
}

static const struct flt_fleet_kind *kind_of(const struct table_in *in, const struct flt_host *h)
{
	const struct flt_fleet *f = in->context;

	return h->kind == MDL_NONE ? NULL : &g_array_index(f->kinds, struct flt_fleet_kind, h->kind);
}

/* The cause of H in words. NULL if it is unknown. The caller frees. */
static char *cause_of(const struct table_in *in, const struct flt_host *h)
{
	const struct flt_fleet *f = in->context;
	const struct flt_fleet_cause *c = h->cause == MDL_NONE
		? NULL
		: &g_array_index(f->causes, struct flt_fleet_cause, h->cause);

	return c ? flt_cause_text(c->kind, c->name) : NULL;
}

/* NS as a whole number, limited so that sums do not overflow. */
static int64_t whole(double ns)
{
	return ns >= (double)INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)ns;
}

/* ---- hosts ---- */

/* "mean 3.10 ms, 4.2 x". NULL if H is not compared. The caller frees. */
static char *found_by(const struct flt_host *h)
{
	g_autofree char *value = h->value == BASE_TIME_NONE ? NULL : table_duration_text(h->value),
			*times = NULL;

	if (!value || h->typical == BASE_TIME_NONE)
		return NULL;
	if (h->typical > 0)
		times = g_strdup_printf(", %.3g x", (double)h->value / (double)h->typical);
	return g_strdup_printf("%s %s%s%s", flt_measure_name(h->measure), value,
		h->measure == FLT_RATE ? "/s" : "", times ? times : "");
}

TABLE_COLUMNS(host_columns)
{
	const struct flt_host *h = row;

	TABLE_COLUMN("host", "HOST", TABLE_WORD, "", word = h->name);
	TABLE_COLUMN("role",
		in->context && ((const struct flt_fleet *)in->context)->roles->len ? "ROLE" : NULL,
		TABLE_WORD, "as the list has it: hosts of one role are compared with each other",
		word = h->role);
	TABLE_COLUMN("stands_out", "STANDS OUT", TABLE_YES,
		"true: it is slower than the other hosts of its role by more than chance and their own spread explain; null: it cannot be compared",
		number = isnan(h->p) ? BASE_TIME_NONE : h->stands_out);
	TABLE_COLUMN("kind", "KIND", TABLE_WORD,
		"the kind of latency by which it stands out, as in `fleet latency`; for other hosts `wakeup`, or the kind of `--kind`",
		word = kind_of(in, h) ? kind_of(in, h)->name : NULL);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "number of its cases of this kind",
		number = h->p50 == BASE_TIME_NONE ? BASE_TIME_NONE : (int64_t)h->count);
	TABLE_COLUMN("p50", ">P50", TABLE_DURATION, "", number = h->p50);
	TABLE_COLUMN("p99", ">P99", TABLE_DURATION, "", number = h->p99);
	TABLE_COLUMN("measure", "(FOUND BY", TABLE_WORD,
		"`mean` (without the longest case), `p50` or `p99`, or `rate`: the time lost to waits of this kind, in ns per second",
		word = h->value == BASE_TIME_NONE ? NULL : flt_measure_name(h->measure));
	TABLE_COLUMN("value", "(FOUND BY", TABLE_DURATION, "the measure of this host", number = h->value);
	TABLE_COLUMN("typical", "(FOUND BY", TABLE_DURATION, "the measure of the median host of its role",
		number = h->typical);
	TABLE_COLUMN_BY("", "FOUND BY", TABLE_WORD, "", cell->taken = found_by(h));
	TABLE_COLUMN("difference", ">DIFFERENCE", TABLE_DURATION, "value − typical",
		number = h->value == BASE_TIME_NONE || h->typical == BASE_TIME_NONE ? BASE_TIME_NONE
										    : h->value - h->typical);
	TABLE_COLUMN_BY(
		"p", ">P", TABLE_SHARE,
		"the probability that a sound host is so far off, corrected for all kinds and hosts that were looked at",
		cell->share = h->p;
		if (table_told(in->format) && !isnan(h->p))
			cell->taken = g_strdup_printf(h->p < 0.0001 ? "< 0.0001" : "%.4f", h->p));
	TABLE_COLUMN_BY("cause", "CAUSE", TABLE_LONG,
		"what took more time on it than on the median host of its role: kind and name, as in `causes`; null: it does not stand out, or no cause explains it",
		cell->taken = cause_of(in, h));
	TABLE_COLUMN("excess", ">MORE PER S", TABLE_DURATION,
		"how much more time the cause took here than on the median host, from all threads, in ns per second",
		number = h->cause == MDL_NONE ? BASE_TIME_NONE : h->excess);
	TABLE_COLUMN("from", NULL, TABLE_TIME, "begin of its recording, by its own clock", number = h->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "end of its recording", number = h->to);
	TABLE_COLUMN("events", NULL, TABLE_NUMBER, "", number = (int64_t)h->events);
	TABLE_COLUMN("lost", NULL, TABLE_NUMBER, "events that the tracer lost", number = (int64_t)h->lost);
	TABLE_COLUMN("cpus", NULL, TABLE_NUMBER, "", number = h->cpus);
	TABLE_COLUMN("trace", "TRACE", TABLE_LONG, "its recording, on the machine that made the summary",
		word = h->trace);
	TABLE_COLUMN("summary", NULL, TABLE_WORD, "file of its summary", word = h->path);
}

/* Read the fleet from the list or the folder that the query of C names. NULL with an error. */
static void *make_fleet(struct table_cursor *c, GError **error)
{
	g_autoptr(GPtrArray) sources = flt_sources_read(c->ask.query, error);

	return sources ? flt_fleet_new(sources, c->ask.kind, c->ask.progress, error) : NULL;
}

static void free_fleet(void *fleet)
{
	flt_fleet_free(fleet);
}

#define FLEET(NAME, member, row_columns, words)             \
	const struct table table_fleet_##member = {         \
		.name = (NAME),                             \
		.list = #member,                            \
		.doc = (words),                             \
		.columns = (row_columns),                   \
		.rows_are = TABLE_ROWS_ARRAY,               \
		.part = offsetof(struct flt_fleet, member), \
		.make = make_fleet,                         \
		.free = free_fleet,                         \
		.takes = TABLE_NEEDS_RESULT,                \
	}

FLEET("fleet_host", hosts, host_columns, "a host of a fleet, those that stand out first");

/* ---- hosts that are left out ---- */

TABLE_COLUMNS(left_columns)
{
	const struct flt_source *left = row;

	TABLE_COLUMN("host", "HOST", TABLE_WORD, "its name in the list", word = left->host);
	TABLE_COLUMN("path", "PATH", TABLE_WORD, "", word = left->path);
	TABLE_COLUMN("reason", "REASON", TABLE_LONG, "", word = left->reason);
}

const struct table table_fleet_left = {
	.name = "fleet_left",
	.list = "left_out",
	.doc = "a host of a fleet that is left out",
	.columns = left_columns,
	.rows_are = TABLE_ROWS_POINTERS,
	.part = offsetof(struct flt_fleet, left),
	.takes = TABLE_NEEDS_RESULT,
};

/* ---- kinds ---- */

static void figure_columns(struct table_row *to, const struct flt_fleet_kind *row, const struct table_in *in)
{
	TABLE_COLUMN("hosts", ">HOSTS", TABLE_NUMBER, "number of hosts that have it", number = row->hosts);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "exact", number = (int64_t)row->all.count);
	TABLE_COLUMN("sum", ">SUM", TABLE_DURATION, "exact", number = base_sketch_sum(&row->all));
	TABLE_COLUMN("mean", ">MEAN", TABLE_DURATION, "",
		number = row->all.count ? whole(base_sketch_mean(&row->all)) : BASE_TIME_NONE);
	TABLE_COLUMN("stddev", NULL, TABLE_DURATION, "of all cases",
		number = row->all.count ? whole(base_sketch_stddev(&row->all)) : BASE_TIME_NONE);
	TABLE_COLUMN("min", NULL, TABLE_DURATION, "exact",
		number = row->all.count ? row->all.min : BASE_TIME_NONE);
	TABLE_COLUMN("p50", ">P50", TABLE_DURATION, "within 0.4 %",
		number = base_sketch_quantile(&row->all, 0.5));
	TABLE_COLUMN("p90", ">P90", TABLE_DURATION, "within 0.4 %",
		number = base_sketch_quantile(&row->all, 0.9));
	TABLE_COLUMN("p99", ">P99", TABLE_DURATION, "within 0.4 %",
		number = base_sketch_quantile(&row->all, 0.99));
	TABLE_COLUMN("p999", ">P99.9", TABLE_DURATION, "within 0.4 %",
		number = base_sketch_quantile(&row->all, 0.999));
	TABLE_COLUMN("max", ">MAX", TABLE_DURATION, "exact",
		number = row->all.count ? row->all.max : BASE_TIME_NONE);
	TABLE_COLUMN("slowest", "SLOWEST", TABLE_WORD, "the host with the longest mean",
		word = host_name(in, row->slowest));
	TABLE_COLUMN("slowest_mean", ">ITS MEAN", TABLE_DURATION, "",
		number = row->slowest == MDL_NONE ? BASE_TIME_NONE : whole(row->slowest_mean));
}

TABLE_COLUMNS(kind_columns)
{
	const struct flt_fleet_kind *k = row;

	TABLE_COLUMN("kind", "KIND", TABLE_WORD,
		"as `latency --kind` takes it; `waits:KIND`: the waits of user threads that `causes` puts down to KIND",
		word = k->name);
	figure_columns(to, k, in);
	TABLE_COLUMN("unfinished", NULL, TABLE_NUMBER, "cases that did not end in their trace",
		number = (int64_t)k->unfinished);
}

FLEET("fleet_kind", kinds, kind_columns, "a kind of latency, of all hosts of a fleet together");

TABLE_COLUMNS(group_columns)
{
	const struct flt_fleet_kind *k = row;

	TABLE_COLUMN("name", "NAME", TABLE_WORD,
		"name of the threads; null: all other names together, if a host has more than 48 names",
		word = k->name                   ? k->name
			: table_told(in->format) ? "(others)"
						 : NULL);
	figure_columns(to, k, in);
}

FLEET("fleet_group", groups, group_columns, "a name of threads, of all hosts of a fleet together");

/* ---- the worst ---- */

static GString *parts_json(const GArray *parts)
{
	GString *list = base_json_list();

	for (guint i = 0; i < parts->len; i++) {
		GString *one = base_json_object();

		base_json_text(one, "what", g_array_index(parts, struct flt_part, i).text);
		base_json_int(one, "time", g_array_index(parts, struct flt_part, i).time);
		base_json_put(list, NULL, one);
	}
	return list;
}

TABLE_COLUMNS(worst_columns)
{
	const struct flt_fleet_case *c = row;

	TABLE_COLUMN("latency", ">LATENCY", TABLE_DURATION, "", number = c->of.latency);
	TABLE_COLUMN("host", "HOST", TABLE_WORD, "", word = host_name(in, c->host));
	TABLE_COLUMN("subject", "THREAD", TABLE_WORD, "the thread, or the interrupt", word = c->of.subject);
	TABLE_COLUMN("start", "START", TABLE_TIME, "by the host's own clock", number = c->of.start);
	TABLE_COLUMN("end", NULL, TABLE_TIME, "", number = c->of.end);
	TABLE_COLUMN("key", NULL, TABLE_WORD, "as in `latency`", word = c->of.key);
	TABLE_COLUMN("cause", "CAUSE", TABLE_LONG, "as in `latency`", word = c->of.cause);
	TABLE_OBJECT("account", NULL, TABLE_WORD,
		"{}: the largest parts of its account: `what` took which `time`", parts_json(c->of.parts),
		NULL);
}

FLEET("fleet_worst", worst, worst_columns, "one of the worst cases of a kind, of all hosts of a fleet");

/* ---- causes ---- */

TABLE_COLUMNS(cause_columns)
{
	const struct flt_fleet_cause *c = row;
	const struct flt_fleet *f = in->context;

	TABLE_COLUMN("kind", "KIND", TABLE_WORD, "as in `causes`", word = c->kind);
	TABLE_COLUMN("name", "CAUSE", TABLE_LONG, "null: all causes that the summaries do not keep apart",
		word = c->name                   ? c->name
			: table_told(in->format) ? "(others)"
						 : NULL);
	TABLE_COLUMN("hosts", ">HOSTS", TABLE_NUMBER, "number of hosts that have it", number = c->hosts);
	TABLE_COLUMN("count", ">WAITS", TABLE_NUMBER, "exact", number = (int64_t)c->sum.count);
	TABLE_COLUMN_BY("time", ">TIME", TABLE_DURATION, "of all these waits, exact",
		cell->number = c->sum.time > INT64_MAX ? INT64_MAX : (int64_t)c->sum.time);
	TABLE_COLUMN("longest", ">LONGEST", TABLE_DURATION, "", number = c->sum.longest);
	TABLE_COLUMN("rate", ">PER S", TABLE_DURATION, "ns per second of all recordings",
		number = whole((double)c->sum.time / MAX((double)f->length, 1) * 1e9));
	TABLE_COLUMN("typical", ">MEDIAN HOST", TABLE_DURATION, "ns per second on the median host",
		number = whole(c->typical));
	TABLE_COLUMN("most", "MOST ON", TABLE_WORD, "the host that lost the largest part of its time to it",
		word = host_name(in, c->most));
	TABLE_COLUMN("most_rate", ">THERE", TABLE_DURATION, "ns per second on that host",
		number = whole(c->most_rate));
	TABLE_COLUMN("own_sleep", NULL, TABLE_YES, "true: sleep of the threads that their own timers ended",
		number = c->own_sleep);
}

FLEET("fleet_cause", causes, cause_columns, "what ended waits, of all hosts of a fleet together");

/* ---- hosts that stand out against the others ---- */

TABLE_COLUMNS(difference_columns)
{
	const struct flt_difference *d = row;

	TABLE_COLUMN("set", "OF", TABLE_WORD,
		"`waits`: causes of waits, in ns per second; else a set of critical paths, in ns per path",
		word = d->set);
	TABLE_COLUMN("kind", "KIND", TABLE_WORD, "of a cause", word = d->kind);
	TABLE_COLUMN("name", "CAUSE OR STEP", TABLE_LONG, "null: all others",
		word = d->name                   ? d->name
			: table_told(in->format) ? "(others)"
						 : NULL);
	TABLE_COLUMN("slow", ">STAND OUT", TABLE_DURATION, "the mean of the hosts that stand out",
		number = whole(d->slow));
	TABLE_COLUMN("fast", ">OTHERS", TABLE_DURATION, "the mean of the other hosts",
		number = whole(d->fast));
	TABLE_COLUMN_BY("difference", ">DIFFERENCE", TABLE_DURATION, "slow − fast",
			cell->number = whole(d->slow) - whole(d->fast);
			if (table_told(in->format)) cell->taken = table_signed_text(cell->number));
	TABLE_COLUMN("slow_hosts", ">OF THESE", TABLE_NUMBER, "hosts that stand out and have it",
		number = d->slow_hosts);
	TABLE_COLUMN("fast_hosts", ">OF OTHERS", TABLE_NUMBER, "other hosts that have it",
		number = d->fast_hosts);
}

FLEET("fleet_difference", differences, difference_columns,
	"a cause or a step, of the hosts of a fleet that stand out against the others");

/* SPDX-License-Identifier: MIT */
/*
 * How it works: the index has each state at WHOLE and its begin. A thread that is blocked at WHOLE is known
 * from its last stay on a CPU: the events from the switch that brought it to the one that took it away. A CPU
 * is known from its last switch before WHOLE. The first of these switches may say that the thread which it
 * took away blocked, although that thread ran again before WHOLE. The mark lists these threads, and those
 * that LTTng's state dump wrongly calls blocked.
 *
 * All times here are by the host's own clock.
 */
#include "query/events/cut.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "query/events/parts.h"
#include "query/events/scan.h"
#include "query/events/thin.h"
#include "trace/core/trc_cut.h"
#include "trace/core/trc_info.h"
#include "trace/trc_reader.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

/* All events are kept from some time before the window, because the causes of its wake-ups are often there: a
 * quarter of the window's length, within these bounds, ns. */
#define LEAD_LEAST INT64_C(10000000)
#define LEAD_MOST INT64_C(1000000000)

#define STAY_WHOLE INT64_C(10000000)      /* ns; a longer stay is not kept as a whole */
#define STAY_LEAST INT64_C(1000000)       /* ns kept of it at least; more to have its system call */
#define BACK_MOST 4096                    /* limit of intervals to follow one row back */
#define DUMP_LONGEST INT64_C(10000000000) /* ns; a state dump takes less */

struct plan {
	struct qry *q;
	uint32_t host;
	struct qry_source *source;
	struct trc_cut cut;
	int64_t *since; /* owned; by CPU: its events are complete from here */
	uint32_t n_cpus;
};

static bool is_thread(const struct plan *p, uint32_t row)
{
	return qry_row(p->q, row)->type == MDL_ROW_THREAD && qry_row(p->q, row)->nr > 0;
}

static void add_range(struct plan *p, uint32_t cpu, int64_t from, int64_t to)
{
	struct trc_cut_range r = { from, to, cpu };

	if (from <= to)
		g_array_append_val(p->cut.ranges, r);
}

static void add_passed(struct plan *p, int64_t tid, int64_t time)
{
	struct trc_cut_passed passed = { tid, time };

	g_array_append_val(p->cut.mark.passed, passed);
}

/* ---- the time from which all events are kept ---- */

/* A few events do not show a runnable thread. So move WHOLE back to the begin of that state, by LEAD_MOST at
 * most. */
static void find_whole(struct plan *p, int64_t from, int64_t to)
{
	const struct qry_host *h = qry_host(p->q, p->host);
	int64_t lead = CLAMP((to - from) / 4, LEAD_LEAST, LEAD_MOST), least = from - LEAD_MOST,
		whole = from - lead;
	struct mdl_interval i;

	for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++)
		if (is_thread(p, row) && qry_source_state_at(p->q, row, from - lead, &i) &&
			(i.state == MDL_ST_WAIT_CPU || i.state == MDL_ST_PREEMPTED ||
				i.state == MDL_ST_NEW) &&
			i.from > least)
			whole = MIN(whole, i.from);
	p->cut.mark.whole = MAX(whole, h->meta->from);
}

/* ---- CPUs ---- */

/* The switch of the CPU of ROW at TIME is kept. List the thread that it took away, unless that thread has
 * been blocked since then. */
static void check_taken(struct plan *p, uint32_t row, int64_t time)
{
	struct mdl_interval before, at;

	if (qry_source_state_before(p->q, row, time, &before) && before.state != MDL_ST_UNKNOWN &&
		before.aux != MDL_NONE && is_thread(p, before.aux) &&
		!(qry_source_state_at(p->q, before.aux, p->cut.mark.whole, &at) && at.from == time &&
			at.state == MDL_ST_BLOCKED))
		add_passed(p, qry_row(p->q, before.aux)->nr, time);
}

/* The time since which the thread of I, an interval of the CPU of ROW, has been on that CPU. INT64_MIN if
 * that is more than BACK_MOST intervals ago. */
static int64_t on_since(const struct plan *p, uint32_t row, const struct mdl_interval *i)
{
	struct mdl_interval before = *i;
	int64_t since;

	for (unsigned n = 0; n < BACK_MOST; n++) {
		since = before.from;
		if (!qry_source_state_before(p->q, row, since, &before) || before.aux != i->aux ||
			before.state == MDL_ST_UNKNOWN)
			return since;
	}
	return INT64_MIN;
}

/* Keep the last switch of the CPU of ROW before WHOLE, and the one before it, because the last may be a
 * change without an event: the CPU went off-line. */
static void add_cpu(struct plan *p, uint32_t row)
{
	int64_t whole = p->cut.mark.whole, since, earlier;
	struct mdl_interval i;

	if (!qry_source_state_at(p->q, row, whole, &i) || i.state == MDL_ST_UNKNOWN)
		return;
	since = on_since(p, row, &i);
	if (since == INT64_MIN) /* it runs for very long; the next switch names it, too */
		return;
	check_taken(p, row, since);
	if (qry_source_state_before(p->q, row, since, &i) && i.state != MDL_ST_UNKNOWN) {
		earlier = on_since(p, row, &i);
		since = earlier > since - LEAD_MOST ? earlier : since;
		check_taken(p, row, since);
	}
	p->since[qry_row(p->q, row)->nr] = MIN(since, whole);
}

/* ---- threads ---- */

/* The thread of ROW is blocked or ended at WHOLE, since the begin of I. Keep its last stay on a CPU. */
static void add_stay(struct plan *p, uint32_t row, const struct mdl_interval *i)
{
	struct mdl_interval before = *i;
	int64_t begin = i->from, call = i->from;
	bool in_call = true;

	for (unsigned n = 0; n < BACK_MOST && qry_source_state_before(p->q, row, begin, &before) &&
		mdl_state_has_cpu(before.state) && before.aux == i->aux;
		n++) {
		begin = before.from;
		in_call &= before.state != MDL_ST_USERMODE;
		if (in_call && before.state == MDL_ST_SYSCALL)
			call = before.from;
		if (!in_call && begin < i->from - STAY_WHOLE)
			break;
	}
	if (begin < i->from - STAY_WHOLE)
		begin = MAX(begin + 1, MIN(call, i->from - STAY_LEAST));
	else if (begin < i->from)
		check_taken(p, qry_cpu_row(p->q, p->host, i->aux), begin);
	add_range(p, i->aux, begin, i->from);
}

/* True if the state dump's statement about the thread of ROW does not hold at WHOLE. IS: the thread has a
 * state there, which is I. */
static bool is_dumped_otherwise(const struct plan *p, uint32_t row, bool is, const struct mdl_interval *i)
{
	const struct qry_row *r = qry_row(p->q, row);

	return p->cut.dumped != INT64_MIN && qry_source_host(p->source, r->first) <= p->cut.dumped &&
		!(is && i->state == MDL_ST_BLOCKED && i->from <= p->cut.dumped);
}

static void add_thread(struct plan *p, uint32_t row)
{
	struct mdl_interval i;
	bool is = qry_source_state_at(p->q, row, p->cut.mark.whole, &i);

	if (is_dumped_otherwise(p, row, is, &i))
		add_passed(p, qry_row(p->q, row)->nr, INT64_MIN);
	if (is && (i.state == MDL_ST_BLOCKED || i.state == MDL_ST_EXITED) && i.aux < p->n_cpus &&
		i.from < p->since[i.aux])
		add_stay(p, row, &i);
}

/* ---- the whole plan ---- */

/* Find the end of LTTng's state dump. False with an error. */
static bool find_dump(struct plan *p, GError **error)
{
	static const char end[] = "lttng_statedump_end";
	static const struct qry_scan_want want = { .rank = false };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_event e = { 0 };
	struct qry_scan *scan;
	int got;

	if (!qry_events_declared(p->q, p->host, end))
		return true;
	filter.host = p->host;
	filter.name = end;
	filter.from = qry_host(p->q, p->host)->from;
	filter.to = filter.from + DUMP_LONGEST;
	scan = qry_scan_new(p->q, &filter, &want, error);
	if (!scan)
		return false;
	got = qry_scan_next(scan, &e, p->cut.progress, error);
	qry_scan_free(scan);
	if (got > 0)
		p->cut.dumped = MIN(qry_source_host(p->source, e.time), p->cut.mark.whole - 1);
	return got >= 0;
}

static int by_cpu_and_time(const void *a, const void *b)
{
	const struct trc_cut_range *x = a, *y = b;

	return BASE_BY(x, y, cpu) ?: BASE_BY(x, y, from);
}

/* Join ranges of a CPU that touch. */
static void join_ranges(GArray *ranges)
{
	guint n = 0;

	g_array_sort(ranges, by_cpu_and_time);
	for (guint i = 0; i < ranges->len; i++) {
		const struct trc_cut_range *r = &g_array_index(ranges, struct trc_cut_range, i);
		struct trc_cut_range *last = n > 0 ? &g_array_index(ranges, struct trc_cut_range, n - 1)
						   : NULL;

		if (last && last->cpu == r->cpu && r->from <= last->to + 1)
			last->to = MAX(last->to, r->to);
		else
			g_array_index(ranges, struct trc_cut_range, n++) = *r;
	}
	g_array_set_size(ranges, n);
}

static void plan_fill(struct plan *p)
{
	const struct qry_host *h = qry_host(p->q, p->host);

	for (uint32_t cpu = 0; cpu < p->n_cpus; cpu++)
		p->since[cpu] = p->cut.mark.whole;
	for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++)
		if (qry_row(p->q, row)->type == MDL_ROW_CPU && qry_row(p->q, row)->nr < p->n_cpus)
			add_cpu(p, row);
	for (uint32_t cpu = 0; cpu < p->n_cpus; cpu++)
		add_range(p, cpu, p->since[cpu], p->cut.mark.to - 1);
	for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++)
		if (is_thread(p, row))
			add_thread(p, row);
	join_ranges(p->cut.ranges);
	trc_cut_mark_sort(&p->cut.mark);
}

/* Leave out events that answers about THREADS do not need and that can be left out (trc_cut_may_thin()). */
static void plan_thin(struct plan *p, const GArray *threads)
{
	g_autoptr(GHashTable)
		callers = qry_thin_callers(p->q, p->host, threads, p->cut.mark.whole, p->cut.mark.to);
	GHashTableIter iter;
	gpointer tid;

	p->cut.mark.callers = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_hash_table_iter_init(&iter, callers);
	while (g_hash_table_iter_next(&iter, &tid, NULL))
		g_array_append_val(p->cut.mark.callers, *(int64_t *)tid);
	p->cut.thin = g_array_new(FALSE, FALSE, sizeof(struct trc_cut_range));
	qry_thin_ranges(p->q, p->host, callers, p->cut.ranges, p->cut.thin);
	trc_cut_mark_sort(&p->cut.mark);
}

/* ---- the pieces of the file, if all CPUs are in one file ---- */

static int by_offset(const void *a, const void *b)
{
	const struct trc_piece *x = a, *y = b;

	return BASE_BY(x, y, offset);
}

/* Note that the packets of STREAM from number FROM up to TO, exclusive, are not read. */
static bool skip_packets(struct plan *p, uint32_t stream, uint64_t from, uint64_t to)
{
	struct idx_packet first, last;
	struct trc_cut_range r;

	if (from >= to)
		return true;
	if (!idx_reader_packet(p->source->reader, stream, from, &first) ||
		!idx_reader_packet(p->source->reader, stream, to - 1, &last))
		return false;
	r = (struct trc_cut_range){ first.first, last.last, first.cpu };
	g_array_append_val(p->cut.skipped, r);
	return true;
}

/* Add the packets of STREAM, which has one CPU, that have events in the ranges of this CPU, and the first
 * packet with an event after them. */
static bool add_packets(struct plan *p, uint32_t stream)
{
	struct idx_reader *index = p->source->reader;
	uint64_t n = idx_reader_stream(index, stream)->packets, next = 0;
	const struct trc_cut_range *ranges;
	struct idx_packet packet;
	guint n_ranges;

	if (n == 0 || !idx_reader_packet(index, stream, 0, &packet))
		return n == 0;
	ranges = trc_cut_of_cpu(&p->cut, packet.cpu, &n_ranges);
	for (guint i = 0; i <= n_ranges; i++) {
		int64_t from = i < n_ranges ? ranges[i].from : p->cut.mark.to,
			to = i < n_ranges ? ranges[i].to : from;
		uint64_t at = MAX(next, idx_reader_packet_at(index, stream, from));

		for (; at < n && idx_reader_packet(index, stream, at, &packet); at++) {
			struct trc_piece piece = { packet.offset, packet.size };

			if (packet.first > to && i < n_ranges)
				break;
			if (packet.size == 0 || !skip_packets(p, stream, next, at))
				return false;
			g_array_append_val(p->cut.pieces, piece);
			next = at + 1;
			if (packet.last > to) /* none after it is needed */
				break;
		}
	}
	return skip_packets(p, stream, next, n);
}

static void plan_pieces(struct plan *p)
{
	const GArray *common = qry_host(p->q, p->host)->meta->common;
	bool fine = true;

	if (common->len == 0)
		return;
	p->cut.pieces = g_array_new(FALSE, FALSE, sizeof(struct trc_piece));
	p->cut.skipped = g_array_new(FALSE, FALSE, sizeof(struct trc_cut_range));
	for (guint i = 0; i < common->len; i++) {
		const struct idx_piece *c = &g_array_index(common, struct idx_piece, i);
		struct trc_piece piece = { c->offset, c->size };

		g_array_append_val(p->cut.pieces, piece);
	}
	for (uint32_t i = 0; fine && i < idx_reader_stream_count(p->source->reader); i++)
		fine = add_packets(p, i);
	g_array_sort(p->cut.pieces, by_offset);
	g_array_sort(p->cut.skipped, by_cpu_and_time);
	if (!fine) /* then the whole file is read */
		g_clear_pointer(&p->cut.pieces, g_array_unref);
}

/* True if PATH does not exist yet, because a cut replaces nothing. False with an error. */
static bool is_new(const char *path, GError **error)
{
	g_autofree char *shown = base_text_clean(path, -1);

	if (!g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
		return true;
	return base_error_false(error, BASE_ERROR_IO, "%s exists: choose another name, or remove it", shown);
}

/* Make the secret, and collect the names that remain: those of kernel threads. */
static bool names_init(const struct plan *p, struct trc_cut_names *names, GError **error)
{
	const struct qry_host *h = qry_host(p->q, p->host);

	if (getrandom(names->secret, sizeof names->secret, 0) != (ssize_t)sizeof names->secret)
		return base_error_false(error, BASE_ERROR_IO, "the kernel has no random numbers: try again");
	names->kept = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++) {
		g_autoptr(GPtrArray) all = NULL;

		if (qry_row(p->q, row)->type != MDL_ROW_THREAD || !qry_is_kernel_thread(p->q, row))
			continue;
		all = qry_names(p->q, row);
		for (guint i = 0; i < all->len; i++)
			g_hash_table_add(names->kept, g_strdup(g_ptr_array_index(all, i)));
	}
	return true;
}

/* Warn that a cut has only the kernel's trace if RECORDING has others beside it. */
static void warn_beside(struct qry *q, const struct trc_recording *recording)
{
	guint n = recording->beside ? g_strv_length(recording->beside) : 0;
	g_autofree char *text = g_strdup_printf(
		"%u trace%s of user programs %s left out: a cut has only events of the kernel", n,
		base_text_s(n), n == 1 ? "is" : "are");

	if (n > 0)
		qry_warn(q, text);
}

/* False with an error if PATH has the ending of a list or a picture: the caller means "export". */
static bool names_recording(const char *path, GError **error)
{
	static const char *const others[] = { ".csv", ".json", ".md", ".svg", ".png", ".pdf" };

	for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
		if (g_str_has_suffix(path, others[i])) {
			g_autofree char *shown = base_text_clean(path, -1);

			return base_error_false(error, BASE_ERROR_USAGE,
				"%s: a cut is a recording, not a list or a picture: choose a name without %s",
				shown, others[i]);
		}
	return true;
}

bool qry_cut(struct qry *q, uint32_t host, int64_t from, int64_t to, const char *path, const GArray *threads,
	bool anonymous, struct base_progress *progress, int64_t *whole, GError **error)
{
	struct qry_source *s = qry_source(q, host);
	struct plan p = { .q = q, .host = host, .source = s, .n_cpus = qry_host(q, host)->meta->n_cpus };
	struct trc_cut_names names = { .kept = NULL };
	bool fine;

	if (!names_recording(path, error) || !is_new(path, error) ||
		(s->recording && !trc_recording_may_cut(s->recording, error)) ||
		!qry_source_open_trace(q, s, error))
		return false;
	p.cut = (struct trc_cut){ .path = path, .dumped = INT64_MIN, .progress = progress };
	p.cut.ranges = g_array_new(FALSE, FALSE, sizeof(struct trc_cut_range));
	trc_cut_mark_init(&p.cut.mark);
	p.cut.mark.from = qry_source_host(s, from);
	p.cut.mark.to = qry_source_host(s, to);
	p.since = g_new0(int64_t, p.n_cpus + 1);
	find_whole(&p, p.cut.mark.from, p.cut.mark.to);
	p.cut.names = anonymous ? &names : NULL;
	fine = (!anonymous || names_init(&p, &names, error)) && find_dump(&p, error);
	if (fine) {
		plan_fill(&p);
		if (threads)
			plan_thin(&p, threads);
		plan_pieces(&p);
		fine = trc_recording_cut(s->recording, &p.cut, error);
	}
	if (fine)
		warn_beside(q, s->recording);
	*whole = qry_source_shown(s, p.cut.mark.whole);
	if (names.kept)
		g_hash_table_unref(names.kept);
	explicit_bzero(names.secret, sizeof names.secret);
	trc_cut_mark_clear(&p.cut.mark);
	g_array_unref(p.cut.ranges);
	g_clear_pointer(&p.cut.thin, g_array_unref);
	g_clear_pointer(&p.cut.pieces, g_array_unref);
	g_clear_pointer(&p.cut.skipped, g_array_unref);
	g_clear_pointer(&p.cut.thinned, g_hash_table_unref);
	g_free(p.since);
	return fine;
}

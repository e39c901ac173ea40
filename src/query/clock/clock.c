/* SPDX-License-Identifier: MIT */
/*
 * How it works: a host whose clock is the one shown has no clock here, so its times are not converted.
 */
#include "query/clock/clock.h"
#include "base/base_time.h"
#include "model/event/tracer.h"
#include "query/clock/sync.h"
#include "query/host/parts.h"
#include "sync/sync_clock.h"
#include "sync/sync_hosts.h"

#define NS_PER_S UINT64_C(1000000000)

/* True if CLOCK equals the shown clock. */
static bool clock_is_same(const struct sync_clock *clock)
{
	const struct sync_line *line = &g_array_index(clock->lines, struct sync_line, 0);

	return clock->lines->len == 1 && line->offset == 0 && line->rate == 0;
}

/* ---- what is computed once for the clocks in use ---- */

static void show_rows(struct qry *q, const struct qry_source *s)
{
	for (uint32_t i = 0; i < s->host.n_rows; i++) {
		struct mdl_row m = idx_reader_row(s->reader, i);
		struct qry_row *r = &q->rows[s->host.first_row + i];

		r->first = qry_source_shown(s, m.first);
		r->last = qry_source_shown(s, m.last);
	}
}

/* Make *SHOWN a copy of OWN. Each element has two times of S, at byte offsets FROM and TO; convert them to
 * shown times. */
static void show_times(const struct qry_source *s, const GArray *own, size_t from, size_t to, GArray **shown)
{
	guint size = g_array_get_element_size((GArray *)(uintptr_t)own);

	g_clear_pointer(shown, g_array_unref);
	*shown = g_array_sized_new(FALSE, FALSE, size, own->len);
	g_array_append_vals(*shown, own->data, own->len);
	for (guint i = 0; i < own->len; i++) {
		char *element = (*shown)->data + (size_t)i * size;
		int64_t *const times[] = { (int64_t *)(void *)(element + from),
			(int64_t *)(void *)(element + to) };

		for (unsigned k = 0; k < G_N_ELEMENTS(times); k++)
			*times[k] = qry_source_shown(s, *times[k]);
	}
}

void qry_clock_show(struct qry *q, bool rows)
{
	q->from = INT64_MAX;
	q->to = INT64_MIN;
	for (guint i = 0; i < q->sources->len; i++) {
		struct qry_source *s = qry_source(q, i);

		s->host.from = qry_source_shown(s, s->host.meta->from);
		s->host.to = qry_source_shown(s, s->host.meta->to);
		q->from = MIN(q->from, s->host.from);
		q->to = MAX(q->to, s->host.to);
		show_times(s, s->host.meta->gaps, offsetof(struct idx_gap, from),
			offsetof(struct idx_gap, to), &s->gaps);
		s->host.gaps = s->gaps;
		show_times(s, s->host.meta->chunks, offsetof(struct idx_chunk, from),
			offsetof(struct idx_chunk, to), &s->chunks);
		s->host.chunks = s->chunks;
		if (rows)
			show_rows(q, s);
	}
}

/* The warning that HOST is placed to begin with the first host, because its clock is unknown. */
static char *placed_text(const struct qry *q, uint32_t host, const char *apart)
{
	int64_t shift = sync_place_shift(&q->clocks->hosts[host]);
	uint64_t by = shift < 0 ? -(uint64_t)shift : (uint64_t)shift;
	const char *name = qry_source(q, host)->name, *first = qry_source(q, 0)->name;

	return g_strdup_printf(
		"has an unrelated clock: %s; wakepath moves its start to that of %s, %" G_GUINT64_FORMAT
		".%09" G_GUINT64_FORMAT " s %s "
		"than recorded, so the order of events of the two is unknown; if you know the shift, set it with --sync %s=OFFSET, or in the pane of clocks",
		apart, first, by / NS_PER_S, by % NS_PER_S, shift < 0 ? "earlier" : "later", name);
}

/* Number of CPUs of HOST that are known to be virtual CPUs of another host. */
static guint count_vcpus(const struct sync_hosts *found, uint32_t host)
{
	guint n = 0;

	for (guint i = 0; i < found->vcpus->len; i++)
		n += g_array_index(found->vcpus, struct sync_vcpu, i).cpu.host == host;
	return n;
}

/* Number of CPUs of the guest HOST without a known virtual CPU; 0 if it is no guest. */
static guint count_strange(const struct qry *q, uint32_t host)
{
	guint cpus = 0, known = q->found ? count_vcpus(q->found, host) : 0;
	const struct qry_host *h = qry_host(q, host);

	for (uint32_t i = h->first_row; known > 0 && i < h->first_row + h->n_rows; i++)
		cpus += q->rows[i].type == MDL_ROW_CPU;
	return cpus > known ? cpus - known : 0;
}

/* The maximum in ns by which the clock in use for the guest HOST differs from the clock found from its
 * virtual CPUs' stays inside it; 0 if that is within the error of the latter, or HOST is no guest. */
static int64_t beside_stays(const struct qry *q, uint32_t host)
{
	const struct idx_meta *meta = qry_source(q, host)->host.meta;
	const struct sync_host *in_use = &q->clocks->hosts[host], *found;
	const int64_t times[] = { meta->from, meta->to };
	int64_t most = 0;

	if (!q->found || q->found == q->clocks || count_vcpus(q->found, host) == 0)
		return 0;
	found = &q->found->hosts[host];
	if (!found->clock || !in_use->clock || found->error_max == INT64_MAX)
		return 0;
	for (unsigned i = 0; i < G_N_ELEMENTS(times); i++) {
		int64_t a = base_time_near(sync_clock_reference(in_use->clock, times[i]));
		int64_t b = base_time_near(sync_clock_reference(found->clock, times[i]));

		most = MAX(most, ABS(a - b));
	}
	return most > found->error_max ? most : 0;
}

bool qry_clock_contradicted(const struct qry *q, uint32_t host)
{
	const struct sync_host *h = &q->clocks->hosts[host];

	return q->clocks == q->found && h->clock && h->violations_after > 0 &&
		count_vcpus(q->found, host) > 0;
}

/* The warning that packets contradict the clock of HOST. */
static char *early_text(const struct qry *q, uint32_t host)
{
	uint64_t n = q->clocks->hosts[host].violations_after;

	if (qry_clock_contradicted(q, host))
		return g_strdup_printf(
			"%" G_GUINT64_FORMAT
			" packets that it sent or received contradict its virtual CPUs' time inside the guest, which wakepath uses: by that clock they arrive before they were sent",
			n);
	return g_strdup_printf("by the clock in use %" G_GUINT64_FORMAT
			       " packets that it sent or received arrive before they were sent; "
			       "look at the clocks (sync, or K on the screen) and choose others with --sync",
		n);
}

static bool has_headers(const struct qry *q, uint32_t host)
{
	return mdl_tracer_of(qry_host(q, host)->meta->tracer)->headers;
}

/* Why HOST has no clock in common with the others; NULL: it has one. */
static const char *apart_text(const struct qry *q, uint32_t host)
{
	const char *apart = sync_text_apart(q->clocks, host);

	if (apart && q->clocks->hosts[host].quality == SYNC_ABSENT &&
		(!has_headers(q, host) || !has_headers(q, 0)))
		return "wakepath finds clocks by headers of packets, which ftrace and perf do not record (chronyc tracking tells "
		       "how far a host is off; of a guest, trace-cmd record -A keeps it in the file)";
	return apart;
}

void qry_clock_warnings(const struct qry *q, uint32_t host, GPtrArray *warnings)
{
	const struct sync_host *h = q->clocks ? &q->clocks->hosts[host] : NULL;
	const char *apart = h ? apart_text(q, host) : NULL;
	int64_t beside = h ? beside_stays(q, host) : 0;
	guint strange = count_strange(q, host);
	char *set = qry_guest_set_text(q, host, true);

	if (apart && h->placed)
		g_ptr_array_add(warnings, placed_text(q, host, apart));
	else if (apart)
		g_ptr_array_add(warnings,
			g_strdup_printf(
				"has an unrelated clock: %s; if you know how far its clock is off, set it with --sync %s=OFFSET",
				apart, qry_source(q, host)->name));
	if (h && h->clock && h->violations_after > 0)
		g_ptr_array_add(warnings, early_text(q, host));
	if (strange > 0)
		g_ptr_array_add(warnings,
			g_strdup_printf(
				"%u of its CPUs do not lie in any virtual CPU's time inside the guest: the time that their host took from "
				"them is unknown",
				strange));
	if (beside > 0) {
		g_autofree char *by = base_time_format_duration(beside, false);

		g_ptr_array_add(warnings,
			g_strdup_printf(
				"by the clock in use it is up to %s off what its virtual CPUs' time inside the guest "
				"shows, so do not trust the time that its host took from its threads; choose another clock with --sync",
				by));
	}
	if (set)
		g_ptr_array_add(warnings, set);
	qry_guests_doubts(q, host, warnings);
}

/* Replace the warnings about the clocks used before by those about the clocks in use. */
static void warn(struct qry *q)
{
	g_ptr_array_remove_range(q->warnings, q->clock_warnings, q->n_clock_warnings);
	q->clock_warnings = q->warnings->len;
	for (uint32_t i = 0; i < q->sources->len; i++) {
		g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

		qry_clock_warnings(q, i, texts);
		for (guint k = 0; k < texts->len; k++)
			g_ptr_array_add(q->warnings,
				g_strdup_printf("%s: %s", qry_source(q, i)->name,
					(const char *)g_ptr_array_index(texts, k)));
	}
	q->n_clock_warnings = q->warnings->len - q->clock_warnings;
}

/* Use CLOCKS.  True if that changes the clock of any host. */
static bool take_clocks(struct qry *q, struct sync_hosts *clocks)
{
	bool changed = false;

	for (guint i = 0; i < q->sources->len; i++) {
		const struct sync_host *h = clocks ? &clocks->hosts[i] : NULL;
		struct sync_clock *clock = !h ? NULL : h->clock ? h->clock : h->placed;

		clock = clock && !clock_is_same(clock) ? clock : NULL;
		changed |= clock != qry_source(q, i)->clock;
		qry_source(q, i)->clock = clock;
		g_clear_pointer(&qry_source(q, i)->axis, qry_axis_free);
	}
	sync_hosts_ref(clocks);
	sync_hosts_unref(q->clocks);
	q->clocks = clocks;
	q->last_passage.known = false;
	g_clear_pointer(&q->memos, g_hash_table_unref);
	return changed;
}

void qry_set_clocks(struct qry *q, struct sync_hosts *clocks)
{
	bool changed;

	g_assert(!clocks || clocks->n == q->sources->len);
	changed = take_clocks(q, clocks);
	if (changed)
		qry_rows_unshare(q);
	qry_clock_show(q, changed);
	warn(q);
}

void qry_clock_share(struct qry *q, const struct qry *other)
{
	take_clocks(q, other->clocks);
	qry_rows_share(q, other);
	qry_clock_show(q, false);
	warn(q);
}

/* ---- answers ---- */

const struct sync_hosts *qry_clocks(const struct qry *q)
{
	return q->clocks;
}

int64_t qry_shown_time(const struct qry *q, uint32_t host, int64_t time)
{
	return qry_source_shown(qry_source(q, host), time);
}

int64_t qry_host_time(const struct qry *q, uint32_t host, int64_t time)
{
	return qry_source_host(qry_source(q, host), time);
}

int64_t qry_clock_error(const struct qry *q, uint32_t a, uint32_t b, int64_t time)
{
	if (a == b)
		return 0;
	return q->clocks ? sync_hosts_error(q->clocks, a, b, time) : INT64_MAX;
}

struct shared {
	const struct qry *q;
	uint32_t a, b;
	uint32_t of; /* by whose own clock TIME comes */
	int64_t most;
};

static void see_shared(void *data, int64_t host)
{
	struct shared *s = data;

	s->most = MAX(s->most, qry_clock_error(s->q, s->a, s->b, qry_shown_time(s->q, s->of, host)));
}

int64_t qry_clock_error_shared(const struct qry *q, uint32_t a, uint32_t b)
{
	const struct qry_host *x = qry_host(q, a), *y = qry_host(q, b);
	int64_t from = MAX(x->from, y->from), to = MAX(from, MIN(x->to, y->to));
	bool turned = q->clocks && q->clocks->hosts[b].by == a;
	struct shared s = { q, a, b, turned ? b : a, 0 };
	const GArray *bounds = q->clocks ? q->clocks->hosts[s.of].bounds : NULL;

	if (!bounds || q->clocks->hosts[s.of].by != (turned ? a : b))
		return MAX(qry_clock_error(q, a, b, from), qry_clock_error(q, a, b, to));
	sync_bounds_corners(bounds, qry_host_time(q, s.of, from), qry_host_time(q, s.of, to), see_shared, &s);
	return s.most;
}

int64_t qry_clock_error_worst(const struct qry *q)
{
	int64_t worst = 0;

	if (!q->clocks)
		return q->sources->len > 1 ? INT64_MAX : 0;
	for (unsigned i = 1; i < q->clocks->n; i++)
		worst = MAX(worst, q->clocks->hosts[i].error_max);
	return worst;
}

/* SPDX-License-Identifier: MIT */
#include "query/clock/sync.h"

#include "base/base_search.h"
#include "base/base_time.h"
#include "model/kernel/exit.h"
#include "query/host/parts.h"
#include "sync/sync_clock.h"

#include "trace/trc_reader.h"

#define BATCH 1024
#define TIMES_MAX (1u << 22) /* events of one guest; above that, only changes of its CPUs' states are used */
#define STAY_LEAST 500       /* ns; no CPU leaves its guest and returns in less */
#define CHANGES_MOST 100000  /* compared for each CPU and virtual CPU, for a warning only */

/* The times of events on the CPUs of a guest, from its trace. */
struct events {
	bool read;
	GPtrArray *times; /* owned; by CPU: times (int64_t), or NULL; NULL: not available */
};

struct guests {
	struct sync_guests all; /* must be first: callers get a pointer to it */
	const struct qry *q;
	struct base_progress *progress; /* NULL: cannot be cancelled */
	struct events *events;          /* by host */
};

struct cursor {
	struct idx_intervals *intervals;
	bool vcpu;
	int64_t first;       /* begin of a CPU's row, which is no event */
	const GArray *times; /* weak; NULL: the cursor uses INTERVALS */
	guint at;
};

static void *rows_open(void *data, unsigned host, uint32_t row, int64_t from)
{
	const struct qry_source *s = qry_source(((struct guests *)data)->q, host);
	struct mdl_row own = idx_reader_row(s->reader, row);
	struct cursor *c = g_new(struct cursor, 1);

	*c = (struct cursor){ idx_intervals_new(s->reader), own.type == MDL_ROW_VCPU, own.first, NULL, 0 };
	if (from >= own.last || !idx_intervals_seek(c->intervals, row, MAX(from, own.first)))
		g_clear_pointer(&c->intervals, idx_intervals_free);
	return c;
}

/* True if the virtual CPU is inside its guest in IV, or may be because its host lost events. */
static bool is_stay(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_RUNNING || iv->state == MDL_ST_UNKNOWN;
}

static bool rows_next(void *cursor, int64_t *from, int64_t *to)
{
	struct cursor *c = cursor;
	struct mdl_interval iv;

	if (c->times && c->at < c->times->len)
		*from = g_array_index(c->times, int64_t, c->at);
	if (c->times)
		return c->at++ < c->times->len;
	while (c->intervals && idx_intervals_next(c->intervals, &iv)) {
		*from = iv.from;
		*to = iv.to;
		if (c->vcpu ? is_stay(&iv) : iv.state != MDL_ST_UNKNOWN && iv.from != c->first)
			return true;
	}
	return false;
}

static void rows_close(void *cursor)
{
	struct cursor *c = cursor;

	g_clear_pointer(&c->intervals, idx_intervals_free);
	g_free(c);
}

/* The times at which the TSC of virtual CPU ROW was set after it ran. Of each pause only the first counts. */
static GArray *rows_set(void *data, unsigned host, uint32_t row)
{
	struct cursor *c = rows_open(data, host, row, INT64_MIN);
	GArray *set = g_array_new(FALSE, FALSE, sizeof(int64_t));
	struct mdl_interval iv;
	bool open = true; /* no such time since the last stay */

	while (c->intervals && idx_intervals_next(c->intervals, &iv)) {
		bool is = iv.state == MDL_ST_VCPU_EXIT && iv.detail == mdl_exit_other(MDL_EXIT_TSC_SET);

		if (is && open)
			g_array_append_val(set, iv.from);
		open = is_stay(&iv) || (open && !is);
	}
	rows_close(c);
	return set;
}

/* ---- all events ---- */

static void unref_times(gpointer times)
{
	if (times)
		g_array_unref(times);
}

/* Add the time of E. If three events are so close together that the CPU stayed in its guest from the first to
 * the last, the middle one adds nothing and is dropped. False if there are too many. */
static bool add_time(GPtrArray *times, const struct mdl_event *e)
{
	GArray *own;

	if (e->cpu >= times->len)
		g_ptr_array_set_size(times, (gint)e->cpu + 1);
	if (!times->pdata[e->cpu])
		times->pdata[e->cpu] = g_array_new(FALSE, FALSE, sizeof(int64_t));
	own = times->pdata[e->cpu];
	if (own->len > 1 && e->time - g_array_index(own, int64_t, own->len - 2) < STAY_LEAST)
		g_array_set_size(own, own->len - 1);
	g_array_append_val(own, e->time);
	return own->len < TIMES_MAX;
}

/* Fill TIMES. False if not all events were read; with an error if reading failed. */
static bool read_times(const struct guests *g, struct trc_reader *r, uint32_t cpus, GPtrArray *times,
	GError **error)
{
	struct mdl_event *events = g_new(struct mdl_event, BATCH);
	bool ok = true;
	int n;

	while (ok && (n = trc_reader_read(r, events, BATCH, error)) != 0) {
		ok = n > 0 && !base_progress_cancelled(g->progress);
		for (int i = 0; ok && i < n; i++)
			if (events[i].rank > 0 && events[i].cpu < cpus)
				ok = add_time(times, &events[i]);
	}
	g_free(events);
	return ok;
}

static void read_events(const struct guests *g, uint32_t host, struct events *events)
{
	const struct trc_recording *recording = qry_source(g->q, host)->recording;
	GError *problem = NULL;
	struct trc_reader *r = recording ? trc_reader_open(recording, NULL, &problem) : NULL;

	events->read = true;
	if (r) {
		events->times = g_ptr_array_new_with_free_func(unref_times);
		if (!read_times(g, r, qry_source(g->q, host)->n_cpus, events->times, &problem))
			g_clear_pointer(&events->times, g_ptr_array_unref);
		trc_reader_free(r);
	}
	if (problem)
		qry_fail(g->q, problem);
}

static void *all_open(void *data, unsigned host, uint32_t row, int64_t from)
{
	const struct guests *g = data;
	int64_t cpu = g->q->rows[qry_host(g->q, host)->first_row + row].nr;
	struct events *events = &g->events[host];
	struct cursor *c;

	if (!events->read)
		read_events(g, host, events);
	if (!events->times || cpu < 0 || cpu >= events->times->len || !events->times->pdata[cpu])
		return NULL;
	c = g_new0(struct cursor, 1);
	c->times = events->times->pdata[cpu];
	c->at = (guint)base_search_below(&g_array_index(c->times, int64_t, 0), c->times->len, sizeof(int64_t),
		from);
	return c;
}

static void clear_vcpu(void *vcpu)
{
	g_clear_pointer(&((struct sync_vcpu *)vcpu)->bounds, g_array_unref);
}

/* ---- what recordings say about guests ---- */

/* The guests in the recording of HOST; CPUS is NULL if it is not available. */
static struct trc_guests told_by(const struct qry *q, uint32_t host)
{
	const struct trc_recording *recording = qry_source(q, host)->recording;
	struct trc_guests told = { .cpus = NULL };
	GError *problem = NULL;

	if (recording && !trc_guests(recording, &told, &problem))
		qry_fail(q, problem);
	return told;
}

struct trc_guests *qry_guests_told(const struct qry *q)
{
	struct trc_guests *told = g_new0(struct trc_guests, qry_host_count(q));

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		told[i] = told_by(q, i);
	return told;
}

void qry_guests_told_free(const struct qry *q, struct trc_guests *told)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		g_clear_pointer(&told[i].cpus, g_array_unref);
	g_free(told);
}

/* The host other than HOST whose recording is ID; MDL_NONE if there is none. */
static uint32_t recorded_as(const struct qry *q, const struct trc_guests *told, uint64_t id, uint32_t host)
{
	for (uint32_t i = 0; id != 0 && i < qry_host_count(q); i++)
		if (i != host && told[i].id == id)
			return i;
	return MDL_NONE;
}

uint32_t qry_guests_peer(const struct qry *q, const struct trc_guests *told, uint32_t host)
{
	return recorded_as(q, told, told[host].peer, host);
}

/* Set *IS to the CPU of a guest that CPU, from the recording of HOST, names. False: the guest is not open. */
static bool told_cpu(const struct qry *q, const struct trc_guests *told, uint32_t host,
	const struct trc_guest_cpu *cpu, struct sync_cpu *is)
{
	uint32_t guest = recorded_as(q, told, cpu->guest, host),
		 row = guest == MDL_NONE ? MDL_NONE : qry_cpu_row(q, guest, cpu->cpu);

	if (row == MDL_NONE)
		return false;
	*is = (struct sync_cpu){ guest, row - qry_host(q, guest)->first_row };
	return true;
}

static int64_t tid_of(const struct qry *q, const struct sync_cpu *vcpu)
{
	return q->rows[qry_host(q, vcpu->host)->first_row + vcpu->row].nr;
}

/* Enter into G which guest CPU a virtual CPU runs, as CPU from the recording of HOST says. */
static void take_given(const struct qry *q, struct sync_guests *g, const struct trc_guests *told,
	uint32_t host, const struct trc_guest_cpu *cpu)
{
	struct sync_cpu is;

	if (!told_cpu(q, told, host, cpu, &is))
		return;
	for (guint i = 0; i < g->vcpus->len; i++) {
		struct sync_vcpu *v = &g_array_index(g->vcpus, struct sync_vcpu, i);

		if (v->self.host != host || tid_of(q, &v->self) != cpu->tid)
			continue;
		v->given = true;
		v->cpu = is;
		v->same_clock = qry_guests_peer(q, told, is.host) == host;
	}
}

struct sync_guests *qry_guests_new(struct qry *q, const struct trc_guests *told,
	struct base_progress *progress)
{
	struct guests *guests = g_new(struct guests, 1);
	struct sync_guests *g = &guests->all;

	*guests = (struct guests){ .all = { .rows = { guests, rows_open, all_open, rows_next, rows_set,
						    rows_close },
					   .vcpus = g_array_new(FALSE, TRUE, sizeof(struct sync_vcpu)),
					   .cpus = g_array_new(FALSE, TRUE, sizeof(struct sync_cpu)) },
		.q = q,
		.progress = progress,
		.events = g_new0(struct events, qry_host_count(q)) };
	g_array_set_clear_func(g->vcpus, clear_vcpu);
	for (uint32_t i = 0; i < q->n_rows; i++) {
		const struct qry_row *r = &q->rows[i];
		struct sync_vcpu v = { .self = { r->host, i - qry_host(q, r->host)->first_row },
			.machine = r->process,
			.from = INT64_MIN,
			.to = INT64_MAX };

		if (r->type == MDL_ROW_VCPU)
			g_array_append_val(g->vcpus, v);
		else if (r->type == MDL_ROW_CPU)
			g_array_append_val(g->cpus, v.self);
	}
	if (qry_host_count(q) < 2 || g->vcpus->len == 0) {
		qry_guests_free(g);
		return NULL;
	}
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		for (guint k = 0; told[i].cpus && k < told[i].cpus->len; k++)
			take_given(q, g, told, i, &g_array_index(told[i].cpus, struct trc_guest_cpu, k));
	return g;
}

void qry_guests_free(struct sync_guests *g)
{
	struct guests *guests = (struct guests *)g;

	if (!g)
		return;
	for (uint32_t i = 0; i < qry_host_count(guests->q); i++)
		g_clear_pointer(&guests->events[i].times, g_ptr_array_unref);
	g_free(guests->events);
	g_array_unref(g->vcpus);
	g_array_unref(g->cpus);
	g_free(guests);
}

/* The row of Q for CPU; MDL_NONE if it is not of TYPE. */
static uint32_t guests_row_of(const struct qry *q, const struct sync_cpu *cpu, enum mdl_row_type type)
{
	const struct qry_host *h = qry_host(q, cpu->host);
	uint32_t row = h->first_row + cpu->row;

	return cpu->row < h->n_rows && q->rows[row].type == type ? row : MDL_NONE;
}

bool qry_guest_of(const struct qry *q, uint32_t vcpu, struct qry_guest *guest)
{
	const GArray *all = q->found ? q->found->vcpus : NULL;

	for (guint i = 0; all && i < all->len; i++) {
		const struct sync_vcpu *v = &g_array_index(all, struct sync_vcpu, i);

		if (guests_row_of(q, &v->self, MDL_ROW_VCPU) != vcpu)
			continue;
		*guest = (struct qry_guest){ guests_row_of(q, &v->cpu, MDL_ROW_CPU), v->inside, v->outside };
		return guest->cpu != MDL_NONE;
	}
	return false;
}

/* True if the TSC of V was set after V had run. */
static bool was_set(const struct qry *q, const struct sync_vcpu *v)
{
	struct guests g = { .q = q };
	g_autoptr(GArray) set = guests_row_of(q, &v->self, MDL_ROW_VCPU) != MDL_NONE
		? rows_set(&g, v->self.host, v->self.row)
		: NULL;

	return set && set->len > 0;
}

char *qry_guest_set_text(const struct qry *q, uint32_t guest, bool jumps)
{
	const GArray *all = q->found && q->found == q->clocks ? q->found->vcpus : NULL;

	for (guint i = 0; all && i < all->len; i++) {
		const struct sync_vcpu *v = &g_array_index(all, struct sync_vcpu, i);
		const struct sync_host *own = &q->found->hosts[guest],
				       *other = &q->found->hosts[v->self.host];
		/* the clock between the two; NULL if neither has it relative to the other */
		const GArray *bounds = own->by == v->self.host ? own->bounds
			: other->by == guest                   ? other->bounds
							       : NULL;
		guint lines = bounds ? bounds->len : 0;

		if (v->cpu.host != guest || lines < (jumps ? 2 : 1) || !was_set(q, v))
			continue;
		if (lines == 1)
			return g_strdup(
				"the TSC of its virtual CPUs was set while it ran (kvm_write_tsc_offset); one line "
				"holds before and after, so its clock did not jump");
		return g_strdup_printf(
			"its clock jumped where the TSC of its virtual CPUs was set while it ran (kvm_write_tsc_offset): what "
			"comes before and after lies on %u lines",
			lines);
	}
	return NULL;
}

/* ---- what contradicts the recordings ---- */

/* The virtual CPU that was found for SELF, or for the CPU of a guest; NULL: none. */
static const struct sync_vcpu *found_as(const struct qry *q, const struct sync_cpu *self,
	const struct sync_cpu *cpu)
{
	for (guint i = 0; i < q->found->vcpus->len; i++) {
		const struct sync_vcpu *v = &g_array_index(q->found->vcpus, struct sync_vcpu, i);

		if ((self && sync_cpu_is(&v->self, self)) || (cpu && sync_cpu_is(&v->cpu, cpu)))
			return v;
	}
	return NULL;
}

/* The virtual CPU of HOST that thread TID runs. Its ROW is MDL_NONE if there is none. */
static struct sync_cpu vcpu_of(const struct qry *q, uint32_t host, int64_t tid)
{
	const struct qry_host *h = qry_host(q, host);
	struct sync_cpu cpu = { host, 0 };

	while (cpu.row < h->n_rows &&
		(q->rows[h->first_row + cpu.row].type != MDL_ROW_VCPU || tid_of(q, &cpu) != tid))
		cpu.row++;
	cpu.row = cpu.row < h->n_rows ? cpu.row : MDL_NONE;
	return cpu;
}

static char *cpu_text(const struct qry *q, const struct sync_cpu *cpu)
{
	return g_strdup_printf("CPU %" G_GINT64_FORMAT " of %s", tid_of(q, cpu),
		qry_host(q, cpu->host)->name);
}

/* The warning that the recording says VCPU runs CPU, but the time inside the guest contradicts it. */
static char *doubt_text(const struct qry *q, const struct sync_cpu *vcpu, const struct sync_cpu *cpu)
{
	g_autofree char *told = cpu_text(q, cpu), *other = NULL;
	const struct sync_vcpu *self = found_as(q, vcpu, NULL), *by = found_as(q, NULL, cpu);
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text,
		"its recording says that thread %" G_GINT64_FORMAT
		" runs %s, but by the times inside the guest ",
		tid_of(q, vcpu), told);
	if (self) {
		other = cpu_text(q, &self->cpu);
		g_string_append_printf(text, "it runs %s: wakepath uses that", other);
	} else if (by) {
		g_string_append_printf(text, "thread %" G_GINT64_FORMAT " runs it: wakepath uses that",
			tid_of(q, &by->self));
	} else {
		g_string_append(text, "it does not, or these are too few: wakepath does not use that");
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The least difference in ns between the two clocks at FROM or TO, for a clock within BOUNDS. */
static int64_t beside(const GArray *bounds, int64_t from, int64_t to)
{
	const int64_t times[] = { from, to };
	sync_wide low, high, most = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(times); i++) {
		sync_bounds_at(bounds, times[i], &low, &high);
		most = MAX(most, MAX(low - times[i], times[i] - high));
	}
	return most > INT64_MAX ? INT64_MAX : (int64_t)most;
}

/* The warning that HOST lacks the clock of PEER that its recording claims; NULL if nothing contradicts. */
static char *clock_text(const struct qry *q, uint32_t host, uint32_t peer)
{
	const struct sync_host *hosts = q->found->hosts;
	uint32_t of = hosts[host].by == peer ? host : peer, to = of == host ? peer : host;
	const struct idx_meta *meta = qry_host(q, of)->meta;
	g_autofree char *by = NULL;
	int64_t off;

	if (hosts[of].by != to || !hosts[of].bounds)
		return NULL;
	off = beside(hosts[of].bounds, meta->from, meta->to);
	if (off == 0)
		return NULL;
	by = base_time_format_duration(off, false);
	return g_strdup_printf(
		"its recording says that its times are by the clock of %s, but the events that both recorded show an offset of at least %s; wakepath uses these",
		qry_host(q, peer)->name, by);
}

/* The share in per cent of the changes of CPU that lie inside the stays of VCPU, if both have one clock. */
static unsigned part_inside(const struct qry *q, const struct sync_cpu *cpu, const struct sync_cpu *vcpu)
{
	struct guests all = { .q = q };
	struct cursor *changes = rows_open(&all, cpu->host, cpu->row, INT64_MIN),
		      *stays = rows_open(&all, vcpu->host, vcpu->row, INT64_MIN);
	int64_t at, unused, from = INT64_MIN, to = INT64_MIN;
	unsigned n = 0, inside = 0;

	while (n < CHANGES_MOST && rows_next(changes, &at, &unused)) {
		while (to <= at && rows_next(stays, &from, &to))
			;
		n++;
		inside += from <= at && at < to;
	}
	rows_close(changes);
	rows_close(stays);
	return n > 0 ? (unsigned)((uint64_t)inside * 100 / n) : 0;
}

/* The warning that HOST is a guest of PEER by its recording, but none of its CPUs is known to be a virtual
 * CPU of PEER. NULL if one is, or if PEER recorded no virtual CPUs. */
static char *untied_text(const struct qry *q, uint32_t host, uint32_t peer)
{
	const struct qry_host *h = qry_host(q, peer);
	struct sync_cpu cpu = { host, 0 }, best = { peer, MDL_NONE };
	unsigned most = 0;

	for (guint i = 0; i < q->found->vcpus->len; i++)
		if (g_array_index(q->found->vcpus, struct sync_vcpu, i).cpu.host == host)
			return NULL;
	while (cpu.row < qry_host(q, host)->n_rows && guests_row_of(q, &cpu, MDL_ROW_CPU) == MDL_NONE)
		cpu.row++;
	for (uint32_t row = 0; cpu.row < qry_host(q, host)->n_rows && row < h->n_rows; row++) {
		struct sync_cpu vcpu = { peer, row };
		unsigned part;

		if (guests_row_of(q, &vcpu, MDL_ROW_VCPU) == MDL_NONE)
			continue;
		part = part_inside(q, &cpu, &vcpu);
		if (best.row == MDL_NONE || part > most)
			best = vcpu;
		most = MAX(most, part);
	}
	if (best.row == MDL_NONE)
		return NULL;
	return g_strdup_printf(
		"its recording says that it is a guest of %s, but not on which virtual CPUs: by the clock that it says both share, "
		"%u %% of the changes of its CPU %" G_GINT64_FORMAT
		" lie in the times of thread %" G_GINT64_FORMAT
		" inside its guest, and in those of the right thread nearly all would; so the time that the host took from its threads is unknown",
		h->name, most, tid_of(q, &cpu), tid_of(q, &best));
}

/* True if the recording of HOST says anything about guests. Few do, so this saves asking all other hosts. */
static bool says(const struct qry *q, uint32_t host)
{
	struct trc_guests own = told_by(q, host);
	bool any = own.peer != 0 || (own.cpus && own.cpus->len > 0);

	g_clear_pointer(&own.cpus, g_array_unref);
	return any;
}

void qry_guests_doubts(const struct qry *q, uint32_t host, GPtrArray *warnings)
{
	struct trc_guests *told = q->found && qry_host_count(q) > 1 && says(q, host) ? qry_guests_told(q)
										     : NULL;
	uint32_t peer = told ? qry_guests_peer(q, told, host) : MDL_NONE;
	char *text = peer != MDL_NONE ? clock_text(q, host, peer) : NULL;

	if (text)
		g_ptr_array_add(warnings, text);
	text = peer != MDL_NONE ? untied_text(q, host, peer) : NULL;
	if (text)
		g_ptr_array_add(warnings, text);
	for (guint k = 0; told && told[host].cpus && k < told[host].cpus->len; k++) {
		const struct trc_guest_cpu *c = &g_array_index(told[host].cpus, struct trc_guest_cpu, k);
		struct sync_cpu cpu, vcpu = vcpu_of(q, host, c->tid);
		const struct sync_vcpu *found;

		if (vcpu.row == MDL_NONE || !told_cpu(q, told, host, c, &cpu))
			continue;
		found = found_as(q, &vcpu, NULL);
		if (!found || !sync_cpu_is(&found->cpu, &cpu))
			g_ptr_array_add(warnings, doubt_text(q, &vcpu, &cpu));
	}
	if (told)
		qry_guests_told_free(q, told);
}

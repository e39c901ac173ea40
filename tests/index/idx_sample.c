/* SPDX-License-Identifier: MIT */
#include "index/idx_sample.h"

#include "index/file/format.h"
#include "index/table/parts.h"

#include <string.h>

#define INTERVALS(s, row) ((GArray *)g_ptr_array_index((s)->intervals, row))
#define WAKEUPS(s, row) ((GArray *)g_ptr_array_index((s)->wakeups, row))
#define PACKETS(s, stream) ((GArray *)g_ptr_array_index((s)->packets, stream))

/* ---- making ---- */

/* Lengths of all sizes: most short, some beyond 32 bits. */
static int64_t length(GRand *rand)
{
	unsigned bits = (unsigned)g_rand_int_range(rand, 0, 100), shift;

	bits = bits < 60 ? 14 : bits < 80 ? 17 : bits < 95 ? 27 : 30;
	shift = g_rand_int_range(rand, 0, 200) == 0 ? 8 : 0;
	return 1 + (int64_t)((uint64_t)g_rand_int_range(rand, 0, 1 << bits) << shift);
}

static uint32_t detail_of(const struct idx_sample *s, unsigned state)
{
	switch (state) {
	case MDL_ST_SYSCALL:
		return (uint32_t)g_rand_int_range(s->rand, 0, (gint32)base_strings_count(s->strings));
	case MDL_ST_INTERRUPTED: return (uint32_t)g_rand_int_range(s->rand, 0, (gint32)s->contexts->len);
	case MDL_ST_BLOCKED: return (uint32_t)g_rand_int_range(s->rand, 0, MDL_BLOCK_N);
	case MDL_ST_QUEUED:
	case MDL_ST_IN_FLIGHT: return (uint32_t)g_rand_int_range(s->rand, 0, 4000);
	default: return 0;
	}
}

static uint32_t aux_of(const struct idx_sample *s, enum mdl_row_type type, uint32_t rows)
{
	if (g_rand_int_range(s->rand, 0, 10) == 0)
		return MDL_NONE;
	return (uint32_t)g_rand_int_range(s->rand, 0, type == MDL_ROW_CPU ? (gint32)rows : 300);
}

static bool same_kind(const struct mdl_interval *a, const struct mdl_interval *b)
{
	return a->state == b->state && a->detail == b->detail && a->aux == b->aux;
}

static GArray *make_intervals(const struct idx_sample *s, const struct idx_sample_row *row, int64_t from,
	uint32_t rows)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
	struct mdl_interval before = { .state = MDL_ST_N };

	for (unsigned i = 0; i < row->intervals; i++) {
		struct mdl_interval v;

		do {
			v.state = (uint8_t)g_rand_int_range(s->rand, 0, MDL_ST_STORED);
			v.detail = detail_of(s, v.state);
			v.aux = i > 0 && g_rand_int_range(s->rand, 0, 3) > 0 ? before.aux
									     : aux_of(s, row->type, rows);
		} while (same_kind(&v, &before));
		v.from = from;
		v.to = from += length(s->rand);
		g_array_append_val(all, v);
		before = v;
	}
	return all;
}

static uint32_t id_or_none(GRand *rand, uint32_t n)
{
	return g_rand_int_range(rand, 0, 8) == 0 ? MDL_NONE : (uint32_t)g_rand_int_range(rand, 0, (gint32)n);
}

static void make_wakeup(const struct idx_sample *s, uint32_t rows, int64_t time, struct mdl_wakeup *w)
{
	memset(w, 0, sizeof *w);
	w->time = time;
	w->since = g_rand_int_range(s->rand, 0, 5) == 0 ? MDL_NEVER : time - length(s->rand) + 1;
	w->ran_at = g_rand_int_range(s->rand, 0, 5) == 0 ? MDL_NEVER : time + length(s->rand) - 1;
	w->rank = (uint64_t)g_rand_int_range(s->rand, 0, G_MAXINT32);
	w->waker = id_or_none(s->rand, rows);
	w->cpu = id_or_none(s->rand, 300);
	w->event_time = w->time;
	w->event_cpu = w->cpu;
	w->target_cpu = g_rand_boolean(s->rand) ? w->cpu : id_or_none(s->rand, 300);
	w->via = (uint8_t)g_rand_int_range(s->rand, 0, MDL_VIA_N);
	if (w->via == MDL_VIA_NONE) {
		w->event_time = MDL_NEVER;
		w->event_cpu = MDL_NONE;
	} else if (g_rand_int_range(s->rand, 0, 4) == 0) {
		w->event_time = time - length(s->rand);
		w->event_cpu = id_or_none(s->rand, 300);
	}
	w->n_contexts = (uint8_t)g_rand_int_range(s->rand, 0, MDL_CTX_MAX + 1);
	for (unsigned i = 0; i < w->n_contexts; i++) {
		w->contexts[i].context = (uint32_t)g_rand_int_range(s->rand, 0, (gint32)s->contexts->len);
		w->contexts[i].entry = time - length(s->rand);
	}
}

/* Within the trace. */
static int64_t before(GRand *rand, int64_t time)
{
	int64_t earlier = time - length(rand);

	return MAX(earlier, IDX_SAMPLE_START);
}

static void make_act(const struct idx_sample *s, uint32_t rows, int64_t time, struct mdl_act *a)
{
	*a = (struct mdl_act){ .time = MDL_NEVER,
		.entry = MDL_NEVER,
		.cpu = MDL_NONE,
		.context = MDL_NONE,
		.thread = MDL_NONE };
	if (time == MDL_NEVER)
		return;
	a->time = time;
	a->cpu = id_or_none(s->rand, 4);
	a->thread = id_or_none(s->rand, rows);
	if (g_rand_boolean(s->rand))
		return;
	a->context = (uint32_t)g_rand_int_range(s->rand, 0, (gint32)s->contexts->len);
	a->entry = before(s->rand, time);
}

/* At or after FROM; now and then MDL_NEVER. */
static int64_t maybe_after(GRand *rand, int64_t from)
{
	return g_rand_int_range(rand, 0, 4) == 0 ? MDL_NEVER : from + length(rand);
}

/* Mostly none. */
static mdl_doubts sample_doubts(const struct idx_sample *s)
{
	return g_rand_boolean(s->rand) ? 0 : g_rand_int(s->rand) & (((uint64_t)1 << MDL_DOUBTS_N) - 1);
}

static void make_steps(const struct idx_sample *s, int64_t begin, struct mdl_request *q)
{
	int64_t to = begin;

	q->begin = begin;
	q->n_steps = (unsigned)g_rand_int_range(s->rand, 0, MDL_STEPS_MAX + 1);
	for (unsigned i = 0; i < q->n_steps; i++) {
		to += 1 + length(s->rand);
		q->steps[i] = (struct mdl_step){ .to = to,
			.what = (uint8_t)g_rand_int_range(s->rand, 0, MDL_STEPS),
			.doubts = sample_doubts(s) };
	}
	if (q->n_steps > 0)
		q->completed = to;
}

static void make_request(const struct idx_sample *s, uint32_t rows, int64_t time, struct mdl_request *q)
{
	q->dev = (uint32_t)g_rand_int_range(s->rand, 0, G_MAXINT32);
	q->sector = g_rand_int_range(s->rand, 0, 4) == 0
		? MDL_SECTOR_NONE
		: (uint64_t)g_rand_int_range(s->rand, 0, G_MAXINT32) << 9;
	q->bytes = (uint64_t)g_rand_int_range(s->rand, 0, 1000) * 512;
	q->op = (uint8_t)g_rand_int_range(s->rand, 0, MDL_OPS);
	q->doubts = sample_doubts(s);
	q->merged = (uint16_t)g_rand_int_range(s->rand, 0, 65536);
	q->queued = maybe_after(s->rand, time);
	q->inserted = maybe_after(s->rand, time);
	q->issued = maybe_after(s->rand, time);
	make_act(s, rows, q->queued == MDL_NEVER ? MDL_NEVER : time, &q->submitter);
	make_act(s, rows, q->issued, &q->issuer);
	q->completed = MAX(time, q->issued) + length(s->rand);
	make_steps(s, MAX(time, q->issued), q);
}

static void make_numbers(const struct idx_sample *s, struct mdl_packet *p)
{
	p->sequence = g_rand_int(s->rand);
	p->acknowledgement = g_rand_int(s->rand);
	p->flags = (uint16_t)g_rand_int_range(s->rand, 0, 512);
	p->checksum = (uint16_t)g_rand_int_range(s->rand, 0, 65536);
}

static void make_packet(const struct idx_sample *s, struct mdl_packet *p)
{
	p->skb = 0xffff888000000000 + (uint64_t)g_rand_int_range(s->rand, 0, G_MAXINT32);
	p->length = (uint32_t)g_rand_int_range(s->rand, 0, 65536);
	p->payload = MDL_NONE;
	p->version = (const uint8_t[]){ 0, 4, 6 }[g_rand_int_range(s->rand, 0, 3)];
	if (p->version == 0 && g_rand_boolean(s->rand)) {
		p->protocol = 6;
		make_numbers(s, p);
	}
	if (p->version == 0)
		return;
	p->protocol = (uint8_t)g_rand_int_range(s->rand, 0, 256);
	for (unsigned i = 0; i < (p->version == 6 ? 16u : 4u); i++) {
		p->source[i] = (uint8_t)g_rand_int_range(s->rand, 0, 256);
		p->destination[i] = (uint8_t)g_rand_int_range(s->rand, 0, 256);
	}
	p->id = (uint16_t)g_rand_int_range(s->rand, 0, 65536);
	p->has_ports = g_rand_boolean(s->rand);
	if (!p->has_ports)
		return;
	p->source_port = (uint16_t)g_rand_int_range(s->rand, 0, 65536);
	p->destination_port = (uint16_t)g_rand_int_range(s->rand, 0, 65536);
	make_numbers(s, p);
	p->payload = g_rand_boolean(s->rand) ? MDL_NONE : (uint32_t)g_rand_int_range(s->rand, 0, 65536);
}

static void make_facts(const struct idx_sample *s, uint32_t rows, int64_t time, struct mdl_facts *f)
{
	f->has = (unsigned)g_rand_int_range(s->rand, 0, 1 << MDL_FACTS_N) &
		(unsigned)g_rand_int_range(s->rand, 0, 1 << MDL_FACTS_N);
	if (f->has & MDL_FACT_REQUEST)
		make_request(s, rows, time, &f->request);
	if (f->has & MDL_FACT_PACKET) {
		make_packet(s, &f->packet.packet);
		f->packet.device = (uint32_t)g_rand_int_range(s->rand, 0,
			(gint32)base_strings_count(s->strings));
		make_act(s, rows, g_rand_boolean(s->rand) ? time : MDL_NEVER, &f->packet.sender);
		f->packet.doubts = f->packet.device % 3;
		f->packet.time = time + length(s->rand);
	}
	if (f->has & MDL_FACT_TIMER) {
		f->timer.function = 0xffffffff82f68260;
		f->timer.expired = g_rand_boolean(s->rand);
		make_act(s, rows, time, &f->timer.armed);
		f->timer.wheel = g_rand_boolean(s->rand);
		f->timer.expired_at = f->timer.expired ? time + length(s->rand) : MDL_NEVER;
		f->timer.due = f->timer.expired && g_rand_boolean(s->rand) ? time + length(s->rand)
									   : MDL_NEVER;
		f->timer.slack = f->timer.due != MDL_NEVER ? length(s->rand) : 0;
		f->timer.doubts = sample_doubts(s);
		f->timer.cpu = f->timer.expired ? (uint32_t)g_rand_int_range(s->rand, 0, 8) : MDL_NONE;
	}
	if (f->has & MDL_FACT_WORK) {
		f->work.function = g_rand_int(s->rand);
		make_act(s, rows, time, &f->work.queued);
		f->work.started = maybe_after(s->rand, time);
	}
	if (f->has & MDL_FACT_SIGNAL) {
		f->signal.number = (uint32_t)g_rand_int_range(s->rand, 1, 65);
		f->signal.doubts = sample_doubts(s);
		make_act(s, rows, time, &f->signal.sender);
	}
	if (f->has & MDL_FACT_ARRIVAL) {
		f->arrival.entry = time;
		f->arrival.time = time + length(s->rand);
		f->arrival.cpu = id_or_none(s->rand, 4);
		f->arrival.context = id_or_none(s->rand, s->contexts->len);
	}
	if (f->has & MDL_FACT_PENDING)
		f->pending = (uint32_t)g_rand_int_range(s->rand, 1, 1 << MDL_SOFTIRQS);
	if (f->has & MDL_FACT_VIRQ)
		f->virq = (struct mdl_virq){ (uint32_t)g_rand_int_range(s->rand, 0, 1 << 20),
			(uint8_t)g_rand_int_range(s->rand, 0, MDL_VIRQ_BYS), sample_doubts(s) };
	if (f->has & MDL_FACT_SUSPEND) {
		f->suspend = (struct mdl_suspend){ .by = (uint8_t)g_rand_int_range(s->rand, 0,
							   MDL_SUSPEND_BYS),
			.doubts = sample_doubts(s),
			.begin = time,
			.from = maybe_after(s->rand, time),
			.least = length(s->rand) };
		f->suspend.most = g_rand_boolean(s->rand) ? 0 : f->suspend.least + length(s->rand);
		make_act(s, rows, f->suspend.from == MDL_NEVER ? time : f->suspend.from, &f->suspend.act);
	}
	if (f->has & MDL_FACT_HOTPLUG)
		f->hotplug = (struct mdl_hotplug){ (uint32_t)g_rand_int_range(s->rand, 0, 1 << 13),
			g_rand_boolean(s->rand), (uint32_t)g_rand_int_range(s->rand, 0, 300),
			sample_doubts(s), (uint64_t)g_rand_int(s->rand) << 20, time };
	if (f->has & MDL_FACT_FUTEX) {
		f->futex.address = (uint64_t)g_rand_int(s->rand) << 20;
		f->futex.by = (uint8_t)g_rand_int_range(s->rand, 0, MDL_FUTEX_BYS);
		f->futex.doubts = sample_doubts(s);
		make_act(s, rows, time, &f->futex.waiter);
		make_act(s, rows, g_rand_boolean(s->rand) ? time : MDL_NEVER, &f->futex.waker);
	}
}

/* N of them, a run of some at the same instant now and then, all in the trace that ends at TO. */
static GArray *make_transfers(const struct idx_sample *s, uint32_t rows, unsigned n, int64_t to)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct mdl_transfer));
	int64_t time = IDX_SAMPLE_START, step = (to - time) / (n + 1);

	for (unsigned i = 0; i < n; i++) {
		struct mdl_transfer t;

		memset(&t, 0, sizeof t);
		time += i % 90 < 70 ? g_rand_int_range(s->rand, 0, 1000) * step / 1000 : 0;
		make_packet(s, &t.packet);
		make_act(s, rows, time, &t.by);
		t.device = (uint32_t)g_rand_int_range(s->rand, 0, (gint32)base_strings_count(s->strings));
		t.received = g_rand_boolean(s->rand);
		g_array_append_val(all, t);
	}
	return all;
}

/* Add one path to TIME and its events; return its number. */
static uint32_t make_cause(const struct idx_sample *s, uint32_t rows, int64_t time)
{
	struct mdl_cause c;

	memset(&c, 0, sizeof c);
	c.lossy = g_rand_int_range(s->rand, 0, 9) == 0;
	c.chain.n = (unsigned)g_rand_int_range(s->rand, 0, MDL_HOPS_MAX + 1);
	for (unsigned i = c.chain.n; i-- > 0; time = before(s->rand, time)) {
		make_act(s, rows, time, &c.chain.hops[i].act);
		c.chain.hops[i].doubts = sample_doubts(s);
	}
	make_facts(s, rows, time, &c.facts);
	g_array_append_val(s->causes, c);
	return s->causes->len;
}

/* Every third at the same instant as the one before, and now and then a hundred of them. */
static GArray *make_wakeups(const struct idx_sample *s, const struct idx_sample_row *row, int64_t from,
	uint32_t rows)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct mdl_wakeup));
	unsigned same = 0;

	for (unsigned i = 0; i < row->wakeups; i++) {
		struct mdl_wakeup w;

		if (same > 0)
			same--;
		else if (g_rand_int_range(s->rand, 0, 300) == 0)
			same = 100;
		else if (g_rand_int_range(s->rand, 0, 3) > 0)
			from += length(s->rand);
		make_wakeup(s, rows, from, &w);
		if (g_rand_int_range(s->rand, 0, 3) == 0)
			w.cause = make_cause(s, rows, from);
		g_array_append_val(all, w);
	}
	return all;
}

static void make_contexts(struct idx_sample *s)
{
	s->contexts = g_array_new(FALSE, TRUE, sizeof(struct mdl_context));
	for (unsigned i = 0; i < 20; i++) {
		struct mdl_context c;

		memset(&c, 0, sizeof c);
		c.type = (uint8_t)(i % MDL_CTX_TYPES);
		c.nr = i % 3 == 0 ? -1 : (int64_t)i << i;
		c.name = i % base_strings_count(s->strings);
		g_array_append_val(s->contexts, c);
	}
}

static void make_row(struct idx_sample *s, const struct idx_sample_row *plan, uint32_t id, uint32_t n)
{
	uint32_t cpu = id_or_none(s->rand, 8), parent = id_or_none(s->rand, n),
		 strings = base_strings_count(s->strings),
		 names = plan->type == MDL_ROW_THREAD ? id % 4 : 0; /* only threads have names and children */
	struct mdl_row row = {
		.type = (uint8_t)plan->type,
		.nr = (int64_t)id * 7,
		.cpu = cpu,
		.pid = (int64_t)id - 1,
		.ppid = id % 2 ? -1 : 1,
		.parent = parent != MDL_NONE && plan[(int64_t)parent - id].type == MDL_ROW_THREAD ? parent
												  : MDL_NONE,
		.name = (id + (names > 0 ? names - 1 : 0)) % strings,
		.cgroup = plan->type == MDL_ROW_THREAD ? id * 3 % strings : 0,
		.born = id % 2,
		.died = id % 3 == 0,
		.first = IDX_SAMPLE_START + (int64_t)id * 1000,
	};
	GArray *intervals = make_intervals(s, plan, row.first, n);

	row.last = intervals->len > 0 ? g_array_index(intervals, struct mdl_interval, intervals->len - 1).to
				      : row.first;
	g_ptr_array_add(s->intervals, intervals);
	g_ptr_array_add(s->wakeups, make_wakeups(s, plan, row.first, n));
	g_array_append_val(s->rows, row);
	for (uint32_t i = 0; i < names; i++) {
		struct idx_name name = { .row = id,
			.name = (id + i) % strings,
			.time = row.first + (int64_t)i * 10 };

		g_array_append_val(s->names, name);
	}
}

static struct idx_meta *make_meta(unsigned events)
{
	struct idx_meta *m = idx_meta_new();
	struct mdl_hides hides[] = { { INT64_MIN, 0xffff }, { IDX_SAMPLE_START, MDL_DOUBT(UNTOLD) } };
	struct idx_gap gap = { .cpu = 3, .from = IDX_SAMPLE_START, .to = IDX_SAMPLE_START + 5, .count = 12 };

	m->fingerprint = g_strdup(IDX_SAMPLE_FINGERPRINT);
	m->path = g_strdup("/a \"path\" with\nmarks");
	m->host = g_strdup("höst");
	m->uuid = g_strdup("");
	m->recorded = 0x123456789;
	g_array_append_vals(m->hides, hides, G_N_ELEMENTS(hides));
	m->clock_uuid = g_strdup("");
	m->domain = g_strdup("kernel");
	m->tracer = g_strdup("lttng-modules 2.13.9");
	m->release = g_strdup("6.1.0");
	m->format = g_strdup("made");
	m->reader = g_strdup("test");
	m->from = IDX_SAMPLE_START;
	m->to = IDX_SAMPLE_START + G_GINT64_CONSTANT(36000000000000000);
	m->events = events;
	m->discarded = 12;
	m->n_cpus = 4;
	m->built_in_ns = 123456789;
	for (unsigned i = 0; i < MDL_COUNTERS; i++)
		g_ptr_array_add(m->counters, g_strdup_printf("counter %u", i));
	g_ptr_array_add(m->missing_events, g_strdup("sched_waking"));
	g_ptr_array_add(m->event_names, g_strdup("irq_softirq_raise"));
	g_ptr_array_add(m->event_names, g_strdup("irq:softirq_raise"));
	g_ptr_array_add(m->warnings, g_strdup("12 events were lost"));
	g_ptr_array_add(m->notes, g_strdup("of no use"));
	g_array_append_val(m->gaps, gap);
	return m;
}

/* Packets for EVENTS events, PLACED or some not; some touch the one before in the file and in time, some hold
 * one event. */
static GArray *make_packets(const struct idx_sample *s, uint64_t events, bool placed)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct idx_packet));
	uint64_t before = 0, offset = 0;
	int64_t time = IDX_SAMPLE_START;

	while (before < events) {
		uint64_t most = (uint64_t)g_rand_int_range(s->rand, 1, 100);
		struct idx_packet p;

		memset(&p, 0, sizeof p);
		if (placed || g_rand_boolean(s->rand)) {
			p.offset = offset += g_rand_boolean(s->rand) ? 0 : (uint64_t)length(s->rand);
			p.size = (uint64_t)length(s->rand);
		}
		p.first = time += g_rand_boolean(s->rand) ? 0 : length(s->rand);
		p.last = time += g_rand_boolean(s->rand) ? 0 : length(s->rand);
		p.before = before;
		p.events = MIN(events - before, most);
		p.cpu = id_or_none(s->rand, 100); /* one byte: the named damages rely on it */
		g_array_append_val(all, p);
		before += p.events;
		offset += p.size;
	}
	return all;
}

static void make_streams(struct idx_sample *s, uint64_t events)
{
	static const char *const names[IDX_SAMPLE_STREAMS] = { "channel0_0", "channel0_1", "\xff\x1b[31m",
		"other_0" };
	uint64_t counts[IDX_SAMPLE_STREAMS] = { events / 4 * 3, 0, events / 16 };

	counts[3] = events - counts[0] - counts[2];
	s->packets = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (unsigned i = 0; i < IDX_SAMPLE_STREAMS; i++) {
		GArray *packets = make_packets(s, counts[i], i < 3);

		g_ptr_array_add(s->packets, packets);
		s->streams[i] = (struct idx_stream){ .name = names[i],
			.reader = i < 3 ? "ctf" : "babeltrace2",
			.packets = packets->len,
			.events = counts[i] };
	}
}

struct idx_sample *idx_sample_new(guint32 seed, const struct idx_sample_row *rows, size_t n, unsigned events)
{
	static const char *const texts[] = { "read", "virtio2-req.0", "BLOCK", "ein Wörtchen",
		"\xef\xbf\xbd[31m", "kworker/0:1" };
	struct idx_sample *s = g_new0(struct idx_sample, 1);
	int64_t time = IDX_SAMPLE_START;

	s->rand = g_rand_new_with_seed(seed);
	s->meta = make_meta(events);
	s->rows = g_array_new(FALSE, FALSE, sizeof(struct mdl_row));
	s->names = g_array_new(FALSE, FALSE, sizeof(struct idx_name));
	s->times = g_array_new(FALSE, FALSE, sizeof(int64_t));
	s->intervals = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	s->wakeups = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	s->strings = base_strings_new();
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		base_strings_add(s->strings, texts[i]);
	make_contexts(s);
	s->causes = g_array_new(FALSE, FALSE, sizeof(struct mdl_cause));
	s->devices = g_array_new(FALSE, FALSE, sizeof(struct mdl_device));
	for (uint32_t i = 0; i < 3; i++)
		g_array_append_val(s->devices, ((struct mdl_device){ .dev = 8u << 20 | i, .name = i + 1 }));
	for (uint32_t i = 0; i < n; i++)
		make_row(s, &rows[i], i, (uint32_t)n);
	for (unsigned i = 0; i < events; i += IDX_EVENT_STEP, time += g_rand_int_range(s->rand, 0, 100000))
		g_array_append_val(s->times, time);
	make_streams(s, events);
	s->transfers = make_transfers(s, (uint32_t)n, n > 0 ? 200 : 0, s->meta->to);
	return s;
}

void idx_sample_free(struct idx_sample *s)
{
	g_rand_free(s->rand);
	idx_meta_free(s->meta);
	g_array_unref(s->rows);
	g_array_unref(s->names);
	g_array_unref(s->times);
	g_array_unref(s->causes);
	g_array_unref(s->devices);
	g_array_unref(s->transfers);
	g_ptr_array_unref(s->packets);
	g_array_unref(s->contexts);
	g_ptr_array_unref(s->intervals);
	g_ptr_array_unref(s->wakeups);
	base_strings_free(s->strings);
	g_free(s);
}

/* ---- writing ---- */

char *idx_sample_path(const char *name)
{
	return g_build_filename(g_get_tmp_dir(), name, NULL);
}

static void write_names(const struct idx_sample *s, struct idx_writer *w, uint32_t row)
{
	for (guint i = 0; i < s->names->len; i++) {
		const struct idx_name *n = &g_array_index(s->names, struct idx_name, i);

		if (n->row == row)
			idx_writer_name(w, n->row, n->time, n->name);
	}
}

static bool is_thread(const struct idx_sample *s, uint32_t row)
{
	return g_array_index(s->rows, struct mdl_row, row).type == MDL_ROW_THREAD;
}

/* Each thread has two. */
static void write_priorities(const struct idx_sample *s, struct idx_writer *w)
{
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t row = 0; row < s->rows->len; row++)
			if (is_thread(s, row))
				idx_writer_priority(w, row, IDX_SAMPLE_START + i,
					(int16_t)((int)row % 140 - 1 + (i == 1 && row % 2 == 0)));
}

/* Wait I of thread ROW for an IPI: each has two, one behind the other. */
static struct mdl_ipi_wait ipi_wait_of(uint32_t row, int64_t i)
{
	return (struct mdl_ipi_wait){ .from = IDX_SAMPLE_START + i,
		.to = IDX_SAMPLE_START + i + 1,
		.entry = IDX_SAMPLE_START + i + row % 2,
		.cpus = UINT64_C(1) << row % 63 | 1,
		.caller = UINT64_C(0xffffffff81000000) + row,
		.row = row,
		.cpu = row % 7,
		.last = row % 63,
		.doubts = row % 3 == 0 ? MDL_DOUBT(WAY) : 0 };
}

static void write_ipi_waits(const struct idx_sample *s, struct idx_writer *w)
{
	for (int64_t i = 0; i < 2; i++)
		for (uint32_t row = 0; row < s->rows->len; row++) {
			struct mdl_ipi_wait wait = ipi_wait_of(row, i);

			if (is_thread(s, row))
				idx_writer_ipi_wait(w, &wait);
		}
}

/* How often thread ROW was counted: some never, some in one leaf, some in several nodes. */
static int64_t counted_times(const struct idx_sample *s, uint32_t row)
{
	static const int64_t times[] = { 3, 64, 0, 65, 1, 64 * 64 + 2 };
	const struct mdl_row *r = &g_array_index(s->rows, struct mdl_row, row);

	return is_thread(s, row) ? MIN(times[row % G_N_ELEMENTS(times)],
					   (int64_t)(((uint64_t)r->last - (uint64_t)r->first) / 10))
				 : 0;
}

/* Time I of these: now and then another CPU, other counters, a time between two. */
static struct mdl_counted counted_of(const struct idx_sample *s, uint32_t row, int64_t i)
{
	int64_t first = g_array_index(s->rows, struct mdl_row, row).first;
	struct mdl_counted c = { .from = first + 10 * i + i % 3,
		.to = first + 10 * i + 10,
		.cpu = i % 7 < 4 ? row % 5 : (uint32_t)(i % 4),
		.has = i % 5 == 0     ? 1u
			: i % 11 == 0 ? (1u << MDL_COUNTERS) - 1
				      : 3u };

	for (unsigned k = 0; k < MDL_COUNTERS; k++)
		c.value[k] = c.has >> k & 1 ? (uint64_t)i * (row + 3) << 2 * k : 0;
	return c;
}

static void write_counts(const struct idx_sample *s, struct idx_writer *w, uint32_t row)
{
	for (int64_t i = 0; i < counted_times(s, row); i++) {
		struct mdl_counted c = counted_of(s, row, i);

		idx_writer_counted(w, row, &c);
	}
}

/* In rounds over all rows, so that their blocks lie mixed in the file. */
static void write_history(const struct idx_sample *s, struct idx_writer *w)
{
	uint32_t left = s->rows->len;

	for (guint from = 0; left > 0; from += 100) {
		for (uint32_t row = 0; row < s->rows->len; row++) {
			const GArray *intervals = INTERVALS(s, row), *wakeups = WAKEUPS(s, row);
			guint most = MAX(MAX(intervals->len, wakeups->len), 1);

			for (guint i = from; i < MIN(from + 100, intervals->len); i++)
				idx_writer_interval(w, row,
					&g_array_index(intervals, struct mdl_interval, i));
			for (guint i = from; i < MIN(from + 100, wakeups->len); i++)
				idx_writer_wakeup(w, row, &g_array_index(wakeups, struct mdl_wakeup, i));
			if (from < most && from + 100 >= most) {
				write_names(s, w, row);
				write_counts(s, w, row);
				idx_writer_over(w, row, &g_array_index(s->rows, struct mdl_row, row));
				left--;
			}
		}
	}
}

static void write_packets(const struct idx_sample *s, struct idx_writer *w)
{
	for (guint i = 0; i < PACKETS(s, 0)->len; i++)
		for (uint32_t stream = 0; stream < IDX_SAMPLE_STREAMS; stream++)
			if (i < PACKETS(s, stream)->len)
				idx_writer_packet(w, stream,
					&g_array_index(PACKETS(s, stream), struct idx_packet, i));
}

void idx_sample_write(const struct idx_sample *s, const char *path)
{
	struct idx_tables t = { .meta = s->meta,
		.contexts = (const struct mdl_context *)s->contexts->data,
		.n_contexts = s->contexts->len,
		.strings = s->strings,
		.devices = (const struct mdl_device *)s->devices->data,
		.n_devices = s->devices->len,
		.streams = s->streams,
		.n_streams = IDX_SAMPLE_STREAMS };
	GError *error = NULL;
	struct idx_writer *w = idx_writer_new(path, &error);

	g_assert_no_error(error);
	for (guint i = 0; i < s->causes->len; i++)
		idx_writer_cause(w, &g_array_index(s->causes, struct mdl_cause, i));
	for (guint i = 0; i < s->transfers->len; i++)
		idx_writer_transfer(w, &g_array_index(s->transfers, struct mdl_transfer, i));
	write_history(s, w);
	write_priorities(s, w);
	write_ipi_waits(s, w);
	for (guint i = 0; i < s->times->len; i++)
		idx_writer_event_time(w, g_array_index(s->times, int64_t, i));
	write_packets(s, w);
	g_assert_true(idx_writer_finish(w, &t, &error));
	g_assert_no_error(error);
	idx_writer_free(w);
}

/* ---- comparing ---- */

struct idx_sums idx_sample_sums(const struct idx_sample *s, uint32_t row, int64_t time)
{
	const GArray *all = INTERVALS(s, row);
	struct idx_sums sums;

	memset(&sums, 0, sizeof sums);
	for (guint i = 0; i < all->len; i++) {
		const struct mdl_interval *v = &g_array_index(all, struct mdl_interval, i);

		if (v->from >= time)
			break;
		sums.ns[v->state] += (uint64_t)(MIN(v->to, time) - v->from);
		sums.intervals++;
		sums.cut = time < v->to;
	}
	return sums;
}

static bool same_interval(const struct mdl_interval *a, const struct mdl_interval *b)
{
	return a->from == b->from && a->to == b->to && same_kind(a, b);
}

static bool same_intervals(const struct idx_sample *s, struct idx_reader *r, uint32_t row)
{
	const GArray *all = INTERVALS(s, row);
	struct idx_intervals *c = idx_intervals_new(r);
	struct mdl_interval v;
	bool same = idx_intervals_seek(c, row, INT64_MIN) == (all->len > 0);

	for (guint i = 0; same && i < all->len; i++)
		same = idx_intervals_next(c, &v) &&
			same_interval(&v, &g_array_index(all, struct mdl_interval, i));
	same = same && !idx_intervals_next(c, &v);
	idx_intervals_free(c);
	return same;
}

static bool same_wakeup(const struct mdl_wakeup *a, const struct mdl_wakeup *b)
{
	if (a->time != b->time || a->since != b->since || a->ran_at != b->ran_at || a->rank != b->rank ||
		a->event_time != b->event_time || a->event_cpu != b->event_cpu || a->waker != b->waker ||
		a->cpu != b->cpu || a->target_cpu != b->target_cpu || a->via != b->via ||
		a->n_contexts != b->n_contexts || a->cause != b->cause)
		return false;
	for (unsigned i = 0; i < a->n_contexts; i++)
		if (a->contexts[i].context != b->contexts[i].context ||
			a->contexts[i].entry != b->contexts[i].entry)
			return false;
	return true;
}

/* Zero-length waits are found by their number; the count of them before each wake-up, or before a wake-up of
 * the same time, is right. */
static bool same_empty(const struct idx_sample *s, struct idx_wakeups *c, uint32_t row)
{
	const GArray *all = WAKEUPS(s, row);
	uint64_t n = 0, before = 0;
	int64_t time, last = INT64_MIN;
	bool same = true;

	for (guint i = 0; same && i < all->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(all, struct mdl_wakeup, i);
		bool empty = w->since == w->time && w->via != MDL_VIA_NONE && w->via != MDL_VIA_NEW;

		before = w->time == last ? before : n;
		last = w->time;
		if (i % 7 == 0)
			same = idx_wakeups_seek_empty(c, row, w->time) == before;
		if (empty)
			same = same && idx_wakeups_empty(c, row, n++, &time) && time == w->time;
	}
	return same && !idx_wakeups_empty(c, row, n, &time) && idx_wakeups_seek_empty(c, row, INT64_MAX) == n;
}

static bool same_wakeups(const struct idx_sample *s, struct idx_reader *r, uint32_t row)
{
	const GArray *all = WAKEUPS(s, row);
	struct idx_wakeups *c = idx_wakeups_new(r);
	struct mdl_wakeup w;
	bool same = idx_reader_wakeup_count(r, row) == all->len && idx_wakeups_seek(c, row, INT64_MIN) == 0;

	for (guint i = 0; same && i < all->len; i++)
		same = idx_wakeups_get(c, row, i, &w) &&
			same_wakeup(&w, &g_array_index(all, struct mdl_wakeup, i));
	same = same && !idx_wakeups_get(c, row, all->len, &w) && same_empty(s, c, row);
	idx_wakeups_free(c);
	return same;
}

static bool same_sums(const struct idx_sample *s, struct idx_reader *r, uint32_t row)
{
	const struct mdl_row *m = &g_array_index(s->rows, struct mdl_row, row);
	/* A life may be longer than 2^63 ns. */
	int64_t third = (int64_t)(((uint64_t)m->last - (uint64_t)m->first) / 3);
	int64_t times[4] = { m->first - (m->first > INT64_MIN), m->first + third, m->first + third + third,
		m->last + (m->last < INT64_MAX) };
	struct idx_sums sums[4];

	idx_reader_sums(r, row, times, 4, sums);
	for (unsigned i = 0; i < 4; i++) {
		struct idx_sums own = idx_sample_sums(s, row, times[i]);

		if (memcmp(own.ns, sums[i].ns, sizeof own.ns) != 0 || own.intervals != sums[i].intervals ||
			own.cut != sums[i].cut)
			return false;
	}
	return true;
}

static bool same_names(const struct idx_sample *s, struct idx_reader *r, uint32_t row)
{
	uint32_t count = idx_reader_name_count(r, row), at = 0;

	for (guint i = 0; i < s->names->len; i++) {
		const struct idx_name *n = &g_array_index(s->names, struct idx_name, i);

		if (n->row != row)
			continue;
		if (at == count || idx_reader_name(r, row, at).name != n->name ||
			idx_reader_name(r, row, at).time != n->time)
			return false;
		at++;
	}
	return at == count;
}

static bool same_row(const struct mdl_row *a, const struct mdl_row *b)
{
	return a->type == b->type && a->nr == b->nr && a->cpu == b->cpu && a->pid == b->pid &&
		a->ppid == b->ppid && a->parent == b->parent && a->name == b->name &&
		a->cgroup == b->cgroup && a->first == b->first && a->last == b->last && a->born == b->born &&
		a->died == b->died;
}

static bool same_meta(const struct idx_meta *a, const struct idx_meta *b)
{
	const struct idx_gap *x = &g_array_index(a->gaps, struct idx_gap, 0),
			     *y = &g_array_index(b->gaps, struct idx_gap, 0);

	return g_str_equal(a->fingerprint, b->fingerprint) && g_str_equal(a->path, b->path) &&
		g_str_equal(a->host, b->host) && g_str_equal(a->uuid, b->uuid) &&
		g_str_equal(a->tracer, b->tracer) && g_str_equal(a->release, b->release) &&
		g_str_equal(a->format, b->format) && g_str_equal(a->reader, b->reader) &&
		a->from == b->from && a->to == b->to && a->events == b->events &&
		a->discarded == b->discarded && a->discarded_packets == b->discarded_packets &&
		a->stepped_back == b->stepped_back && a->n_cpus == b->n_cpus &&
		a->built_in_ns == b->built_in_ns && a->missing_events->len == b->missing_events->len &&
		b->event_names->len == 2 && g_str_equal(a->event_names->pdata[1], b->event_names->pdata[1]) &&
		a->warnings->len == b->warnings->len &&
		g_str_equal(a->warnings->pdata[0], b->warnings->pdata[0]) && a->notes->len == b->notes->len &&
		g_str_equal(a->notes->pdata[0], b->notes->pdata[0]) && a->gaps->len == b->gaps->len &&
		x->cpu == y->cpu && x->from == y->from && x->to == y->to && x->count == y->count;
}

static bool same_contexts(const struct idx_sample *s, const struct idx_reader *r)
{
	if (r->limits.contexts != s->contexts->len)
		return false;
	for (uint32_t i = 0; i < s->contexts->len; i++) {
		const struct mdl_context *a = idx_reader_context(r, i),
					 *b = &g_array_index(s->contexts, struct mdl_context, i);

		if (a->type != b->type || a->nr != b->nr || a->name != b->name)
			return false;
	}
	return true;
}

static bool same_strings(const struct idx_sample *s, const struct idx_reader *r)
{
	if (r->limits.strings != base_strings_count(s->strings))
		return false;
	for (uint32_t i = 0; i < base_strings_count(s->strings); i++)
		if (!g_str_equal(idx_reader_string(r, i), base_strings_get(s->strings, i)))
			return false;
	return true;
}

static bool same_times(const struct idx_sample *s, struct idx_reader *r)
{
	int64_t time;

	for (uint64_t rank = 1; rank <= s->meta->events; rank += 31)
		if (!idx_reader_event_time(r, rank, &time) ||
			time != g_array_index(s->times, int64_t, (rank - 1) / IDX_EVENT_STEP))
			return false;
	return !idx_reader_event_time(r, 0, &time) && !idx_reader_event_time(r, s->meta->events + 1, &time);
}

static bool same_packet(const struct idx_packet *a, const struct idx_packet *b)
{
	return a->offset == b->offset && a->size == b->size && a->first == b->first && a->last == b->last &&
		a->before == b->before && a->events == b->events && a->cpu == b->cpu;
}

/* The first of ALL with an event at or after TIME, by looking at each. */
static uint64_t packet_at(const GArray *all, int64_t time)
{
	guint i = 0;

	while (i < all->len && g_array_index(all, struct idx_packet, i).last < time)
		i++;
	return i;
}

static bool same_stream(const struct idx_sample *s, struct idx_reader *r, uint32_t stream)
{
	const struct idx_stream *a = &s->streams[stream], *b = idx_reader_stream(r, stream);
	const GArray *all = PACKETS(s, stream);
	struct idx_packet p;

	if (!g_str_equal(a->name, b->name) || !g_str_equal(a->reader, b->reader) ||
		a->packets != b->packets || a->events != b->events)
		return false;
	for (guint i = 0; i < all->len; i++) {
		const struct idx_packet *own = &g_array_index(all, struct idx_packet, i);

		if (!idx_reader_packet(r, stream, i, &p) || !same_packet(own, &p))
			return false;
		for (int64_t time = own->first - 1; i % 7 == 0 && time <= own->first + 1; time++)
			if (idx_reader_packet_at(r, stream, time) != packet_at(all, time))
				return false;
		if (i % 7 == 0 &&
			(idx_reader_packet_at(r, stream, own->last) != packet_at(all, own->last) ||
				idx_reader_packet_at(r, stream, own->last + 1) !=
					packet_at(all, own->last + 1)))
			return false;
	}
	return !idx_reader_packet(r, stream, all->len, &p) &&
		idx_reader_packet_at(r, stream, INT64_MIN) == 0 &&
		idx_reader_packet_at(r, stream, INT64_MAX) == all->len;
}

static bool same_priorities(const struct idx_sample *s, const struct idx_reader *r)
{
	for (uint32_t row = 0; row < s->rows->len; row++) {
		struct idx_priority p[2];
		int first = (int)row % 140 - 1;

		if (idx_reader_priority_count(r, row) != (is_thread(s, row) ? 2 : 0))
			return false;
		if (!is_thread(s, row))
			continue;
		for (uint32_t i = 0; i < 2; i++)
			p[i] = idx_reader_priority(r, row, i);
		if (p[0].time != IDX_SAMPLE_START || p[1].time != IDX_SAMPLE_START + 1 ||
			p[0].priority != first || p[1].priority != first + (row % 2 == 0))
			return false;
	}
	return true;
}

static bool same_ipi_waits(const struct idx_sample *s, const struct idx_reader *r)
{
	for (uint32_t row = 0; row < s->rows->len; row++) {
		if (idx_reader_ipi_wait_count(r, row) != (is_thread(s, row) ? 2 : 0))
			return false;
		for (uint32_t i = 0; i < idx_reader_ipi_wait_count(r, row); i++) {
			struct mdl_ipi_wait is = idx_reader_ipi_wait(r, row, i), was = ipi_wait_of(row, i);

			if (is.from != was.from || is.to != was.to || is.entry != was.entry ||
				is.cpus != was.cpus || is.caller != was.caller || is.row != row ||
				is.cpu != was.cpu || is.last != was.last || is.doubts != was.doubts)
				return false;
		}
	}
	return true;
}

/* The sums that R has for ROW within [FROM, TO) are those of the sample. */
static bool same_count_sums(const struct idx_sample *s, struct idx_reader *r, uint32_t row, int64_t from,
	int64_t to)
{
	struct idx_counts is, was = { 0 };

	for (int64_t i = 0; i < counted_times(s, row); i++) {
		struct mdl_counted c = counted_of(s, row, i);

		if (c.from < from || c.to > to)
			continue;
		was.time += (uint64_t)(c.to - c.from);
		for (unsigned k = 0; k < MDL_COUNTERS; k++)
			was.value[k] += c.value[k];
	}
	idx_reader_counts(r, row, from, to, &is);
	return memcmp(&is, &was, sizeof is) == 0;
}

static bool same_counts_of(const struct idx_sample *s, struct idx_reader *r, uint32_t row)
{
	int64_t first = g_array_index(s->rows, struct mdl_row, row).first, times = counted_times(s, row),
		i = times / 3;
	struct idx_counted *cursor = idx_counted_new(r);
	struct mdl_counted is, was;
	bool same = true;

	idx_counted_seek(cursor, row, first + 10 * i + 1);
	for (; same && i < times; i++) {
		was = counted_of(s, row, i);
		same = idx_counted_next(cursor, &is) && is.from == was.from && is.to == was.to &&
			is.cpu == was.cpu && is.has == was.has &&
			memcmp(is.value, was.value, sizeof is.value) == 0;
	}
	same = same && !idx_counted_next(cursor, &is);
	idx_counted_free(cursor);
	for (int64_t step = 1; same && step < 10 * times + 20; step = step * 3 + 1)
		same = same_count_sums(s, r, row, first + step, INT64_MAX) &&
			same_count_sums(s, r, row, INT64_MIN, first + step) &&
			same_count_sums(s, r, row, first + step / 2, first + step);
	return same && same_count_sums(s, r, row, INT64_MIN, INT64_MAX);
}

static bool same_counts(const struct idx_sample *s, struct idx_reader *r)
{
	for (uint32_t row = 0; row < s->rows->len; row++)
		if (idx_reader_has_counts(r, row) != (counted_times(s, row) > 0) ||
			!same_counts_of(s, r, row))
			return false;
	return true;
}

static bool same_streams(const struct idx_sample *s, struct idx_reader *r)
{
	if (idx_reader_stream_count(r) != IDX_SAMPLE_STREAMS)
		return false;
	for (uint32_t stream = 0; stream < IDX_SAMPLE_STREAMS; stream++)
		if (!same_stream(s, r, stream))
			return false;
	return true;
}

static bool same_act(const struct mdl_act *a, const struct mdl_act *b)
{
	return a->time == b->time && a->entry == b->entry && a->cpu == b->cpu && a->context == b->context &&
		a->thread == b->thread;
}

static bool same_chain(const struct mdl_chain *a, const struct mdl_chain *b)
{
	if (a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (a->hops[i].doubts != b->hops[i].doubts || !same_act(&a->hops[i].act, &b->hops[i].act))
			return false;
	return true;
}

static bool same_steps(const struct mdl_request *a, const struct mdl_request *b)
{
	if (a->n_steps != b->n_steps || (a->n_steps > 0 && a->begin != b->begin))
		return false;
	for (unsigned i = 0; i < a->n_steps; i++)
		if (a->steps[i].to != b->steps[i].to || a->steps[i].what != b->steps[i].what ||
			a->steps[i].doubts != b->steps[i].doubts)
			return false;
	return true;
}

static bool same_request(const struct mdl_request *a, const struct mdl_request *b)
{
	return a->dev == b->dev && a->sector == b->sector && a->bytes == b->bytes && a->op == b->op &&
		a->doubts == b->doubts && a->merged == b->merged && a->queued == b->queued &&
		a->inserted == b->inserted && a->issued == b->issued && a->completed == b->completed &&
		same_steps(a, b) && same_act(&a->submitter, &b->submitter) &&
		same_act(&a->issuer, &b->issuer);
}

static bool same_net(const struct mdl_packet *a, const struct mdl_packet *b)
{
	return a->skb == b->skb && a->payload == b->payload && a->length == b->length &&
		a->version == b->version && a->protocol == b->protocol &&
		memcmp(a->source, b->source, sizeof a->source) == 0 &&
		memcmp(a->destination, b->destination, sizeof a->source) == 0 &&
		a->has_ports == b->has_ports && a->source_port == b->source_port &&
		a->destination_port == b->destination_port && a->sequence == b->sequence &&
		a->acknowledgement == b->acknowledgement && a->flags == b->flags && a->id == b->id &&
		a->checksum == b->checksum;
}

static bool same_received(const struct mdl_received *a, const struct mdl_received *b)
{
	return a->device == b->device && a->time == b->time && a->doubts == b->doubts &&
		same_act(&a->sender, &b->sender) && same_net(&a->packet, &b->packet);
}

static bool same_transfer(const struct mdl_transfer *a, const struct mdl_transfer *b)
{
	return a->received == b->received && a->device == b->device && same_act(&a->by, &b->by) &&
		same_net(&a->packet, &b->packet);
}

/* All from the first at or after TIME. */
static bool same_transfers(const struct idx_sample *s, struct idx_transfers *c, int64_t time)
{
	struct mdl_transfer t;
	guint i = 0;

	while (i < s->transfers->len && g_array_index(s->transfers, struct mdl_transfer, i).by.time < time)
		i++;
	for (idx_transfers_seek(c, time); i < s->transfers->len; i++)
		if (!idx_transfers_next(c, &t) ||
			!same_transfer(&g_array_index(s->transfers, struct mdl_transfer, i), &t))
			return false;
	return !idx_transfers_next(c, &t);
}

static bool same_all_transfers(const struct idx_sample *s, struct idx_reader *r)
{
	struct idx_transfers *c = idx_transfers_new(r);
	bool same = same_transfers(s, c, INT64_MIN) && same_transfers(s, c, INT64_MAX);

	for (guint i = 0; same && i < s->transfers->len; i += 31) {
		int64_t time = g_array_index(s->transfers, struct mdl_transfer, i).by.time;

		same = same_transfers(s, c, time) && same_transfers(s, c, time + 1);
	}
	idx_transfers_free(c);
	return same;
}

static bool same_facts(const struct mdl_facts *a, const struct mdl_facts *b)
{
	return a->has == b->has && (!(a->has & MDL_FACT_REQUEST) || same_request(&a->request, &b->request)) &&
		(!(a->has & MDL_FACT_PACKET) || same_received(&a->packet, &b->packet)) &&
		(!(a->has & MDL_FACT_TIMER) ||
			(a->timer.function == b->timer.function && a->timer.expired == b->timer.expired &&
				a->timer.expired_at == b->timer.expired_at &&
				a->timer.wheel == b->timer.wheel && a->timer.due == b->timer.due &&
				a->timer.slack == b->timer.slack && a->timer.cpu == b->timer.cpu &&
				a->timer.doubts == b->timer.doubts &&
				same_act(&a->timer.armed, &b->timer.armed))) &&
		(!(a->has & MDL_FACT_WORK) ||
			(a->work.function == b->work.function && a->work.started == b->work.started &&
				same_act(&a->work.queued, &b->work.queued))) &&
		(!(a->has & MDL_FACT_SIGNAL) ||
			(a->signal.number == b->signal.number && a->signal.doubts == b->signal.doubts &&
				same_act(&a->signal.sender, &b->signal.sender))) &&
		(!(a->has & MDL_FACT_ARRIVAL) ||
			(a->arrival.time == b->arrival.time && a->arrival.cpu == b->arrival.cpu &&
				a->arrival.context == b->arrival.context &&
				a->arrival.entry == b->arrival.entry)) &&
		(!(a->has & MDL_FACT_PENDING) || a->pending == b->pending) &&
		(!(a->has & MDL_FACT_VIRQ) ||
			(a->virq.vector == b->virq.vector && a->virq.by == b->virq.by &&
				a->virq.doubts == b->virq.doubts)) &&
		(!(a->has & MDL_FACT_SUSPEND) ||
			(a->suspend.by == b->suspend.by && a->suspend.doubts == b->suspend.doubts &&
				a->suspend.begin == b->suspend.begin && a->suspend.from == b->suspend.from &&
				a->suspend.least == b->suspend.least && a->suspend.most == b->suspend.most &&
				same_act(&a->suspend.act, &b->suspend.act))) &&
		(!(a->has & MDL_FACT_HOTPLUG) ||
			(a->hotplug.cpu == b->hotplug.cpu && a->hotplug.up == b->hotplug.up &&
				a->hotplug.step == b->hotplug.step &&
				a->hotplug.doubts == b->hotplug.doubts &&
				a->hotplug.function == b->hotplug.function &&
				a->hotplug.entered == b->hotplug.entered)) &&
		(!(a->has & MDL_FACT_FUTEX) ||
			(a->futex.address == b->futex.address && a->futex.by == b->futex.by &&
				a->futex.doubts == b->futex.doubts &&
				same_act(&a->futex.waiter, &b->futex.waiter) &&
				same_act(&a->futex.waker, &b->futex.waker)));
}

static bool same_causes(const struct idx_sample *s, struct idx_reader *r)
{
	struct mdl_cause c;

	if (idx_reader_cause(r, 0, &c) || idx_reader_cause(r, s->causes->len + 1, &c))
		return false;
	for (uint32_t i = 0; i < s->causes->len; i++) {
		const struct mdl_cause *own = &g_array_index(s->causes, struct mdl_cause, i);

		if (!idx_reader_cause(r, i + 1, &c) || c.lossy != own->lossy ||
			!same_chain(&own->chain, &c.chain) || !same_facts(&own->facts, &c.facts))
			return false;
	}
	return true;
}

static bool same_devices(const struct idx_sample *s, const struct idx_reader *r)
{
	uint32_t name;

	for (guint i = 0; i < s->devices->len; i++) {
		const struct mdl_device *d = &g_array_index(s->devices, struct mdl_device, i);

		if (!idx_reader_device(r, d->dev, &name) || name != d->name)
			return false;
	}
	return !idx_reader_device(r, 1, &name);
}

const char *idx_sample_compare(const struct idx_sample *s, struct idx_reader *r)
{
	if (idx_reader_row_count(r) != s->rows->len)
		return "number of rows";
	if (!same_meta(s->meta, idx_reader_meta(r)))
		return "facts of the trace";
	if (!same_strings(s, r) || !same_contexts(s, r))
		return "strings or contexts";
	for (uint32_t row = 0; row < s->rows->len; row++) {
		struct mdl_row facts = idx_reader_row(r, row);

		if (!same_row(&g_array_index(s->rows, struct mdl_row, row), &facts))
			return "a row";
		if (!same_intervals(s, r, row))
			return "intervals";
		if (!same_wakeups(s, r, row))
			return "wake-ups";
		if (!same_sums(s, r, row))
			return "sums";
		if (!same_names(s, r, row))
			return "names";
	}
	if (!same_causes(s, r) || !same_devices(s, r))
		return "causes or devices";
	if (!same_all_transfers(s, r))
		return "transfers";
	if (!same_times(s, r))
		return "event times";
	if (!same_priorities(s, r))
		return "priorities";
	if (!same_ipi_waits(s, r))
		return "waits for IPIs";
	if (!same_counts(s, r))
		return "counts";
	return same_streams(s, r) ? NULL : "streams or packets";
}

/* ---- redundant facts of an index ---- */

/* The intervals of ROW begin and end as written. Times of wake-ups may differ: nothing else in the file
 * repeats them. */
static bool same_frame(const struct idx_sample *s, struct idx_reader *r, uint32_t row)
{
	const struct mdl_row *own = &g_array_index(s->rows, struct mdl_row, row);
	const GArray *all = INTERVALS(s, row);
	struct mdl_row is = idx_reader_row(r, row);
	struct idx_intervals *c = idx_intervals_new(r);
	struct mdl_interval v;
	bool same = is.first == own->first && is.last == own->last &&
		idx_intervals_seek(c, row, INT64_MIN) == (all->len > 0) &&
		idx_reader_wakeup_count(r, row) == WAKEUPS(s, row)->len;

	for (guint i = 0; same && i < all->len; i++)
		same = idx_intervals_next(c, &v) &&
			v.from == g_array_index(all, struct mdl_interval, i).from &&
			v.to == g_array_index(all, struct mdl_interval, i).to;
	same = same && !idx_intervals_next(c, &v);
	idx_intervals_free(c);
	return same;
}

/* The sums up to the end of ROW are those of its intervals. */
static bool sums_agree(struct idx_reader *r, uint32_t row)
{
	struct mdl_row is = idx_reader_row(r, row);
	int64_t times[2] = { is.first + (is.last - is.first) / 3, is.last };
	struct idx_intervals *c = idx_intervals_new(r);
	struct idx_sums sums[2], own[2] = { 0 };
	struct mdl_interval v;

	idx_reader_sums(r, row, times, 2, sums);
	idx_intervals_seek(c, row, INT64_MIN);
	while (idx_intervals_next(c, &v))
		for (unsigned i = 0; i < 2; i++)
			if (v.from < times[i])
				own[i].ns[v.state] += (uint64_t)MIN(v.to, times[i]) - (uint64_t)v.from;
	idx_intervals_free(c);
	return memcmp(own[0].ns, sums[0].ns, sizeof own[0].ns) == 0 &&
		memcmp(own[1].ns, sums[1].ns, sizeof own[1].ns) == 0;
}

const char *idx_sample_contradict(const struct idx_sample *s, struct idx_reader *r)
{
	unsigned priorities = 0, ipi_waits = 0, threads = 0;

	if (idx_reader_row_count(r) != s->rows->len ||
		idx_reader_string_count(r) != base_strings_count(s->strings) ||
		idx_reader_context_count(r) != s->contexts->len)
		return "number of rows, strings or contexts";
	if (idx_reader_meta(r)->events != s->meta->events ||
		idx_reader_stream_count(r) != IDX_SAMPLE_STREAMS ||
		idx_reader_transfer_count(r) != s->transfers->len || r->causes.count != s->causes->len ||
		r->n_devices != s->devices->len)
		return "number of events, streams, transfers, causes or devices";
	for (uint32_t row = 0; row < s->rows->len; row++) {
		if (!same_frame(s, r, row))
			return "lives, when intervals begin and end, or number of wake-ups";
		if (!sums_agree(r, row))
			return "sums";
		priorities += idx_reader_priority_count(r, row);
		ipi_waits += idx_reader_ipi_wait_count(r, row);
		threads += is_thread(s, row);
	}
	if (priorities != 2 * threads || ipi_waits != 2 * threads)
		return "number of priorities or waits for IPIs";
	for (uint32_t i = 0; i < IDX_SAMPLE_STREAMS; i++)
		if (idx_reader_stream(r, i)->events != s->streams[i].events ||
			idx_reader_stream(r, i)->packets != s->streams[i].packets)
			return "number of events or packets of a stream";
	return NULL;
}

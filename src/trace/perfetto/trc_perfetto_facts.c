/* SPDX-License-Identifier: MIT */
/* Facts beside the events: configuration, machine, clocks, threads, losses. */
#include "trace/perfetto/trc_perfetto.h"

#include <string.h>

#define READINGS 10         /* readings of the time of day at most; the smallest counts */
#define SETTLED 64          /* blocks: after these, one reading is enough */
#define STEP 100000000      /* ns: without being set, no clock drifts that far between readings */
#define THREAD_COST 256     /* bytes of memory of a thread, including the model's */
#define PATTERNS_MOST 10000 /* names of events in the configuration */
#define RING_COST 128       /* bytes of memory */
#define CPUS_MOST 8192      /* CPUs without events at most */
#define TEXT_MOST 4096      /* bytes of a text */

static void thread_clear(void *data)
{
	g_free(((struct trc_perfetto_thread *)data)->name);
}

void trc_perfetto_facts_init(struct trc_perfetto_facts *f, struct trc_budget *budget)
{
	*f = (struct trc_perfetto_facts){ .budget = budget,
		.threads = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_thread)),
		.asked = g_ptr_array_new_with_free_func(g_free),
		.failed = g_ptr_array_new_with_free_func(g_free),
		.writers = g_hash_table_new(NULL, NULL),
		.rings = g_hash_table_new_full(NULL, NULL, NULL, g_free) };
	g_array_set_clear_func(f->threads, thread_clear);
}

void trc_perfetto_facts_clear(struct trc_perfetto_facts *f)
{
	g_array_unref(f->threads);
	g_ptr_array_unref(f->asked);
	g_ptr_array_unref(f->failed);
	g_hash_table_unref(f->rings);
	g_hash_table_unref(f->writers);
	g_free(f->release);
	g_free(f->machine);
	g_free(f->version);
	g_free(f->mask);
}

/* Return the text in F; NULL: it is none, or too long. */
static char *text_of(const struct trc_wire_field *f)
{
	size_t size = f->type == TRC_WIRE_BYTES ? trc_wire_size(&f->bytes) : 0;

	return size > 0 && size <= TEXT_MOST ? g_strndup((const char *)f->bytes.at, size) : NULL;
}

static void take_text(char **slot, const struct trc_wire_field *f)
{
	char *text = *slot ? NULL : text_of(f);

	*slot = text ? text : *slot;
}

/* ---- clocks ---- */

/*
 * Take a snapshot of clocks. Clocks are read one after the other, the time of day after BOOTTIME, so the
 * difference includes the time between the two. The smallest difference of the first readings is the best.
 * Later ones differ because NTP adjusts the clock. Times of the trace continue evenly, as in other tracers.
 */
static void take_clocks(struct trc_perfetto_zero *z, struct trc_wire w, guint block)
{
	uint64_t times[TRC_PERFETTO_BOOT + 1] = { 0 };
	struct trc_wire_field f, g;
	int64_t zero, way;

	while (trc_wire_next(&w, &f)) {
		uint64_t id = 0, time = 0;

		if (f.number != 1 || f.type != TRC_WIRE_BYTES)
			continue;
		while (trc_wire_next(&f.bytes, &g))
			if (g.number == 1)
				id = g.value;
			else if (g.number == 2)
				time = g.value;
		if (id <= TRC_PERFETTO_BOOT)
			times[id] = time;
	}
	if (times[TRC_PERFETTO_OF_DAY] == 0 || times[TRC_PERFETTO_BOOT] == 0 ||
		times[TRC_PERFETTO_OF_DAY] > BASE_TIME_FARTHEST ||
		times[TRC_PERFETTO_BOOT] > BASE_TIME_FARTHEST)
		return;
	zero = (int64_t)(times[TRC_PERFETTO_OF_DAY] - times[TRC_PERFETTO_BOOT]);
	if (z->n == 0)
		z->ns = zero;
	else if (ABS(zero - z->latest) > STEP) {
		way = zero - z->latest;
		z->step = ABS(way) > ABS(z->step) ? way : z->step;
		z->steps++;
	}
	z->latest = zero;
	if (z->n > 0 && trc_perfetto_zero_is_settled(z, block))
		return;
	z->n++;
	if (z->steps == 0)
		z->ns = MIN(z->ns, zero);
}

bool trc_perfetto_zero_is_settled(const struct trc_perfetto_zero *z, guint block)
{
	return z->n >= READINGS || (z->n > 0 && block >= SETTLED);
}

/* ---- threads ---- */

static void add_thread(struct trc_perfetto_facts *f, const struct trc_perfetto_thread *t)
{
	if (t->tid > 0 && t->tid <= INT32_MAX &&
		trc_budget_spend(f->budget, THREAD_COST, "it names more threads than its size has room for"))
		g_array_append_vals(f->threads, t, 1);
	else
		g_free(t->name);
}

/* Cut the current work from a kworker's name in /proc: "kworker/6:1H-kblockd" (wq_worker_comm(),
 * kernel/workqueue.c). */
static void cut_worker(char *name)
{
	char *at = name && g_str_has_prefix(name, "kworker/") ? strchr(name, ':') : NULL;

	while (at && g_ascii_isalnum(*++at))
		;
	if (at && (*at == '-' || *at == '+'))
		*at = '\0';
}

/*
 * Read ProcessTree.Process: pid 1, ppid 2, cmdline 3, is_kthread 8, cmdline_is_comm 9. The command line of a
 * program is not the name of its thread. Older versions lack fields 8 and 9; there, threads of the kernel are
 * the children of kthreadd.
 */
static void take_process(struct trc_perfetto_facts *f, struct trc_wire w, uint64_t time)
{
	struct trc_perfetto_thread t = { .time = time, .tid = -1, .ppid = -1 };
	struct trc_wire_field at;
	bool is_name = false;
	g_autofree char *name = NULL;

	while (trc_wire_next(&w, &at))
		if (at.number == 3)
			take_text(&name, &at);
		else if (at.type != TRC_WIRE_NUMBER)
			continue;
		else if (at.number == 1)
			t.tid = (int32_t)at.value;
		else if (at.number == 2)
			t.ppid = (int32_t)at.value;
		else if (at.number == 8 || at.number == 9)
			is_name |= at.value != 0;
	t.pid = t.tid;
	if (is_name || t.ppid == 2 || t.pid == 2)
		t.name = g_steal_pointer(&name);
	cut_worker(t.name);
	add_thread(f, &t);
}

/* Read ProcessTree.Thread: tid 1, name 2, tgid 3. */
static void take_thread(struct trc_perfetto_facts *f, struct trc_wire w, uint64_t time)
{
	struct trc_perfetto_thread t = { .time = time, .tid = -1, .pid = -1, .ppid = -1 };
	struct trc_wire_field at;

	while (trc_wire_next(&w, &at))
		if (at.number == 2)
			take_text(&t.name, &at);
		else if (at.type != TRC_WIRE_NUMBER)
			continue;
		else if (at.number == 1)
			t.tid = (int32_t)at.value;
		else if (at.number == 3)
			t.pid = (int32_t)at.value;
	add_thread(f, &t);
}

static void take_tree(struct trc_perfetto_facts *f, const struct trc_perfetto_packet *p)
{
	struct trc_wire w = p->body;
	struct trc_wire_field at;
	uint64_t time = p->clock == 0 || p->clock == TRC_PERFETTO_BOOT ? p->time : 0;

	while (trc_wire_next(&w, &at))
		if (at.number == 1 && at.type == TRC_WIRE_BYTES)
			take_process(f, at.bytes, time);
		else if (at.number == 2 && at.type == TRC_WIRE_BYTES)
			take_thread(f, at.bytes, time);
}

/* ---- the configuration: TraceConfig, data_sources 2, config 1, name 1, ftrace_config 100 ---- */

/* Read FtraceConfig: ftrace_events 1, syscall_events 18, tids_to_trace 35, tracing_cpumask 37. */
static void take_ftrace_config(struct trc_perfetto_facts *f, struct trc_wire w)
{
	struct trc_wire_field at;

	while (trc_wire_next(&w, &at)) {
		char *pattern = at.number == 1 && f->asked->len < PATTERNS_MOST ? text_of(&at) : NULL;

		if (pattern)
			g_ptr_array_add(f->asked, g_strcanon(pattern, TRC_PERFETTO_WORD "/*", '_'));
		f->some_calls |= at.number == 18;
		f->some_threads |= at.number == 35;
		if (at.number == 37)
			take_text(&f->mask, &at);
	}
}

/* Call FUNC for each message in W with NUMBER. */
typedef void (*each_func)(struct trc_perfetto_facts *f, struct trc_wire w);
static void each(struct trc_perfetto_facts *f, struct trc_wire w, unsigned number, each_func func)
{
	struct trc_wire_field at;

	while (trc_wire_next(&w, &at))
		if (at.number == number && at.type == TRC_WIRE_BYTES)
			func(f, at.bytes);
}

static void take_source_config(struct trc_perfetto_facts *f, struct trc_wire w)
{
	each(f, w, 100, take_ftrace_config);
}

/* Read a data source. With machine_name_filter 4 it is for some machines, by names unknown here. */
static void take_source(struct trc_perfetto_facts *f, struct trc_wire w)
{
	struct trc_wire all = w;
	struct trc_wire_field at;

	while (f->is_part && trc_wire_next(&all, &at))
		if (at.number == 4)
			return;
	each(f, w, 1, take_source_config);
}

/* ---- the machine: SystemInfo, utsname 1, tracing_service_version 4, num_cpus 8 ---- */

static void take_system(struct trc_perfetto_facts *f, struct trc_wire w)
{
	struct trc_wire_field at, in;
	g_autofree char *version = NULL;

	while (trc_wire_next(&w, &at)) {
		if (at.number == 4)
			take_text(&f->version, &at);
		if (at.number == 8 && at.type == TRC_WIRE_NUMBER)
			f->cpus = (uint32_t)MIN(at.value, CPUS_MOST);
		if (at.number != 1 || at.type != TRC_WIRE_BYTES)
			continue;
		while (trc_wire_next(&at.bytes, &in))
			switch (in.number) {
			case 2: take_text(&version, &in); break;
			case 3: take_text(&f->release, &in); break;
			case 4: take_text(&f->machine, &in); break;
			default: break;
			}
	}
	f->rt |= version && strstr(version, "PREEMPT_RT");
}

/* ---- losses: FtraceStats, phase 1, cpu_stats 2, unknown_ftrace_events 6, failed_ftrace_events 7 ---- */

/* Read FtraceCpuStats: cpu 1, overrun 3; refused events: commit_overrun 4, dropped_events 8. */
static void take_ring(struct trc_perfetto_facts *f, struct trc_wire w, bool start)
{
	struct trc_perfetto_ring *r;
	struct trc_wire_field at;
	uint64_t cpu = TRC_CPUS_MAX, overrun = 0, dropped = 0;

	while (trc_wire_next(&w, &at))
		if (at.type != TRC_WIRE_NUMBER)
			continue;
		else if (at.number == 1)
			cpu = at.value;
		else if (at.number == 3)
			overrun = at.value;
		else if (at.number == 4 || at.number == 8)
			dropped += at.value;
	if (cpu >= TRC_CPUS_MAX)
		return;
	r = g_hash_table_lookup(f->rings, GUINT_TO_POINTER((guint)cpu));
	if (!r) {
		if (!trc_budget_spend(f->budget, RING_COST,
			    "it tells of more CPUs than its size has room for"))
			return;
		r = g_new0(struct trc_perfetto_ring, 1);
		g_hash_table_insert(f->rings, GUINT_TO_POINTER((guint)cpu), r);
	}
	if (start && !r->has_start) {
		r->has_start = true;
		r->overrun_start = overrun;
		r->dropped_start = dropped;
	}
	r->overrun = overrun;
	r->dropped = dropped;
}

static void take_stats(struct trc_perfetto_facts *f, struct trc_wire w)
{
	struct trc_wire all = w;
	struct trc_wire_field at;
	bool start = false;

	while (trc_wire_next(&w, &at)) {
		char *event = (at.number == 6 || at.number == 7) && f->failed->len < PATTERNS_MOST
			? text_of(&at)
			: NULL;

		if (event)
			g_ptr_array_add(f->failed, g_strcanon(event, TRC_PERFETTO_WORD "/*", '_'));
		start |= at.number == 1 && at.value == 1;
	}
	while (trc_wire_next(&all, &at))
		if (at.number == 2 && at.type == TRC_WIRE_BYTES)
			take_ring(f, at.bytes, start);
}

uint64_t trc_perfetto_facts_lost(const struct trc_perfetto_facts *f, uint32_t cpu, uint64_t *refused)
{
	const struct trc_perfetto_ring *r = g_hash_table_lookup(f->rings, GUINT_TO_POINTER(cpu));

	*refused = 0;
	if (!r || !r->has_start)
		return 0;
	*refused = r->dropped > r->dropped_start ? r->dropped - r->dropped_start : 0;
	return *refused + (r->overrun > r->overrun_start ? r->overrun - r->overrun_start : 0);
}

/* Read TraceStats: buffer_stats 1, by number, with chunks_discarded 18; writer_stats 18, with sequence_id 1,
 * buffer 4. */
static void take_buffers(struct trc_perfetto_facts *f, struct trc_wire w)
{
	struct trc_wire_field at, in;
	unsigned buffer = 0;

	while (trc_wire_next(&w, &at)) {
		uint64_t sequence = 0, number = 0, discarded = 0;

		if (at.type != TRC_WIRE_BYTES || (at.number != 1 && at.number != 18))
			continue;
		while (trc_wire_next(&at.bytes, &in)) {
			discarded = in.number == 18 ? in.value : discarded;
			sequence = in.number == 1 ? in.value : sequence;
			number = in.number == 4 ? in.value : number;
		}
		if (at.number == 1 && buffer < TRC_PERFETTO_BUFFERS_MOST)
			f->full |= (uint32_t)(discarded > 0) << buffer++;
		else if (at.number == 18 && sequence <= UINT32_MAX && number < TRC_PERFETTO_BUFFERS_MOST &&
			trc_budget_spend(f->budget, RING_COST,
				"it tells of more writers than its size has room for"))
			g_hash_table_insert(f->writers, GUINT_TO_POINTER((guint)sequence),
				GUINT_TO_POINTER((guint)number + 1));
	}
}

bool trc_perfetto_facts_full(const struct trc_perfetto_facts *f, uint32_t sequence)
{
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(f->writers, GUINT_TO_POINTER(sequence)));

	return number == 0 ? f->full != 0 : f->full >> (number - 1) & 1;
}

bool trc_perfetto_facts_has(const struct trc_perfetto_facts *f, uint32_t cpu)
{
	size_t length = f->mask ? strlen(f->mask) : 0;
	uint32_t digit = 0;

	/* The lowest digit is the last. Commas separate words of 32 bits. */
	for (; length > 0; length--) {
		if (f->mask[length - 1] == ',')
			continue;
		if (digit++ == cpu / 4)
			return g_ascii_xdigit_value(f->mask[length - 1]) > 0 &&
				g_ascii_xdigit_value(f->mask[length - 1]) & 1 << cpu % 4;
	}
	return !f->mask;
}

void trc_perfetto_facts_take(struct trc_perfetto_facts *f, const struct trc_perfetto_packet *p, guint block)
{
	switch (p->kind) {
	case TRC_PERFETTO_TREE: take_tree(f, p); break;
	case TRC_PERFETTO_CLOCKS: take_clocks(&f->zero, p->body, block); break;
	case TRC_PERFETTO_CONFIG: each(f, p->body, 2, take_source); break;
	case TRC_PERFETTO_STATS: take_stats(f, p->body); break;
	case TRC_PERFETTO_BUFFERS: take_buffers(f, p->body); break;
	case TRC_PERFETTO_SYSTEM: take_system(f, p->body); break;
	default: break;
	}
}

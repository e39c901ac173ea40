/* SPDX-License-Identifier: MIT */
/*
 * How it works: one thread reads and merges, another one feeds the model, whose sink is the index writer. A
 * third thread writes, if there is a processor for it. Memory holds only the state of the model and the open
 * blocks of the writer. The spans that the model finds go to a file of their own, without statistics: only
 * the finished index has the set of the tracer's threads.
 */
#include "ingest/ing_feed.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "index/spans/spans.h"
#include "model/event/table.h"
#include "model/event/tracer.h"

#include <netinet/in.h>

#define BESIDE_TOLD 8   /* most listed folders with traces of user programs */
#define OFFLINE_TOLD 16 /* most listed times of CPUs off-line, and of suspends of the machine */

/* Write RECORD of ROW, in this thread or in another one. */
static inline void put(struct ing_make *m, enum ing_post_what what, uint32_t row, const void *record)
{
	if (m->post)
		ing_post_put(m->post, what, row, record);
	else
		ing_post_write(&m->files, what, row, record);
}

static void on_interval(void *data, uint32_t row, const struct mdl_interval *interval)
{
	put(data, ING_POST_INTERVAL, row, interval);
}

static void on_wakeup(void *data, uint32_t row, const struct mdl_wakeup *wakeup)
{
	put(data, ING_POST_WAKEUP, row, wakeup);
}

static void on_cause(void *data, const struct mdl_cause *cause)
{
	put(data, ING_POST_CAUSE, 0, cause);
}

/* True if P lacks the header of its transport protocol, or all headers. */
static bool is_bare(const struct mdl_packet *p)
{
	if (p->version == 0)
		return !mdl_packet_is_numbers(p);
	return !p->has_ports && (p->protocol == IPPROTO_TCP || p->protocol == IPPROTO_UDP);
}

static void on_transfer(void *data, const struct mdl_transfer *transfer)
{
	struct ing_make *m = data;
	const char *interface = base_strings_get(mdl_machine_strings(m->feed.machine), transfer->device);

	put(m, ING_POST_TRANSFER, 0, transfer);
	if (!transfer->received || g_str_equal(interface, "lo")) /* no other host sent it */
		return;
	m->received++;
	m->bare += is_bare(&transfer->packet);
}

static void on_name(void *data, uint32_t row, int64_t time, uint32_t name)
{
	put(data, ING_POST_NAME, row, &(struct ing_post_at){ .time = time, .name = name });
}

static void on_over(void *data, uint32_t row, const struct mdl_row *facts)
{
	put(data, ING_POST_OVER, row, facts);
}

static void on_priority(void *data, uint32_t row, int64_t time, int16_t priority)
{
	put(data, ING_POST_PRIORITY, row, &(struct ing_post_at){ .time = time, .priority = priority });
}

static void on_ipi_wait(void *data, const struct mdl_ipi_wait *wait)
{
	put(data, ING_POST_IPI_WAIT, 0, wait);
}

static void on_counted(void *data, uint32_t row, const struct mdl_counted *counted)
{
	put(data, ING_POST_COUNTED, row, counted);
}

static void on_span(void *data, const struct mdl_span *span)
{
	put(data, ING_POST_SPAN, 0, span);
}

/* A hole of all CPUs. */
static void on_hole(void *data, int64_t from, int64_t to)
{
	const struct ing_make *m = data;
	struct idx_gap gap = { .from = from, .to = to };

	if (m->holes->len < TRC_GAPS_KEPT)
		g_array_append_val(m->holes, gap);
}

static const struct mdl_sink sink = { .interval = on_interval,
	.wakeup = on_wakeup,
	.cause = on_cause,
	.transfer = on_transfer,
	.name = on_name,
	.priority = on_priority,
	.ipi_wait = on_ipi_wait,
	.counted = on_counted,
	.hole = on_hole,
	.over = on_over };

void ing_make_time(void *data, int64_t time)
{
	put(data, ING_POST_TIME, 0, &(struct ing_post_at){ .time = time });
}

G_STATIC_ASSERT(TRC_CPU_NONE == IDX_CPU_NONE);

void ing_make_packets(struct ing_make *m, const struct trc_packet_seen *packets, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct trc_packet_seen *p = &packets[i];
		struct idx_packet packet = { .offset = p->offset,
			.size = p->size,
			.first = p->first,
			.last = p->last,
			.events = p->events,
			.cpu = p->cpu };

		put(m, ING_POST_PACKET, p->stream, &packet);
	}
}

bool ing_make_has_events(const struct ing_make *m, GError **error)
{
	if (m->feed.from != BASE_TIME_NONE)
		return true;
	if (m->feed.info->cpuless > 0)
		return base_error_false(error, BASE_ERROR_FOREIGN,
			"%s is not a Linux kernel trace: its packets have no CPU (no field cpu_id); "
			"babeltrace2 prints them",
			m->feed.info->path);
	return base_error_false(error, BASE_ERROR_DATA,
		"%s: no events in this trace: record it again, with events enabled before it starts",
		m->feed.info->path);
}

/* Put a warning before all others: the trace has no events of a Linux kernel; and what it is instead. */
static void note_stranger(const struct ing_make *m, struct idx_meta *meta)
{
	const char *tracer = *m->feed.info->tracer ? m->feed.info->tracer : NULL;

	if (g_str_equal(meta->domain, "ust"))
		g_ptr_array_insert(meta->warnings, 0,
			g_strdup_printf(
				"a user-space trace (%s): it has no events of the kernel, which wakepath needs to show threads: record the kernel in the same session (lttng enable-event -k …), and open the folder of both; babeltrace2 and Trace Compass show this one",
				tracer ? tracer : "LTTng-UST"));
	else if (g_str_equal(meta->domain, "programs"))
		g_ptr_array_insert(meta->warnings, 0,
			g_strdup(
				"no events of the kernel in this trace, only those of programs (track events): wakepath lists them (events), but threads are unknown; record it again, with the data source linux.ftrace and events such as sched/sched_switch"));
	else
		g_ptr_array_insert(meta->warnings, 0,
			g_strdup_printf(
				"not a Linux kernel trace%s%s: it has none of the kernel's events that wakepath uses; babeltrace2 prints them",
				tracer ? ", but of " : "", tracer ? tracer : ""));
}

/* Without switches nothing is known of threads. Declared events that never came are missing, too. */
static void note_switches(const struct ing_make *m, struct idx_meta *meta)
{
	if (mdl_machine_away_only(m->feed.machine) && !m->feed.info->away_only)
		g_ptr_array_add(meta->warnings,
			g_strdup(
				"only switches away from some threads were recorded (lttng track): it is unknown when threads ran or waited; record all threads"));
	if (mdl_machine_switches(m->feed.machine) > 0)
		return;
	if (!g_ptr_array_find_with_equal_func(meta->missing_events, "sched_switch", g_str_equal, NULL))
		g_ptr_array_insert(meta->missing_events, 0, g_strdup("sched_switch"));
	if (!idx_meta_is_kernel(meta)) {
		note_stranger(m, meta);
		return;
	}
	g_ptr_array_add(meta->warnings,
		g_strdup("no sched_switch was recorded: it is unknown when threads ran or waited"));
}

/* The note that vcpu_id is no number: bad[0] in kvm_entry, bad[1] in kvm_exit. */
static char *vcpu_id_text(const struct mdl_vcpu_notes *n)
{
	const char *which = n->bad[1] == 0 ? "kvm_entry"
		: n->bad[0] == 0           ? "kvm_exit"
					   : "kvm_entry and kvm_exit";

	return g_strdup_printf(
		"vcpu_id of %s is not that of a virtual CPU (%u of them): tracer and kernel do not agree; %s",
		which, MAX(n->bad[0], n->bad[1]),
		n->numbered == 0         ? "virtual CPUs are told apart by their threads alone"
			: n->bad[1] == 0 ? "that of kvm_exit is used"
			: n->bad[0] == 0 ? "that of kvm_entry is used"
					 : "only some virtual CPUs have a number");
}

static void note_vcpus(const struct ing_make *m, struct idx_meta *meta)
{
	const struct mdl_vcpu_notes *n = mdl_machine_vcpu_notes(m->feed.machine);
	g_autofree char *since = base_time_format_duration(n->tsc_at - m->feed.from, false);

	if (n->bad[0] + n->bad[1] > 0)
		g_ptr_array_add(meta->notes, vcpu_id_text(n));
	if (n->odd > 0)
		g_ptr_array_add(meta->notes,
			g_strdup_printf(
				"vcpu_id of %u virtual CPUs is not used: kvm_entry and kvm_exit differ in it, or another virtual "
				"CPU of the process has the same; they are told apart by their threads alone",
				n->odd));
	if (n->tsc_written > 0)
		g_ptr_array_add(meta->warnings,
			g_strdup_printf(
				"the TSC offset of virtual CPUs that had run before was changed (kvm_write_tsc_offset): %" G_GUINT64_FORMAT
				" times, first that of thread %" G_GINT64_FORMAT
				", %s after the start of the trace; the clocks of their guests may have jumped then",
				n->tsc_written, n->tsc_thread, since));
}

/* Note the counters that threads have, and the differences that were left out. */
static void note_counters(const struct ing_make *m, struct idx_meta *meta)
{
	const struct mdl_counting *k = mdl_machine_counting(m->feed.machine);
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < k->n; i++)
		g_ptr_array_add(meta->counters, base_text_clean(k->names[i], -1));
	if (k->across > 0)
		g_string_append_printf(text,
			"%" G_GUINT64_FORMAT
			" differences between two samples span several threads, so the share of each thread is unknown; "
			"wakepath record --counters reads them at each switch, also where perf takes sched_switch out of a group",
			k->across);
	if (k->paused > 0)
		g_string_append_printf(text,
			"%s%" G_GUINT64_FORMAT
			" differences span a time in which other counters used the hardware for a while",
			text->len > 0 ? "; " : "", k->paused);
	if (text->len > 0)
		g_ptr_array_add(meta->notes, g_strdup_printf("counters: left out: %s", text->str));
	if (k->back > 0)
		g_ptr_array_add(meta->warnings,
			g_strdup_printf(
				"counters: %" G_GUINT64_FORMAT
				" values are lower than the one before, or too large: the counts there are unknown",
				k->back));
	if (k->left_out > 0)
		g_ptr_array_add(meta->warnings,
			g_strdup_printf(
				"counters: %" G_GUINT64_FORMAT
				" values left out: there are more than %d counters, or two with one name",
				k->left_out, MDL_COUNTERS));
}

/* For g_ptr_array_extend(): a copy without control characters, because names of events come from the
 * trace. */
static gpointer clean_text(gconstpointer text, G_GNUC_UNUSED gpointer unused)
{
	return base_text_clean(text, -1);
}

static int compare_gaps(const void *a, const void *b)
{
	const struct idx_gap *x = a, *y = b;

	return BASE_BY(x, y, cpu) ?: BASE_BY(x, y, from);
}

static void add_holes(struct idx_meta *meta, const GArray *holes)
{
	if (holes->len == 0)
		return;
	for (guint i = 0; i < holes->len; i++) {
		struct idx_gap gap = g_array_index(holes, struct idx_gap, i);

		for (gap.cpu = 0; gap.cpu < meta->n_cpus && meta->gaps->len < TRC_GAPS_KEPT; gap.cpu++)
			g_array_append_val(meta->gaps, gap);
	}
	g_array_sort(meta->gaps, compare_gaps);
	g_ptr_array_add(meta->warnings,
		g_strdup_printf(
			"no CPU recorded anything for some time, although threads switched: %u time%s; tracing was off then, or "
			"full buffers refused events; what threads did is unknown",
			holes->len, base_text_s(holes->len)));
}

/* Return the last record in [FROM, TO] of a thread that began to take CPU off-line, or with UP to bring it
 * on-line; NULL: not recorded. */
static const struct mdl_hotplug_seen *who_plugged(const struct ing_make *m, uint32_t cpu, bool up,
	int64_t from, int64_t to)
{
	const GArray *all = mdl_machine_hotplugs(m->feed.machine);

	for (guint i = all->len; i-- > 0;) {
		const struct mdl_hotplug_seen *s = &g_array_index(all, struct mdl_hotplug_seen, i);

		if (s->cpu == cpu && s->up == up && s->from >= from && s->from <= to)
			return s;
	}
	return NULL;
}

static void add_by(GString *text, const struct mdl_power_by *by)
{
	g_autofree char *name = base_text_clean(by->name, (gssize)strnlen(by->name, sizeof by->name));

	if (by->tid < 0) {
		g_string_append(text, "by an unknown thread");
		return;
	}
	g_string_append_printf(text, "by %s[%" G_GINT64_FORMAT "]", name, by->tid);
}

/* Append " (by plug[392], back by init[1])": the threads that took G's CPU off-line and brought it back. */
static void add_plugger(GString *text, const struct ing_make *m, const struct trc_gap *g)
{
	const struct mdl_hotplug_seen *down = who_plugged(m, g->cpu, false, m->feed.from, g->to);
	const struct mdl_hotplug_seen *up = who_plugged(m, g->cpu, true, g->from, g->to);

	if (up && down && up->by.tid == down->by.tid)
		up = NULL;
	if (!up && !down)
		return;
	g_string_append(text, " (");
	if (down)
		add_by(text, &down->by);
	if (down && down->for_suspend)
		g_string_append(text, " for a suspend");
	if (up) {
		g_string_append(text, down ? ", back " : "back ");
		add_by(text, &up->by);
	}
	g_string_append_c(text, ')');
}

/* Note the CPUs that were off-line. They are shown as idle. */
static void note_offline(const struct ing_make *m, struct idx_meta *meta)
{
	const GArray *spans = m->feed.info->offline;
	g_autoptr(GString) text = g_string_new("off-line, and shown as idle:");

	for (guint i = 0; i < MIN(spans->len, OFFLINE_TOLD); i++) {
		const struct trc_gap *g = &g_array_index(spans, struct trc_gap, i);
		g_autofree char *how_long = base_time_format_duration(g->to - g->from, false);
		g_autofree char *since = base_time_format_duration(g->from - m->feed.from, false);

		g_string_append_printf(text, "%s CPU %" G_GUINT32_FORMAT " for %s", i > 0 ? "," : "", g->cpu,
			how_long);
		add_plugger(text, m, g);
		g_string_append_printf(text, ", from %s after the start on", since);
	}
	if (spans->len > OFFLINE_TOLD)
		g_string_append_printf(text, ", and %u more times", spans->len - OFFLINE_TOLD);
	if (spans->len > 0)
		g_ptr_array_add(meta->notes, g_strdup(text->str));
}

/* Append "; time-keeping stopped for 9.45 s to 9.49 s: …" for a trace by CLOCK. */
static void add_stop(GString *text, const struct mdl_suspend_seen *s, const char *clock)
{
	g_autofree char *least = base_time_format_duration(s->least, false),
			*most = base_time_format_duration(s->most, false);

	if (!s->stopped)
		return;
	g_string_append(text, "; time-keeping stopped");
	if (s->most > 0)
		g_string_append_printf(text,
			" for %s%s%s: CLOCK_MONOTONIC stood still, the trace's clock, %s, went on",
			s->least > 0 ? least : "at most", s->least > 0 ? " to " : " ", most, clock);
	else if (s->least >= MDL_STOP_TOLD)
		g_string_append_printf(text, " for at least %s: CLOCK_MONOTONIC stood still", least);
	else
		g_string_append(text, ", and the trace's clock with it: for how long is not recorded");
}

static void note_cut(const struct trc_cut_mark *cut, struct idx_meta *meta)
{
	meta->cut_whole = cut->whole;
	if (cut->whole != INT64_MIN)
		g_ptr_array_add(meta->notes,
			g_strdup_printf(
				"a window of another recording, %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
				": all events from %" G_GINT64_FORMAT
				" on, and of those before only the ones that set the states at that time",
				cut->from, cut->to, cut->whole));
	if (cut->callers)
		g_ptr_array_add(meta->notes,
			g_strdup_printf(
				"the cut has the system calls of only %u thread%s: when other threads were in a call is unknown",
				cut->callers->len, base_text_s(cut->callers->len)));
}

static void note_suspends(const struct ing_make *m, struct idx_meta *meta)
{
	const GArray *all = mdl_machine_suspends(m->feed.machine);

	for (guint i = 0; i < MIN(all->len, OFFLINE_TOLD); i++) {
		const struct mdl_suspend_seen *s = &g_array_index(all, struct mdl_suspend_seen, i);
		bool ends = s->to != MDL_NEVER;
		g_autofree char *how_long = base_time_format_duration((ends ? s->to : m->feed.to) - s->from,
			false);
		g_autofree char *since = base_time_format_duration(s->from - m->feed.from, false);
		g_autoptr(GString) text = g_string_new(NULL);

		g_string_append_printf(text,
			"suspended: user threads were frozen for %s%s, from %s after the start on, ",
			how_long, ends ? "" : " or longer", since);
		add_by(text, &s->by);
		add_stop(text, s, m->feed.info->clock_name);
		g_ptr_array_add(meta->notes, g_strdup(text->str));
	}
}

static void add_chunks(struct idx_meta *meta, const struct trc_info *info)
{
	for (guint i = 0; i < info->chunks->len; i++) {
		const struct trc_chunk *c = &g_array_index(info->chunks, struct trc_chunk, i);
		struct idx_chunk chunk = { .path = base_text_clean(c->path, -1),
			.from = c->from,
			.to = c->to };

		g_array_append_val(meta->chunks, chunk);
	}
}

static void note_beside(const struct trc_info *info, struct idx_meta *meta)
{
	guint n = info->beside ? g_strv_length(info->beside) : 0;
	g_autoptr(GString) text = g_string_new("traces of user programs are read with it:");

	for (guint i = 0; i < MIN(n, BESIDE_TOLD); i++) {
		g_autofree char *folder = base_text_clean(info->beside[i], -1);

		g_string_append_printf(text, "%s %s", i > 0 ? "," : "", folder);
	}
	if (n > BESIDE_TOLD)
		g_string_append_printf(text, ", and %u more", n - BESIDE_TOLD);
	if (n > 0)
		g_ptr_array_add(meta->notes, g_strdup(text->str));
}

/* CPUS, of uint32_t, as text: "2, 3"; the caller frees. */
static char *cpu_list(const GArray *cpus)
{
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < cpus->len && list->len < 60; i++)
		g_string_append_printf(list, "%s%" G_GUINT32_FORMAT, i ? ", " : "",
			g_array_index(cpus, uint32_t, i));
	if (list->len >= 60)
		g_string_append(list, ", …");
	return g_string_free(list, FALSE);
}

static void add_absent(const struct ing_make *m, struct idx_meta *meta)
{
	const struct ing_absent *a = &m->feed.absent;
	g_autofree char *absent = cpu_list(a->cpus), *named = cpu_list(a->named);

	if (a->cpus->len > 0)
		g_ptr_array_add(meta->warnings,
			g_strdup_printf(
				"CPU %s has no stream file, but threads ran there: what it did is unknown, and so is what "
				"threads did that no other CPU ran; copy the whole folder if the original has the file",
				absent));
	if (a->named->len > 0)
		g_ptr_array_add(meta->warnings,
			g_strdup_printf(
				"CPU %s has no stream file: it was off-line, or its states are unknown; copy the whole "
				"folder if the original has the file",
				named));
	for (guint i = 0; i < a->cpus->len; i++) {
		struct idx_gap gap = { .cpu = g_array_index(a->cpus, uint32_t, i),
			.from = m->feed.from,
			.to = m->feed.to };

		meta->n_cpus = MAX(meta->n_cpus, gap.cpu + 1);
		if (meta->gaps->len < TRC_GAPS_KEPT)
			g_array_append_val(meta->gaps, gap);
	}
	g_array_sort(meta->gaps, compare_gaps);
}

static struct idx_meta *make_meta(const struct ing_make *m, const char *fingerprint)
{
	const struct trc_info *i = m->feed.info;
	const struct mdl_tracer *tracer = mdl_tracer_of(i->tracer);
	struct idx_meta *meta = idx_meta_new();
	const struct mdl_coverage *coverage = mdl_machine_coverage(m->feed.machine);
	GPtrArray *missing = mdl_coverage_missing(coverage), *names = mdl_table_names(i->classes);

	meta->fingerprint = g_strdup(fingerprint);
	meta->path = base_text_clean(i->path, -1);
	meta->host = g_strdup(i->host);
	meta->uuid = g_strdup(i->uuid);
	meta->clock_uuid = g_strdup(i->clock_uuid);
	meta->clock_frequency = i->clock_frequency;
	meta->clock_zero = i->clock_zero;
	meta->domain = g_strdup(i->domain);
	meta->tracer = g_strdup(i->tracer);
	meta->release = g_strdup(i->release);
	meta->format = g_strdup(i->format);
	meta->reader = g_strdup(i->reader);
	meta->from = m->feed.from;
	meta->to = m->feed.to;
	meta->events = i->events;
	meta->discarded = i->discarded;
	meta->discarded_packets = i->discarded_packets;
	meta->stepped_back = i->stepped_back;
	meta->n_cpus = i->n_cpus;
	meta->built_in_ns = (uint64_t)(g_get_monotonic_time() - m->started) * 1000;
	for (guint k = 0; k < missing->len; k++)
		if (tracer->dumps || !g_str_has_prefix(g_ptr_array_index(missing, k), "lttng_statedump"))
			g_ptr_array_add(meta->missing_events, g_strdup(g_ptr_array_index(missing, k)));
	g_ptr_array_extend(meta->event_names, names, clean_text, NULL);
	g_ptr_array_extend(meta->warnings, i->warnings, clean_text, NULL);
	meta->recorded = mdl_coverage_recorded(coverage);
	g_array_append_vals(meta->hides, coverage->history->data, coverage->history->len);
	note_switches(m, meta);
	if (coverage->hides & MDL_DOUBT(UNTOLD) && coverage->bare_cpus > 0)
		g_ptr_array_add(meta->warnings,
			g_strdup(
				"timers expire in interrupts without a tracepoint, as on Hyper-V: such an interrupt may have done what threads and softirqs seem to do, which is inferred"));
	if (tracer->from_boot && i->clock_frequency > 0 && i->clock_zero == 0 &&
		!g_str_equal(i->clock_name, "realtime"))
		g_ptr_array_add(meta->warnings,
			g_strdup(
				"times are since boot, not of the day: perf record -k mono gives those (for CTF, and perf data convert --tod)"));
	if (*i->counters)
		g_ptr_array_add(meta->notes, g_strdup_printf("samples of counters: %s", i->counters));
	note_cut(&i->cut, meta);
	note_beside(i, meta);
	note_vcpus(m, meta);
	note_counters(m, meta);
	note_suspends(m, meta);
	note_offline(m, meta);
	if (mdl_machine_bad_tids(m->feed.machine) > 0)
		g_ptr_array_add(meta->warnings,
			g_strdup_printf(
				"%" G_GUINT64_FORMAT
				" events name an impossible thread and were left out; if they are many, "
				"copy the trace again",
				mdl_machine_bad_tids(m->feed.machine)));
	if (mdl_machine_lost_virqs(m->feed.machine) > 0)
		g_ptr_array_add(meta->warnings,
			g_strdup_printf(
				"interrupts posted to guests without a known virtual CPU: %" G_GUINT64_FORMAT
				"; record kvm_inj_virq and kvm_eoi too",
				mdl_machine_lost_virqs(m->feed.machine)));
	if (m->received > 0 && m->bare == m->received)
		g_ptr_array_add(meta->warnings,
			g_strdup(
				"packets were received without TCP or UDP headers, so the packets that other hosts sent are unknown: "
				"record with LTTng 2.9 or later"));
	for (guint k = 0; k < i->gaps->len; k++) {
		const struct trc_gap *g = &g_array_index(i->gaps, struct trc_gap, k);
		struct idx_gap gap = { .cpu = g->cpu, .from = g->from, .to = g->to, .count = g->count };

		g_array_append_val(meta->gaps, gap);
	}
	for (guint k = 0; k < i->common->len; k++) {
		const struct trc_piece *p = &g_array_index(i->common, struct trc_piece, k);
		struct idx_piece piece = { p->offset, p->size };

		g_array_append_val(meta->common, piece);
	}
	add_absent(m, meta);
	/* If only a set of threads was recorded, a hole may mean no more than that these threads slept. */
	if (!mdl_machine_has_set(m->feed.machine))
		add_holes(meta, m->holes);
	add_chunks(meta, i);
	g_ptr_array_unref(missing);
	g_ptr_array_unref(names);
	return meta;
}

/* The streams of READER, for the index. The caller frees. */
static struct idx_stream *make_streams(const struct trc_reader *reader)
{
	struct idx_stream *streams = g_new0(struct idx_stream, trc_reader_stream_count(reader));

	for (unsigned i = 0; i < trc_reader_stream_count(reader); i++) {
		struct trc_stream s = trc_reader_stream(reader, i);

		streams[i] = (struct idx_stream){ .name = s.name, .reader = s.reader };
	}
	return streams;
}

bool ing_make_finish(struct ing_make *m, const struct trc_reader *reader, const char *fingerprint,
	GError **error)
{
	struct idx_tables t = { .strings = mdl_machine_strings(m->feed.machine) };
	struct idx_stream *streams = make_streams(reader);
	const GArray *devices;
	struct idx_meta *meta;
	bool ok;

	mdl_machine_finish(m->feed.machine, m->feed.to);
	g_clear_pointer(&m->post, ing_post_free);
	meta = make_meta(m, fingerprint);
	t.meta = meta;
	t.n_contexts = mdl_machine_context_count(m->feed.machine);
	t.contexts = t.n_contexts > 0 ? mdl_machine_context(m->feed.machine, 0) : NULL;
	devices = mdl_machine_devices(m->feed.machine);
	t.devices = (const struct mdl_device *)(const void *)devices->data;
	t.n_devices = devices->len;
	t.streams = streams;
	t.n_streams = trc_reader_stream_count(reader);
	ok = idx_writer_finish(m->files.index, &t, error);
	if (ok && m->files.spans) /* without them they are read from the trace later */
		idx_spans_writer_finish(m->files.spans,
			&(struct idx_spans_of){ .fingerprint = fingerprint,
				.hosts = 1,
				.rows = m->files.rows,
				.hash = m->files.hash },
			NULL);
	g_free(streams);
	idx_meta_free(meta);
	return ok;
}

bool ing_make_begin(struct ing_make *m, const struct trc_reader *reader, const GArray *firsts,
	const struct ing_absent *absent, const char *file, bool spans, GError **error)
{
	g_autofree char *beside = idx_spans_path(file);

	*m = (struct ing_make){ .sink = sink, .started = g_get_monotonic_time() };
	m->files.index = idx_writer_new(file, error);
	if (m->files.index && spans)
		m->files.spans = idx_spans_writer_new(beside, IDX_SPANS_BARE, NULL);
	if (m->files.spans)
		m->sink.span = on_span;
	m->holes = g_array_new(FALSE, FALSE, sizeof(struct idx_gap));
	if (m->files.index)
		ing_feed_init(&m->feed, reader, firsts, absent, &m->sink, m);
	return m->files.index;
}

void ing_make_clear(struct ing_make *m)
{
	g_clear_pointer(&m->post, ing_post_free);
	if (m->files.index)
		ing_feed_clear(&m->feed);
	idx_writer_free(m->files.index);
	idx_spans_writer_free(m->files.spans);
	m->files = (struct ing_post_files){ .index = NULL };
	g_clear_pointer(&m->holes, g_array_unref);
}

/* ---- a whole index ---- */

struct build {
	struct ing_make make;
	bool helped;   /* another thread writes */
	bool no_spans; /* without the file of spans */
	ing_build_watch watch;
	void *data;
};

static void build_time(void *data, int64_t time)
{
	ing_make_time(&((struct build *)data)->make, time);
}

/* Add the packets that ended with the last batch. */
static void build_batch(void *data, struct trc_ahead *ahead)
{
	struct build *b = data;
	const struct trc_packet_seen *packets;
	unsigned n = trc_ahead_packets(ahead, &packets);

	ing_make_packets(&b->make, packets, n);
}

static bool build_should_stop(void *data, GError **error)
{
	struct build *b = data;
	const GError *failure = b->make.post ? ing_post_error(b->make.post)
					     : idx_writer_error(b->make.files.index);

	if (failure) {
		g_propagate_error(error, g_error_copy(failure));
		return true;
	}
	if (!b->watch || !b->watch(b->data, ing_feed_share(&b->make.feed), b->make.feed.events))
		return false;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted; nothing was written");
	return true;
}

/* Read all of READER; ABSENT as for ing_absent_init(). M is not finished if that is not all. */
static bool build_read(struct build *b, struct trc_reader *reader, const GArray *firsts,
	const struct ing_absent *absent, const char *file, GError **error)
{
	static const struct ing_feed_hooks hooks = { build_time, build_batch, build_should_stop };

	if (!ing_make_begin(&b->make, reader, firsts, absent, file, !b->no_spans, error))
		return false;
	if (b->helped)
		b->make.post = ing_post_new(&b->make.files);
	return ing_feed_all(&b->make.feed, reader, &hooks, b, error);
}

static bool build_finish(struct build *b, const struct trc_reader *reader,
	const struct trc_recording *recording, const char *fingerprint, GError **error)
{
	return ing_feed_is_whole(&b->make.feed, recording, fingerprint, error) &&
		ing_make_has_events(&b->make, error) && ing_make_finish(&b->make, reader, fingerprint, error);
}

/* Like ing_build(), with B set up. */
static bool build_once(struct build *b, struct trc_reader *reader, const struct trc_recording *recording,
	const char *fingerprint, const GArray *firsts, const char *reader_name, const char *file,
	GError **error)
{
	struct trc_reader *again = NULL;
	bool ok = build_read(b, reader, firsts, NULL, file, error);

	if (ok && ing_absent_is_late(&b->make.feed.absent)) {
		struct ing_absent absent = ing_absent_found(&b->make.feed.absent);

		ing_make_clear(&b->make);
		again = trc_reader_open(recording, reader_name, error);
		ok = again && build_read(b, again, firsts, &absent, file, error);
		ing_absent_clear(&absent);
	}
	ok = ok && build_finish(b, again ? again : reader, recording, fingerprint, error);
	b->no_spans = !b->make.files.spans;
	ing_make_clear(&b->make);
	trc_reader_free(again);
	return ok;
}

bool ing_build(struct trc_reader *reader, const struct trc_recording *recording, const char *fingerprint,
	const GArray *firsts, const char *reader_name, const char *file, bool helped, ing_build_watch watch,
	void *data, GError **error)
{
	struct build b = { .helped = helped, .watch = watch, .data = data };
	GError *problem = NULL;
	bool ok = build_once(&b, reader, recording, fingerprint, firsts, reader_name, file, &problem);

	/* The spans may have taken the room that the index needs. */
	if (g_error_matches(problem, BASE_ERROR, BASE_ERROR_IO) && !b.no_spans) {
		struct trc_reader *again = trc_reader_open(recording, reader_name, NULL);

		b.no_spans = true;
		if (again) {
			g_clear_error(&problem);
			ok = build_once(&b, again, recording, fingerprint, firsts, reader_name, file,
				&problem);
		}
		trc_reader_free(again);
	}
	if (problem)
		g_propagate_error(error, problem);
	if (ok)
		idx_spans_remove_beside(file);
	return ok;
}

/* SPDX-License-Identifier: MIT */
#include "model/mdl_parts.h"

#include <string.h>

#define CPU_LIMIT 8192		/* NR_CPUS of the largest kernel configuration */

static guint context_hash(gconstpointer key)
{
	const struct mdl_context *c = key;

	return (guint)(c->nr * 31 + c->name * 7 + c->type);
}

static gboolean context_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct mdl_context)) == 0;
}

/* "6.1.0-50-rt-amd64", "5.15.49-rt47" */
static bool is_preempt_rt(const char *release)
{
	const char *rt = release != NULL ? strstr(release, "-rt") : NULL;

	return rt != NULL && (rt[3] == '\0' || rt[3] == '-' || g_ascii_isdigit(rt[3]));
}

struct mdl_machine *mdl_machine_new(const struct mdl_sink *sink, void *data, const char *release)
{
	struct mdl_machine *m = g_new0(struct mdl_machine, 1);

	m->sink = sink;
	m->data = data;
	m->bits = mdl_prev_bits_of(release);
	m->lost_until = MDL_NEVER;
	m->threaded = is_preempt_rt(release);
	m->strings = base_strings_new();
	m->tracks = g_ptr_array_new_with_free_func(g_free);
	m->threads = g_ptr_array_new_with_free_func(mdl_thread_free);
	m->over = g_ptr_array_new_with_free_func(g_free);
	m->ended = g_ptr_array_new_with_free_func(mdl_thread_free);
	m->cpus = g_ptr_array_new_with_free_func(mdl_cpu_free);
	m->irq_names = g_hash_table_new(g_direct_hash, g_direct_equal);
	m->irqs = g_hash_table_new(g_direct_hash, g_direct_equal);
	m->irq_threads = g_hash_table_new(g_direct_hash, g_direct_equal);
	m->contexts = g_array_new(FALSE, FALSE, sizeof(struct mdl_context));
	m->context_ids = g_hash_table_new_full(context_hash, context_equal, g_free, NULL);
	m->labels = g_hash_table_new(g_direct_hash, g_direct_equal);
	m->devices = g_array_new(FALSE, FALSE, sizeof(struct mdl_device));
	m->disks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	m->timers = mdl_timer_table_new();
	m->works = mdl_work_table_new();
	m->packets = mdl_net_table_new();
	mdl_block_init(&m->blocks);
	return m;
}

void mdl_machine_some_calls(struct mdl_machine *m)
{
	m->some_calls = true;
}

void mdl_machine_lone(struct mdl_machine *m)
{
	m->lone = true;
}

void mdl_machine_free(struct mdl_machine *m)
{
	if (m == NULL)
		return;
	base_strings_free(m->strings);
	g_ptr_array_unref(m->tracks);
	g_ptr_array_unref(m->threads);
	g_ptr_array_unref(m->ended);
	g_ptr_array_unref(m->over);
	g_ptr_array_unref(m->cpus);
	g_hash_table_unref(m->irq_names);
	g_hash_table_unref(m->irqs);
	g_hash_table_unref(m->irq_threads);
	g_array_unref(m->contexts);
	g_hash_table_unref(m->context_ids);
	g_hash_table_unref(m->labels);
	g_array_unref(m->devices);
	g_hash_table_unref(m->disks);
	mdl_recent_free(m->timers);
	mdl_recent_free(m->works);
	mdl_recent_free(m->packets);
	mdl_block_clear(&m->blocks);
	for (size_t i = 0; i < G_N_ELEMENTS(m->pages); i++)
		g_free(m->pages[i]);
	g_free(m);
}

void mdl_machine_clock(struct mdl_machine *m, int64_t zero)
{
	mdl_due_know(&m->zeros, zero);
}

void mdl_machine_begin(struct mdl_machine *m, int64_t from)
{
	m->from = m->now = from;
}

static bool ends_context(uint32_t kind)
{
	return kind == MDL_EV_IRQ_EXIT || kind == MDL_EV_SOFTIRQ_EXIT || kind == MDL_EV_HRTIMER_EXIT || kind == MDL_EV_VECTOR_EXIT ||
	       kind == MDL_EV_IPI_EXIT;
}

/* Forget what was so as of the last event of its CPU alone. */
static void pass(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	if (e->kind != MDL_EV_SCHED_WAKEUP && e->kind != MDL_EV_SCHED_MIGRATE && e->kind != MDL_EV_SCHED_WAKING) {
		mdl_signal_pass(m, c);
		c->just_raised = e->kind == MDL_EV_SOFTIRQ_RAISE ? c->just_raised : 0;
		c->gave_lent = e->kind == MDL_EV_PI_SETPRIO && c->gave_lent;
		c->leaving = ends_context(e->kind) ? c->leaving : NULL;
	}
	if (e->kind != MDL_EV_WORK_QUEUE && e->kind != MDL_EV_SCHED_MIGRATE)	/* of the worker, between its sched_waking and its sched_wakeup */
		c->has_just_queued = false;
}

void mdl_machine_event(struct mdl_machine *m, const struct mdl_event *e)
{
	if (e->cpu >= CPU_LIMIT)
		return;
	if (m->over->len > 0) {
		g_ptr_array_set_size(m->ended, 0);
		g_ptr_array_set_size(m->over, 0);
	}
	m->now = e->time;
	if (m->open_gaps > 0 && e->rank > 0)
		mdl_gap_resume(m, e->cpu);
	mdl_dispatch_event(m, e);
	if (e->kind != MDL_EV_NONE && e->kind != MDL_EV_FIRST)	/* only some of these are delivered */
		pass(m, e);
}

void mdl_machine_finish(struct mdl_machine *m, int64_t to)
{
	for (guint i = 0; i < m->threads->len; i++)
		mdl_sched_drop_pending(m, g_ptr_array_index(m->threads, i));
	while (m->tracks->len > 0)
		mdl_track_end(m, g_ptr_array_index(m->tracks, m->tracks->len - 1), to);
}

uint32_t mdl_machine_context_count(const struct mdl_machine *m)
{
	return m->contexts->len;
}

const struct mdl_context *mdl_machine_context(const struct mdl_machine *m, uint32_t context)
{
	return &g_array_index(m->contexts, struct mdl_context, context);
}

const struct base_strings *mdl_machine_strings(const struct mdl_machine *m)
{
	return m->strings;
}

const GArray *mdl_machine_devices(const struct mdl_machine *m)
{
	return m->devices;
}

void mdl_machine_lacks_switches(struct mdl_machine *m)
{
	m->lacks_switches = true;
}

uint64_t mdl_machine_switches(const struct mdl_machine *m)
{
	return m->switches;
}

uint64_t mdl_machine_bad_tids(const struct mdl_machine *m)
{
	return m->bad_tids;
}

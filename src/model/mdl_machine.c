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

/* Labels are few and come as pointers that stay the same: no need to hash their text each time. */
static uint32_t label_id(struct mdl_machine *m, const char *label)
{
	gpointer id;

	if (label == NULL)
		return 0;
	if (g_hash_table_lookup_extended(m->labels, label, NULL, &id))
		return GPOINTER_TO_UINT(id);
	id = GUINT_TO_POINTER(base_strings_add_hostile(m->strings, label, -1));
	g_hash_table_insert(m->labels, (gpointer)label, id);
	return GPOINTER_TO_UINT(id);
}

static void syscall_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_thread *t = c->current;

	c->own.facts.has &= MDL_FACT_WORK;	/* the rest is past with the call in which it happened */
	if (t == NULL)
		return;
	t->mode = e->kind == MDL_EV_SYSCALL_ENTRY ? MDL_MODE_SYSCALL : m->some_calls ? MDL_MODE_UNKNOWN : MDL_MODE_USER;
	t->syscall = e->kind == MDL_EV_SYSCALL_ENTRY ? label_id(m, e->label) : 0;
	mdl_held_time_out(m, t, NULL);
	t->deadline = 0;
	mdl_thread_refresh(m, t);
}

static void irq_event(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t nr = e->arg[MDL_IRQ_NR];
	uint32_t name;

	if (e->kind == MDL_EV_IRQ_ENTRY) {
		name = mdl_line_irq_name(m, nr, e->text[0]);
		mdl_line_irq(m, e->cpu, nr, name, true);
		mdl_cpu_enter(m, e->cpu, MDL_CTX_IRQ, nr, name);
	} else {
		mdl_line_irq(m, e->cpu, nr, 0, false);
		mdl_cpu_leave(m, e->cpu, MDL_CTX_IRQ, nr);
		mdl_irqthread_handled(m, e->cpu, nr, e->arg[MDL_IRQ_RET]);
	}
}

static void softirq_event(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t vec = e->arg[MDL_SOFTIRQ_VEC];
	bool enter = e->kind == MDL_EV_SOFTIRQ_ENTRY;

	mdl_line_softirq(m, e->cpu, vec, enter);
	if (m->threaded)
		mdl_irqthread_softirq(m, e->cpu, vec, enter);
	else if (enter)
		mdl_cpu_enter(m, e->cpu, MDL_CTX_SOFTIRQ, vec, mdl_line_softirq_name(m, vec));
	else
		mdl_cpu_leave(m, e->cpu, MDL_CTX_SOFTIRQ, vec);
}

/* Vectors that one CPU sends to another are inter-processor interrupts; the rest belong to the CPU itself. */
static enum mdl_ctx_type vector_type(const char *label)
{
	static const char *const ipis[] = {
		"reschedule", "call_function", "call_function_single", "irq_work", "x86_platform_ipi", NULL,
	};

	return label != NULL && g_strv_contains(ipis, label) ? MDL_CTX_IPI : MDL_CTX_VECTOR;
}

static void vector_event(struct mdl_machine *m, const struct mdl_event *e)
{
	enum mdl_ctx_type type = vector_type(e->label);
	int64_t nr = e->arg[MDL_VECTOR_NR] == MDL_ARG_ABSENT ? -1 : e->arg[MDL_VECTOR_NR];

	m->has_calls |= g_strcmp0(e->label, "call_function_single") == 0;

	if (e->kind == MDL_EV_VECTOR_ENTRY)
		mdl_cpu_enter(m, e->cpu, type, nr, label_id(m, e->label));
	else
		mdl_cpu_leave(m, e->cpu, type, nr);
}

static void dump_irq_event(struct mdl_machine *m, const struct mdl_event *e)
{
	const char *name = e->text[1] != NULL ? e->text[1] : e->text[0];
	gpointer key = (gpointer)(intptr_t)e->arg[MDL_DUMP_IRQ_NR];

	if (name != NULL && !g_hash_table_contains(m->irq_names, key))
		g_hash_table_insert(m->irq_names, key, GUINT_TO_POINTER(base_strings_add_hostile(m->strings, name, -1)));
}

static void rename_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = e->arg[0] == 0 ? NULL : mdl_thread_get(m, e->arg[0], e->cpu);

	if (t != NULL)
		mdl_thread_name(m, t, e->text[0]);
}

static void pi_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	c->gave_lent = c->current != NULL && c->current->tid == e->arg[0];
}

void mdl_machine_clock(struct mdl_machine *m, int64_t zero)
{
	mdl_due_know(&m->zeros, zero);
}

void mdl_machine_begin(struct mdl_machine *m, int64_t from)
{
	m->from = m->now = from;
}

/* What becomes the cause of a wait later on. */
static void fact_event(struct mdl_machine *m, const struct mdl_event *e)
{
	switch ((enum mdl_kind)e->kind) {
	case MDL_EV_HRTIMER_START:
	case MDL_EV_TIMER_START:
		mdl_timer_start(m, e);
		break;
	case MDL_EV_TIMER_CANCEL:
		mdl_timer_cancel(m, e);
		break;
	case MDL_EV_TIMER_ENTRY:
	case MDL_EV_TIMER_EXIT:
		mdl_timer_wheel(m, e);
		break;
	case MDL_EV_WORK_QUEUE:
		mdl_work_queue(m, e);
		break;
	case MDL_EV_WORK_START:
	case MDL_EV_WORK_END:
		mdl_block_pass(mdl_cpu_get(m, e->cpu));
		mdl_work_execute(m, e);
		break;
	case MDL_EV_SIGNAL:
		mdl_signal_generate(m, e);
		break;
	case MDL_EV_NET_QUEUE:
		mdl_net_queue(m, e);
		break;
	case MDL_EV_NAPI_POLL:
		mdl_net_poll(m, e->cpu);
		break;
	case MDL_EV_NET_RECEIVE:
		mdl_net_receive(m, e);
		break;
	case MDL_EV_DUMP_BLOCK:
		mdl_disk_dumped(m, e);
		break;
	case MDL_EV_SOFTIRQ_RAISE:
		mdl_chain_raise(m, e);
		break;
	case MDL_EV_IPI_SEND:
		mdl_sender_note(m, e);
		break;
	case MDL_EV_BIO_QUEUE:
	case MDL_EV_BIO_MERGE:
	case MDL_EV_BIO_REMAP:
	case MDL_EV_RQ_GET:
	case MDL_EV_RQ_INSERT:
	case MDL_EV_RQ_ISSUE:
	case MDL_EV_RQ_REQUEUE:
	case MDL_EV_RQ_MERGE:
	case MDL_EV_RQ_COMPLETE:
		mdl_block_event(m, e);
		break;
	default:
		break;
	}
}

static void context_event(struct mdl_machine *m, const struct mdl_event *e)
{
	switch ((enum mdl_kind)e->kind) {
	case MDL_EV_IRQ_ENTRY:
	case MDL_EV_IRQ_EXIT:
		irq_event(m, e);
		break;
	case MDL_EV_SOFTIRQ_ENTRY:
	case MDL_EV_SOFTIRQ_EXIT:
		softirq_event(m, e);
		break;
	case MDL_EV_HRTIMER_ENTRY:
		mdl_timer_hrtimer(m, e);
		break;
	case MDL_EV_HRTIMER_EXIT:
		mdl_cpu_leave(m, e->cpu, MDL_CTX_HRTIMER, -1);
		break;
	case MDL_EV_VECTOR_ENTRY:
	case MDL_EV_VECTOR_EXIT:
		vector_event(m, e);
		break;
	case MDL_EV_IPI_ENTRY:
		m->has_calls = true;
		mdl_cpu_enter(m, e->cpu, MDL_CTX_IPI, -1,
			      e->text[0] != NULL ? base_strings_add_hostile(m->strings, e->text[0], -1) : 0);
		break;
	case MDL_EV_IPI_EXIT:
		mdl_cpu_leave(m, e->cpu, MDL_CTX_IPI, -1);
		break;
	default:
		fact_event(m, e);
		break;
	}
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
	switch ((enum mdl_kind)e->kind) {
	case MDL_EV_GAP_BEGIN:
		mdl_gap_begin(m, e->cpu);
		break;
	case MDL_EV_FIRST:
		mdl_sched_first(m, e);
		break;
	case MDL_EV_GAP_END:
		mdl_gap_end(m, e->cpu, e->arg[MDL_GAP_LAST_EVENT] == MDL_ARG_ABSENT ? m->now : e->arg[MDL_GAP_LAST_EVENT]);
		break;
	case MDL_EV_SCHED_SWITCH:
		mdl_sched_switch(m, e);
		break;
	case MDL_EV_SCHED_WAKING:
		mdl_sched_waking(m, e);
		break;
	case MDL_EV_SCHED_WAKEUP:
		mdl_sched_wakeup(m, e);
		break;
	case MDL_EV_SCHED_WAKEUP_NEW:
		mdl_sched_wakeup_new(m, e);
		break;
	case MDL_EV_SCHED_MIGRATE:
		mdl_sched_migrate(m, e);
		break;
	case MDL_EV_SCHED_RENAME:
		rename_event(m, e);
		break;
	case MDL_EV_PI_SETPRIO:
		pi_event(m, e);
		break;
	case MDL_EV_FORK:
		mdl_thread_fork(m, e);
		break;
	case MDL_EV_EXEC:
		mdl_thread_exec(m, e);
		break;
	case MDL_EV_FREE:
		mdl_thread_freed(m, e);
		break;
	case MDL_EV_SYSCALL_ENTRY:
	case MDL_EV_SYSCALL_EXIT:
		syscall_event(m, e);
		break;
	case MDL_EV_DUMP_PROCESS:
		mdl_thread_dumped(m, e);
		break;
	case MDL_EV_DUMP_IRQ:
		dump_irq_event(m, e);
		break;
	default:
		context_event(m, e);
		break;
	}
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

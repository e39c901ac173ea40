/* SPDX-License-Identifier: MIT */
/*
 * How it works: the first event of each kind and vector is noted before it is handled, the first context of
 * each type when it begins. Each time HIDES is computed again, so a question costs one AND.
 *
 * Conditions under which interrupts of a kind cannot come unrecorded:
 *
 *   - Devices: an irq_handler_entry came, and an entry of an hrtimer or vector, so that timers are recorded
 *     (proofs.md R11.2).
 *   - IPIs: on x86 all vectors are declared, and call_function_single came (R11.3). With one CPU, no other
 *     CPU can send any, so the declaration is enough. Since Linux 6.4 all kernels declare ipi_entry
 *     (kernel/smp.c), but only those of arm and arm64 write it, also for irq_work (do_handle_IPI(),
 *     arch/arm64/kernel/smp.c). PowerPC runs irq_work in its timer's interrupt (__timer_interrupt(),
 *     arch/powerpc/kernel/time.c), which has other events. So the line of arm's timer must have come, too
 *     ("arch_timer", drivers/clocksource/arm_arch_timer.c).
 *   - The local timer: hrtimer_interrupt() (kernel/time/hrtimer.c) raises HRTIMER, and PREEMPT_RT wakes
 *     ktimers after it, outside of all functions of timers (R11.4). On x86 it is a vector, elsewhere a line.
 *   - Hyper-V's interrupts, which serve all its devices and its timer, have no event (R11.5). They exist if
 *     many hrtimers of a CPU expire in no interrupt although all vectors are recorded. A single hrtimer shows
 *     only that its own interrupt is missing: the tracer switched its events on or off one by one.
 */
#include "model/kernel/coverage.h"

#include "model/event/event.h"
#include "model/kernel/prev.h"
#include "model/event/table.h"

#include <string.h>

#define BIT(group) ((uint64_t)1 << (group))

#define DOUBT_TEXT(NAME, word, group, sentence) [MDL_DOUBT_NR_##NAME] = { word, sentence, MDL_GROUP_##group },
const struct mdl_doubt_text mdl_doubt_texts[MDL_DOUBTS_N] = { MDL_DOUBTS(DOUBT_TEXT) };

/* The groups of a class of events by its kind. The names of vectors add others. */
static const struct {
	enum mdl_kind kind;
	enum mdl_group group;
} kinds[] = {
	{ MDL_EV_SCHED_SWITCH, MDL_GROUP_SWITCH },
	{ MDL_EV_SCHED_WAKING, MDL_GROUP_WAKING },
	{ MDL_EV_SCHED_WAKEUP, MDL_GROUP_WAKEUP },
	{ MDL_EV_SCHED_MIGRATE, MDL_GROUP_MIGRATE },
	{ MDL_EV_FORK, MDL_GROUP_PROCESS },
	{ MDL_EV_FORK, MDL_GROUP_FORK },
	{ MDL_EV_EXEC, MDL_GROUP_PROCESS },
	{ MDL_EV_EXIT, MDL_GROUP_PROCESS },
	{ MDL_EV_EXIT, MDL_GROUP_EXIT },
	{ MDL_EV_IRQ_ENTRY, MDL_GROUP_IRQ },
	{ MDL_EV_SOFTIRQ_ENTRY, MDL_GROUP_SOFTIRQ },
	{ MDL_EV_SOFTIRQ_RAISE, MDL_GROUP_RAISE },
	{ MDL_EV_HRTIMER_ENTRY, MDL_GROUP_HRTIMER },
	{ MDL_EV_HRTIMER_START, MDL_GROUP_HRTIMER_START },
	{ MDL_EV_TIMER_START, MDL_GROUP_TIMER_START },
	{ MDL_EV_TIMER_ENTRY, MDL_GROUP_TIMER },
	{ MDL_EV_WORK_QUEUE, MDL_GROUP_WORK_QUEUE },
	{ MDL_EV_WORK_START, MDL_GROUP_WORK },
	{ MDL_EV_WORK_END, MDL_GROUP_WORK_END },
	{ MDL_EV_SIGNAL, MDL_GROUP_SIGNAL },
	{ MDL_EV_NET_QUEUE, MDL_GROUP_NET_SENT },
	{ MDL_EV_NET_RECEIVE, MDL_GROUP_NET_RECEIVED },
	{ MDL_EV_IPI_ENTRY, MDL_GROUP_IPI },
	{ MDL_EV_IPI_SEND, MDL_GROUP_IPI_SENDER },
	{ MDL_EV_RQ_ISSUE, MDL_GROUP_REQUEST },
	{ MDL_EV_RQ_COMPLETE, MDL_GROUP_REQUEST_END },
	{ MDL_EV_BIO_QUEUE, MDL_GROUP_BIO },
	{ MDL_EV_DUMP_PROCESS, MDL_GROUP_STATEDUMP },
	{ MDL_EV_SYSCALL_ENTRY, MDL_GROUP_SYSCALL },
	{ MDL_EV_SYSCALL_EXIT, MDL_GROUP_SYSCALL_EXIT },
	{ MDL_EV_PI_SETPRIO, MDL_GROUP_PI },
};

/* The vectors that come upon threads all the time; a trace may have events of some of them only. Vectors of
 * errors need not be there. (CONFIG_SMP has all five: arch/x86/include/asm/trace/irq_vectors.h.) */
static const struct {
	const char *label;
	enum mdl_group group;
} vectors[] = {
	{ "local_timer", MDL_GROUP_LOCAL_TIMER },
	{ "reschedule", MDL_GROUP_RESCHEDULE },
	{ "call_function", MDL_GROUP_CALL_FUNCTION },
	{ "call_function_single", MDL_GROUP_CALL_SINGLE },
	{ "irq_work", MDL_GROUP_IRQ_WORK },
};
#define VECTORS                                                                                  \
	(BIT(MDL_GROUP_LOCAL_TIMER) | BIT(MDL_GROUP_RESCHEDULE) | BIT(MDL_GROUP_CALL_FUNCTION) | \
		BIT(MDL_GROUP_CALL_SINGLE) | BIT(MDL_GROUP_IRQ_WORK))
/* The prefix of perf's events of vectors. perf cannot record irq_work, which it needs itself
 * (TRACE_EVENT_PERF_PERM() in arch/x86/include/asm/trace/irq_vectors.h). */
#define OF_PERF "irq_vectors:"

enum mdl_group mdl_group_of_vector(const char *label)
{
	for (size_t i = 0; i < G_N_ELEMENTS(vectors); i++)
		if (!g_strcmp0(label, vectors[i].label))
			return vectors[i].group;
	return MDL_GROUP_VECTOR;
}

const char *mdl_group_name(enum mdl_group group)
{
#define GROUP_NAME(NAME, event) [MDL_GROUP_##NAME] = (event),
	static const char *const names[MDL_GROUPS_N] = { MDL_GROUPS(GROUP_NAME) };

	return group < MDL_GROUPS_N ? names[group] : NULL;
}

/* The groups of which CLASSES has entries. *EXITS: those of which it has exits (of contexts only). *ABSENT:
 * those that its tracer cannot record. */
static uint64_t groups_of(GHashTable *classes, uint64_t *exits, uint64_t *absent)
{
	uint64_t groups = 0;
	struct mdl_mapping mapping;
	GHashTableIter iter;
	gpointer name;

	*exits = *absent = 0;
	g_hash_table_iter_init(&iter, classes);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		if (!mdl_table_find(name, &mapping))
			continue;
		for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
			if (kinds[i].kind == mapping.kind)
				groups |= BIT(kinds[i].group);
		if (g_str_has_prefix(name, OF_PERF))
			*absent = BIT(MDL_GROUP_IRQ_WORK);
		switch (mapping.kind) {
		case MDL_EV_IRQ_EXIT: *exits |= BIT(MDL_GROUP_IRQ); break;
		case MDL_EV_SOFTIRQ_EXIT: *exits |= BIT(MDL_GROUP_SOFTIRQ); break;
		case MDL_EV_HRTIMER_EXIT: *exits |= BIT(MDL_GROUP_HRTIMER); break;
		case MDL_EV_VECTOR_ENTRY:
			groups |= BIT(MDL_GROUP_VECTOR) | BIT(mdl_group_of_vector(mapping.label));
			break;
		case MDL_EV_VECTOR_EXIT:
			*exits |= BIT(MDL_GROUP_VECTOR) | BIT(mdl_group_of_vector(mapping.label));
			break;
		default: break;
		}
	}
	return groups;
}

/* GROUPS (entries came, or are declared) without those that need EXITS and lack them: their interrupts have
 * no known end. */
static uint64_t whole(uint64_t groups, uint64_t exits)
{
	const uint64_t paired = BIT(MDL_GROUP_IRQ) | BIT(MDL_GROUP_SOFTIRQ) | BIT(MDL_GROUP_HRTIMER) |
		VECTORS;

	return groups & (~paired | exits);
}

/* The groups that came. The timer's vector and one that another CPU sends show that all vectors are
 * recorded. */
static uint64_t came(const struct mdl_coverage *c)
{
	const uint64_t sent = VECTORS & ~BIT(MDL_GROUP_LOCAL_TIMER);
	uint64_t groups = whole(c->seen, c->ended);

	if (c->seen & BIT(MDL_GROUP_LOCAL_TIMER) && (c->n_cpus == 1 || c->seen & sent))
		groups |= VECTORS;
	return groups;
}

uint64_t mdl_coverage_recorded(const struct mdl_coverage *c)
{
	uint64_t groups = came(c) | (c->declares_more ? 0 : c->declared | c->absent);

	if ((groups & VECTORS) == VECTORS || groups & BIT(MDL_GROUP_IPI))
		return groups | BIT(MDL_GROUP_VECTOR);
	return groups & ~BIT(MDL_GROUP_VECTOR);
}

/* The groups to report as not recorded: either all vectors as one, or each alone. */
static uint64_t not_recorded(const struct mdl_coverage *c)
{
	uint64_t groups = mdl_coverage_recorded(c), all = groups | c->impossible, each;

	/* If a declaration means that the event is on, each vector is known by itself. */
	each = c->declares_more ? groups : whole(c->seen, c->ended) | c->declared | c->absent;
	all = (all & ~VECTORS) | (each & VECTORS) | c->impossible;
	if (!(each & VECTORS))
		all |= VECTORS;
	else
		all |= BIT(MDL_GROUP_VECTOR);
	/* If declared events may be off, an IPI that never came may still be recorded: a CPU that polls gets
	 * none (ttwu_queue_wakelist(), kernel/sched/core.c). The timer ticks on every CPU. */
	if (c->declares_more)
		all |= c->declared & VECTORS & ~BIT(MDL_GROUP_LOCAL_TIMER);
	/* Machines without vectors have events of IPIs, listed by the name of the sending ones. */
	if (c->impossible & BIT(MDL_GROUP_VECTOR) && !(groups & BIT(MDL_GROUP_VECTOR)) &&
		!(c->impossible & BIT(MDL_GROUP_IPI_SENDER)))
		all &= ~BIT(MDL_GROUP_IPI_SENDER);
	return ~all;
}

GPtrArray *mdl_coverage_missing(const struct mdl_coverage *c)
{
	GPtrArray *missing = g_ptr_array_new();
	uint64_t groups = not_recorded(c);

	for (enum mdl_group i = 0; i < MDL_GROUPS_N; i++)
		if (mdl_group_name(i) && groups & BIT(i))
			g_ptr_array_add(missing, (char *)(uintptr_t)mdl_group_name(i));
	return missing;
}

/* ---- what the kernel can record at all ---- */

enum family { FAMILY_UNKNOWN, FAMILY_X86, FAMILY_ARM, FAMILY_OTHER };

/* The family of MACHINE (uname -m). */
static enum family family_of_machine(const char *machine)
{
	if (!machine || !*machine)
		return FAMILY_UNKNOWN;
	if (g_str_has_prefix(machine, "x86") || (machine[0] == 'i' && g_str_has_suffix(machine, "86")))
		return FAMILY_X86;
	return g_str_has_prefix(machine, "arm") || g_str_has_prefix(machine, "aarch64") ? FAMILY_ARM
											: FAMILY_OTHER;
}

/* The family that distributions put into RELEASE: "6.1.0-50-amd64", "6.5.6-300.fc39.aarch64". LTTng does not
 * record the machine. */
static enum family family_of_release(const char *release)
{
	static const struct {
		const char *part;
		enum family family;
	} parts[] = {
		{ "amd64", FAMILY_X86 },
		{ "x86_64", FAMILY_X86 },
		{ "i386", FAMILY_X86 },
		{ "i686", FAMILY_X86 },
		{ "686-pae", FAMILY_X86 },
		{ "arm64", FAMILY_ARM },
		{ "aarch64", FAMILY_ARM },
		{ "armmp", FAMILY_ARM },
		{ "armv", FAMILY_ARM },
		{ "-raspi", FAMILY_ARM },
		{ "-rpi", FAMILY_ARM },
		{ "riscv64", FAMILY_OTHER },
		{ "ppc64", FAMILY_OTHER },
		{ "powerpc", FAMILY_OTHER },
		{ "s390x", FAMILY_OTHER },
		{ "loong", FAMILY_OTHER },
	};

	for (size_t i = 0; release && i < G_N_ELEMENTS(parts); i++)
		if (strstr(release, parts[i].part))
			return parts[i].family;
	return FAMILY_UNKNOWN;
}

/* True if CLASSES has all events of SYSTEM that the kernel has: it has some that no user selects one by
 * one. */
static bool has_whole_system(GHashTable *classes, const char *system)
{
	struct mdl_mapping mapping;
	GHashTableIter iter;
	unsigned others = 0;
	gpointer name;

	g_hash_table_iter_init(&iter, classes);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		others += g_str_has_prefix(name, system) && !mdl_table_find(name, &mapping);
	return others >= 3;
}

void mdl_coverage_machine(struct mdl_coverage *c, GHashTable *classes, const char *release,
	const char *machine, bool probes)
{
	uint64_t exits, absent, groups = groups_of(classes, &exits, &absent);
	enum family family = family_of_machine(machine) ?: family_of_release(release);
	bool known = !mdl_prev_is_since(release, UINT_MAX, 0);
	bool sends;

	c->impossible = 0;
	/* sched_waking: Linux 4.3, fbd705a0c618 (ttwu_do_wakeup() before). */
	if ((known && !mdl_prev_is_since(release, 4, 3)) ||
		(c->declares_more && has_whole_system(classes, "sched:")))
		c->impossible |= BIT(MDL_GROUP_WAKING);
	/* Vectors: x86 alone, since Linux 3.11 (arch/x86/include/asm/trace/irq_vectors.h). */
	if (family == FAMILY_ARM || family == FAMILY_OTHER || (known && !mdl_prev_is_since(release, 3, 11)))
		c->impossible |= BIT(MDL_GROUP_VECTOR) | VECTORS;
	/* ipi_raise, ipi_entry: arm and arm64, since Linux 3.17 (arch/arm64/kernel/smp.c); ipi_send_cpu and
	 * ipi_send_cpumask: all since 6.4 (kernel/sched/core.c); send_call_function_single_ipi(), for a
	 * kprobe of LTTng, which has no events of IPIs: all since 5.8 (kernel/sched/core.c). */
	if (probes)
		sends = mdl_prev_is_since(release, 5, 8);
	else if (family == FAMILY_ARM || family == FAMILY_UNKNOWN)
		sends = mdl_prev_is_since(release, 3, 17);
	else
		sends = mdl_prev_is_since(release, 6, 4);
	if (known && !sends)
		c->impossible |= BIT(MDL_GROUP_IPI_SENDER);
	c->impossible &= ~groups; /* a kernel may have events from later ones */
}

/* "6.1.0-50-rt-amd64", "5.15.49-rt47", "5.14.0-503.el9.x86_64+rt", "4.18.0-553.rt7.342.el8.x86_64",
 * "6.8.1-1015-realtime". A mainline kernel that is built with PREEMPT_RT need not show it. */
static bool is_preempt_rt(const char *release)
{
	for (const char *rt = release; rt && (rt = strstr(rt, "rt")); rt += 2)
		if (rt > release && strchr("-+.", rt[-1]) && !g_ascii_isalpha(rt[2]))
			return true;
	return release && strstr(release, "-realtime");
}

/* Changes with a version of the kernel. */
static const struct {
	unsigned major, minor;
	enum mdl_kernel bit;
} since[] = {
	{ 4, 10, MDL_KERNEL_TELLS_SOFTIRQS },   /* tracing_gen_ctx_irq_test(), kernel/trace/trace.c */
	{ 4, 12, MDL_KERNEL_LENDS_UNTIL_WAKE }, /* rt_mutex_slowunlock(), kernel/locking/rtmutex.c */
	{ UINT_MAX, 0, MDL_KERNEL_UNKNOWN },    /* mdl_prev_is_since(): the release cannot be read */
};

void mdl_coverage_init(struct mdl_coverage *c, const char *release)
{
	*c = (struct mdl_coverage){ .kernel = is_preempt_rt(release) ? MDL_KERNEL_RT : 0,
		.now = INT64_MIN,
		.history = g_array_new(FALSE, FALSE, sizeof(struct mdl_hides)) };
	for (size_t i = 0; i < G_N_ELEMENTS(since); i++)
		if (mdl_prev_is_since(release, since[i].major, since[i].minor))
			c->kernel |= since[i].bit;
	mdl_coverage_update(c);
}

void mdl_coverage_clear(struct mdl_coverage *c)
{
	g_clear_pointer(&c->history, g_array_unref);
}

void mdl_coverage_declare(struct mdl_coverage *c, GHashTable *classes, bool more, unsigned n_cpus)
{
	uint64_t exits, groups = groups_of(classes, &exits, &c->absent);

	c->declared = whole(groups, exits);
	c->some_calls = !mdl_table_has_all_calls(classes);
	c->some_vectors = groups & BIT(MDL_GROUP_VECTOR) && ((groups | c->absent) & VECTORS) != VECTORS;
	c->declares_more = more;
	c->n_cpus = n_cpus;
	c->lone = n_cpus == 1 && groups & (BIT(MDL_GROUP_IRQ_WORK) | BIT(MDL_GROUP_IPI));
	c->lone_ipis = c->lone && !(groups & BIT(MDL_GROUP_IRQ_WORK));
	mdl_coverage_update(c);
}

void mdl_coverage_other_cpu(struct mdl_coverage *c)
{
	c->n_cpus++;
	c->lone = c->lone_ipis = false;
	mdl_coverage_update(c);
}

void mdl_coverage_kind(struct mdl_coverage *c, const struct mdl_event *e)
{
	enum mdl_group vector = mdl_group_of_vector(e->label);
	uint64_t groups = 0, ends = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (kinds[i].kind == e->kind)
			groups |= BIT(kinds[i].group);
	switch (e->kind) {
	case MDL_EV_VECTOR_ENTRY: groups |= BIT(MDL_GROUP_VECTOR) | BIT(vector); break;
	case MDL_EV_VECTOR_EXIT: ends = BIT(vector); break;
	case MDL_EV_IRQ_EXIT: ends = BIT(MDL_GROUP_IRQ); break;
	case MDL_EV_SOFTIRQ_EXIT: ends = BIT(MDL_GROUP_SOFTIRQ); break;
	case MDL_EV_HRTIMER_EXIT: ends = BIT(MDL_GROUP_HRTIMER); break;
	default: break;
	}
	c->seen |= groups;
	c->ended |= ends;
	c->kinds[e->kind] = true;
	mdl_coverage_update(c);
}

/* The doubts HIDES can hold from now on. */
static void note(struct mdl_coverage *c, mdl_doubts hides)
{
	struct mdl_hides h = { c->now, hides };
	struct mdl_hides *last = c->history->len > 0
		? &g_array_index(c->history, struct mdl_hides, c->history->len - 1)
		: NULL;

	c->hides = hides;
	if (last && last->doubts == hides)
		return;
	if (last && last->from == c->now)
		last->doubts = hides;
	else
		g_array_append_val(c->history, h);
}

void mdl_coverage_update(struct mdl_coverage *c)
{
	const uint32_t timers = 1u << MDL_CTX_HRTIMER | 1u << MDL_CTX_VECTOR;
	bool ipis = mdl_coverage_has(c, MDL_GROUP_IPI),
	     calls = (ipis || mdl_coverage_has(c, MDL_GROUP_CALL_SINGLE)) && !c->some_vectors;
	mdl_doubts settled = 0;

	if (c->entered & 1u << MDL_CTX_IRQ && c->entered & timers)
		settled |= MDL_DOUBT(DEVICE);
	if (calls || (c->lone && (!c->lone_ipis || c->has_arch_timer)))
		settled |= MDL_DOUBT(CALL);
	if (ipis || c->entered & 1u << MDL_CTX_VECTOR)
		settled |= MDL_DOUBT(TICK);
	if ((c->bare_cpus == 0 && c->stray_cpus == 0) || !calls || c->declares_more)
		settled |= MDL_DOUBT(UNTOLD);
	if (c->entered & 1u << MDL_CTX_SOFTIRQ)
		settled |= MDL_DOUBT(SOFTIRQ);
	if (!(c->entered & ~c->left))
		settled |= MDL_DOUBT(NO_EXIT);
	if (mdl_coverage_has(c, MDL_GROUP_RAISE))
		settled |= MDL_DOUBT(NO_RAISE);
	if (mdl_coverage_has(c, MDL_GROUP_WAKING))
		settled |= MDL_DOUBT(NO_WAKING);
	if (mdl_coverage_has(c, MDL_GROUP_WORK_QUEUE))
		settled |= MDL_DOUBT(WORK);
	if (!c->some_calls)
		settled |= MDL_DOUBT(CALLS);
	if (!(c->kernel & (MDL_KERNEL_RT | MDL_KERNEL_MAY_BE_RT)))
		settled |= MDL_DOUBT(RT_LOCK);
	note(c, ~settled & (((uint64_t)1 << MDL_DOUBTS_N) - 1));
}

/* SPDX-License-Identifier: MIT */
/*
 * How it works: the row of a CPU holds at each instant the thread on it and the innermost interrupt context
 * (model/core/cpu.c), so its intervals are the spans. Nothing is known before the begin of the row, after its
 * end and in holes.
 *
 * Where not all interrupts are recorded, one may hide in the time of a thread, of the idle CPU or of another
 * interrupt. The owner there is inferred.
 */
#include "analysis/cpu/blame.h"

#include "analysis/kind/chain.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "model/kernel/exit.h"
#include "query/clock/clock.h"

#include <inttypes.h>
#include <string.h>

#define TOLD 3 /* parts that the text names */

#define LEVELS 4 /* guests nested in guests */

struct ana_blame_part ana_blame_part(enum ana_blame_what what, enum ana_phase phase, uint32_t host,
	uint32_t cpu)
{
	mdl_doubts doubts = what == ANA_BLAME_UNKNOWN ? MDL_DOUBT(UNKNOWN) : 0;

	return (struct ana_blame_part){ .what = what,
		.phase = phase,
		.doubts = doubts,
		.alone = doubts,
		.host = host,
		.cpu = cpu,
		.row = MDL_NONE,
		.guest = MDL_NONE,
		.context = MDL_NONE,
		.beneath = MDL_NONE,
		.priority = MDL_PRIORITY_NONE };
}

static struct ana_blame_part nobody(uint32_t host, uint32_t cpu)
{
	return ana_blame_part(ANA_BLAME_UNKNOWN, ANA_PHASE_NONE, host, cpu);
}

struct ana_blame_part ana_blame_context(const struct qry *q, uint32_t host, uint32_t cpu, uint32_t context,
	int64_t time)
{
	static const enum ana_blame_what whats[MDL_CTX_TYPES] = { [MDL_CTX_IRQ] = ANA_BLAME_IRQ,
		[MDL_CTX_SOFTIRQ] = ANA_BLAME_SOFTIRQ,
		[MDL_CTX_HRTIMER] = ANA_BLAME_TIMER,
		[MDL_CTX_IPI] = ANA_BLAME_IPI,
		[MDL_CTX_VECTOR] = ANA_BLAME_IRQ };
	struct ana_blame_part part = nobody(host, cpu);
	struct qry_context c;

	if (context == MDL_NONE)
		return part;
	c = qry_context(q, host, context);
	part.what = whats[c.type];
	/* The handler of a device runs with interrupts off (__handle_irq_event_percpu(),
	 * kernel/irq/handle.c). Interrupts may come during anything else. */
	part.doubts = c.type == MDL_CTX_IRQ && qry_host_has(q, host, MDL_GROUP_IRQ)
		? 0
		: ana_chain_hidden(q, host, time);
	part.name = *c.name ? c.name : c.type == MDL_CTX_HRTIMER ? mdl_ctx_type_name(c.type) : NULL;
	part.context = context;
	part.row = qry_context_row(q, host, context, cpu);
	return part;
}

/* A thread that runs on another CPU than the one it waited for was moved: set_task_cpu()
 * (kernel/sched/core.c) does every move. Its event was not recorded, or was lost. */
mdl_doubts ana_blame_wait_doubts(struct qry *q, uint32_t row, const struct mdl_interval *iv,
	const struct mdl_interval *next)
{
	struct mdl_interval found;
	bool sure = !qry_host(q, qry_row(q, row)->host)->moves_missing;

	if (!next && sure && iv->aux != MDL_NONE && qry_kernel_state_at(q, row, iv->to, &found))
		next = &found;
	if (sure && iv->aux != MDL_NONE && next)
		sure = next->aux == iv->aux || next->aux == MDL_NONE || next->state == MDL_ST_WAIT_CPU ||
			next->state == MDL_ST_PREEMPTED;
	return sure ? 0 : MDL_DOUBT(MOVED);
}

/* The part for interval IV of the CPU in PLACE. */
static struct ana_blame_part blame_part_of(const struct qry *q, const struct ana_blame_part *place,
	const struct mdl_interval *iv)
{
	bool thread = iv->aux != MDL_NONE && qry_row(q, iv->aux)->nr != 0;
	struct ana_blame_part part = iv->state == MDL_ST_INTERRUPTED
		? ana_blame_context(q, place->host, place->cpu, iv->detail, iv->from)
		: *place;

	part.from = iv->from;
	part.to = iv->to;
	part.time = iv->to - iv->from;
	part.beneath = thread ? iv->aux : MDL_NONE;
	if (iv->state != MDL_ST_IDLE && (!mdl_state_runs(iv->state) || !thread))
		return part;
	part.what = thread ? ANA_BLAME_THREAD : ANA_BLAME_IDLE;
	part.doubts = ana_chain_hidden(q, place->host, iv->from);
	part.row = part.beneath;
	part.name = thread ? qry_name_at(q, iv->aux, iv->from) : NULL;
	part.step = thread ? NULL : qry_idle_state(iv);
	if (part.step) /* a change of the idle state may be unrecorded (proofs.md R33) */
		part.doubts |= MDL_DOUBT(FILTER);
	part.priority = thread ? (int16_t)qry_priority_at(q, iv->aux, iv->from) : MDL_PRIORITY_NONE;
	return part;
}

/* Pass PART to SPAN. A thread's part is cut where the priority of the thread changes. */
static void tell_known(const struct qry *q, struct ana_blame_part part, ana_blame_span span, void *data)
{
	int64_t to = part.to, change;

	for (; part.what == ANA_BLAME_THREAD; part.from = part.to) {
		change = qry_priority_change(q, part.row, part.from);
		if (change == BASE_TIME_NONE || change >= to)
			break;
		part.to = change;
		part.time = part.to - part.from;
		span(data, &part);
		part.priority = (int16_t)qry_priority_at(q, part.row, change);
	}
	part.to = to;
	part.time = part.to - part.from;
	span(data, &part);
}

/* Pass [FROM, TO) to SPAN with the owner in PLACE: unknown, or the idle CPU. */
static void tell_place(struct ana_blame_part place, int64_t from, int64_t to, ana_blame_span span, void *data)
{
	place.from = from;
	place.to = to;
	place.time = to - from;
	if (from < to)
		span(data, &place);
}

/* True if interval TURN of a CPU has a thread that runs on in NEXT, the interval after it, perhaps in another
 * mode. */
static bool is_turn(const struct mdl_interval *turn, const struct mdl_interval *next)
{
	return mdl_state_runs(turn->state) && mdl_state_runs(next->state) && turn->aux == next->aux &&
		turn->to == next->from;
}

/* Set TURN to the turn that the row CPU is in at FROM, up to END or further. False if it is unknown. */
static bool turn_at(struct qry *q, uint32_t cpu, int64_t from, int64_t end, struct mdl_interval *turn)
{
	bool known = qry_kernel_state_at(q, cpu, from, turn);
	struct mdl_interval next;

	while (known && turn->to < end && qry_kernel_state_at(q, cpu, turn->to, &next) &&
		is_turn(turn, &next))
		turn->to = next.to;
	return known;
}

/* If IV is shorter than the error of the clocks, its owner is not certain. */
static mdl_doubts doubts_within(const struct qry *q, uint32_t host, uint32_t guest,
	const struct mdl_interval *iv)
{
	return iv->to - iv->from > qry_clock_error(q, host, guest, iv->from) ? 0 : MDL_DOUBT(CLOCK);
}

/* Pass PART to SPAN, cut by the threads of a recorded guest if PART is a thread that runs its CPU. */
static void tell_part(struct qry *q, struct ana_blame_part part, ana_blame_span span, void *data)
{
	uint32_t cpu = part.what == ANA_BLAME_THREAD ? qry_guest_cpu_of(q, part.row) : MDL_NONE;
	int64_t end = part.to;
	struct mdl_interval iv;

	part.alone = part.doubts;
	if (cpu == MDL_NONE) {
		tell_known(q, part, span, data);
		return;
	}
	while (part.from < end) {
		bool known = turn_at(q, cpu, part.from, end, &iv);

		part.to = known                              ? MIN(iv.to, end)
			: part.from < qry_row(q, cpu)->first ? MIN(qry_row(q, cpu)->first, end)
							     : end;
		part.time = part.to - part.from;
		part.guest = known && iv.aux != MDL_NONE && qry_row(q, iv.aux)->nr != 0 ? iv.aux : MDL_NONE;
		part.doubts = part.guest == MDL_NONE
			? part.alone
			: part.alone | doubts_within(q, part.host, qry_row(q, cpu)->host, &iv);
		part.priority = (int16_t)qry_priority_at(q, part.row, part.from);
		tell_known(q, part, span, data);
		part.from = part.to;
	}
}

/* ---- the host's time in which a guest's CPU could not run ---- */

/* A stretch in which a virtual CPU was not inside its guest. */
struct stolen {
	struct qry *q;
	uint32_t worker;   /* the thread that runs the virtual CPU */
	const char *why;   /* static: the reason of the exit */
	mdl_doubts doubts; /* doubts that hold for every part passed */
	unsigned level;    /* depth of guests nested in guests */
	ana_blame_span span;
	void *data;
};

/* KVM's name of the exit; static. */
static const char *exit_name(uint32_t exit)
{
	g_autofree char *text = exit != 0 ? mdl_exit_name(exit) : NULL;

	return !text || g_str_has_prefix(text, "exit ") ? "exit" : g_intern_string(text);
}

/* SPAN had the CPU of the host. */
static void tell_stolen(void *data, const struct ana_blame_part *span)
{
	const struct stolen *s = data;
	struct ana_blame_part part = *span;

	if (part.what == ANA_BLAME_UNKNOWN) {
		s->span(s->data, &part);
		return;
	}
	part.doubts |= s->doubts;
	part.alone |= s->doubts;
	if (part.what == ANA_BLAME_THREAD && part.row == s->worker) {
		part.doubts = part.alone;
		part.row = part.beneath = part.guest = MDL_NONE;
		part.name = s->why;
		part.priority = MDL_PRIORITY_NONE;
	} else if (part.what == ANA_BLAME_IDLE) {
		part.name = "idle";
	}
	part.what = ANA_BLAME_VCPU;
	s->span(s->data, &part);
}

static void tell_states(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, unsigned level,
	ana_blame_span span, void *data);

/* Pass the time IV, in which the CPU in PLACE could not run; V is the interval of its virtual CPU on HOST. */
static void tell_taken(const struct stolen *s, const struct ana_blame_part *place,
	const struct mdl_interval *iv, const struct mdl_interval *v, uint32_t host)
{
	struct ana_blame_part part = *place;

	if (v->aux != MDL_NONE && v->state != MDL_ST_IDLE && v->state != MDL_ST_BLOCKED &&
		s->level < LEVELS) {
		tell_states(s->q, host, v->aux, iv->from, iv->to, s->level + 1, tell_stolen, (void *)s);
		return;
	}
	part.what = ANA_BLAME_VCPU;
	part.host = host;
	part.cpu = MDL_NONE;
	part.name = s->why;
	part.doubts = s->doubts;
	part.from = iv->from;
	part.to = iv->to;
	part.time = iv->to - iv->from;
	s->span(s->data, &part);
}

/* Pass the time IV, all of which the host took from the CPU in PLACE. */
static void tell_vcpu(struct qry *q, const struct ana_blame_part *place, const struct mdl_interval *iv,
	unsigned level, ana_blame_span span, void *data)
{
	uint32_t vcpu = qry_vcpu_of(q, place->host, place->cpu), host;
	struct mdl_interval part = *iv, v;
	struct stolen s = { .q = q, .level = level, .span = span, .data = data };

	if (vcpu == MDL_NONE) {
		tell_place(*place, iv->from, iv->to, span, data);
		return;
	}
	host = qry_row(q, vcpu)->host;
	s.worker = qry_row(q, vcpu)->parent;
	s.why = exit_name(iv->state == MDL_ST_VCPU_EXIT ? iv->detail : 0);
	s.doubts = doubts_within(q, host, place->host, iv);
	while (part.from < iv->to && qry_kernel_state_at(q, vcpu, part.from, &v)) {
		part.to = MIN(v.to, iv->to);
		tell_taken(&s, place, &part, &v, host);
		part.from = part.to;
	}
	tell_place(*place, part.from, iv->to, span, data);
}

/*
 * Pass PART, idle time of the CPU in PLACE; VCPU is the row of its virtual CPU. The guest itself is idle as
 * long as the virtual CPU is inside the guest or halted. When the virtual CPU is woken and has no CPU of the
 * host, the time is the host's.
 */
static void tell_idle(struct qry *q, const struct ana_blame_part *place, const struct ana_blame_part *part,
	uint32_t vcpu, unsigned level, ana_blame_span span, void *data)
{
	struct stolen s = { .q = q,
		.worker = qry_row(q, vcpu)->parent,
		.level = level,
		.span = span,
		.data = data };
	uint32_t host = qry_row(q, vcpu)->host;
	struct ana_blame_part idle = *part;
	int64_t from = part->from;
	struct mdl_interval v;

	while (from < part->to && qry_kernel_state_at(q, vcpu, from, &v)) {
		struct mdl_interval piece = { .from = from, .to = MIN(v.to, part->to) };

		from = piece.to;
		/* The guest is idle, but the host keeps the virtual CPU from work that it could do. */
		if (v.state != MDL_ST_VCPU_PREEMPTED && v.state != MDL_ST_INTERRUPTED &&
			(v.state != MDL_ST_VCPU_EXIT || mdl_exit_halts(v.detail)))
			continue;
		tell_place(idle, idle.from, piece.from, span, data);
		s.why = exit_name(v.state == MDL_ST_VCPU_EXIT ? v.detail : 0);
		s.doubts = doubts_within(q, host, place->host, &piece);
		tell_taken(&s, place, &piece, &v, host);
		idle.from = piece.to;
	}
	tell_place(idle, idle.from, part->to, span, data);
}

/* ana_blame_spans(), with LEVEL guests around it. */
static void tell_states(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, unsigned level,
	ana_blame_span span, void *data)
{
	const struct ana_blame_part place = nobody(host, cpu);
	uint32_t row = cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(q, host, cpu);
	uint32_t vcpu = row != MDL_NONE ? qry_vcpu_of(q, host, cpu) : MDL_NONE;
	g_autoptr(GArray) states = row != MDL_NONE && from < to ? qry_states(q, row, from, to) : NULL;

	for (guint i = 0; states && i < states->len;) {
		struct mdl_interval iv = g_array_index(states, struct mdl_interval, i);
		struct ana_blame_part part;

		while (++i < states->len && is_turn(&iv, &g_array_index(states, struct mdl_interval, i)))
			iv.to = g_array_index(states, struct mdl_interval, i).to;
		part = blame_part_of(q, &place, &iv);
		tell_place(place, from, iv.from, span, data);
		if (iv.state == MDL_ST_VCPU_PREEMPTED || iv.state == MDL_ST_VCPU_EXIT)
			tell_vcpu(q, &place, &iv, level, span, data);
		else if (vcpu != MDL_NONE && iv.state == MDL_ST_IDLE)
			tell_idle(q, &place, &part, vcpu, level, span, data);
		else
			tell_part(q, part, span, data);
		from = iv.to;
	}
	tell_place(place, from, to, span, data);
}

void ana_blame_spans(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to,
	ana_blame_span span, void *data)
{
	tell_states(q, host, cpu, from, to, 0, span, data);
}

/* ---- the sum ---- */

bool ana_blame_is_thread(const struct ana_blame_part *part)
{
	return part->row != MDL_NONE && part->context == MDL_NONE &&
		(part->what == ANA_BLAME_THREAD || part->what == ANA_BLAME_VCPU);
}

/* True if P is a function of a timer. All timers count as one owner. */
static bool is_timer(const struct ana_blame_part *p)
{
	return (p->what == ANA_BLAME_TIMER || p->what == ANA_BLAME_VCPU) && p->context != MDL_NONE &&
		p->row == MDL_NONE;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || g_strcmp0(a, b) == 0;
}

/* True if X and Y have the same owner. A thread of two priorities is two owners, as are two idle CPUs. */
static bool blame_is_same(const struct ana_blame_part *x, const struct ana_blame_part *y)
{
	if (x->what != y->what || x->phase != y->phase || x->host != y->host || x->row != y->row ||
		x->guest != y->guest || x->priority != y->priority || !is_same_text(x->step, y->step))
		return false;
	if (is_timer(x) || is_timer(y))
		return is_timer(x) && is_timer(y);
	if ((x->what == ANA_BLAME_IDLE || x->phase == ANA_PHASE_IPI_WAIT) && x->cpu != y->cpu)
		return false;
	return x->context == y->context && (ana_blame_is_thread(x) || is_same_text(x->name, y->name));
}

/* The name counts only if there is neither a row nor a context. */
static uint32_t hash_of(const struct ana_blame_part *p)
{
	uint32_t hash = p->what * 31 + p->phase;

	hash = (hash * 31 + p->host) * 31 + p->row;
	hash = (hash * 31 + p->guest) * 31 + (uint32_t)p->priority;
	if (!is_timer(p))
		hash = hash * 31 + p->context;
	if (p->row == MDL_NONE && p->context == MDL_NONE && p->name)
		hash = hash * 31 + g_str_hash(p->name);
	if (p->what == ANA_BLAME_IDLE)
		hash = hash * 31 + p->cpu;
	return hash * 0x9e3779b1u;
}

/* ---- places ---- */

#define SLOTS 32 /* at first */

static const struct ana_blame_part *blame_part_at(const struct ana_blame *blame, uint32_t place)
{
	return &g_array_index(blame->parts, struct ana_blame_part, place);
}

/* The slot of the part that has the owner of SPAN. The slot is empty if there is no part. */
static uint32_t *blame_slot_of(const struct ana_blame *blame, const struct ana_blame_part *span)
{
	uint32_t i = hash_of(span) >> 8;

	while (blame->slots[i & (blame->n_slots - 1)] != 0 &&
		!blame_is_same(blame_part_at(blame, blame->slots[i & (blame->n_slots - 1)] - 1), span))
		i++;
	return &blame->slots[i & (blame->n_slots - 1)];
}

/* Fill N new slots with the places of all parts. */
static void place_all(struct ana_blame *blame, unsigned n)
{
	blame->slots = g_renew(uint32_t, blame->slots, n);
	blame->n_slots = n;
	memset(blame->slots, 0, n * sizeof *blame->slots);
	for (guint i = 0; i < blame->parts->len; i++)
		*blame_slot_of(blame, blame_part_at(blame, i)) = i + 1;
}

struct ana_blame *ana_blame_new(int64_t from, int64_t to)
{
	struct ana_blame *blame = g_new0(struct ana_blame, 1);

	blame->from = from;
	blame->to = to;
	blame->parts = g_array_new(FALSE, FALSE, sizeof(struct ana_blame_part));
	place_all(blame, SLOTS);
	return blame;
}

void ana_blame_add(void *data, const struct ana_blame_part *span)
{
	struct ana_blame *blame = data;
	uint32_t *slot = blame_slot_of(blame, span);
	struct ana_blame_part *part;

	if (*slot == 0) {
		struct ana_blame_part new = *span;

		new.longest_from = span->from;
		new.longest_to = span->to;
		g_array_append_val(blame->parts, new);
		*slot = blame->parts->len;
		if (blame->parts->len * 2 > blame->n_slots)
			place_all(blame, blame->n_slots * 2);
		return;
	}
	part = &g_array_index(blame->parts, struct ana_blame_part, *slot - 1);
	if (span->time > part->longest_to - part->longest_from) {
		part->longest_from = span->from;
		part->longest_to = span->to;
	}
	if (part->cpu != span->cpu) /* several CPUs */
		part->cpu = MDL_NONE;
	part->from = MIN(part->from, span->from);
	part->to = MAX(part->to, span->to);
	part->time += span->time;
	part->calls += span->calls;
	part->doubts |= span->doubts;
	part->alone |= span->alone;
}

static int blame_longest_first(const void *a, const void *b)
{
	const struct ana_blame_part *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, from);
}

void ana_blame_sort(struct ana_blame *blame)
{
	g_array_sort(blame->parts, blame_longest_first);
	place_all(blame, blame->n_slots);
}

guint ana_blame_place(const struct ana_blame *blame, const struct ana_blame_part *span)
{
	uint32_t place = *blame_slot_of(blame, span);

	return place > 0 ? place - 1 : 0;
}

static int longest_phase_first(const void *a, const void *b)
{
	const struct ana_blame_phase *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, phase);
}

GArray *ana_blame_phases(const struct ana_blame *blame)
{
	GArray *phases = g_array_new(FALSE, FALSE, sizeof(struct ana_blame_phase));
	int64_t times[ANA_PHASE_N] = { 0 };

	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *p = &g_array_index(blame->parts, struct ana_blame_part, i);

		times[p->phase] += p->time;
	}
	for (unsigned i = 0; i < ANA_PHASE_N; i++) {
		struct ana_blame_phase phase = { i, times[i] };

		if (times[i] > 0)
			g_array_append_val(phases, phase);
	}
	g_array_sort(phases, longest_phase_first);
	return phases;
}

int64_t ana_blame_phase_time(const struct ana_blame *blame, enum ana_phase phase)
{
	int64_t time = 0;

	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *p = &g_array_index(blame->parts, struct ana_blame_part, i);

		time += p->phase == phase ? p->time : 0;
	}
	return time;
}

struct ana_blame *ana_blame_of_cpu(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to)
{
	struct ana_blame *blame = ana_blame_new(from, to);

	ana_blame_spans(q, host, cpu, from, to, ana_blame_add, blame);
	ana_blame_sort(blame);
	return blame;
}

void ana_blame_free(struct ana_blame *blame)
{
	if (!blame)
		return;
	g_array_unref(blame->parts);
	g_free(blame->slots);
	g_free(blame);
}

/* ---- words ---- */

const char *ana_blame_what_name(enum ana_blame_what what)
{
	static const char *const names[ANA_BLAME_N] = { [ANA_BLAME_THREAD] = "thread",
		[ANA_BLAME_IRQ] = "irq",
		[ANA_BLAME_SOFTIRQ] = "softirq",
		[ANA_BLAME_IPI] = "ipi",
		[ANA_BLAME_IDLE] = "idle",
		[ANA_BLAME_DEVICE] = "device",
		[ANA_BLAME_NETWORK] = "network",
		[ANA_BLAME_TIMER] = "timer",
		[ANA_BLAME_SLEEP] = "sleep",
		[ANA_BLAME_THROTTLED] = "throttled",
		[ANA_BLAME_VCPU] = "vcpu",
		[ANA_BLAME_SUSPEND] = "suspended",
		[ANA_BLAME_RUNNING] = "running",
		[ANA_BLAME_UNKNOWN] = "unknown" };

	return names[what];
}

const char *ana_phase_name(enum ana_phase phase)
{
	static const char *const names[ANA_PHASE_N] = { [ANA_PHASE_RUNNING] = "running",
		[ANA_PHASE_INTERRUPTED] = "interrupted",
		[ANA_PHASE_IPI_WAIT] = "ipi-wait",
		[ANA_PHASE_WAITING] = "waiting",
		[ANA_PHASE_SLEEP] = "sleep",
		[ANA_PHASE_LATE] = "late",
		[ANA_PHASE_BLOCKED] = "blocked",
		[ANA_PHASE_WAKE_UP] = "wake-up",
		[ANA_PHASE_WAIT_CPU] = "wait-cpu",
		[ANA_PHASE_PREEMPTED] = "preempted",
		[ANA_PHASE_STOLEN] = "stolen",
		[ANA_PHASE_THROTTLED] = "throttled",
		[ANA_PHASE_ABSENT] = "absent" };

	return names[phase];
}

/* "host/CPU 0/KVM[453] running guest2/make[99]", of a thread. */
static char *thread_text(const struct qry *q, const struct ana_blame_part *part)
{
	g_autofree char *who = qry_row_label(q, part->row),
			*guest = part->guest != MDL_NONE ? qry_row_label(q, part->guest) : NULL;

	return guest ? g_strdup_printf("%s running %s", who, guest) : g_strdup(who);
}

/* For the time of a virtual CPU: the owner of the host's CPU, or the reason of the exit. */
static char *vcpu_text(const struct qry *q, const struct ana_blame_part *part)
{
	const char *host = qry_host(q, part->host)->name;
	g_autofree char *who = NULL;

	if (part->context == MDL_NONE && part->row == MDL_NONE)
		return g_strdup_printf("%s: %s", host, part->name ? part->name : "exit");
	if (part->context != MDL_NONE) {
		who = qry_context_text(q, part->host, part->context);
		return g_strdup_printf("%s: %s", host, who);
	}
	return thread_text(q, part);
}

char *ana_blame_part_text(const struct qry *q, const struct ana_blame_part *part)
{
	g_autofree char *who = NULL;

	if (part->what == ANA_BLAME_THREAD && part->row != MDL_NONE)
		return thread_text(q, part);
	if (part->what == ANA_BLAME_VCPU)
		return vcpu_text(q, part);
	if (part->context != MDL_NONE)
		return qry_context_text(q, part->host, part->context);
	if (part->what == ANA_BLAME_IDLE)
		return g_strdup_printf("the idle CPU %" PRIu32 "%s%s", part->cpu, part->step ? " in " : "",
			part->step ? part->step : "");
	if (part->what == ANA_BLAME_RUNNING && part->step)
		return g_strdup_printf("itself, %s: %s() %" PRIu64 " times", part->step, part->name,
			part->calls);
	if (part->what == ANA_BLAME_RUNNING)
		return part->name ? g_strdup_printf("itself, %s()", part->name) : g_strdup("itself");
	if (part->phase == ANA_PHASE_IPI_WAIT)
		return g_strdup_printf("CPU %" PRIu32 ", the last to take its IPI", part->cpu);
	if (part->what == ANA_BLAME_SLEEP)
		return g_strdup("its own timer");
	/* The throttled thread is not the one the account is about: "wk-server[12]: CPU quota". */
	if (part->what == ANA_BLAME_THROTTLED && part->row != MDL_NONE) {
		who = qry_row_label(q, part->row);
		return g_strdup_printf("%s: %s", who, part->name);
	}
	if (part->name)
		return g_strdup(part->name);
	return g_strdup(part->what == ANA_BLAME_UNKNOWN ? "not recorded" : ana_blame_what_name(part->what));
}

char *ana_blame_words(const struct qry *q, const struct ana_blame_part *part)
{
	char *who = ana_blame_part_text(q, part), *text;

	if (!part->step || part->what == ANA_BLAME_RUNNING || part->what == ANA_BLAME_IDLE)
		return who;
	text = g_strdup_printf("%s %s", who, part->step);
	g_free(who);
	return text;
}

char ana_blame_letter(guint place)
{
	return place < 26 ? (char)('A' + place) : '*';
}

char *ana_blame_text(const struct qry *q, const struct ana_blame *blame,
	char *(*words)(const struct qry *q, const struct ana_blame_part *part))
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < blame->parts->len && i < TOLD; i++) {
		const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, i);
		g_autofree char *who = words(q, part), *time = base_time_format_duration(part->time, false);

		g_string_append_printf(text, "%s%s %s", i > 0 ? ", " : "", who, time);
	}
	if (blame->parts->len > TOLD)
		g_string_append_printf(text, " and %u other%s", blame->parts->len - TOLD,
			blame->parts->len == TOLD + 1 ? "" : "s");
	return g_string_free(text, text->len == 0);
}

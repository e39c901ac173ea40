/* SPDX-License-Identifier: MIT */
/*
 * How it works: for each timer, found by its address, this file keeps which act armed it, when, and for when.
 * While its function runs, the level in which it runs has the fact that it expired.
 *
 *   - hrtimers run in a context of their own. Timers of the wheel (timer_expire_…) run in the softirq TIMER
 *     or, under PREEMPT_RT, in a thread (proofs.md R6.1).
 *   - A timer that its own expiry arms again (the tick, and every function that returns HRTIMER_RESTART, see
 *     __run_hrtimer() in kernel/time/hrtimer.c: hrtimer_start comes right after hrtimer_expire_exit) still
 *     belongs to its first armer. The thread that it interrupts has no part in it (R6.4).
 *   - The idle thread arms the tick when it becomes idle. That is for no thread.
 *   - A thread that the tick wakes waited for no timer (R6.3). The tick's function is the one that raises
 *     TIMER or SCHED. If none has done so yet, it is the one that idle threads arm. Until that is known, an
 *     hrtimer may be the tick, unless a thread armed one with its function.
 *   - The last arming, by any actor, gives the due time (timer/due.c). hrtimer_start_range_ns() lets an
 *     hrtimer expire between "softexpires" and "expires"; it is late after "expires". A timer was pending on
 *     the CPU on which it expires, wherever it was armed: a queued timer changes its CPU only with its
 *     arming, or when a CPU goes away.
 *   - A CPU that expires a timer takes it out of its queue first. The event is timer_cancel right before
 *     timer_expire_entry: expire_timers() by detach_timer() (kernel/time/timer.c), and in older kernels
 *     __run_hrtimer() of hrtimers. Another CPU may arm it again in between.
 *   - A thread that sleeps with a time-out arms a timer and then calls schedule() (schedule_timeout(),
 *     schedule_hrtimeout_range(), futex_wait_queue(), do_nanosleep()). So the last timer that a thread armed
 *     before its wait, in the system call of the wait, is its deadline. If the thread is woken before that
 *     expires, and cancels it when it runs, the wait was answered in time (R6.6). Timers that go on (interval
 *     timers, timerfd) are no deadlines. If system calls are not recorded, the timer may be one of these,
 *     cancelled in a later call (timerfd_settime(), setitimer()). In a call that does more than wait it may
 *     be a socket's.
 */
#include "model/timer/timer.h"

#include "model/cause/parts.h"
#include "model/core/cpu.h"
#include "model/cause/deferred.h"
#include "model/core/gap.h"
#include "model/cause/level.h"
#include "model/core/recent.h"
#include "model/core/thread.h"

/* more than one in BARE_PART hrtimers of a CPU in no interrupt: their interrupt has no event, … */
#define BARE_PART 20
#define BARE_FEW 2 /* … if they are more than BARE_FEW, or more than one in BARE_PART of all CPUs, too */

/* A timer that was armed. */
struct armed {
	uint64_t function; /* 0 unknown */
	struct mdl_act by; /* time MDL_NEVER: the armer is unknown, or armed it for no thread */
	bool expired;      /* it expired since then */
	bool wheel;        /* of the wheel; false: an hrtimer */
	int64_t since;     /* ns: last arming, including one by its own expiry */
	int64_t expires;   /* as in the event, ns or jiffies; MDL_ARG_ABSENT: unknown */
	int64_t soft;      /* hrtimers: the earliest time at which it may expire; MDL_ARG_ABSENT: unknown */
	/* wheel: the jiffy of its bucket; MDL_NEVER: unknown, or it waits until a CPU is busy anyway */
	int64_t bucket;
};

/* A timer that was taken out of its queue: cancelled, or about to expire. */
struct taken {
	uint64_t timer; /* 0: it expired */
	int64_t at, entry;
	uint32_t context; /* the context, with ENTRY, that took it; MDL_NONE: a thread */
	struct armed armed;
};

#define DEFERRABLE 0x80000 /* TIMER_DEFERRABLE in include/linux/timer.h: it wakes no idle CPU */

static int64_t bucket_of(const struct mdl_event *e)
{
	int64_t flags = e->arg[MDL_TIMER_FLAGS], bucket = e->arg[MDL_TIMER_BUCKET];

	if (flags == MDL_ARG_ABSENT || flags & DEFERRABLE || e->arg[MDL_TIMER_NOW] == MDL_ARG_ABSENT ||
		e->arg[MDL_TIMER_EXPIRES] == MDL_ARG_ABSENT)
		return MDL_NEVER;
	return bucket != MDL_ARG_ABSENT ? bucket
					: mdl_due_bucket(e->arg[MDL_TIMER_NOW], e->arg[MDL_TIMER_EXPIRES]);
}

/* Set when A is due, by E. */
static void set_expiry(struct mdl_machine *m, struct armed *a, const struct mdl_event *e)
{
	bool wheel = e->kind == MDL_EV_TIMER_START;

	a->expired = false;
	a->wheel = wheel;
	a->since = m->now;
	a->expires = e->arg[MDL_TIMER_EXPIRES];
	a->soft = wheel ? MDL_ARG_ABSENT : e->arg[MDL_TIMER_SOFT];
	a->bucket = wheel ? bucket_of(e) : MDL_NEVER;
	if (wheel && e->arg[MDL_TIMER_NOW] != MDL_ARG_ABSENT)
		mdl_due_tick(&m->timers->jiffies, m->now, e->arg[MDL_TIMER_NOW]);
}

/* TIMER, whose function may still run, is armed again by its own expiry. */
static void timer_go_on(struct mdl_machine *m, uint64_t timer, const struct mdl_event *e)
{
	struct armed *a = mdl_recent_find(m->timers->armed, timer);

	if (!a) {
		a = mdl_recent_put(m->timers->armed, timer);
		a->function = mdl_event_address(e, MDL_TIMER_FUNCTION);
		a->by = (struct mdl_act){ .time = MDL_NEVER,
			.entry = MDL_NEVER,
			.cpu = MDL_NONE,
			.context = MDL_NONE,
			.thread = MDL_NONE };
	}
	set_expiry(m, a, e);
}

/* The thread on C arms an hrtimer with FUNCTION. */
static void learn_function(struct mdl_machine *m, const struct mdl_cpu *c, uint64_t function)
{
	if (function == 0 || c->gap != MDL_GAP_NONE)
		return;
	if (c->current == c->idle)
		m->timers->idle = function;
	else if (!mdl_recent_find(m->timers->functions, function))
		mdl_recent_put(m->timers->functions, function);
}

/* The function of the hrtimer that expires in L, a context of its own; 0: L is none, or the function is
 * unknown. */
static uint64_t function_of(const struct mdl_level *l)
{
	return l->context != MDL_NONE && l->type == MDL_CTX_HRTIMER && l->facts.has & MDL_FACT_TIMER
		? l->facts.timer.function
		: 0;
}

void mdl_timer_raised(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t vec = e->arg[MDL_SOFTIRQ_VEC];
	uint64_t function = function_of(mdl_cpu_level(m, e->cpu));

	if (function != 0 && (vec == MDL_SOFTIRQ_TIMER || vec == MDL_SOFTIRQ_SCHED))
		m->timers->tick = function;
}

bool mdl_timer_may_be_tick(const struct mdl_machine *m, const struct mdl_level *l)
{
	uint64_t function = function_of(l);

	if (l->context == MDL_NONE || l->type != MDL_CTX_HRTIMER)
		return false;
	if (m->timers->tick != 0)
		return function == m->timers->tick || function == 0;
	return function == m->timers->idle || !mdl_recent_find(m->timers->functions, function);
}

/* True if a request ended in the function of the timer that expires. Then a driver armed the timer, and
 * threads wait for the request (proofs.md R6.5). */
static bool ends_request(const struct mdl_facts *facts)
{
	return facts->has & MDL_FACT_TIMER && facts->has & MDL_FACT_REQUEST && facts->timer.expired &&
		facts->request.completed >= facts->timer.expired_at;
}

/* Leaves out the tick, which is no thread's timer. */
static void timer_collect(struct mdl_machine *m, G_GNUC_UNUSED uint32_t cpu, const struct mdl_level *l,
	G_GNUC_UNUSED const struct mdl_thread *t, struct mdl_facts *facts)
{
	uint64_t function = function_of(l);

	if (ends_request(facts) ||
		(function != 0 && function == (m->timers->tick != 0 ? m->timers->tick : m->timers->idle)))
		facts->has &= ~(unsigned)MDL_FACT_TIMER;
	else if (mdl_timer_may_be_tick(m, l))
		facts->timer.doubts |= MDL_DOUBT(TIMER);
}

void mdl_timer_start(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t timer = mdl_event_address(e, MDL_TIMER_TIMER);
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct armed *a;

	if (timer == 0)
		return;
	if (mdl_cpu_level(m, e->cpu)->expired_timer == timer) {
		timer_go_on(m, timer, e);
		return;
	}
	a = mdl_recent_put(m->timers->armed, timer);
	a->function = mdl_event_address(e, MDL_TIMER_FUNCTION);
	a->by = mdl_cpu_act(m, e->cpu);
	set_expiry(m, a, e);
	if (!mdl_cpu_is_own(c) || !c->current)
		return;
	if (e->kind == MDL_EV_HRTIMER_START)
		learn_function(m, c, a->function);
	if (c->current == c->idle) {
		a->by.time = MDL_NEVER;
		return;
	}
	mdl_deferred_time_out(m, c->current, NULL);
	c->current->deadline = timer;
}

/* The due time of hrtimer A, which expires by E in a context of its own; MDL_NEVER: unknown. Sets *SLACK. */
static int64_t due_of_hrtimer(struct mdl_machine *m, const struct armed *a, const struct mdl_event *e,
	int64_t *slack)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	int64_t around = c->depth > 1 ? c->stack[c->depth - 2].entry : MDL_NEVER,
		now = e->arg[MDL_HRTIMER_NOW];

	if (now == MDL_ARG_ABSENT || a->expires == MDL_ARG_ABSENT)
		return MDL_NEVER;
	if (a->soft == MDL_ARG_ABSENT || a->soft > a->expires ||
		__builtin_sub_overflow(a->expires, a->soft, slack))
		*slack = 0;
	return mdl_due_hrtimer(&m->timers->zeros, m->now, around, now, a->expires);
}

/* Like due_of_hrtimer(), for a timer of the wheel. */
static int64_t due_of_wheel(struct mdl_machine *m, const struct armed *a, const struct mdl_event *e,
	int64_t *slack)
{
	/* baseclk: the jiffy whose bucket is emptied, whatever level it is in. */
	int64_t base = e->arg[MDL_TIMER_BUCKET];

	if (e->arg[MDL_TIMER_NOW] != MDL_ARG_ABSENT)
		mdl_due_tick(&m->timers->jiffies, m->now, e->arg[MDL_TIMER_NOW]);
	if (a->bucket == MDL_NEVER)
		return MDL_NEVER;
	return mdl_due_wheel(&m->timers->jiffies, a->expires, base != MDL_ARG_ABSENT ? base : a->bucket,
		slack);
}

/* Set the due time in FACT. If events were lost since A was armed, it may have been armed again. */
static void set_due(struct mdl_machine *m, const struct armed *a, const struct mdl_event *e,
	struct mdl_timer *fact)
{
	if (mdl_gap_since(&m->gaps, a->since))
		return;
	fact->due = fact->wheel ? due_of_wheel(m, a, e, &fact->slack) : due_of_hrtimer(m, a, e, &fact->slack);
	m->timers->asked = fact->due;
	if (fact->due == MDL_NEVER) {
		fact->slack = 0;
	} else if (fact->due < a->since) { /* armed for a time that was past */
		fact->due = a->since;
		fact->slack = 0;
	}
}

/* TIMER, of which A is known, was taken out of its queue on CPU. */
static void timer_take(struct mdl_machine *m, uint32_t cpu, uint64_t timer, const struct armed *a)
{
	struct taken *taken = mdl_recent_put(m->timers->taken, (uint64_t)cpu + 1);
	const struct mdl_level *l = mdl_cpu_level(m, cpu);

	*taken = (struct taken){ .timer = timer,
		.at = m->now,
		.context = l->context,
		.entry = l->entry,
		.armed = *a };
	mdl_recent_drop(m->timers->armed, timer);
}

/* True if T was taken to expire, which it does in level L of C now. A timer of the wheel is always taken for
 * that, so it must be the last one taken there. Not all kernels take hrtimers, so the same interrupt must
 * have taken it. */
static bool is_taken_for(const struct taken *t, const struct mdl_cpu *c, const struct mdl_level *l,
	bool wheel)
{
	if (c->gap != MDL_GAP_NONE || !c->current || c->current->phase_since > t->at)
		return false;
	return wheel || (l->context != MDL_NONE && l->context == t->context && l->entry == t->entry);
}

/* The last arming of TIMER, which expires in level L of CPU now; NULL: unknown. */
static struct armed *take_expiring(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	uint64_t timer, bool wheel)
{
	struct taken *taken = mdl_recent_find(m->timers->taken, (uint64_t)cpu + 1);
	struct armed *a = mdl_recent_find(m->timers->armed, timer);

	if (!taken || taken->timer != timer || !is_taken_for(taken, mdl_cpu_get(m, cpu), l, wheel))
		return a;
	taken->timer = 0;
	if (a) /* armed again since: by another CPU, or an hrtimer that was not taken to expire */
		return wheel ? &taken->armed : a;
	a = mdl_recent_put(m->timers->armed, timer);
	*a = taken->armed;
	return a;
}

/* TIMER with FUNCTION, armed as A describes (NULL: unknown), expires now in level L, by E. */
static void expire(struct mdl_machine *m, struct mdl_level *l, uint64_t timer, uint64_t function,
	struct armed *a, const struct mdl_event *e)
{
	struct mdl_timer *fact = &l->facts.timer;

	m->timers->asked = MDL_NEVER;
	m->timers->lost = m->gaps.had && (!a || mdl_gap_since(&m->gaps, a->since));
	*fact = (struct mdl_timer){ .function = function,
		.expired = true,
		.wheel = e->kind == MDL_EV_TIMER_ENTRY,
		.expired_at = m->now,
		.due = MDL_NEVER,
		.cpu = e->cpu,
		.armed.time = MDL_NEVER };
	if (a) {
		if (function == 0)
			fact->function = a->function;
		fact->armed = a->by;
		set_due(m, a, e, fact);
		a->expired = true;
	}
	l->facts.has |= MDL_FACT_TIMER;
	l->expired_timer = timer;
}

/* True if it is known in which interrupts the hrtimers of C expire. */
static bool tells_interrupts(const struct mdl_cpu *c)
{
	return c->switched && c->gap == MDL_GAP_NONE && !(c->current && c->current->softirq);
}

/* True if an hrtimer that expires now on C does so in no interrupt, and not in its softirq. */
static bool is_bare(const struct mdl_cpu *c)
{
	for (uint32_t i = 0; i < c->depth; i++)
		if (mdl_level_is_soft_timers(&c->stack[i]) || mdl_level_is_hard(&c->stack[i]))
			return false;
	return true;
}

/* True if hrtimers of C regularly expire in no recorded interrupt. A clock serves its CPU for good
 * (clockevents), so if its interrupt has no event, many hrtimers expire in none. A few do so when perf
 * enables or disables its events one after the other on a CPU (evlist__enable(), tools/perf/util/evlist.c):
 * then only that one interrupt is unknown. */
static bool are_many_bare(const struct mdl_timers *all, const struct mdl_cpu *c)
{
	return c->timer->bare > c->timer->expired / BARE_PART &&
		(c->timer->bare > BARE_FEW || all->bare > all->expired / BARE_PART);
}

/* Note whether the hrtimers of C are BARE. */
static void set_bare(struct mdl_machine *m, struct mdl_cpu *c, bool bare)
{
	m->coverage.bare_cpus += (uint32_t)bare - c->timer->is_bare;
	c->timer->is_bare = bare;
}

/* An hrtimer expires on C. */
static void timer_count(struct mdl_machine *m, struct mdl_cpu *c)
{
	bool bare, many;

	if (!tells_interrupts(c))
		return;
	bare = is_bare(c);
	c->timer->expired++;
	m->timers->expired++;
	c->timer->bare += bare;
	m->timers->bare += bare;
	many = are_many_bare(m->timers, c);
	if (many == c->timer->is_bare && (!bare || many || c->timer->is_stray))
		return;
	set_bare(m, c, many);
	if (bare && !many && !c->timer->is_stray) {
		c->timer->is_stray = true;
		m->coverage.stray_cpus++;
	}
	mdl_coverage_update(&m->coverage);
}

static void timer_finish(struct mdl_machine *m, G_GNUC_UNUSED int64_t to)
{
	for (uint32_t i = 0; i < m->cpus->len; i++) {
		struct mdl_cpu *c = mdl_cpu_peek(m, i);

		if (c && c->timer->is_bare)
			set_bare(m, c, are_many_bare(m->timers, c));
	}
	m->coverage.stray_cpus = 0;
	mdl_coverage_update(&m->coverage);
}

void mdl_timer_settle(struct mdl_machine *m, struct mdl_cpu *c)
{
	c->timer->is_stray = false;
	m->coverage.stray_cpus--;
	mdl_coverage_update(&m->coverage);
}

void mdl_timer_hrtimer(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t timer = mdl_event_address(e, MDL_HRTIMER_TIMER);
	struct armed *a = take_expiring(m, e->cpu, mdl_cpu_level(m, e->cpu), timer, false);

	timer_count(m, mdl_cpu_get(m, e->cpu));
	/* the event of a restart comes after its context ended */
	mdl_cpu_level(m, e->cpu)->expired_timer = timer;
	mdl_level_enter(m, e->cpu, MDL_CTX_HRTIMER, e->arg[MDL_HRTIMER_FUNCTION], 0);
	expire(m, mdl_cpu_level(m, e->cpu), timer, mdl_event_address(e, MDL_HRTIMER_FUNCTION), a, e);
}

void mdl_timer_wheel(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_level *l = mdl_cpu_level(m, e->cpu);
	uint64_t timer = mdl_event_address(e, MDL_TIMER_TIMER);

	if (e->kind == MDL_EV_TIMER_ENTRY)
		expire(m, l, timer, mdl_event_address(e, MDL_TIMER_FUNCTION),
			take_expiring(m, e->cpu, l, timer, true), e);
	else
		l->facts.has &= ~(unsigned)MDL_FACT_TIMER;
}

/* The arming of T's deadline while that runs, otherwise NULL. */
static const struct armed *deadline_of(const struct mdl_machine *m, const struct mdl_thread *t)
{
	const struct armed *a = mdl_recent_find(m->timers->armed, t->deadline);

	return a && !a->expired && a->by.context == MDL_NONE && a->by.thread == t->track->id ? a : NULL;
}

bool mdl_timer_is_armed(const struct mdl_machine *m, const struct mdl_thread *t)
{
	return deadline_of(m, t);
}

/* True if T is in a system call that arms no timer except its own time-out, and if leaving that call is
 * recorded. Other calls arm timers of sockets (tcp_rearm_rto(), tcp_send_delayed_ack()), queues and delayed
 * work, and may put them off in the same call, after a wait that has nothing to do with them: __mod_timer()
 * and hrtimer_start() cancel what is pending. A thread that polls a socket's card itself does so, too
 * (ep_busy_loop(), fs/eventpoll.c; sysctl net.core.busy_poll). Those are timers of the wheel, while the
 * time-outs of these calls are hrtimers (schedule_hrtimeout_range(), futex_setup_timer()). */
static bool only_waits(const struct mdl_machine *m, const struct mdl_thread *t, const struct armed *a)
{
	static const char *const calls[] = { "nanosleep", "clock_nanosleep", "poll", "ppoll", "select",
		"pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2", "futex", "futex_waitv",
		"mq_timedreceive", "mq_timedsend", NULL };
	/* Older kernels use a timer of the wheel here: schedule_timeout(), set_timeout() in fs/aio.c. */
	static const char *const by_any[] = { "rt_sigtimedwait", "semtimedop", "io_getevents",
		"io_pgetevents", NULL };

	if (t->mode != MDL_MODE_SYSCALL || m->coverage.some_calls)
		return false;
	return (!a->wheel && mdl_thread_call_is(m, mdl_thread_sure_call(t), calls)) ||
		mdl_thread_call_is(m, mdl_thread_sure_call(t), by_any);
}

void mdl_timer_cancel(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t timer = mdl_event_address(e, MDL_TIMER_TIMER);
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	const struct armed *a;

	if (timer == 0)
		return;
	if (mdl_cpu_is_own(c) && c->current && c->current->deadline == timer) {
		a = deadline_of(m, c->current);
		if (a)
			mdl_deferred_time_out(m, c->current,
				&(struct mdl_timer){ .function = a->function,
					.doubts = only_waits(m, c->current, a) ? 0 : MDL_DOUBT(TIMER),
					.expired_at = MDL_NEVER,
					.due = MDL_NEVER,
					.cpu = MDL_NONE,
					.armed = a->by });
	}
	a = mdl_recent_find(m->timers->armed, timer);
	if (a)
		timer_take(m, e->cpu, timer, a);
}

/* ---- the part ---- */

static void timer_init(struct mdl_machine *m, G_GNUC_UNUSED const char *release)
{
	m->timers->armed = mdl_recent_new(sizeof(struct armed), 65536);
	m->timers->taken = mdl_recent_new(sizeof(struct taken), 16384);
	m->timers->functions = mdl_recent_new(1, 256);
}

static void timer_clear(struct mdl_machine *m)
{
	mdl_recent_free(m->timers->armed);
	mdl_recent_free(m->timers->taken);
	mdl_recent_free(m->timers->functions);
}

static void timer_lose(struct mdl_machine *m, G_GNUC_UNUSED uint32_t cpu, G_GNUC_UNUSED int64_t since)
{
	mdl_recent_clear(m->timers->armed); /* another timer may have this address now */
}

const struct mdl_part mdl_part_timer = {
	.machine = MDL_KEPT(struct mdl_machine, timers),
	.cpu = MDL_KEPT(struct mdl_cpu, timer),
	.init = timer_init,
	.clear = timer_clear,
	.lose = timer_lose,
	.finish = timer_finish,
	.collect = timer_collect,
};

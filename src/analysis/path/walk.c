/* SPDX-License-Identifier: MIT */
/*
 * The walk. A frame is a thread that is followed backwards to a lower bound; `t` is how far the walk has
 * come. Each step examines the interval of the top frame's thread just before `t`:
 *
 *   - What the thread did or suffered itself becomes a segment. If its virtual CPU did not run on the host,
 *     that time is a segment of the virtual CPU.
 *   - A wait is followed to its cause (analysis/path/walk_wait.c). If a thread ended it, that thread is
 *     pushed, with the begin of the wait as its bound. When it has been followed down to there, the waiter
 *     continues with its own time before the wait. If an interrupt ended it, the time in the device, on the
 *     way or on the timer is a segment. Before that, the thread that submitted, sent or armed it is pushed.
 *   - In a wait that the user declared, the path continues at the release with the thread that released it,
 *     with the begin of the wait as its bound.
 *   - Before the birth of a thread, the path follows its creator.
 *
 * A frame that reaches as far down as the frame below it replaces that one. So a chain of waits that all
 * began before the window takes no memory.
 *
 * Every step except a hand-over decreases `t`, and the number of hand-overs at one instant is limited. So the
 * walk terminates even if the trace or the clocks lie.
 *
 * The window may end within a wait. Then the wake-up is beyond the window: the walk begins at the wake-up,
 * and the buffer (analysis/path/pathbuf.c) keeps only the part inside.
 */
#include "analysis/path/walk.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/chain.h"
#include "analysis/path/walk_parts.h"
#include "analysis/wait/ipiwait.h"
#include "analysis/wait/steps.h"
#include "base/base_time.h"

#define STEPS_PER_LOOK 1024 /* between two checks for cancellation */

static const char because_subject[] = "the subject itself";
static const char because_created[] = "it created the thread above";
static const char because_stolen[] = "the thread had a CPU of its guest, whose virtual CPU was not running";
static const char because_sent[] = "the thread spins until other CPUs have taken its IPI";
static const char because_peer[] = "the thread above waits for it on a CPU";
static const char because_waits[] = "the thread waits on its CPU";
static const char because_unresolved[] = "the end of this wait is unknown";

static struct ana_detail detail_of(enum ana_detail_kind kind, uint32_t row, const struct mdl_interval *iv)
{
	return (struct ana_detail){ .kind = kind,
		.row = row,
		.state = iv->state,
		.value = iv->detail,
		.cpu = iv->aux };
}

static struct ana_detail detail_text(const char *static_text)
{
	return (struct ana_detail){ .kind = ANA_DETAIL_TEXT, .text = static_text };
}

/*
 * A wait that continues beyond `t` is explained in three cases only. At the end of the window the walk begins
 * at the end of the wait. The path returns to a wait that it left in the middle. Or clocks are wrong, and `t`
 * is in a wait that ended before the thread did what it is followed for. In the last case the end of the wait
 * counts as if it was at `t`.
 */
static void step_blocked(struct ana_walker *w, const struct mdl_interval *iv)
{
	const struct ana_frame *f = ana_walk_top(w);
	bool resumed = f->resume == iv->to, at_end = w->frames->len == 1 && f->depth == 0 && !resumed;
	struct mdl_wakeup wakeup;

	if ((iv->to == w->t || at_end || f->early || resumed) &&
		qry_wakeup_at(w->q, f->row, iv->to, &wakeup)) {
		if (at_end)
			w->t = iv->to;
		ana_walk_wait(w, iv, &wakeup);
	} else {
		ana_walk_own_time(w, iv->from, ANA_SEG_BLOCKED, detail_of(ANA_DETAIL_STATE, f->row, iv),
			because_unresolved);
	}
}

static bool is_stolen(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_VCPU_PREEMPTED || iv->state == MDL_ST_VCPU_EXIT;
}

/* The thread has a CPU of its guest, but the virtual CPU is not inside the guest. The path goes through the
 * host. */
static void step_stolen(struct ana_walker *w, const struct mdl_interval *iv)
{
	const struct ana_frame *f = ana_walk_top(w);
	const struct qry_row *r = qry_row(w->q, f->row);
	bool preempted = iv->state == MDL_ST_VCPU_PREEMPTED;
	uint32_t vcpu = qry_vcpu_of(w->q, r->host, iv->aux);
	int64_t from = MAX(iv->from, f->lo);
	struct mdl_interval next;

	if (w->t < r->last && !(qry_state_at(w->q, f->row, w->t, &next) && is_stolen(&next)))
		ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_VM);
	ana_pathbuf_segment(w->buf,
		(struct ana_segment){ .from = from,
			.to = w->t,
			.actor = vcpu != MDL_NONE ? ana_walk_vcpu(w, vcpu)
						  : ana_walk_actor(w, ANA_ACTOR_VCPU, r->host, "virtual CPU"),
			.kind = preempted ? ANA_SEG_VCPU_PREEMPTED : ANA_SEG_VCPU_EXIT,
			.depth = f->depth,
			.row = f->row,
			.via = f->via,
			.turn.time = MDL_NEVER,
			.detail = detail_of(preempted ? ANA_DETAIL_OCCUPANTS : ANA_DETAIL_STATE, f->row, iv),
			.because = because_stolen,
			.doubts = f->doubts });
	w->t = from;
	if (from > f->lo && !(qry_state_before(w->q, f->row, from, &next) && is_stolen(&next)))
		ana_pathbuf_handover(w->buf, from, from, ANA_LINK_VM);
}

/* The thread waits for a CPU in IV. First its own or its group's budget may throttle it. */
static void step_cpu_wait(struct ana_walker *w, const struct mdl_interval *iv)
{
	static const enum ana_segment_kind kinds[ANA_PHASE_N] = { [ANA_PHASE_THROTTLED] = ANA_SEG_THROTTLED,
		[ANA_PHASE_PREEMPTED] = ANA_SEG_PREEMPTED,
		[ANA_PHASE_WAIT_CPU] = ANA_SEG_WAIT_CPU };
	const struct ana_frame *f = ana_walk_top(w);
	struct ana_wait_near near = ana_wait_near(w->q, f->row);
	struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS];
	struct mdl_interval whole = *iv;
	unsigned n;

	qry_kernel_state_at(w->q, f->row, w->t - 1, &whole);
	n = ana_cpuwait_split(w->q, f->row, &whole, &near, parts);
	if (n == 0) /* the thread's kernel has another state for this time; the walk must go on */
		ana_walk_own_time(w, iv->from, ANA_SEG_WAIT_CPU, detail_of(ANA_DETAIL_OCCUPANTS, f->row, iv),
			f->because);
	for (unsigned i = n; i-- > 0 && w->t > MAX(iv->from, f->lo);)
		if (parts[i].from < w->t)
			ana_walk_own_time(w, MAX(parts[i].from, iv->from), kinds[parts[i].phase],
				parts[i].quota ? detail_text(parts[i].quota)
					       : detail_of(ANA_DETAIL_OCCUPANTS, f->row, &whole),
				f->because);
}

/* The thread runs, or spins until other CPUs have taken its IPI. */
static void step_running(struct ana_walker *w, const struct mdl_interval *iv, enum ana_segment_kind kind)
{
	const struct ana_frame *f = ana_walk_top(w);
	struct mdl_ipi_wait wait;
	int64_t from = w->t;

	if (ana_ipiwait_back(w->q, f->row, iv, &from, &wait))
		ana_walk_own_time(w, from, ANA_SEG_IPI_WAIT, detail_of(ANA_DETAIL_IPI_WAIT, f->row, iv),
			because_sent);
	else
		ana_walk_own_time(w, from, kind, detail_of(ANA_DETAIL_STATE, f->row, iv), f->because);
}

/*
 * `t` is in a wait that the user declared. If the thread waited for another one at this time, follow that
 * one; true. Otherwise cut IV to the time after the release; false.
 */
static bool step_declared(struct ana_walker *w, struct mdl_interval *iv)
{
	const struct ana_frame *f = ana_walk_top(w);
	const struct qry_spin *spin = qry_spin_before(w->q, f->row, w->t);
	struct mdl_interval beneath;
	int64_t lo;

	if (!spin)
		return false;
	/* An interrupt in the declared wait delays the thread. */
	if (iv->state == MDL_ST_WAITING && qry_state_beneath(w->q, f->row, w->t - 1, &beneath)) {
		iv->from = MAX(iv->from, beneath.from);
		if (beneath.state == MDL_ST_INTERRUPTED) {
			iv->state = beneath.state;
			iv->detail = beneath.detail;
		}
	}
	if (spin->by == MDL_NONE)
		return false;
	if (w->t > spin->released) {
		iv->from = MAX(iv->from, spin->released);
		return false;
	}
	lo = MAX(spin->from, f->lo);
	if (lo >= w->t || !ana_walk_may_hand_over(w, w->t))
		return false;
	ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_DECLARED);
	w->via = ANA_KIND_WAITING;
	w->doubts = MDL_DOUBT(DECLARED);
	ana_walk_follow(w, spin->by, lo, because_peer);
	return true;
}

static void step_within_life(struct ana_walker *w, const struct mdl_interval *iv)
{
	static const enum ana_segment_kind kinds[MDL_ST_N] = { [MDL_ST_UNKNOWN] = ANA_SEG_UNKNOWN,
		[MDL_ST_USERMODE] = ANA_SEG_RUNNING,
		[MDL_ST_SYSCALL] = ANA_SEG_SYSCALL,
		[MDL_ST_RUNNING] = ANA_SEG_RUNNING,
		[MDL_ST_INTERRUPTED] = ANA_SEG_INTERRUPTED,
		[MDL_ST_EXITED] = ANA_SEG_UNKNOWN,
		[MDL_ST_IDLE] = ANA_SEG_UNKNOWN };
	const struct ana_frame *f = ana_walk_top(w);
	enum ana_segment_kind kind = iv->state < MDL_ST_N ? kinds[iv->state] : ANA_SEG_UNKNOWN;

	if (ana_cpuwait_is(w->q, f->row, iv))
		step_cpu_wait(w, iv);
	else if (iv->state == MDL_ST_BLOCKED || iv->state == MDL_ST_NEW) /* NEW: it waits for its creator */
		step_blocked(w, iv);
	else if (is_stolen(iv))
		step_stolen(w, iv);
	else if (iv->state == MDL_ST_EXITED)
		ana_walk_own_time(w, iv->from, kind, detail_text("exited"), f->because);
	else if (iv->state == MDL_ST_WAITING)
		ana_walk_own_time(w, iv->from, ANA_SEG_WAITING, detail_of(ANA_DETAIL_WAITING, f->row, iv),
			because_waits);
	else if (mdl_state_runs(iv->state))
		step_running(w, iv, kind);
	else
		ana_walk_own_time(w, iv->from, kind, detail_of(ANA_DETAIL_STATE, f->row, iv), f->because);
}

static void step_before_birth(struct ana_walker *w, const struct qry_row *row)
{
	const struct ana_frame *f = ana_walk_top(w);
	bool known = row->parent != MDL_NONE && qry_row(w->q, row->parent)->nr != 0;

	if (!row->born) {
		ana_walk_own_time(w, f->lo, ANA_SEG_UNKNOWN, detail_text("not seen yet"), f->because);
	} else if (!known || !ana_walk_may_hand_over(w, w->t)) {
		ana_walk_own_time(w, f->lo, ANA_SEG_UNKNOWN, detail_text("not created yet"), f->because);
	} else {
		ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_FORK);
		w->early = w->t < row->first;
		w->via = ANA_KIND_FORK;
		w->doubts = 0;
		ana_walk_follow(w, row->parent, f->lo, because_created);
	}
}

static void step_outside_life(struct ana_walker *w)
{
	const struct ana_frame *f = ana_walk_top(w);
	const struct qry_row *row = qry_row(w->q, f->row);

	if (w->t <= row->first)
		step_before_birth(w, row);
	else if (w->t > row->last)
		ana_walk_own_time(w, row->last, ANA_SEG_UNKNOWN, detail_text("exited"), f->because);
	else
		ana_walk_own_time(w, row->first, ANA_SEG_UNKNOWN,
			(struct ana_detail){ .kind = ANA_DETAIL_NONE }, f->because);
}

static bool walk_all(struct ana_walker *w, int64_t from, int64_t to, struct base_progress *progress)
{
	for (unsigned n = 1; w->frames->len > 0; n++) {
		const struct ana_frame *f = ana_walk_top(w);
		struct mdl_interval iv;

		if (w->t <= f->lo)
			g_array_set_size(w->frames, w->frames->len - 1);
		else if (!qry_state_before(w->q, f->row, w->t, &iv) || iv.from >= w->t || iv.to < w->t)
			step_outside_life(w);
		else if (!step_declared(w, &iv) && !ana_walk_inside(w, &iv))
			step_within_life(w, &iv);
		if (n % STEPS_PER_LOOK != 0)
			continue;
		if (base_progress_cancelled(progress))
			return false;
		if (progress)
			base_progress_set(progress, (double)(to - MIN(w->t, to)) / (double)(to - from), 0);
	}
	return true;
}

static struct ana_walker walker_of(struct qry *q, struct ana_pathbuf *buf, uint32_t row, int64_t from,
	int64_t to)
{
	struct ana_frame subject = { .row = row,
		.lo = from,
		.because = because_subject,
		.via = ANA_KIND_UNKNOWN,
		.resume = BASE_TIME_NONE };
	struct ana_walker w = { .q = q, .buf = buf, .t = to, .handover_at = BASE_TIME_NONE };

	w.frames = g_array_new(FALSE, FALSE, sizeof(struct ana_frame));
	g_array_append_val(w.frames, subject);
	return w;
}

bool ana_walk(struct qry *q, struct ana_pathbuf *buf, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress)
{
	struct ana_walker w = walker_of(q, buf, row, from, to);
	bool whole;

	ana_throttle_many(q);
	whole = walk_all(&w, from, to, progress);
	g_array_unref(w.frames);
	return whole;
}

void ana_walk_one_wait(struct qry *q, struct ana_pathbuf *buf, uint32_t row, const struct mdl_wakeup *wakeup,
	int64_t from)
{
	struct mdl_interval wait = { .from = wakeup->since,
		.to = wakeup->time,
		.state = MDL_ST_BLOCKED,
		.detail = MDL_BLOCK_UNKNOWN,
		.aux = MDL_NONE };
	struct ana_walker w = walker_of(q, buf, row, from, wakeup->time);

	ana_throttle_many(q);
	ana_walk_wait(&w, &wait, wakeup);
	walk_all(&w, from, wakeup->time, NULL);
	g_array_unref(w.frames);
}

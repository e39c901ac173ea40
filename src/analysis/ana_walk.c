/* SPDX-License-Identifier: MIT */
/*
 * The walk.  A frame is a thread that is followed backwards to a lower bound;
 * `t` is how far the walk has come.  Each step looks at the interval of the top
 * frame's thread just before `t`:
 *
 *   - what the thread did or suffered itself becomes a segment;
 *   - a wait is looked through: if a thread ended it, that thread is pushed,
 *     bounded by the start of the wait, and when it has been followed down to
 *     there the waiter goes on from its own time before the wait.  If an
 *     interrupt ended it, the wait itself is a segment of the device;
 *   - before a thread's birth its creator is followed in its stead.
 *
 * A frame that reaches as far down as the one below it replaces that one, so a
 * chain of waits that all began before the window takes no memory.
 *
 * `t` falls with every step but hand-overs, and of those only a bounded number
 * may happen at one instant; so the walk ends, even on a trace that lies.
 *
 * The window may end within a wait.  Then the wake-up lies beyond the window:
 * the walk begins there, and the buffer (ana_pathbuf.c) keeps only what is
 * inside.
 */
#include "analysis/ana_walk.h"

#include "analysis/ana_instead.h"
#include "base/base_time.h"

#define HANDOVERS_MAX 64	/* at one instant */
#define STEPS_PER_LOOK 1024	/* between two looks at whether to stop */

static const char because_subject[] = "the subject itself";
static const char because_woke[] = "its wake-up ended the wait above";
static const char because_created[] = "it created the thread above";
static const char because_interrupt[] = "the end of the wait came from this interrupt";
static const char because_unresolved[] = "what ended this wait is not known";

struct frame {
	uint32_t row;
	int64_t lo;
	uint32_t depth;
	const char *because;	/* static */
};

struct walk {
	struct qry *q;			/* weak */
	struct ana_pathbuf *buf;	/* weak */
	GArray *frames;			/* of struct frame */
	int64_t t;
	int64_t handover_at;		/* where the last hand-over was, and how many there */
	unsigned handovers;
};

static struct frame *top_of(const struct walk *w)
{
	return &g_array_index(w->frames, struct frame, w->frames->len - 1);
}

/* The top frame's thread spent [from, t) like this. */
static void own_time(struct walk *w, int64_t from, enum ana_segment_kind kind, struct ana_detail detail, const char *because)
{
	const struct frame *f = top_of(w);

	from = MAX(from, f->lo);
	ana_pathbuf_segment(w->buf, (struct ana_segment){
		.from = from, .to = w->t, .actor = ana_pathbuf_thread(w->buf, f->row),
		.kind = kind, .depth = f->depth, .detail = detail, .because = because,
	});
	w->t = from;
}

/* False when too many hand-overs happen without time passing. */
static bool may_hand_over(struct walk *w, int64_t at)
{
	if (w->handover_at != at)
		w->handovers = 0;
	w->handover_at = at;
	return w->handovers++ < HANDOVERS_MAX;
}

/* Go on with thread ROW down to LO; the top frame goes on from there, unless LO is its end too. */
static void follow(struct walk *w, uint32_t row, int64_t lo, const char *because)
{
	struct frame *f = top_of(w);
	struct frame next = { .row = row, .lo = lo, .depth = f->depth + 1, .because = because };

	if (lo <= f->lo)
		*f = next;
	else
		g_array_append_val(w->frames, next);
}

static struct ana_detail detail_of(enum ana_detail_kind kind, uint32_t row, const struct mdl_interval *iv)
{
	return (struct ana_detail){ .kind = kind, .row = row, .state = iv->state, .value = iv->detail, .cpu = iv->aux };
}

static struct ana_detail detail_text(const char *static_text)
{
	return (struct ana_detail){ .kind = ANA_DETAIL_TEXT, .text = static_text };
}

/* ---- waits ---- */

/* How a wait that an interrupt ended stands on the path; none for the other kinds. */
struct wait_look {
	enum ana_segment_kind segment;
	enum ana_actor_type actor;
	enum ana_link_kind link;
};

static const struct wait_look wait_looks[ANA_KIND_N] = {
	[ANA_KIND_BLOCK] = { ANA_SEG_BLOCK, ANA_ACTOR_DEVICE, ANA_LINK_WAKEUP },
	[ANA_KIND_NETWORK] = { ANA_SEG_NETWORK, ANA_ACTOR_NETWORK, ANA_LINK_WAKEUP },
	[ANA_KIND_TIMER] = { ANA_SEG_TIMER, ANA_ACTOR_IRQ, ANA_LINK_WAKEUP },
	[ANA_KIND_IPI] = { ANA_SEG_IPI, ANA_ACTOR_IRQ, ANA_LINK_IPI },
	[ANA_KIND_IRQ] = { ANA_SEG_IRQ, ANA_ACTOR_IRQ, ANA_LINK_WAKEUP },
	[ANA_KIND_SOFTIRQ] = { ANA_SEG_IRQ, ANA_ACTOR_IRQ, ANA_LINK_WAKEUP },
	[ANA_KIND_USER_INPUT] = { ANA_SEG_USER_INPUT, ANA_ACTOR_DEVICE, ANA_LINK_WAKEUP },
};

/* The device, else the innermost context; by its type where it has no name. */
static const char *interrupt_name(const struct walk *w, const struct ana_source *s)
{
	struct qry_context ctx = { .type = MDL_CTX_SOFTIRQ, .name = "" };

	if (s->device)
		return s->device;
	if (s->wakeup.n_contexts > 0)
		ctx = qry_context(w->q, s->host, s->wakeup.contexts[s->wakeup.n_contexts - 1].context);
	return *ctx.name ? ctx.name : mdl_ctx_type_name(ctx.type);
}

static uint32_t actor_of_interrupt(struct walk *w, const struct ana_source *s, enum ana_actor_type type)
{
	const char *name = interrupt_name(w, s);
	char *label;
	uint32_t actor;

	if (qry_host_count(w->q) > 1)
		label = g_strdup_printf("%s/%s", qry_host(w->q, s->host)->name, name);
	else
		label = g_strdup(name);
	actor = ana_pathbuf_actor(w->buf, type, s->host, name, label);
	g_free(label);
	return actor;
}

static void wait_for_interrupt(struct walk *w, const struct mdl_interval *iv, const struct ana_source *s)
{
	const struct wait_look *look = &wait_looks[s->kind];
	const struct frame *f = top_of(w);
	int64_t from = MAX(iv->from, f->lo);

	ana_pathbuf_handover(w->buf, iv->to, look->link);
	ana_pathbuf_source(w->buf, s);
	ana_pathbuf_segment(w->buf, (struct ana_segment){
		.from = from, .to = w->t, .actor = actor_of_interrupt(w, s, look->actor), .kind = look->segment,
		.depth = f->depth, .detail = detail_of(ANA_DETAIL_WAITER, f->row, iv), .because = because_interrupt,
	});
	w->t = from;
}

static void wait_for_thread(struct walk *w, const struct mdl_interval *iv, const struct ana_source *s)
{
	bool fork = s->kind == ANA_KIND_FORK;

	ana_pathbuf_handover(w->buf, iv->to, fork ? ANA_LINK_FORK : ANA_LINK_WAKEUP);
	ana_pathbuf_source(w->buf, s);
	w->t = iv->to;
	follow(w, s->thread, MAX(iv->from, top_of(w)->lo), fork ? because_created : because_woke);
}

static void step_blocked(struct walk *w, const struct mdl_interval *iv)
{
	const struct frame *f = top_of(w);
	/* Only the subject, at the window's end, can be seen in the middle of a wait: others were followed because they ran. */
	bool whole = iv->to == w->t || (w->frames->len == 1 && f->depth == 0);
	struct mdl_wakeup wakeup;
	struct ana_source s;

	if (!whole || !qry_wakeup_at(w->q, f->row, iv->to, &wakeup)) {
		own_time(w, iv->from, ANA_SEG_BLOCKED, detail_of(ANA_DETAIL_STATE, f->row, iv), because_unresolved);
		return;
	}
	s = ana_source_of(w->q, f->row, &wakeup);
	if (s.thread != MDL_NONE && may_hand_over(w, iv->to)) {
		wait_for_thread(w, iv, &s);
	} else if (wait_looks[s.kind].segment != ANA_SEG_RUNNING) {
		wait_for_interrupt(w, iv, &s);
	} else {
		ana_pathbuf_source(w->buf, &s);
		own_time(w, iv->from, ANA_SEG_BLOCKED, detail_of(ANA_DETAIL_STATE, f->row, iv), because_unresolved);
	}
}

/* ---- the rest of a thread's life ---- */

static void step_waiting_for_cpu(struct walk *w, const struct mdl_interval *iv, enum ana_segment_kind kind)
{
	const struct frame *f = top_of(w);

	if (iv->state == MDL_ST_NEW)
		own_time(w, iv->from, kind, detail_text("new"), f->because);
	else
		own_time(w, iv->from, kind, detail_of(ANA_DETAIL_INSTEAD, f->row, iv), f->because);
}

static void step_within_life(struct walk *w, const struct mdl_interval *iv)
{
	static const enum ana_segment_kind kinds[MDL_ST_N] = {
		[MDL_ST_UNKNOWN] = ANA_SEG_UNKNOWN, [MDL_ST_USERMODE] = ANA_SEG_RUNNING,
		[MDL_ST_SYSCALL] = ANA_SEG_SYSCALL, [MDL_ST_RUNNING] = ANA_SEG_RUNNING,
		[MDL_ST_INTERRUPTED] = ANA_SEG_INTERRUPTED, [MDL_ST_WAIT_CPU] = ANA_SEG_WAIT_CPU,
		[MDL_ST_PREEMPTED] = ANA_SEG_PREEMPTED, [MDL_ST_NEW] = ANA_SEG_WAIT_CPU,
		[MDL_ST_EXITED] = ANA_SEG_UNKNOWN, [MDL_ST_IDLE] = ANA_SEG_UNKNOWN,
		[MDL_ST_VCPU_PREEMPTED] = ANA_SEG_VCPU_PREEMPTED, [MDL_ST_VCPU_EXIT] = ANA_SEG_VCPU_PREEMPTED,
	};
	const struct frame *f = top_of(w);
	enum ana_segment_kind kind = iv->state < MDL_ST_N ? kinds[iv->state] : ANA_SEG_UNKNOWN;

	if (iv->state == MDL_ST_BLOCKED)
		step_blocked(w, iv);
	else if (kind == ANA_SEG_WAIT_CPU || kind == ANA_SEG_PREEMPTED)
		step_waiting_for_cpu(w, iv, kind);
	else if (iv->state == MDL_ST_EXITED)
		own_time(w, iv->from, kind, detail_text("exited"), f->because);
	else
		own_time(w, iv->from, kind, detail_of(ANA_DETAIL_STATE, f->row, iv), f->because);
}

static void step_before_birth(struct walk *w, const struct qry_row *row)
{
	const struct frame *f = top_of(w);
	bool known = row->parent != MDL_NONE && qry_row(w->q, row->parent)->nr != 0;

	if (!row->born) {
		own_time(w, f->lo, ANA_SEG_UNKNOWN, detail_text("not seen yet"), f->because);
	} else if (!known || !may_hand_over(w, w->t)) {
		own_time(w, f->lo, ANA_SEG_UNKNOWN, detail_text("not born"), f->because);
	} else {
		ana_pathbuf_handover(w->buf, w->t, ANA_LINK_FORK);
		follow(w, row->parent, f->lo, because_created);
	}
}

static void step_outside_life(struct walk *w)
{
	const struct frame *f = top_of(w);
	const struct qry_row *row = qry_row(w->q, f->row);

	if (w->t <= row->first)
		step_before_birth(w, row);
	else if (w->t > row->last)
		own_time(w, row->last, ANA_SEG_UNKNOWN, detail_text("exited"), f->because);
	else
		own_time(w, row->first, ANA_SEG_UNKNOWN, (struct ana_detail){ .kind = ANA_DETAIL_NONE }, f->because);
}

static void step(struct walk *w)
{
	const struct frame *f = top_of(w);
	struct mdl_interval iv;

	if (w->t <= f->lo)
		g_array_set_size(w->frames, w->frames->len - 1);
	else if (!qry_state_before(w->q, f->row, w->t, &iv) || iv.from >= w->t || iv.to < w->t)
		step_outside_life(w);
	else
		step_within_life(w, &iv);
}

static bool walk_all(struct walk *w, int64_t from, int64_t to, struct base_progress *progress)
{
	for (unsigned n = 1; w->frames->len > 0; n++) {
		step(w);
		if (n % STEPS_PER_LOOK != 0)
			continue;
		if (base_progress_cancelled(progress))
			return false;
		if (progress)
			base_progress_set(progress, (double)(to - MIN(w->t, to)) / (double)(to - from), 0);
	}
	return true;
}

bool ana_walk(struct qry *q, struct ana_pathbuf *buf, uint32_t row, int64_t from, int64_t to,
	      struct base_progress *progress)
{
	struct frame subject = { .row = row, .lo = from, .because = because_subject };
	struct walk w = { .q = q, .buf = buf, .t = to, .handover_at = BASE_TIME_NONE };
	bool whole;

	w.frames = g_array_new(FALSE, FALSE, sizeof(struct frame));
	g_array_append_val(w.frames, subject);
	whole = walk_all(&w, from, to, progress);
	g_array_unref(w.frames);
	return whole;
}

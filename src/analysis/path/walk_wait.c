/* SPDX-License-Identifier: MIT */
/*
 * How a wait that was not ended by a thread itself is followed.
 *
 * The wait is laid out backwards from its end: the time in interrupts and IPIs; then the time in the device
 * and in the queue, or of a packet on its way, or on a timer and how late it was, or until an interrupt came.
 * If that began within the wait and a thread began it, the path continues with this thread: the kernel thread
 * that submitted to the disk, the thread that sent the packet. If it began before the wait, or no thread is
 * known, all of the wait belongs to the device.
 *
 * How the steps to a wake-up (ana_steps) appear on the path.
 *
 * Each step is a segment of its own: of the device, the interrupt, the IPI. If a thread had to run first, for
 * example that of an interrupt line, the path goes through what that thread did, as anywhere. Then it returns
 * to the wait, and continues with the earlier steps.
 *
 * How the path goes from a guest to its host and back.
 *
 * The host posted the interrupt that ended a wait in the guest. The time from there until the guest's kernel
 * took it is a segment of its own. Before that the path is with the poster, as if the virtual CPU had waited
 * for it. It remains in the host down to where the guest's own account begins: the begin of the wait, or the
 * time when the device got the request. If it comes to a thread of the host that runs a virtual CPU inside
 * the guest, the guest's thread on it did the work: the kick of a device, an IPI.
 */
#include "analysis/path/walk_parts.h"

#include "analysis/kind/chain.h"
#include "analysis/cpu/cpuwait.h"
#include "base/base_time.h"

/* A wait while it is followed. */
struct wait {
	const struct mdl_interval *iv;
	struct ana_source source;
	struct mdl_chain chain;
	struct mdl_cause cause;        /* has FACTS */
	const struct mdl_facts *facts; /* NULL: none */
	int64_t from;                  /* begin of the wait, or LO of the frame */
	enum ana_segment_kind segment;
	uint32_t actor;
	struct mdl_act turn; /* the step's own actor; time MDL_NEVER: the thing waited for */
	mdl_doubts doubts;   /* of the current part */
	struct ana_crossing crossing;
	uint32_t vector; /* for ANA_SEG_VM_INTERRUPT */
};

/* The thread that began the operation at the end of a wait. */
struct origin {
	uint32_t row;          /* MDL_NONE: no thread to follow */
	int64_t time, arrival; /* ns: when it began it, and when that arrived here */
	enum ana_link_kind link;
	const char *text;           /* static: what happened since then; NULL: nothing to add */
	const char *because;        /* static: why this time is on the path */
	const char *because_before; /* static: why ROW is on the path */
};

/* ---- segments, and where the walk continues ---- */

static const char because_suspend[] = "the machine was suspended, and this thread frozen";

#define HANDOVERS_MAX 64 /* at one instant */

void ana_walk_own_time(struct ana_walker *w, int64_t from, enum ana_segment_kind kind,
	struct ana_detail detail, const char *because)
{
	const struct ana_frame *f = ana_walk_top(w);

	from = MAX(from, f->lo);
	ana_pathbuf_segment(w->buf,
		(struct ana_segment){
			.from = from,
			.to = w->t,
			.actor = ana_pathbuf_thread(w->buf, f->row),
			.kind = kind,
			.depth = f->depth,
			.row = f->row,
			.via = f->via,
			.turn.time = MDL_NEVER,
			.detail = detail,
			.because = because,
			.doubts = kind == ANA_SEG_BLOCKED || kind == ANA_SEG_UNKNOWN ? MDL_DOUBT(UNKNOWN)
										     : f->doubts |
					(kind == ANA_SEG_THROTTLED                ? MDL_DOUBT(QUOTA)
							: kind == ANA_SEG_WAITING ? MDL_DOUBT(DECLARED)
										  : 0),
		});
	w->t = from;
}

bool ana_walk_may_hand_over(struct ana_walker *w, int64_t at)
{
	if (w->handover_at != at)
		w->handovers = 0;
	w->handover_at = at;
	return w->handovers++ < HANDOVERS_MAX;
}

void ana_walk_follow(struct ana_walker *w, uint32_t row, int64_t lo, const char *because)
{
	struct ana_frame *f = ana_walk_top(w);
	struct ana_frame next = {
		.row = row,
		.lo = lo,
		.depth = f->depth + 1,
		.because = because,
		.early = w->early,
		.via = w->via,
		.doubts = f->doubts | w->doubts,
		.resume = BASE_TIME_NONE,
	};

	w->early = false;
	if (lo <= f->lo)
		*f = next;
	else
		g_array_append_val(w->frames, next);
}

uint32_t ana_walk_actor(const struct ana_walker *w, enum ana_actor_type type, uint32_t host, const char *name)
{
	g_autofree char *label = NULL;

	if (qry_host_count(w->q) == 1)
		return ana_pathbuf_actor(w->buf, type, host, name, name);
	label = g_strdup_printf("%s/%s", qry_host(w->q, host)->name, name);
	return ana_pathbuf_actor(w->buf, type, host, name, label);
}

/* Like pass(), without looking for a suspend. */
static void pass_plain(struct ana_walker *w, const struct wait *wait, int64_t from, const char *text,
	const char *because)
{
	const struct ana_frame *f = ana_walk_top(w);

	from = MAX(from, wait->from);
	if (from >= w->t)
		return;
	ana_pathbuf_segment(w->buf,
		(struct ana_segment){
			.from = from,
			.to = w->t,
			.actor = wait->actor,
			.kind = wait->segment,
			.depth = f->depth,
			.row = f->row,
			.via = f->via,
			.doubts = f->doubts | wait->doubts,
			.turn = wait->turn,
			.detail = { .kind = ANA_DETAIL_WAITER,
				.row = f->row,
				.state = wait->iv->state,
				.value = wait->iv->detail,
				.cpu = wait->iv->aux,
				.cause = wait->source.wakeup.cause,
				.text = text,
				.vector = wait->vector },
			.because = because,
			.crossing = wait->crossing,
		});
	w->t = from;
}

/* Add a segment of WAIT for [FROM, t), in which its actor was at work. TEXT: static; NULL: nothing to add.
 * The time in which its thread was frozen belongs to the suspend. */
static void pass(struct ana_walker *w, const struct wait *wait, int64_t from, const char *text,
	const char *because)
{
	const struct mdl_suspend *s = &wait->cause.facts.suspend;
	struct wait part = *wait;

	if (wait->facts && wait->facts->has & MDL_FACT_SUSPEND && s->by == MDL_SUSPEND_BY_OTHER &&
		from < s->act.time && w->t > s->from) {
		part.segment = ANA_SEG_SUSPEND;
		part.actor = ana_walk_actor(w, ANA_ACTOR_DEVICE, wait->source.host, "suspend");
		part.turn.time = MDL_NEVER;
		part.doubts = s->doubts;
		pass_plain(w, wait, MAX(from, s->act.time), text, because);
		pass_plain(w, &part, MAX(from, s->from), NULL, because_suspend);
	}
	pass_plain(w, wait, from, text, because);
}

/* If a thread other than the waker began, within WAIT, the operation O that ended it, the time since then is
 * one segment, and the path continues with that thread; true. Otherwise the rest of the wait is the segment;
 * false. */
static bool go_on(struct ana_walker *w, const struct wait *wait, const struct origin *o)
{
	bool led = o->row != MDL_NONE && o->row != wait->source.row && o->time > wait->from &&
		o->time <= w->t;

	pass(w, wait, led ? o->time : wait->from, o->text, o->because);
	if (!led)
		return false;
	if (!ana_walk_may_hand_over(w, o->time)) {
		pass(w, wait, wait->from, o->text, o->because);
		return false;
	}
	ana_pathbuf_handover(w->buf, o->time, o->arrival, o->link);
	ana_walk_follow(w, o->row, wait->from, o->because_before);
	return true;
}

/* ---- packets ---- */

/*
 * How a wait for a packet is followed.
 *
 * The time since the packet was sent belongs to the network. Before that the path is with the thread that
 * sent it. If that thread is on another host, the path continues there, at the time of sending by the clocks
 * in use. Clocks have errors and may be wrong, but the times derived from them are bounded like all others:
 * no sender is followed from a time after the reception, or before the begin of the wait.
 */

static const char because_packet[] = "the wait was for this packet";
static const char because_sent[] = "it sent what the thread above waited for";

/* The way of a packet that S sent at AT, by the clocks of both hosts. */
static struct ana_crossing crossing_of(const struct ana_walker *w, const struct wait *wait,
	const struct ana_sender *s, int64_t at)
{
	struct ana_arrival arrival = ana_arrival_of(w->q, wait->source.host, &wait->facts->packet,
		&wait->chain);
	bool sure = s->thread != MDL_NONE && s->doubts == 0 && wait->facts->packet.doubts == 0 &&
		arrival.doubts == 0;
	bool proved = sure && !s->apart && s->by.time == at && s->error <= w->t - MAX(at, wait->from);

	return (struct ana_crossing){
		.crossed = true,
		.timed = s->thread != MDL_NONE && !s->apart,
		.error = s->error,
		.doubts = wait->source.doubts | wait->facts->packet.doubts | arrival.doubts |
			(proved                ? 0
					: sure ? MDL_DOUBT(CLOCK)
					       : MDL_DOUBT(WAY)),
	};
}

/* An unusual fact about the time of the packet, as text; NULL: none. */
static const char *packet_text(const struct wait *wait, const struct ana_sender *s, int64_t at)
{
	if (s->apart)
		return "sent on a host with an unrelated clock";
	if (s->thread == MDL_NONE)
		return "sent by the kernel, for no thread";
	if (at <= wait->from)
		return at <= wait->iv->from ? "sent before the wait" : "sent before the wait above";
	if (s->by.time > wait->facts->packet.time)
		return "sent later than it arrived by the clocks";
	return s->by.time > at ? "sent later than what followed by the clocks" : NULL;
}

/* Follow WAIT, which was for the packet in its facts. */
static void wait_for_packet(struct ana_walker *w, struct wait *wait)
{
	const struct mdl_received *packet = &wait->facts->packet;
	struct origin o = { .row = MDL_NONE,
		.link = ANA_LINK_NETWORK,
		.because = because_packet,
		.because_before = because_sent };
	guint n = w->frames->len;
	struct ana_sender s;

	if (ana_sender_of(w->q, wait->source.host, packet, &s)) {
		o.row = s.apart ? MDL_NONE : s.thread;
		o.arrival = MIN(packet->time, wait->iv->to);
		o.time = MIN(s.by.time, MIN(o.arrival, w->t));
		w->early |= o.row != MDL_NONE && s.by.time > o.time;
		if (s.remote) {
			o.text = packet_text(wait, &s, o.time);
			wait->crossing = crossing_of(w, wait, &s, o.time);
			w->doubts |= wait->crossing.doubts;
		} else {
			w->doubts |= s.doubts;
		}
	}
	if (go_on(w, wait, &o))
		return;
	w->early = false;
	/* The path continues with the frame below. If that thread sent the packet before it began to wait
	 * itself, the path comes from there over the network. */
	if (o.row != MDL_NONE && n > 1 && w->t == ana_walk_top(w)->lo && o.time <= w->t &&
		g_array_index(w->frames, struct ana_frame, n - 2).row == o.row)
		ana_pathbuf_handover(w->buf, o.time, o.arrival, ANA_LINK_NETWORK);
}

/* ---- waits ---- */

static const char because_woke[] = "its wake-up ended the wait above";
static const char because_posted[] = "it posted the interrupt for which the guest above waited";
static const char because_created[] = "it created the thread above";
static const char because_interrupt[] = "the end of the wait came from this interrupt";
static const char because_late[] = "the timer of the thread above was due and did not expire";
static const char because_device[] = "the wait was for this request";
static const char because_asked[] = "it asked for what the thread above waited for";
static const char because_started[] = "it started the interrupt that ended the wait above";
static const char because_unresolved[] = "the end of this wait is unknown";
static const char because_online[] = "the CPU came on-line";
static const char because_thread[] = "it had to run before the wait above could end";
static const char because_host[] = "the host posted the interrupt that ended the wait above";
static const char because_guest[] = "it ran inside the guest on the virtual CPU above";

/* ---- between a guest and its host ---- */

uint32_t ana_walk_vcpu(const struct ana_walker *w, uint32_t vcpu)
{
	const struct qry_row *r = qry_row(w->q, vcpu);

	return ana_walk_actor(w, ANA_ACTOR_VCPU, r->host, r->name);
}

/* Interrupt B of the guest ended WAIT and was posted some time before. Pass the time since the posting. False
 * if B is not within the rest of WAIT. */
static bool walk_taken(struct ana_walker *w, const struct wait *wait, const struct ana_border *b)
{
	struct mdl_interval iv = *wait->iv;
	struct wait part = *wait;

	if (b->entry > w->t || b->entry <= wait->from) /* it was passed already, or began before the wait */
		return false;
	pass(w, wait, b->entry, NULL, because_host);
	ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_VM);
	iv.aux = b->cpu; /* the CPU whose occupants matter meanwhile */
	part.iv = &iv;
	part.segment = ANA_SEG_VM_INTERRUPT;
	part.actor = ana_walk_vcpu(w, b->vcpu);
	part.turn.time = MDL_NEVER;
	part.doubts |= b->doubts;
	part.vector = b->vector;
	part.crossing = (struct ana_crossing){ true, b->doubts, true, b->error };
	pass(w, &part, b->post.time, ana_border_words(b), because_host);
	return true;
}

bool ana_walk_inside(struct ana_walker *w, struct mdl_interval *iv)
{
	const struct ana_frame *f = ana_walk_top(w);
	struct ana_inside in;

	if (qry_host_count(w->q) == 1 || f->depth == 0 || !ana_border_inside(w->q, f->row, w->t, &in))
		return false;
	if (in.guest == MDL_NONE || !ana_walk_may_hand_over(w, w->t)) {
		iv->from = MAX(iv->from, in.from);
		return false;
	}
	ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_VM);
	w->via = f->via;
	w->doubts = in.doubts;
	ana_walk_follow(w, in.guest, f->lo, because_guest);
	return true;
}

/* ---- steps ---- */

static const enum ana_segment_kind step_kinds[ANA_STEPS] = { [ANA_STEP_QUEUE] = ANA_SEG_BLOCK,
	[ANA_STEP_FLUSH_BEFORE] = ANA_SEG_FLUSH,
	[ANA_STEP_DEVICE] = ANA_SEG_BLOCK,
	[ANA_STEP_FLUSH_AFTER] = ANA_SEG_FLUSH,
	[ANA_STEP_REQUEUE] = ANA_SEG_BLOCK,
	[ANA_STEP_ASKED] = ANA_SEG_BLOCK,
	[ANA_STEP_HANDLING] = ANA_SEG_IRQ,
	[ANA_STEP_IPI] = ANA_SEG_IPI,
	[ANA_STEP_SOFTIRQ] = ANA_SEG_IRQ,
	[ANA_STEP_THREAD] = ANA_SEG_IRQ };

/* The context or thread of ACT, as an actor. */
static uint32_t actor_of(const struct ana_walker *w, const struct wait *wait, const struct mdl_act *act)
{
	uint32_t thread = ana_chain_actor(w->q, act);
	g_autofree char *name = NULL;

	if (thread != MDL_NONE)
		return ana_pathbuf_thread(w->buf, thread);
	if (act->context == MDL_NONE)
		return wait->actor;
	name = qry_context_text(w->q, wait->source.host, act->context);
	return ana_walk_actor(w, ANA_ACTOR_IRQ, wait->source.host, name);
}

static void pass_step(struct ana_walker *w, const struct wait *wait, const struct ana_step *step)
{
	struct wait part = *wait;
	struct ana_border border;
	bool own = step->what < ANA_STEP_HANDLING,
	     flush = own && wait->facts->request.op == MDL_OP_FLUSH && step->what == ANA_STEP_DEVICE;

	part.segment = flush ? ANA_SEG_FLUSH : step_kinds[step->what];
	if (step->what == ANA_STEP_IPI && ana_border_of(w->q, wait->source.host, &step->act, &border))
		walk_taken(w, wait, &border);
	if (!own) { /* doubts about the request's own steps are no doubts about the wait */
		part.doubts |= step->doubts;
		part.actor = actor_of(w, wait, &step->act);
		part.turn = step->act;
	}
	pass(w, &part, step->from, ana_step_words(step->what), own ? because_device : because_interrupt);
}

/* Follow the thread of STEP, which ended at `t`, and return to WAIT afterwards. False: there is no thread. */
static bool go_through(struct ana_walker *w, const struct wait *wait, const struct ana_step *step)
{
	uint32_t row = ana_chain_actor(w->q, &step->act);

	if (row == MDL_NONE || row == wait->source.row || !ana_walk_may_hand_over(w, w->t))
		return false;
	ana_pathbuf_handover(w->buf, w->t, w->t, ANA_LINK_WAKEUP);
	ana_walk_top(w)->resume = wait->iv->to;
	w->via = ANA_KIND_THREAD;
	w->doubts = wait->doubts | step->doubts;
	ana_walk_follow(w, row, MAX(step->from, wait->from), because_thread);
	return true;
}

/*
 * Pass the N STEPS from number FIRST, as far as they lie within WAIT and before `t`. False if the path left
 * the wait and will return to it.
 */
static bool walk_steps(struct ana_walker *w, const struct wait *wait, const struct ana_steps *steps,
	unsigned first, unsigned n)
{
	for (unsigned i = first + n; i-- > first && w->t > wait->from;) {
		const struct ana_step *step = &steps->steps[i];

		if (step->from >= w->t) /* this step was passed before the path left the wait */
			continue;
		if (i == steps->n - 1 && step->to < w->t) /* the wake-up itself */
			pass(w, wait, step->to, NULL, because_interrupt);
		if (step->what == ANA_STEP_THREAD && go_through(w, wait, step))
			return false;
		pass_step(w, wait, step);
	}
	return true;
}

/* ---- the wait ---- */

/* How the wait appears on the path. Work and signals from an interrupt look like that interrupt. */
static const struct ana_kind_look *look_of(const struct ana_walker *w, const struct wait *wait)
{
	const struct mdl_act *last = wait->chain.n > 0 ? &wait->chain.hops[wait->chain.n - 1].act : NULL;
	struct qry_context context;

	if ((wait->source.kind != ANA_KIND_WORKQUEUE && wait->source.kind != ANA_KIND_SIGNAL) || !last ||
		last->context == MDL_NONE)
		return ana_kind_look(wait->source.kind);
	context = qry_context(w->q, wait->source.host, last->context);
	return ana_kind_look(ana_kind_of_context(&context));
}

/* The name of the device, or else of the innermost context; its type if it has no name. */
static const char *actor_name(const struct ana_walker *w, const struct wait *wait)
{
	struct qry_context context = { .type = MDL_CTX_SOFTIRQ, .name = "" };

	if (wait->source.device && *wait->source.device)
		return wait->source.device;
	for (unsigned i = wait->chain.n; i-- > 0;) {
		if (wait->chain.hops[i].act.context == MDL_NONE)
			continue;
		context = qry_context(w->q, wait->source.host, wait->chain.hops[i].act.context);
		break;
	}
	return *context.name ? context.name : mdl_ctx_type_name(context.type);
}

/* Pass the time since ACT, which began it, and follow its thread if it is known. */
static void pass_from_act(struct ana_walker *w, const struct wait *wait, const struct mdl_act *act,
	struct origin o)
{
	o.row = ana_chain_actor(w->q, act);
	o.time = o.arrival = act->time;
	go_on(w, wait, &o);
}

/* The path continues with the poster of B, down to LO. Then it returns to WAIT, unless WAIT ends there. */
static void go_to_host(struct ana_walker *w, const struct wait *wait, const struct ana_border *b, int64_t lo)
{
	struct mdl_interval before = { .from = MAX(lo, wait->from),
		.to = w->t,
		.state = MDL_ST_BLOCKED,
		.detail = MDL_BLOCK_UNKNOWN,
		.aux = MDL_NONE };
	struct ana_frame *f = ana_walk_top(w);
	struct ana_frame next = { .row = b->vcpu,
		.lo = before.from,
		.depth = f->depth + 1,
		.because = because_posted,
		.via = f->via,
		.doubts = f->doubts | wait->doubts | b->doubts,
		.resume = BASE_TIME_NONE };

	if (before.to <= before.from)
		return;
	f->resume = wait->iv->to;
	g_array_append_val(w->frames, next);
	ana_walk_wait(w, &before, &b->post);
}

/* The host posted the interrupt that ended WAIT, and the path continues there, unless the wait was for a
 * packet with a known sender. False if the path does not continue there. */
static bool wait_for_host(struct ana_walker *w, const struct wait *wait, const struct ana_steps *steps)
{
	struct ana_border b;
	struct ana_sender s;

	if (!ana_border_of_chain(w->q, wait->source.host, &wait->chain, &wait->source.wakeup, &b) ||
		!walk_taken(w, wait, &b))
		return false;
	if (wait->source.kind == ANA_KIND_TIMER ||
		(wait->source.kind == ANA_KIND_NETWORK && wait->facts && wait->facts->has & MDL_FACT_PACKET &&
			ana_sender_of(w->q, wait->source.host, &wait->facts->packet, &s)))
		return false;
	go_to_host(w, wait, &b, steps->n_request > 0 ? steps->steps[steps->n_request - 1].from : wait->from);
	return true;
}

/* Pass three parts, from the last to the first: from the expiry to the wake-up, the time that the timer was
 * late, and the time before it was due. */
static void wait_for_timer(struct ana_walker *w, const struct wait *wait, const struct ana_steps *steps)
{
	const struct mdl_timer *t = &wait->facts->timer;
	struct wait late = *wait;

	late.segment = ANA_SEG_TIMER_LATE;
	if (ana_late_ns(t) > 0) {
		pass(w, wait, t->expired_at, NULL, because_interrupt);
		wait_for_host(w, &late, steps);
		pass(w, &late, t->due, NULL, because_late);
	} else {
		wait_for_host(w, wait, steps);
	}
	pass_from_act(w, wait, &wait->facts->timer.armed,
		(struct origin){
			.link = ANA_LINK_WAKEUP,
			.because = because_interrupt,
			.because_before = because_started,
		});
}

/* The end of the wait does not show what it was for. */
static void wait_unresolved(struct ana_walker *w, const struct wait *wait)
{
	const struct mdl_interval *iv = wait->iv;

	ana_walk_own_time(w, iv->from, ANA_SEG_BLOCKED,
		(struct ana_detail){
			.kind = ANA_DETAIL_STATE,
			.row = ana_walk_top(w)->row,
			.state = iv->state,
			.value = iv->detail,
			.cpu = iv->aux,
		},
		wait->source.kind == ANA_KIND_HOTPLUG ? because_online : because_unresolved);
}

/* While the thread was frozen it waited for the suspend. What it waited for before that is unknown. */
static void wait_for_suspend(struct ana_walker *w, const struct wait *wait)
{
	const struct mdl_suspend *s = &wait->facts->suspend;

	if (s->by == MDL_SUSPEND_BY_THAW)
		pass(w, wait, s->from == MDL_NEVER ? wait->from : s->from, NULL, because_suspend);
	if (w->t > wait->from)
		wait_unresolved(w, wait);
}

static void wait_for_interrupt(struct ana_walker *w, struct wait *wait, const struct ana_kind_look *look)
{
	static const struct mdl_act nobody = { .time = MDL_NEVER, .context = MDL_NONE, .thread = MDL_NONE };
	unsigned has = wait->facts ? wait->facts->has : 0;
	bool packet = wait->source.kind == ANA_KIND_NETWORK && has & MDL_FACT_PACKET;
	bool is_timer = wait->source.kind == ANA_KIND_TIMER && has & MDL_FACT_TIMER;
	struct ana_steps steps;

	wait->segment = look->segment;
	wait->actor = ana_walk_actor(w, look->actor, wait->source.host, actor_name(w, wait));
	ana_steps_of(w->q, &wait->source, wait->facts, &wait->chain, &steps);
	ana_pathbuf_handover(w->buf, w->t, w->t, packet && steps.n == 0 ? ANA_LINK_NETWORK : look->link);
	ana_pathbuf_source(w->buf, &wait->source, ana_walk_top(w)->resume == wait->iv->to);
	if (!walk_steps(w, wait, &steps, steps.n_request, steps.n - steps.n_request))
		return;
	if (!is_timer && wait_for_host(w, wait, &steps))
		return;
	if (wait->source.kind == ANA_KIND_BLOCK && (has & MDL_FACT_REQUEST)) {
		if (walk_steps(w, wait, &steps, 0, steps.n_request) && w->t > wait->from)
			pass_from_act(w, wait, &wait->facts->request.submitter,
				(struct origin){ .link = ANA_LINK_WAKEUP,
					.because = because_device,
					.because_before = because_asked });
	} else if (packet) {
		wait_for_packet(w, wait);
	} else if (is_timer) {
		wait_for_timer(w, wait, &steps);
	} else if (wait->source.kind == ANA_KIND_SUSPEND) {
		wait_for_suspend(w, wait);
	} else { /* follow the first step of the chain if a thread began it */
		pass_from_act(w, wait, wait->chain.n > 1 ? &wait->chain.hops[0].act : &nobody,
			(struct origin){ .link = ANA_LINK_IPI,
				.because = because_interrupt,
				.because_before = because_started });
	}
}

static void wait_for_thread(struct ana_walker *w, const struct wait *wait)
{
	bool fork = wait->source.kind == ANA_KIND_FORK,
	     posted = qry_row(w->q, wait->source.row)->type == MDL_ROW_VCPU;

	ana_pathbuf_handover(w->buf, w->t, w->t,
		fork             ? ANA_LINK_FORK
			: posted ? ANA_LINK_VM
				 : ANA_LINK_WAKEUP);
	ana_pathbuf_source(w->buf, &wait->source, false);
	ana_walk_follow(w, wait->source.thread, wait->from,
		fork             ? because_created
			: posted ? because_posted
				 : because_woke);
}

/* No thread ended the wait, or the path cannot follow it. */
static void wait_for_others(struct ana_walker *w, struct wait *wait)
{
	const struct ana_kind_look *look;

	if (ana_source_chain(w->q, &wait->source, &wait->cause, &wait->chain))
		wait->facts = &wait->cause.facts;
	look = look_of(w, wait);
	if (look->segment != ANA_SEG_RUNNING) {
		wait_for_interrupt(w, wait, look);
		return;
	}
	ana_pathbuf_source(w->buf, &wait->source, false);
	wait_unresolved(w, wait);
}

void ana_walk_wait(struct ana_walker *w, const struct mdl_interval *iv, const struct mdl_wakeup *wakeup)
{
	const struct ana_frame *f = ana_walk_top(w);
	struct wait wait = {
		.iv = iv,
		.source = ana_source_of(w->q, f->row, wakeup),
		.turn = { .time = MDL_NEVER },
		.from = MAX(iv->from, f->lo),
	};

	wait.doubts = wait.source.doubts;
	w->early = iv->to > w->t && f->resume != iv->to;
	w->via = wait.source.kind;
	w->doubts = wait.source.doubts;
	/* A thread ends most waits. Everything else about them is read only when it is shown. */
	if (wait.source.thread != MDL_NONE && ana_walk_may_hand_over(w, w->t))
		wait_for_thread(w, &wait);
	else
		wait_for_others(w, &wait);
}

/* SPDX-License-Identifier: MIT */
/* What waits are on the path: segments, and where it goes on; a packet. */
#include "analysis/path/walk_parts.h"

#include "analysis/wait/arrival.h"
#include "analysis/kind/sender.h"
#include "base/base_time.h"

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
			.grade = kind == ANA_SEG_BLOCKED || kind == ANA_SEG_UNKNOWN ? ANA_UNKNOWN : f->grade,
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
		.grade = MAX(f->grade, w->grade),
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

void ana_walk_pass(struct ana_walker *w, const struct ana_wait *wait, int64_t from, const char *text,
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
			.grade = MAX(f->grade, wait->grade),
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

bool ana_walk_go_on(struct ana_walker *w, const struct ana_wait *wait, const struct ana_origin *o)
{
	bool led = o->row != MDL_NONE && o->row != wait->source.row && o->time > wait->from &&
		o->time <= w->t;

	ana_walk_pass(w, wait, led ? o->time : wait->from, o->text, o->because);
	if (!led)
		return false;
	if (!ana_walk_may_hand_over(w, o->time)) {
		ana_walk_pass(w, wait, wait->from, o->text, o->because);
		return false;
	}
	ana_pathbuf_handover(w->buf, o->time, o->arrival, o->link);
	ana_walk_follow(w, o->row, wait->from, o->because_before);
	return true;
}

/* ---- packets ---- */

/*
 * How a wait for a packet is looked through.
 *
 * The time since the packet was sent is the network's; before that the path is with the thread that sent it.
 * Where that is on another host it goes on there, at the time of sending by the clocks in use.  These have
 * errors, and may lie; but the times that follow from them are bounded like all others: no sender is followed
 * from after the reception on, nor from before the wait.
 */

static const char because_packet[] = "the wait was for this packet";
static const char because_sent[] = "it sent what the thread above waited for";

/* What the clocks of both hosts tell of a packet that S sent at AT; the time since then is the packet's. */
static struct ana_crossing crossing_of(const struct ana_walker *w, const struct ana_wait *wait,
	const struct ana_sender *s, int64_t at)
{
	struct ana_arrival arrival = ana_arrival_of(w->q, wait->source.host, &wait->facts->packet,
		&wait->chain);
	bool sure = s->thread != MDL_NONE && s->sure && wait->facts->packet.grade == MDL_PROVED &&
		arrival.grade == ANA_PROVED;
	bool proved = sure && !s->apart && s->by.time == at && s->error <= w->t - MAX(at, wait->from);

	return (struct ana_crossing){
		.crossed = true,
		.timed = s->thread != MDL_NONE && !s->apart,
		.error = s->error,
		.grade = proved ? wait->source.grade : ANA_INFERRED,
	};
}

/* What is odd about the packet's part of the wait; NULL when nothing is. */
static const char *walk_parts_text_of(const struct ana_wait *wait, const struct ana_sender *s, int64_t at)
{
	if (s->apart)
		return "sent by another clock, not known here";
	if (s->thread == MDL_NONE)
		return "sent by the kernel, for no thread";
	if (at <= wait->from)
		return at <= wait->iv->from ? "sent before the wait" : "sent before the wait above";
	if (s->by.time > wait->facts->packet.time)
		return "sent later than it arrived by the clocks";
	return s->by.time > at ? "sent later than what followed by the clocks" : NULL;
}

/*
 * The path goes on with the frame below.  When it was that thread that sent the packet, before it began to
 * wait itself, then the path comes from there over the net.
 */
static void come_from_before(struct ana_walker *w, const struct ana_origin *o)
{
	guint n = w->frames->len;

	if (o->row != MDL_NONE && n > 1 && w->t == ana_walk_top(w)->lo && o->time <= w->t &&
		g_array_index(w->frames, struct ana_frame, n - 2).row == o->row)
		ana_pathbuf_handover(w->buf, o->time, o->arrival, ANA_LINK_NETWORK);
}

void ana_walk_packet(struct ana_walker *w, struct ana_wait *wait)
{
	const struct mdl_received *packet = &wait->facts->packet;
	struct ana_origin o = { .row = MDL_NONE,
		.link = ANA_LINK_NETWORK,
		.because = because_packet,
		.because_before = because_sent };
	struct ana_sender s;

	if (ana_sender_of(w->q, wait->source.host, packet, &s)) {
		o.row = s.apart ? MDL_NONE : s.thread;
		o.arrival = MIN(packet->time, wait->iv->to);
		o.time = MIN(s.by.time, MIN(o.arrival, w->t));
		w->early |= o.row != MDL_NONE && s.by.time > o.time;
		if (s.remote) {
			o.text = walk_parts_text_of(wait, &s, o.time);
			wait->crossing = crossing_of(w, wait, &s, o.time);
			w->grade = MAX(w->grade, wait->crossing.grade);
		} else if (!s.sure) {
			w->grade = MAX(w->grade, ANA_INFERRED);
		}
	}
	if (ana_walk_go_on(w, wait, &o))
		return;
	w->early = false;
	come_from_before(w, &o);
}

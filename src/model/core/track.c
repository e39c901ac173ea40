/* SPDX-License-Identifier: MIT */
/*
 * How it works: a row has one open interval, and holds back the interval before it. Two changes in one
 * nanosecond leave an empty interval, which is dropped. If this makes two like intervals neighbours, they are
 * joined. So no interval that goes out is empty, and no two neighbours are alike.
 */
#include "model/core/track.h"

#include "model/core/frame.h"

void mdl_track_init(struct mdl_tracks *tracks)
{
	tracks->living = g_ptr_array_new_with_free_func(g_free);
	tracks->over = g_ptr_array_new_with_free_func(g_free);
}

void mdl_track_clear(struct mdl_tracks *tracks)
{
	g_ptr_array_unref(tracks->living);
	g_ptr_array_unref(tracks->over);
}

/* Approximate bytes of a row. A living thread takes twice this, an ended one half. */
enum { ROW_MEMORY = 320, CPU_MEMORY = 24576 };

struct mdl_track *mdl_track_new(struct mdl_machine *m, enum mdl_row_type type, int64_t nr, int64_t first)
{
	struct mdl_track *t = g_new0(struct mdl_track, 1);

	t->id = m->tracks.n++;
	m->tracks.memory += type == MDL_ROW_CPU ? CPU_MEMORY : ROW_MEMORY;
	t->place = m->tracks.living->len;
	t->row = (struct mdl_row){ .type = (uint8_t)type,
		.nr = nr,
		.cpu = MDL_NONE,
		.pid = -1,
		.ppid = -1,
		.parent = MDL_NONE,
		.first = first,
		.last = first,
		.final = MDL_ST_STORED };
	g_ptr_array_add(m->tracks.living, t);
	return t;
}

static bool alike(const struct mdl_interval *i, enum mdl_state state, uint32_t detail, uint32_t aux)
{
	return i->state == state && i->detail == detail && i->aux == aux;
}

/* Close the open interval of T at TIME. True if *READY, the interval held back before, has to be handed
 * out. */
static bool close_open(struct mdl_track *t, int64_t time, struct mdl_interval *ready)
{
	bool is_ready = t->has_closed;

	*ready = t->closed;
	t->closed = t->open;
	t->closed.to = time;
	t->has_closed = true;
	return is_ready;
}

/* True if STATE of T is not known because switches are not recorded. */
static bool needs_switches(const struct mdl_machine *m, const struct mdl_track *t, enum mdl_state state)
{
	return m->tracks.lacks_switches && state != MDL_ST_UNKNOWN &&
		(t->row.type == MDL_ROW_THREAD ||
			(t->row.type == MDL_ROW_CPU && state != MDL_ST_INTERRUPTED));
}

void mdl_track_set(struct mdl_machine *m, struct mdl_track *t, int64_t time, enum mdl_state state,
	uint32_t detail, uint32_t aux)
{
	struct mdl_interval ready;
	bool is_ready = false;

	/* unknown is one state, whatever DETAIL and AUX */
	if (state == MDL_ST_UNKNOWN || needs_switches(m, t, state)) {
		state = MDL_ST_UNKNOWN;
		detail = 0;
		aux = MDL_NONE;
	}
	if (t->has_open && alike(&t->open, state, detail, aux))
		return;
	if (t->has_open && t->open.from < time) {
		is_ready = close_open(t, time, &ready);
	} else if (t->has_closed && alike(&t->closed, state, detail, aux)) {
		t->open = t->closed;
		t->has_open = true; /* mdl_track_correct() clears it */
		t->has_closed = false;
		return;
	}
	t->open =
		(struct mdl_interval){ .from = time, .state = (uint8_t)state, .detail = detail, .aux = aux };
	t->has_open = true;
	if (is_ready) /* last, so that nothing is needed after the call */
		m->sink->interval(m->data, t->id, &ready);
}

void mdl_track_set_aux(struct mdl_track *t, uint32_t aux)
{
	t->open.aux = aux;
}

void mdl_track_correct(struct mdl_machine *m, struct mdl_track *t, enum mdl_state state, uint32_t detail,
	uint32_t aux)
{
	int64_t from = t->open.from;

	t->has_open = false;
	mdl_track_set(m, t, from, state, detail, aux);
}

void mdl_track_lose(struct mdl_machine *m, struct mdl_track *t, int64_t time)
{
	if (t->has_open)
		mdl_track_set(m, t, MAX(time, t->open.from), MDL_ST_UNKNOWN, 0, MDL_NONE);
}

void mdl_track_end(struct mdl_machine *m, struct mdl_track *t, int64_t time)
{
	struct mdl_interval ready;

	if (t->has_open && t->open.from < time) {
		if (close_open(t, time, &ready))
			m->sink->interval(m->data, t->id, &ready);
	} else if (t->has_open) {
		t->row.final = t->open.state;
	}
	if (t->has_closed)
		m->sink->interval(m->data, t->id, &t->closed);
	t->has_open = t->has_closed = false;
	t->row.last = time;
	m->sink->over(m->data, t->id, &t->row);
	g_ptr_array_steal_index_fast(m->tracks.living, t->place);
	if (t->place < m->tracks.living->len)
		((struct mdl_track *)g_ptr_array_index(m->tracks.living, t->place))->place = t->place;
	g_ptr_array_add(m->tracks.over, t);
}

/* SPDX-License-Identifier: MIT */
#include "analysis/stacks/moment.h"

#include "analysis/stacks/frames.h"

#include "base/base_text.h"
#include "query/symbols/symbols.h"

#define PARTS_MAX 50    /* parts of an account, at most */
#define EVENTS_MAX 64   /* events read for one part, at most */
#define READ_ENOUGH 256 /* events read before giving up, if none had a field for a stack */
#define BACK_MAX 8      /* states between a time off the CPU and the last one on it */

struct maker {
	struct qry *q;                  /* weak */
	struct base_progress *progress; /* weak */
	struct ana_frames *frames;
	struct ana_moments *moments;   /* weak */
	const struct ana_blame *blame; /* weak: the account */
	uint32_t row;                  /* the thread */
};

/* ---- the event ---- */

/* Set FILTER to the switch by which thread ROW, which has no CPU at TIME, left it. Returns false if there is
 * none. */
static bool find_switch(struct qry *q, uint32_t row, int64_t time, struct qry_events_filter *filter)
{
	struct mdl_interval iv;

	if (!qry_kernel_state_at(q, row, time, &iv))
		return false;
	for (unsigned i = 0; i < BACK_MAX && !mdl_state_has_cpu(iv.state); i++)
		if (!qry_kernel_state_before(q, row, iv.from, &iv))
			return false;
	if (!mdl_state_has_cpu(iv.state) || iv.aux == MDL_NONE || iv.to > time)
		return false;
	filter->cpu = iv.aux;
	filter->from = iv.to;
	filter->to = iv.to + 1;
	filter->wants = qry_events_is_switch;
	return true;
}

/* Set FILTER to the thread and the place of the stack for PART of the account of thread ROW. False: none. */
static bool find_place(struct qry *q, uint32_t row, const struct ana_blame_part *part,
	struct qry_events_filter *filter)
{
	bool thread = part->what == ANA_BLAME_THREAD && part->row != MDL_NONE;
	struct mdl_interval iv;

	*filter = QRY_EVENTS_ALL;
	filter->thread = thread ? part->row : row;
	filter->host = qry_row(q, filter->thread)->host;
	if (!thread && part->phase != ANA_PHASE_BLOCKED && part->phase != ANA_PHASE_SLEEP)
		return false;
	if (!qry_kernel_state_at(q, filter->thread, part->longest_from, &iv) || !mdl_state_has_cpu(iv.state))
		return find_switch(q, filter->thread, part->longest_from, filter);
	filter->from = part->longest_from;
	filter->to = part->longest_to < INT64_MAX ? part->longest_to + 1 : INT64_MAX;
	return true;
}

/* ---- its stack ---- */

/* Set FOUND to the first event with a stack that passes FILTER. Returns false with an error. */
static bool moment_look(struct maker *m, const struct qry_events_filter *filter, struct ana_moment **found,
	GError **error)
{
	g_autoptr(GPtrArray) frames = g_ptr_array_new();
	struct qry_events *e = qry_events_new(m->q, filter, error);
	struct qry_event event;
	int got = e ? 1 : -1;
	guint first;

	for (unsigned i = 0; got > 0 && i < EVENTS_MAX && frames->len == 0; i++) {
		got = qry_events_step(e, 1, &event, m->progress, error);
		if (got > 0 && !ana_frames_read(m->frames, e, &event, frames, error))
			got = -1;
		/* Remove the calls of interrupts that ran on top of the thread. */
		while (ana_frames_interrupt(frames, &first))
			g_ptr_array_set_size(frames, (gint)first);
	}
	qry_events_free(e);
	if (got >= 0 && frames->len > 0) {
		*found = g_new(struct ana_moment, 1);
		**found = (struct ana_moment){ event.time, event.name, filter->thread,
			g_ptr_array_ref(frames) };
	}
	return got >= 0;
}

/* ---- all of an account ---- */

static void moment_free(void *data)
{
	struct ana_moment *moment = data;

	if (moment)
		g_ptr_array_unref(moment->frames);
	g_free(moment);
}

/* Find the moments of the account, from the start. */
static bool look_at_all(void *data, GError **error)
{
	struct maker *m = data;
	const GArray *parts = m->blame->parts;
	bool fine = true;

	g_ptr_array_set_size(m->moments->all, 0);
	for (guint i = 0; fine && i < parts->len && i < PARTS_MAX; i++) {
		struct ana_moment *found = NULL;
		struct qry_events_filter filter;

		if (find_place(m->q, m->row, &g_array_index(parts, struct ana_blame_part, i), &filter) &&
			!ana_frames_absent(m->frames, filter.host, READ_ENOUGH))
			fine = moment_look(m, &filter, &found, error);
		g_ptr_array_add(m->moments->all, found);
	}
	return fine;
}

struct ana_moments *ana_moments_new(struct qry *q, uint32_t row, const struct ana_blame *blame,
	struct base_progress *progress, GError **error)
{
	struct ana_moments *moments = g_new(struct ana_moments, 1);
	struct maker m = { .q = q, .progress = progress, .moments = moments, .blame = blame, .row = row };
	bool fine;

	moments->all = g_ptr_array_new_with_free_func(moment_free);
	moments->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	m.frames = ana_frames_new(q, moments->texts, !qry_has_symfs(q));
	fine = ana_frames_walk(m.frames, look_at_all, &m, progress, error);
	ana_frames_free(m.frames);
	if (fine)
		return moments;
	ana_moments_free(moments);
	return NULL;
}

void ana_moments_free(struct ana_moments *m)
{
	if (!m)
		return;
	g_ptr_array_unref(m->all);
	g_hash_table_unref(m->texts);
	g_free(m);
}

const struct ana_moment *ana_moments_of(const struct ana_moments *m, guint place)
{
	return m && place < m->all->len ? g_ptr_array_index(m->all, place) : NULL;
}

/* ---- words ---- */

GPtrArray *ana_moment_lines(const struct qry *q, const struct ana_moment *moment, unsigned width)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *label = qry_row_label(q, moment->row);
	GString *line = g_string_new(NULL);

	g_string_append_printf(line, "%s at %s:", label, moment->event);
	for (guint i = moment->frames->len; i-- > 0;) {
		const char *frame = g_ptr_array_index(moment->frames, i);

		if (base_text_width(line->str) + base_text_width(frame) + 3 > width && line->len > 0) {
			g_ptr_array_add(lines, g_strdup(line->str));
			g_string_assign(line, " ");
		}
		g_string_append_printf(line, " %s%s", frame, i > 0 ? " <" : "");
	}
	g_ptr_array_add(lines, g_string_free(line, FALSE));
	return lines;
}

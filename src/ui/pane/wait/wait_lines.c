/* SPDX-License-Identifier: MIT */
/* The lines of an explained wait: hops, their events where opened, and the thread that woke. */
#include "ui/pane/wait/wait.h"

#include "ui/core/ui_fields.h"

static void wait_lines_add(struct wait *w, enum wait_line_kind kind, unsigned hop, unsigned event)
{
	struct wait_line line = { kind, hop, event };

	g_array_append_val(w->lines, line);
}

static void add_hop(struct wait *w, unsigned i)
{
	const struct ana_why_hop *hop = wait_hop(w, i);

	wait_lines_add(w, WAIT_HOP, i, 0);
	if (!w->open[i])
		return;
	for (unsigned e = 0; e < hop->n_evidence; e++)
		wait_lines_add(w, WAIT_EVENT, i, hop->first_evidence + e);
	if (hop->missing)
		wait_lines_add(w, WAIT_MISSING, i, 0);
}

/* List the hops, and below each that is open its events.  The selected line stays with its hop. */
static void make_lines(struct wait *w)
{
	bool begun = w->lines->len > 0;
	struct wait_line selected = { WAIT_HOP, 0, 0 };

	if (begun)
		selected = *wait_line(w, MIN(w->view.line, w->lines->len - 1));
	g_array_set_size(w->lines, 0);
	for (unsigned i = 0; i < w->why->hops->len; i++)
		add_hop(w, i);
	wait_lines_add(w, WAIT_WOKEN, w->why->hops->len, 0);
	for (w->view.line = 0; w->view.line + 1 < w->lines->len; w->view.line++) {
		const struct wait_line *line = wait_line(w, w->view.line);

		if (line->hop != selected.hop)
			continue;
		if (line->kind == selected.kind && line->event == selected.event)
			break;
		if (line->kind == WAIT_HOP && !w->open[line->hop])
			break; /* what was selected is folded into this */
	}
}

static unsigned closed_count(const struct wait *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->why->hops->len; i++)
		n += !w->open[i];
	return n;
}

static void open_all(struct wait *w, bool open)
{
	for (unsigned i = 0; i < w->why->hops->len; i++)
		w->open[i] = open;
	make_lines(w);
}

void wait_lines_start(struct wait *w, unsigned room)
{
	g_array_set_size(w->lines, 0);
	open_all(w, true);
	if (w->lines->len > room)
		open_all(w, false);
	w->view.line = 0;
}

void wait_lines_toggle(struct wait *w)
{
	unsigned hop = wait_line(w, w->view.line)->hop;

	if (hop >= w->why->hops->len)
		return;
	w->open[hop] = !w->open[hop];
	make_lines(w);
}

void wait_lines_toggle_all(struct wait *w)
{
	open_all(w, closed_count(w) > 0);
}

char *wait_lines_open_text(const struct wait *w)
{
	g_autoptr(GArray) hops = g_array_new(FALSE, FALSE, sizeof(gint64));

	for (gint64 i = 0; i < w->why->hops->len; i++)
		if (w->open[i])
			g_array_append_val(hops, i);
	return ui_fields_numbers_text(hops);
}

void wait_lines_set_open(struct wait *w, const char *text)
{
	g_autoptr(GArray) hops = ui_fields_numbers(text);

	for (unsigned i = 0; i < w->why->hops->len; i++)
		w->open[i] = false;
	for (guint i = 0; i < hops->len; i++) {
		gint64 hop = g_array_index(hops, gint64, i);

		if (hop >= 0 && hop < w->why->hops->len)
			w->open[hop] = true;
	}
	make_lines(w);
}

unsigned wait_lines_words(const struct term_area *area, unsigned x, unsigned room, unsigned lines,
	const char *text)
{
	const char *cut = NULL;

	if (lines < 2 || term_text_width(text) <= room) {
		term_area_fit(area, x, 0, room, TERM_ROLE_STRONG, text);
		return 1;
	}
	for (const char *at = text; *at && term_text_width(text) - term_text_width(at) <= room;
		at = g_utf8_next_char(at))
		if (*at == ' ')
			cut = at;
	if (cut) {
		g_autofree char *first = g_strndup(text, (gsize)(cut - text));

		term_area_text(area, x, 0, TERM_ROLE_STRONG, first);
	}
	term_area_fit(area, x, 1, area->w - MIN(x, area->w), TERM_ROLE_STRONG, cut ? cut + 1 : text);
	return 2;
}

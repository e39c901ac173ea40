/* SPDX-License-Identifier: MIT */
/*
 * An explained wait: the headline; the chain as a tree, the origin on top; at the bottom all details of the
 * selected line.  Times are relative to the wake-up, and also absolute if there is room.
 */
#include "ui/pane/wait/wait.h"

#include "analysis/kind/advice.h"
#include "ui/widget/host_look.h"
#include "ui/widget/looks.h"

#define WIDE 110   /* minimum columns for absolute times of hops */
#define BAR_FROM 5 /* minimum lines for details of the selected line */
#define TEXT_MIN 8 /* a sentence with fewer columns is only in the details */

void wait_draw_title(struct ui_pane *pane, GString *title)
{
	const struct wait *w = (const struct wait *)pane;
	const struct ana_why *why = w->why;
	g_autofree char *label = NULL, *length = NULL, *end = NULL;

	if (w->cpu)
		wait_cpu_title(w, title);
	else if (!why)
		g_string_append(title, "Wait");
	if (!why)
		return;
	label = qry_row_label(pane->shell->q, why->row);
	end = ui_shell_time_text(pane->shell, why->to);
	g_string_append_printf(title, "%s waited", label);
	if (why->from != MDL_NEVER) {
		length = ui_shell_duration_text(pane->shell, why->to - why->from);
		g_string_append_printf(title, " %s", length);
	}
	if (why->waiter_call)
		g_string_append_printf(title, " in %s", why->waiter_call);
	g_string_append_printf(title, " until %s", end);
	if (why->waker_call)
		g_string_append_printf(title, ", ended in %s", why->waker_call);
	if (why->has_cause && why->cause.lossy)
		g_string_append(title, "  events lost meanwhile");
}

/* ---- columns ---- */

/* Maximum columns of hops and sentences, so that the columns after them are near on a wide screen. */
#define LEFT_MAX 110

/* The columns at the right of a line. */
struct columns {
	unsigned cpu, time, since, length, grade; /* start columns; SINCE and LENGTH: end columns */
	bool wide;
};

static struct columns wait_draw_columns_of(const struct wait *w, unsigned width)
{
	unsigned when = ui_shell_time_width(w->pane.shell);
	struct columns c = { .wide = width >= WIDE };

	if (c.wide)
		width = MIN(width, LEFT_MAX + when + 36);
	c.grade = width > 9 ? width - 9 : 0;
	c.length = c.grade > 1 ? c.grade - 1 : 0;
	c.since = c.length > 9 ? c.length - 9 : 0;
	c.time = c.since > when + 12 ? c.since - when - 11 : 0;
	c.cpu = c.wide ? c.time - 8 : c.since > 16 ? c.since - 16 : 0;
	return c;
}

static void put_right(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	const char *text)
{
	unsigned width = term_text_width(text);

	if (end > width)
		term_area_text(area, end - width, y, role, text);
}

/* TIME relative to the wake-up, as "-182 µs". */
static void put_since(const struct wait *w, const struct term_area *area, unsigned end, unsigned y,
	int64_t time)
{
	g_autofree char *length = ui_shell_duration_text(w->pane.shell, ABS(time - w->why->to));
	g_autofree char *text = g_strdup_printf("%s%s",
		time < w->why->to           ? "-"
			: time > w->why->to ? "+"
					    : "",
		length);

	put_right(area, end, y, TERM_ROLE_DIM, time == w->why->to ? "woken" : text);
}

static void put_time(const struct wait *w, const struct term_area *area, unsigned x, unsigned y, int64_t time)
{
	g_autofree char *text = ui_shell_time_text(w->pane.shell, time);

	term_area_text(area, x, y, TERM_ROLE_DIM, text);
}

static void put_cpu(const struct term_area *area, unsigned x, unsigned y, uint32_t cpu)
{
	if (cpu != MDL_NONE)
		term_area_printf(area, x, y, TERM_ROLE_DIM, "CPU %u", cpu);
}

/* ---- lines ---- */

/* Draw the branch and the sign of folding; returns the column after it. */
static unsigned draw_branch(const struct term_area *area, unsigned y, unsigned level, bool wide,
	gunichar sign)
{
	unsigned step = wide ? 2 : 1, x = 1 + level * step;

	if (level) {
		term_area_fill(area, x - step, y, step, 1, TERM_ROLE_BORDER, 0x2500); /* ─ */
		term_area_char(area, x - step, y, TERM_ROLE_BORDER, 0x2514);          /* └ */
	}
	term_area_char(area, x, y, TERM_ROLE_KEY, sign);
	return x + 2;
}

static void draw_hop(const struct wait *w, const struct columns *c, const struct term_area *area, unsigned y,
	unsigned i)
{
	const struct ana_why_hop *hop = wait_hop(w, i);
	bool leaf = !hop->n_evidence && !hop->missing && !wait_doubts(w, i);
	unsigned x = draw_branch(area, y, hop->level, c->wide, leaf ? ' ' : w->open[i] ? 0x25be : 0x25b8);

	if (x + 1 < c->cpu)
		x = term_area_fit(area, x, y, c->cpu - x - 1, TERM_ROLE_STRONG, hop->label) + 2;
	if (x + TEXT_MIN < c->cpu)
		term_area_fit(area, x, y, c->cpu - x - 1, TERM_ROLE_TEXT, hop->text);
	put_cpu(area, c->cpu, y, hop->cpu);
	if (hop->from != MDL_NEVER) {
		if (c->wide)
			put_time(w, area, c->time, y, hop->from);
		put_since(w, area, c->since, y, hop->from);
	}
	if (hop->from != MDL_NEVER && hop->to != MDL_NEVER && hop->to > hop->from) {
		g_autofree char *length = ui_shell_duration_text(w->pane.shell, hop->to - hop->from);

		put_right(area, c->length, y, TERM_ROLE_TEXT, length);
	}
	term_area_text(area, c->grade, y, kind_look_grade(mdl_grade_of(hop->doubts)),
		ana_grade_name(hop->doubts));
}

static void draw_event(const struct wait *w, const struct columns *c, const struct term_area *area,
	unsigned y, const struct wait_line *line)
{
	const struct ana_evidence *e = wait_event(w, line->event);
	unsigned x = 5 + wait_hop(w, line->hop)->level * (c->wide ? 2 : 1);
	const char *fields = wait_fields_of(w, line->event);

	if (x + 1 < c->cpu)
		x = term_area_fit(area, x, y, c->cpu - x - 1, TERM_ROLE_NAME_THREAD, e->event) + 1;
	if (fields && x + TEXT_MIN < c->cpu)
		term_area_fit(area, x, y, c->cpu - x - 1, TERM_ROLE_DIM, fields);
	put_cpu(area, c->cpu, y, e->cpu);
	put_since(w, area, c->since, y, e->time);
	put_time(w, area, c->wide ? c->time : c->since + 1, y, e->time);
}

/* The command that records the missing event of hop I; NULL if that event is recorded but does not occur
 * there. */
static const char *command_for(const struct wait *w, unsigned i)
{
	const char *missing = wait_hop(w, i)->missing;
	const struct qry *q = w->pane.shell->q;
	uint32_t host = w->why->source.host;

	return missing && ana_advice_is_missing(q, host, missing) ? ana_advice_command(q, host, missing)
								  : NULL;
}

static void draw_reason(const struct wait *w, const struct columns *c, const struct term_area *area,
	unsigned y, unsigned i)
{
	g_autofree char *reasons = ana_doubts_text(wait_doubts(w, i), true);
	unsigned x = 5 + wait_hop(w, i)->level * (c->wide ? 2 : 1);

	if (x < area->w)
		term_area_fit(area, x, y, area->w - x, TERM_ROLE_GRADE_INFERRED, reasons);
}

static void draw_missing(const struct wait *w, const struct columns *c, const struct term_area *area,
	unsigned y, unsigned i)
{
	const char *missing = wait_hop(w, i)->missing, *command = command_for(w, i);
	unsigned x = 5 + wait_hop(w, i)->level * (c->wide ? 2 : 1);

	x = term_area_printf(area, x, y, TERM_ROLE_GRADE_INFERRED, "not %s: %s",
		    command ? "recorded" : "seen here", missing) +
		2;
	if (command && x < area->w)
		term_area_fit(area, x, y, area->w - x, TERM_ROLE_KEY, command);
}

static void draw_woken(const struct wait *w, const struct columns *c, const struct term_area *area,
	unsigned y)
{
	const struct mdl_wakeup *wakeup = &w->why->source.wakeup;
	const struct qry *q = w->pane.shell->q;
	g_autofree char *label = qry_row_label(q, w->why->row);
	unsigned x = draw_branch(area, y, w->why->hops->len, c->wide, ' ');

	if (x + 1 < c->cpu)
		x = host_look_label(area, x, y, c->cpu - x - 1, TERM_ROLE_STRONG, q,
			    qry_row(q, w->why->row)->host, label) +
			2;
	if (x + TEXT_MIN < c->cpu)
		term_area_fit(area, x, y, c->cpu - x - 1, TERM_ROLE_TEXT,
			wakeup->ran_at == MDL_NEVER ? "never ran" : "ran");
	put_cpu(area, c->cpu, y, wakeup->target_cpu);
	if (wakeup->ran_at != MDL_NEVER) {
		if (c->wide)
			put_time(w, area, c->time, y, wakeup->ran_at);
		put_since(w, area, c->since, y, wakeup->ran_at);
	}
}

static void wait_draw_draw_line(const struct wait *w, const struct columns *c, const struct term_area *area,
	unsigned y, unsigned i)
{
	const struct wait_line *line = wait_line(w, i);

	switch (line->kind) {
	case WAIT_HOP: draw_hop(w, c, area, y, line->hop); break;
	case WAIT_EVENT: draw_event(w, c, area, y, line); break;
	case WAIT_REASON: draw_reason(w, c, area, y, line->hop); break;
	case WAIT_MISSING: draw_missing(w, c, area, y, line->hop); break;
	case WAIT_WOKEN: draw_woken(w, c, area, y); break;
	}
}

/* ---- drawing ---- */

static char *woken_words(const struct wait *w)
{
	const struct mdl_wakeup *wakeup = &w->why->source.wakeup;
	g_autofree char *length = NULL;

	if (wakeup->ran_at == MDL_NEVER)
		return g_strdup("the woken thread never ran again");
	length = ui_shell_duration_text(w->pane.shell, wakeup->ran_at - wakeup->time);
	return g_strdup_printf("the woken thread ran %s after the wake-up", length);
}

/* The fields of the event of LINE, or the reason why there are none. */
static const char *event_words(const struct wait *w, const struct wait_line *line)
{
	const char *fields = wait_fields_of(w, line->event);

	if (fields)
		return fields;
	if (w->no_fields)
		return w->no_fields->message;
	return w->fields ? "fields not found in the trace" : "reading the fields";
}

/* All details of the selected line; the caller frees. */
static char *wait_words(const struct wait *w)
{
	const struct wait_line *line = wait_line(w, w->list.view.line);
	const struct ana_why_hop *hop = line->kind == WAIT_WOKEN ? NULL : wait_hop(w, line->hop);

	if (!hop)
		return woken_words(w);
	switch (line->kind) {
	case WAIT_EVENT: return g_strdup(event_words(w, line));
	case WAIT_REASON: return ana_doubts_text(wait_doubts(w, line->hop), true);
	case WAIT_HOP:
		if (hop->missing)
			return g_strdup_printf("%s: %s  %s: %s", hop->label, hop->text,
				command_for(w, line->hop) ? "not recorded" : "not seen here", hop->missing);
		return g_strdup_printf("%s: %s", hop->label, hop->text);
	default: return g_strdup_printf("would prove: %s", hop->text);
	}
}

void wait_draw(struct wait *w, const struct term_area *area)
{
	struct columns c = wait_draw_columns_of(w, area->w);
	const struct ana_source *s = &w->why->source;
	g_autofree char *headline = g_strconcat(w->why->headline, w->within ? "; it waited " : NULL,
		w->within, NULL);
	unsigned head = wait_lines_words(area, 3, c.grade > 4 ? c.grade - 4 : 1, wait_lines_most(area),
			 headline),
		 bar = area->h >= BAR_FROM;
	g_autofree char *words = NULL;
	struct term_area list, below;

	term_area_char(area, 1, 0, kind_look_role(s->kind), (gunichar)kind_look_letter(s->kind));
	term_area_text(area, c.grade, 0, kind_look_grade(mdl_grade_of(s->doubts)), ana_grade_name(s->doubts));
	if (w->fresh)
		wait_lines_start(w, area->h - MIN(head + bar, area->h));
	w->fresh = false;
	if (bar) {
		words = wait_words(w);
		g_autoptr(GPtrArray) rows = term_text_rows(words, MAX(area->w, 3) - 2, 0);

		bar = CLAMP(rows->len, 1, wait_lines_most(area));
	}
	list = list_view_area(&w->list.view, area, head, bar, w->lines->len);
	for (unsigned i = 0; i < w->list.view.seen; i++)
		wait_draw_draw_line(w, &c, &list, i, w->list.view.top + i);
	list_view_mark(&w->list.view, &w->pane, &list);
	term_area_fill(area, 0, area->h - bar, area->w, bar, TERM_ROLE_TITLE, ' ');
	below = term_area_part(area, 1, area->h - bar, MAX(area->w, 3) - 2, bar);
	if (words)
		term_area_rows(&below, TERM_ROLE_TITLE, words);
}

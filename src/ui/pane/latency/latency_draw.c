/* SPDX-License-Identifier: MIT */
/*
 * Statistics and histogram take one line, or four where there is room; below
 * them stands the list.  A bucket of the histogram goes from one power of two
 * to the next; one that is not empty always shows, and those above the 99th
 * percentile have a colour of their own.
 */
#include "ui/pane/latency/latency.h"

#include "base/base_time.h"
#include "ui/widget/host_look.h"

#define TALL_FROM 12 /* lines from which on the histogram is tall */
#define TALL 3       /* lines of its bars */
#define WIDE 110     /* columns from which on a title has room for words */
#define STATISTICS_WIDTH 40
#define BUCKET_MAX 8  /* columns of a bucket, at most */
#define THREAD_MIN 18 /* columns of the list */
#define CAUSE_MIN 30
#define CAUSE_FULL 50 /* columns in which a cause has room for its "ran instead: " */

/* ---- title ---- */

void latency_draw_title(const struct latency *l, GString *title)
{
	struct ui_shell *shell = l->pane.shell;
	const struct ana_latency_figures *f;
	char *text;

	if (!latency_is_wakeup(l))
		g_string_append_printf(title, "Worst latencies, %s: ", l->asked.kind);
	else
		g_string_append(title,
			l->pane.w < WIDE ? "Worst latencies: " : "Worst latencies from wake-up to running: ");
	if (l->asked.scope == LATENCY_THREAD && l->asked.row != MDL_NONE) {
		text = qry_row_label(shell->q, l->asked.row);
		g_string_append(title, text);
		g_free(text);
	} else {
		g_string_append(title, "all threads");
	}
	text = ui_shell_scope_text(shell, l->asked.from, l->asked.to);
	g_string_append_printf(title, "  %s", text);
	g_free(text);
	if (!l->list)
		return;
	f = &l->list->all;
	g_string_append_printf(title, "  %" G_GUINT64_FORMAT " %s%s", f->count,
		latency_is_wakeup(l) ? "wake-up" : "case", f->count == 1 ? "" : "s");
	if (f->unfinished)
		g_string_append_printf(title, "  %" G_GUINT64_FORMAT " %s", f->unfinished,
			latency_is_wakeup(l) ? "never ran" : "not over");
	if (f->dropped)
		g_string_append_printf(title, "  %" G_GUINT64_FORMAT " dropped", f->dropped);
}

/* ---- histogram ---- */

static const struct ana_latency_bucket *bucket(const struct latency *l, unsigned i)
{
	return &g_array_index(l->list->histogram, struct ana_latency_bucket, i);
}

/* Eighths of a line that bucket I takes where the largest takes LINES; at least one when it is not empty. */
static unsigned eighths(const struct latency *l, unsigned i, unsigned lines)
{
	uint64_t most = 1;

	for (unsigned k = 0; k < l->list->histogram->len; k++)
		most = MAX(most, bucket(l, k)->count);
	if (!bucket(l, i)->count)
		return 0;
	return MAX((unsigned)((double)bucket(l, i)->count * lines * 8 / (double)most + 0.5), 1);
}

/* Draw the bars, each WIDTH wide, with their feet on line Y + LINES - 1. */
static void draw_bars(const struct latency *l, const struct term_area *area, unsigned x, unsigned y,
	unsigned width, unsigned lines)
{
	for (unsigned i = 0; i < l->list->histogram->len; i++) {
		unsigned high = eighths(l, i, lines);
		enum term_role role = bucket(l, i)->from > l->list->all.p99 ? TERM_ROLE_STATE_WAIT_CPU
									    : TERM_ROLE_BAR;

		for (unsigned k = 0; k < lines && high > k * 8; k++)
			term_area_fill(area, x + i * width, y + lines - 1 - k, width > 2 ? width - 1 : width,
				1, role, 0x2580 + MIN(high - k * 8, 8)); /* ▁ to █ */
	}
}

/* Where buckets begin, as far as there is room to say. */
static void draw_axis(const struct latency *l, const struct term_area *area, unsigned x, unsigned y,
	unsigned width)
{
	unsigned n = l->list->histogram->len, end = x;

	for (unsigned i = 0; i < n; i++) {
		char *text = ui_shell_duration_text(l->pane.shell, bucket(l, i)->from);

		if (x + i * width >= end && x + i * width + term_text_width(text) <= area->w)
			end = term_area_text(area, x + i * width, y, TERM_ROLE_RULER, text) + 2;
		g_free(text);
	}
}

/* ---- statistics ---- */

static unsigned put_value(const struct latency *l, const struct term_area *area, unsigned x, unsigned y,
	const char *name, int64_t value)
{
	char *text = ui_shell_duration_text(l->pane.shell, value);

	x = term_area_text(area, x, y, TERM_ROLE_DIM, name);
	x = term_area_text(area, x + 1, y, TERM_ROLE_STRONG, text);
	g_free(text);
	return x + 2;
}

/* Everything on one line: percentiles, then the histogram between its ends. */
static void draw_short(const struct latency *l, const struct term_area *area)
{
	unsigned n = l->list->histogram->len, x = 1, width;
	char *from, *to;

	x = put_value(l, area, x, 0, "p50", l->list->all.p50);
	x = put_value(l, area, x, 0, "p90", l->list->all.p90);
	x = put_value(l, area, x, 0, "p99", l->list->all.p99);
	x = put_value(l, area, x, 0, "max", l->list->all.max);
	from = ui_shell_duration_text(l->pane.shell, bucket(l, 0)->from);
	to = ui_shell_duration_text(l->pane.shell, bucket(l, n - 1)->to);
	width = term_text_width(from) + term_text_width(to) + n + 2;
	if (x + 1 + width <= area->w) {
		x = term_area_text(area, x + 1, 0, TERM_ROLE_RULER, from) + 1;
		draw_bars(l, area, x, 0, 1, 1);
		term_area_text(area, x + n + 1, 0, TERM_ROLE_RULER, to);
	} else if (x + n <= area->w) {
		draw_bars(l, area, x, 0, 1, 1);
	}
	g_free(from);
	g_free(to);
}

/* Four lines: numbers at the left, a tall histogram with its axis at the right. */
static void draw_tall(const struct latency *l, const struct term_area *area)
{
	const struct ana_latency *a = l->list;
	const struct {
		const char *name;
		int64_t value;
	} left[] = {
		{ "p50", a->all.p50 }, { "p90", a->all.p90 }, { "p99", a->all.p99 }, { "max", a->all.max },
	}, right[] = {
		{ "min", a->all.min }, { "mean", (int64_t)(a->all.mean + 0.5) },
		{ "stddev", (int64_t)(a->all.stddev + 0.5) }, { "p99.9", a->all.p999 },
	};
	unsigned width = CLAMP((area->w - STATISTICS_WIDTH - 2) / a->histogram->len, 1, BUCKET_MAX);

	for (unsigned i = 0; i < G_N_ELEMENTS(left); i++) {
		put_value(l, area, 1, i, left[i].name, left[i].value);
		put_value(l, area, 18 + 6 - term_text_width(right[i].name), i, right[i].name, right[i].value);
	}
	draw_bars(l, area, STATISTICS_WIDTH, 0, width, TALL);
	draw_axis(l, area, STATISTICS_WIDTH, TALL, width);
}

/* ---- the list ---- */

char *latency_label(const struct latency *l, const struct ana_latency_case *c)
{
	if (c->key && (l->list->of_device || c->row == MDL_NONE))
		return g_strdup(c->key);
	return c->row == MDL_NONE ? g_strdup("") : qry_row_label(l->pane.shell->q, c->row);
}

/* The columns of the list for its width. */
struct columns {
	unsigned latency, when, thread, cpu, cause; /* where they begin */
};

static struct columns columns_of(const struct latency *l, unsigned width)
{
	struct columns c = { .latency = 5, .when = 15 };
	unsigned left;

	c.thread = c.when + ui_shell_time_width(l->pane.shell) + 2;
	left = width > c.thread + 6 ? width - c.thread - 6 : 0;
	c.cpu = c.thread + MAX(left > CAUSE_MIN ? MIN(left - CAUSE_MIN, 30) : 0, THREAD_MIN) + 1;
	c.cause = c.cpu + 5;
	return c;
}

static void draw_heading(const struct latency *l, const struct columns *c, const struct term_area *area,
	unsigned y)
{
	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_text(area, 3, y, TERM_ROLE_TITLE, "#");
	term_area_text(area, c->latency + 1, y, TERM_ROLE_TITLE, "latency");
	term_area_text(area, c->when, y, TERM_ROLE_TITLE, latency_is_wakeup(l) ? "woken at" : "from");
	term_area_text(area, c->thread, y, TERM_ROLE_TITLE, latency_is_wakeup(l) ? "thread" : "of");
	term_area_text(area, c->cpu, y, TERM_ROLE_TITLE, "CPU");
	term_area_text(area, c->cause, y, TERM_ROLE_TITLE,
		latency_is_wakeup(l) ? "what was in the way" : "why");
}

/* The cause; where there is little room without what the heading says anyhow. */
static void draw_cause(const struct term_area *area, unsigned x, unsigned y, const char *cause)
{
	static const char prefix[] = "ran instead: ";

	if (x + CAUSE_FULL > area->w && g_str_has_prefix(cause, prefix))
		cause += sizeof prefix - 1;
	term_area_fit(area, x, y, area->w - x, TERM_ROLE_TEXT, cause);
}

static void draw_case(const struct latency *l, const struct columns *c, const struct term_area *area,
	unsigned y, unsigned i)
{
	struct ui_shell *shell = l->pane.shell;
	const struct ana_latency_case *one = latency_case(l, i);
	char *length = ui_shell_duration_text(shell, one->latency),
	     *when = ui_shell_time_text(shell, one->start);
	char *label = latency_label(l, one);
	bool here = (one->row == shell->row || one->row == MDL_NONE) && shell->cursor >= one->start &&
		shell->cursor < one->end;

	term_area_printf(area, 0, y, here ? TERM_ROLE_KEY : TERM_ROLE_DIM, "%4u", i + 1);
	term_area_text(area, c->latency + 8 - MIN(term_text_width(length), 8), y, TERM_ROLE_STRONG, length);
	term_area_text(area, c->when, y, TERM_ROLE_TEXT, when);
	host_look_label(area, c->thread, y, c->cpu - c->thread - 1, TERM_ROLE_NAME_THREAD, shell->q,
		one->host, label);
	if (one->cpu != MDL_NONE)
		term_area_printf(area, c->cpu, y, TERM_ROLE_TEXT, "%3u", one->cpu);
	if (one->cause && c->cause < area->w)
		draw_cause(area, c->cause, y, one->cause);
	g_free(length);
	g_free(when);
	g_free(label);
}

/* From line Y of AREA on. */
static void draw_list(struct latency *l, const struct term_area *area, unsigned y)
{
	struct columns c = columns_of(l, area->w);
	struct term_area list = list_view_area(&l->view, area, y + 1, 0, l->list->worst->len);

	draw_heading(l, &c, area, y);
	for (unsigned i = 0; i < l->view.seen; i++)
		draw_case(l, &c, &list, i, l->view.top + i);
	list_view_mark(&l->view, &l->pane, &list);
}

void latency_draw(struct latency *l, const struct term_area *area)
{
	bool tall = area->h >= TALL_FROM;

	if (!l->list->all.count) {
		term_area_text(area, 1, 0, TERM_ROLE_DIM,
			latency_is_wakeup(l) ? "nothing was woken and ran here" : "there is none here");
		return;
	}
	if (tall)
		draw_tall(l, area);
	else
		draw_short(l, area);
	draw_list(l, area, tall ? TALL + 1 : 1);
}

/* SPDX-License-Identifier: MIT */
/* The top line: the trace, the time at the cursor, the length of the window, the number of places to go back
 * to. */
#include "ui/pane/pane.h"

#include "base/base_text.h"
#include "query/clock/clock.h"
#include "query/host/tracer.h"
#include "ui/widget/host_look.h"
#include "ui/widget/subject.h"

#include <string.h>

struct item {
	const char *label;
	char *value; /* owned */
};

static unsigned pane_header_put(const struct term_area *area, unsigned x, struct item *item)
{
	unsigned width = term_text_width(item->label) + term_text_width(item->value) + 1;

	if (x + width <= area->w) {
		x = term_area_text(area, x, 0, TERM_ROLE_HEADER_DIM, item->label);
		x = term_area_text(area, x + (*item->label ? 1 : 0), 0, TERM_ROLE_HEADER, item->value) + 2;
	}
	g_free(item->value);
	return x;
}

static unsigned put_selection(struct ui_shell *shell, const struct term_area *area, unsigned x)
{
	int64_t from, to;
	struct item item = { "selected", NULL };

	if (!ui_shell_selection(shell, &from, &to))
		return x;
	item.value = ui_shell_duration_text(shell, to - from);
	return pane_header_put(area, x, &item);
}

/* The number of hosts without a clock relation to the first host; *FIRST becomes the first of them. */
static unsigned count_apart(const struct sync_hosts *clocks, uint32_t *first)
{
	unsigned n = 0;

	for (unsigned i = clocks->n; i-- > 0;) {
		if (!clocks->hosts[i].clock) {
			*first = i;
			n++;
		}
	}
	return n;
}

/* Show the worst clock error between hosts, or a host without a clock relation, or that the hosts were
 * aligned by their starts. */
static unsigned put_clock(struct ui_shell *shell, const struct term_area *area, unsigned x)
{
	const struct sync_hosts *clocks = qry_clocks(shell->q);
	int64_t worst = qry_clock_error_worst(shell->q);
	struct item item = { "clock", NULL };
	uint32_t apart = 0;
	unsigned n = clocks ? count_apart(clocks, &apart) : 0;
	g_autofree char *text = NULL;

	if (qry_host_count(shell->q) == 1)
		return x;
	if (!clocks || (n == qry_host_count(shell->q) - 1 && clocks->hosts[apart].quality == SYNC_NONE)) {
		item.value = g_strdup("each its own");
	} else if (n && clocks->hosts[apart].placed) {
		item.value = g_strdup("by starts");
	} else if (n == 1) {
		text = host_look_tag(shell->q, apart, 16);
		item.value = g_strconcat(text, " apart", NULL);
	} else if (n) {
		item.value = g_strdup_printf("%u hosts apart", n);
	} else {
		text = ui_shell_duration_text(shell, worst);
		item.value = worst == INT64_MAX
			? g_strdup("error unknown")
			: g_strconcat(shell->grid->ascii ? "+-" : "\302\261", text, NULL);
	}
	return pane_header_put(area, x, &item);
}

/* Show the kind and limit of the marked latencies. */
static unsigned put_over(struct ui_shell *shell, const struct term_area *area, unsigned x)
{
	struct item item = { shell->over_kind, NULL };
	unsigned end;
	g_autofree char *limit = NULL;

	if (!shell->over_kind)
		return x;
	limit = ui_shell_duration_text(shell, shell->over_limit);
	item.value = g_strconcat("\342\211\245 ", limit, NULL); /* ≥ */
	end = pane_header_put(area, x + 2, &item);
	if (end == x + 2)
		return x;
	term_area_char(area, x, 0, TERM_ROLE_OVER_LATE, 0x25c6); /* ◆ */
	return end;
}

/* Show the progress of a followed trace, or of its index. */
static unsigned put_followed(struct ui_shell *shell, const struct term_area *area, unsigned x)
{
	if (!shell->followed || x >= area->w)
		return x;
	if (!shell->options->makes)
		x = term_area_text(area, x, 0, TERM_ROLE_HEADER_DIM,
			    shell->held ? "following," : "released,") +
			1;
	return term_area_fit(area, x, 0, MAX(area->w / 3, MIN(area->w, 16)), TERM_ROLE_HEADER,
		       shell->followed) +
		2;
}

static unsigned put_tracer(struct ui_shell *shell, const struct term_area *area, unsigned x)
{
	bool room = x + strlen("tracer hidden") <= area->w;
	struct item item = { room ? "tracer" : "no", NULL };

	if (!shell->hide_tracer || !qry_has_tracer(shell->q))
		return x;
	item.value = g_strdup(room ? "hidden" : "tracer");
	return pane_header_put(area, x, &item);
}

/* "2 warnings (!)", "1 note (!)" with the key that lists them; NULL: there are none.  The caller frees. */
static char *warnings_text(struct ui_shell *shell)
{
	unsigned warnings = qry_warnings(shell->q)->len,
		 count = warnings ? warnings : qry_notes(shell->q)->len + shell->notes->len;
	g_autofree char *key = NULL;

	if (!count)
		return NULL;
	key = ui_keymap_first(shell->keys, UI_CMD_WARNINGS);
	return g_strdup_printf("%u %s%s%s%s%s", count, warnings ? "warning" : "note", base_text_s(count),
		*key ? " (" : "", key, *key ? ")" : "");
}

static void header_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct ui_shell *shell = pane->shell;
	struct item items[4] = { { "", NULL }, { "in view", NULL }, { "cell", NULL }, { "back", NULL } };
	struct term_area left = *area;
	unsigned x;
	g_autofree char *name = NULL, *warnings = NULL;

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_HEADER, ' ');
	if (!shell->q)
		return;
	name = trace_name_text(shell->q);
	warnings = warnings_text(shell);
	x = term_area_fit(area, 1, 0, area->w / 4, TERM_ROLE_HEADER_STRONG, name) + 2;
	items[0].value = ui_shell_time_text(shell, shell->view->cursor);
	items[1].value = ui_shell_duration_text(shell, shell->view->to - shell->view->from);
	items[2].value = ui_shell_duration_text(shell, ui_shell_column(shell));
	if (warnings && term_text_width(warnings) + 2 <= left.w / 2) {
		term_area_right(&left, 1, 0, TERM_ROLE_HEADER_STRONG, warnings);
		left.w -= term_text_width(warnings) + 2;
	}
	x = put_followed(shell, &left, x);
	for (unsigned i = 0; i < 2; i++)
		x = pane_header_put(&left, x, &items[i]);
	x = put_clock(shell, &left, x);
	x = put_over(shell, &left, x);
	x = put_tracer(shell, &left, x);
	x = pane_header_put(&left, x, &items[2]);
	x = put_selection(shell, &left, x);
	items[3].value = g_strdup_printf("%u", ui_shell_history_length(shell));
	if (ui_shell_history_length(shell))
		pane_header_put(&left, x, &items[3]);
	else
		g_free(items[3].value);
}

/* A click on the warnings lists them. */
static void header_point(struct ui_pane *pane, unsigned x, G_GNUC_UNUSED unsigned y)
{
	g_autofree char *text = warnings_text(pane->shell);

	if (text && x + term_text_width(text) + 1 >= pane->w)
		ui_shell_command(pane->shell, UI_CMD_WARNINGS);
}

const struct ui_pane_ops pane_header = {
	.name = "header",
	.place = UI_PLACE_TOP,
	.point = header_point,
	.draw = header_draw,
};

/* SPDX-License-Identifier: MIT */
/* What stands on the screen: what was recorded, then the parts, each below its heading. */
#include "ui/pane/overview/overview.h"

#include "analysis/request/clock.h"

#include "ui/core/ui_view.h"

#include <inttypes.h>

#define WARNINGS 2 /* that are told in full */

static void clear_item(gpointer data)
{
	g_free(((struct overview_item *)data)->text);
}

/* TEXT is taken over. */
static void overview_items_add_text(GArray *items, char *text, bool heading)
{
	struct overview_item item = { .text = text, .heading = heading };

	g_array_append_val(items, item);
}

/* How far the clock of HOST may be off against the first one's, or that it has none in terms of that. */
static void append_clock(GString *text, struct ui_shell *shell, uint32_t host)
{
	struct ana_clock clock = ana_clock_of(shell->q, host, qry_host(shell->q, host)->from);
	g_autofree char *worst = clock.worst == INT64_MAX ? NULL : ui_shell_duration_text(shell, clock.worst);

	if (clock.placed)
		g_string_append(text, "; clock by its start");
	else if (!clock.known)
		g_string_append(text, "; clock its own");
	else if (!worst)
		g_string_append(text, "; clock's error unknown");
	else
		g_string_append_printf(text, "; clock %s%s", shell->grid->ascii ? "+-" : "\302\261", worst);
}

/* "db: 11.9 s, 2 CPUs, 54012 events, kernel 6.1.0, 82 events lost". */
static char *host_text(struct ui_shell *shell, uint32_t host)
{
	const struct qry_host *h = qry_host(shell->q, host);
	g_autofree char *length = ui_shell_duration_text(shell, h->to - h->from);
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%s: %s, %u CPU%s, %" PRIu64 " events", h->name, length, h->meta->n_cpus,
		h->meta->n_cpus == 1 ? "" : "s", h->meta->events);
	if (*h->meta->release)
		g_string_append_printf(text, ", kernel %s", h->meta->release);
	if (host > 0)
		append_clock(text, shell, host);
	if (h->meta->discarded || h->meta->discarded_packets)
		g_string_append_printf(text, "; lost: %" PRIu64 " events, %" PRIu64 " packets",
			h->meta->discarded, h->meta->discarded_packets);
	if (h->meta->missing_events->len)
		g_string_append_printf(text, "; %u kinds of events not recorded",
			h->meta->missing_events->len);
	return g_string_free(text, FALSE);
}

static void add_recorded(const struct overview *o, GArray *items)
{
	struct ui_shell *shell = o->pane.shell;
	const GPtrArray *warnings = qry_warnings(shell->q);
	g_autofree char *key = ui_keymap_first(shell->keys, UI_CMD_WARNINGS);

	for (uint32_t host = 0; host < qry_host_count(shell->q); host++)
		overview_items_add_text(items, host_text(shell, host), false);
	for (guint i = 0; i < MIN(warnings->len, WARNINGS); i++)
		overview_items_add_text(items,
			g_strdup_printf("warning: %s", (char *)g_ptr_array_index(warnings, i)), false);
	if (warnings->len > WARNINGS)
		overview_items_add_text(items,
			g_strdup_printf("and %u more warnings: %s", warnings->len - WARNINGS, key), false);
}

static void overview_items_add_part(const struct overview *o, GArray *items, enum ana_overview_part part)
{
	const GArray *lines = o->found.lines[part];

	overview_items_add_text(items, g_strdup(ana_overview_title(part)), true);
	if (!lines && !o->found.missing[part])
		overview_items_add_text(items, g_strdup(o->problem ? "not looked for" : "\342\200\246"),
			false); /* … */
	else if (o->found.missing[part])
		overview_items_add_text(items, g_strdup(o->found.missing[part]), false);
	else if (!lines || lines->len == 0)
		overview_items_add_text(items, g_strdup("none"), false);
	for (guint i = 0; lines && i < lines->len; i++) {
		struct overview_item item = { .line = &g_array_index(lines, struct ana_overview_line, i) };

		g_array_append_val(items, item);
	}
}

void overview_items_settle(struct overview *o, int step)
{
	int n = (int)o->items->len;

	for (int turn = 0; turn < 2; turn++, step = -step)
		for (int i = (int)o->view.line; i >= 0 && i < n; i += step)
			if (overview_item(o, (unsigned)i)->line) {
				o->view.line = (unsigned)i;
				return;
			}
}

void overview_items_make(struct overview *o)
{

	const struct ana_overview_line *selected = o->view.line < o->items->len
		? overview_item(o, o->view.line)->line
		: NULL;
	GArray *items = g_array_new(FALSE, FALSE, sizeof(struct overview_item));

	g_array_set_clear_func(items, clear_item);
	add_recorded(o, items);
	for (unsigned part = 0; part < ANA_OVERVIEW_N; part++)
		if (ana_overview_has(o->pane.shell->q, part))
			overview_items_add_part(o, items, part);
	o->ascii = o->pane.shell->grid->ascii;
	g_array_unref(o->items);
	o->items = items;
	for (unsigned i = 0; selected && i < items->len; i++)
		if (overview_item(o, i)->line == selected)
			o->view.line = i;
	overview_items_settle(o, 1);
}

static const struct ana_overview_line *line_in(const GArray *lines, guint i)
{
	return &g_array_index(lines, struct ana_overview_line, i);
}

/* Where the selected line is in LINES (NULL: none); -1: it is not. */
static int selected_in(const struct overview *o, const GArray *lines)
{
	for (guint i = 0; lines && o->view.line < o->items->len && i < lines->len; i++)
		if (overview_item(o, o->view.line)->line == line_in(lines, i))
			return (int)i;
	return -1;
}

/* Is a line selected that is behind another one?  The first one nobody has to have selected. */
static bool is_chosen(const struct overview *o)
{
	for (unsigned i = 0; i < MIN(o->view.line, o->items->len); i++)
		if (overview_item(o, i)->line)
			return true;
	return false;
}

void overview_items_take(struct overview *o, enum ana_overview_part part, GArray *lines, char *missing)
{
	g_autoptr(GArray) before = o->found.lines[part];
	bool chosen = is_chosen(o);
	int place = chosen ? selected_in(o, before) : -1;
	uint32_t row = place < 0 ? UI_NO_ROW : line_in(before, (guint)place)->row;

	if (!chosen)
		o->view.line = 0;
	g_free(o->found.missing[part]);
	o->found.lines[part] = lines;
	o->found.missing[part] = missing;
	for (int i = lines && row != UI_NO_ROW ? (int)lines->len - 1 : -1; i >= 0; i--)
		if (line_in(lines, (guint)i)->row == row)
			place = i;
	overview_items_make(o);
	for (unsigned i = 0; place >= 0 && lines && i < o->items->len; i++)
		if (overview_item(o, i)->line == line_in(lines, MIN((guint)place, lines->len - 1)))
			o->view.line = i;
}

void overview_items_carry(struct overview *o, struct overview *old)
{
	const struct ui_shell *shell = o->pane.shell;

	if (is_chosen(old))
		o->view = old->view;
	for (unsigned part = 0; part < ANA_OVERVIEW_N; part++) {
		GArray *lines = o->found.lines[part] = g_steal_pointer(&old->found.lines[part]);

		o->found.missing[part] = g_steal_pointer(&old->found.missing[part]);
		for (guint i = 0; lines && i < lines->len; i++) {
			struct ana_overview_line *line = &g_array_index(lines, struct ana_overview_line, i);

			line->from = ui_view_carry_time(shell, line->row, line->from);
			line->to = ui_view_carry_time(shell, line->row, line->to);
			line->row = ui_view_carry_row(shell, line->row);
		}
	}
}

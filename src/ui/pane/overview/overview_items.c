/* SPDX-License-Identifier: MIT */
/* What stands on the screen: what was recorded, then the parts, each below its heading. */
#include "ui/pane/overview/overview.h"

#include "analysis/ana_clock.h"

#include "ui/core/ui_view.h"

#include <inttypes.h>

#define WARNINGS 2 /* that are told in full */

static void clear_item(gpointer data)
{
	g_free(((struct overview_item *)data)->text);
}

/* TEXT is taken over. */
static void add_text(GArray *items, char *text, bool heading)
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
		add_text(items, host_text(shell, host), false);
	for (guint i = 0; i < MIN(warnings->len, WARNINGS); i++)
		add_text(items, g_strdup_printf("warning: %s", (char *)g_ptr_array_index(warnings, i)),
			false);
	if (warnings->len > WARNINGS)
		add_text(items, g_strdup_printf("and %u more warnings: %s", warnings->len - WARNINGS, key),
			false);
}

static void add_part(const struct overview *o, GArray *items, enum ana_overview_part part)
{
	const GArray *lines = o->found.lines[part];

	add_text(items, g_strdup(ana_overview_title(part)), true);
	if (!lines && !o->found.missing[part])
		add_text(items, g_strdup(o->problem ? "not looked for" : "\342\200\246"), false); /* … */
	else if (o->found.missing[part])
		add_text(items, g_strdup(o->found.missing[part]), false);
	else if (lines->len == 0)
		add_text(items, g_strdup("none"), false);
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

void overview_items_carry(struct overview *o, const struct overview *old)
{
	const struct ana_overview_line *selected = old->view.line < old->items->len
		? overview_item(old, old->view.line)->line
		: NULL;

	o->wanted_part = old->wanted_part;
	o->wanted_row = old->wanted_row;
	o->wanted_place = old->wanted_place;
	for (unsigned part = 0; selected && o->wanted_part == ANA_OVERVIEW_N && part < ANA_OVERVIEW_N;
		part++) {
		const GArray *lines = old->found.lines[part];

		for (guint i = 0; lines && i < lines->len; i++)
			if (&g_array_index(lines, struct ana_overview_line, i) == selected && (part || i)) {
				o->wanted_part = part;
				o->wanted_row = selected->row;
				o->wanted_place = i;
			}
	}
	if (o->wanted_row != UI_NO_ROW)
		o->wanted_row = ui_view_carry_row(o->pane.shell, o->wanted_row);
}

/* What was wanted, if it is there now; then nothing is any more.  NULL if not. */
static const struct ana_overview_line *take_wanted(struct overview *o)
{
	const GArray *lines = o->wanted_part < ANA_OVERVIEW_N ? o->found.lines[o->wanted_part] : NULL;
	guint place = o->wanted_place;

	if (!lines || lines->len == 0)
		return NULL;
	o->wanted_part = ANA_OVERVIEW_N;
	for (guint i = lines->len; i-- > 0;)
		if (g_array_index(lines, struct ana_overview_line, i).row == o->wanted_row)
			place = i;
	return &g_array_index(lines, struct ana_overview_line, MIN(place, lines->len - 1));
}

void overview_items_make(struct overview *o)
{
	const struct ana_overview_line *wanted = take_wanted(o);
	const struct ana_overview_line *selected = o->view.line < o->items->len
		? overview_item(o, o->view.line)->line
		: NULL;
	GArray *items = g_array_new(FALSE, FALSE, sizeof(struct overview_item));

	g_array_set_clear_func(items, clear_item);
	add_recorded(o, items);
	for (unsigned part = 0; part < ANA_OVERVIEW_N; part++)
		if (ana_overview_has(o->pane.shell->q, part))
			add_part(o, items, part);
	o->ascii = o->pane.shell->grid->ascii;
	g_array_unref(o->items);
	o->items = items;
	selected = wanted ? wanted : selected;
	for (unsigned i = 0; selected && i < items->len; i++)
		if (overview_item(o, i)->line == selected)
			o->view.line = i;
	overview_items_settle(o, 1);
}

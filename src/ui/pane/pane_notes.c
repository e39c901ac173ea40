/* SPDX-License-Identifier: MIT */
/* Warnings and notes about the recording and the answers: lost events, events that were not recorded, each
 * with what to do.  A line that names a time leads to it. */
#include "ui/pane/pane.h"

#include "analysis/kind/advice.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/qry.h"
#include "ui/widget/subject.h"
#include "ui/core/ui_fields.h"
#include "ui/widget/list_view.h"

#include <string.h>

#define GAPS_MAX 1000 /* of a host's places with lost events, so many are listed */

/* One line of the pane, as wide as that at most. */
struct line {
	char *text; /* owned */
	enum term_role role;
	int64_t time; /* BASE_TIME_NONE: it names no instant */
	uint32_t row; /* whose */
};

struct notes {
	struct ui_pane pane;
	GArray *lines;          /* of struct line, owned */
	unsigned width, n_said; /* what the lines were made for: columns, how many notes there were, */
	const struct base_time_way *times; /* and how they were shown, */
	bool hides;                        /* and whether the tracer was hidden */
	struct list_view view;
};

static struct line *pane_notes_nth(const struct notes *n, unsigned i)
{
	return &g_array_index(n->lines, struct line, i);
}

static void pane_notes_line_clear(gpointer data)
{
	g_free(((struct line *)data)->text);
}

/* ---- the lines ---- */

static void pane_notes_add(struct notes *n, enum term_role role, char *text, int64_t time, uint32_t row)
{
	struct line line = { text, role, time, row };

	g_array_append_val(n->lines, line);
}

/* The bytes of TEXT that go into one line of WIDTH columns: up to a blank, if there is one. */
static size_t one_line(const char *text, unsigned width)
{
	const char *at = text;
	size_t blank = 0;

	for (unsigned x = 0; *at && x < width; x++) {
		at = g_utf8_next_char(at);
		if (*at == ' ' || !*at)
			blank = (size_t)(at - text);
	}
	return *at && blank ? blank : (size_t)(at - text);
}

/* TEXT over as many lines as it needs; all but the first are set in. */
static void add_wrapped(struct notes *n, const char *text)
{
	unsigned width = MAX(n->width, 24) - 4;

	for (bool first = true; *text; first = false) {
		size_t part = one_line(text, width);

		pane_notes_add(n, TERM_ROLE_TEXT,
			g_strdup_printf("%s%.*s", first ? "- " : "  ", (int)part, text), BASE_TIME_NONE,
			MDL_NONE);
		text += part;
		text += strspn(text, " ");
	}
}

static void add_heading(struct notes *n, char *text)
{
	if (n->lines->len)
		pane_notes_add(n, TERM_ROLE_TEXT, g_strdup(""), BASE_TIME_NONE, MDL_NONE);
	pane_notes_add(n, TERM_ROLE_STRONG, text, BASE_TIME_NONE, MDL_NONE);
}

/* The lines [FROM, TO) of TEXTS. */
static void add_list(struct notes *n, const char *heading, const GPtrArray *texts, guint from, guint to)
{
	if (from < to)
		add_heading(n, g_strdup(heading));
	for (guint i = from; i < to; i++)
		add_wrapped(n, g_ptr_array_index(texts, i));
}

static void add_gaps(struct notes *n, uint32_t host)
{
	struct ui_shell *shell = n->pane.shell;
	const GArray *gaps = qry_host(shell->q, host)->gaps;

	if (!gaps->len)
		return;
	add_heading(n,
		g_strdup_printf("Events lost on %s: states are unknown until the next event that shows them",
			qry_host(shell->q, host)->name));
	for (guint i = 0; i < MIN(gaps->len, GAPS_MAX); i++) {
		const struct idx_gap *gap = &g_array_index(gaps, struct idx_gap, i);
		g_autofree char *from = ui_shell_time_text(shell, gap->from),
				*length = ui_shell_duration_text(shell, gap->to - gap->from),
				*count = gap->count ? g_strdup_printf("%" G_GUINT64_FORMAT " event%s",
							      gap->count, base_text_s(gap->count))
						    : g_strdup("events");

		pane_notes_add(n, TERM_ROLE_TEXT,
			g_strdup_printf("- CPU %u  %s  within %s  %s lost", gap->cpu, from, length, count),
			gap->from, qry_cpu_row(shell->q, host, gap->cpu));
	}
	if (gaps->len > GAPS_MAX)
		add_wrapped(n, "and in more places: wakepath info --format json lists them all");
}

static void add_advice(struct notes *n, uint32_t host)
{
	const struct qry *q = n->pane.shell->q;
	g_autoptr(GPtrArray) advice = g_ptr_array_new_with_free_func(g_free);

	advice_text_add(advice, q, host, MAX(n->width, 24) - 4);
	if (advice->len)
		add_heading(n,
			g_strdup_printf("Not recorded on %s; it would prove more:", qry_host(q, host)->name));
	for (guint i = 0; i < advice->len; i++)
		pane_notes_add(n, TERM_ROLE_TEXT, g_strconcat("  ", g_ptr_array_index(advice, i), NULL),
			BASE_TIME_NONE, MDL_NONE);
}

/* Make the lines for WIDTH columns, unless they are there. */
static void make_lines(struct notes *n, unsigned width)
{
	const struct ui_shell *shell = n->pane.shell;
	g_autoptr(GPtrArray) lacks = NULL;
	guint warnings = qry_warnings(shell->q)->len;

	if (n->lines->len && n->width == width && n->n_said == shell->notes->len &&
		n->times == shell->times && n->hides == shell->hide_tracer)
		return;
	lacks = ana_advice_lacks(shell->q, shell->hide_tracer);
	n->hides = shell->hide_tracer;
	n->width = width;
	n->times = shell->times;
	n->n_said = shell->notes->len;
	g_array_set_size(n->lines, 0);
	add_list(n, "Warnings", lacks, 0, warnings);
	add_list(n, "Notes at opening", qry_notes(shell->q), 0, qry_notes(shell->q)->len);
	add_list(n, "Notes since then", shell->notes, 0, shell->notes->len);
	add_list(n, "What this recording lacks", lacks, warnings, lacks->len);
	for (uint32_t host = 0; host < qry_host_count(shell->q); host++)
		add_gaps(n, host);
	for (uint32_t host = 0; host < qry_host_count(shell->q); host++)
		add_advice(n, host);
	if (!n->lines->len)
		pane_notes_add(n, TERM_ROLE_DIM,
			g_strdup("no warnings, and all events that would prove more were recorded"),
			BASE_TIME_NONE, MDL_NONE);
	n->view.line = MIN(n->view.line, n->lines->len - 1);
}

/* ---- hooks ---- */

static void notes_init(struct ui_pane *pane)
{
	struct notes *n = (struct notes *)pane;

	n->lines = g_array_new(FALSE, FALSE, sizeof(struct line));
	g_array_set_clear_func(n->lines, pane_notes_line_clear);
}

static void notes_clear(struct ui_pane *pane)
{
	g_array_unref(((struct notes *)pane)->lines);
}

static const struct ui_field pane_notes_fields[] = { UI_FIELD_LIST(notes, view) };

static bool notes_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct notes *n = (struct notes *)pane;

	if (!ui_fields_set(pane_notes_fields, pane, pane->shell, kept, error))
		return false;
	list_view_go(&n->view, 0, n->lines->len);
	return true;
}

static void notes_title(struct ui_pane *pane, GString *title)
{
	const struct ui_shell *shell = pane->shell;
	unsigned warnings = shell->q ? qry_warnings(shell->q)->len : 0,
		 notes = shell->q ? qry_notes(shell->q)->len + shell->notes->len : 0;

	scope_title_whole(shell, title, "Warnings and notes", NULL);
	g_string_append_printf(title, "  %u warning%s  %u note%s", warnings, base_text_s(warnings), notes,
		base_text_s(notes));
}

static void notes_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct notes *n = (struct notes *)pane;

	make_lines(n, area->w);
	list_view_scroll(&n->view, area->h, n->lines->len);
	for (unsigned i = 0; i < n->view.seen; i++)
		term_area_fit(area, 1, i, area->w - 1, pane_notes_nth(n, n->view.top + i)->role,
			pane_notes_nth(n, n->view.top + i)->text);
	list_view_mark(&n->view, pane, area);
}

static bool notes_command(struct ui_pane *pane, enum ui_command command)
{
	struct notes *n = (struct notes *)pane;
	const struct line *line;

	if (!pane->shown || !ui_pane_focused(pane))
		return false;
	if (command == UI_CMD_ACTIVATE || command == UI_CMD_FOLLOW) {
		line = n->view.line < n->lines->len ? pane_notes_nth(n, n->view.line) : NULL;
		if (!line || line->time == BASE_TIME_NONE)
			ui_shell_message(pane->shell, "this line names no time");
		else
			ui_shell_go(pane->shell, line->time,
				line->row != MDL_NONE ? line->row : pane->shell->view->row);
	} else if (command == UI_CMD_CLEAR) {
		ui_shell_show(pane->shell, pane, false);
	} else {
		return list_view_move(&n->view, command, n->lines->len);
	}
	return true;
}

static void notes_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct notes *n = (struct notes *)pane;

	list_view_point(&n->view, y, n->lines->len);
}

static const struct ui_hint pane_notes_hints[] = {
	{ UI_CMD_ROW_DOWN, "down" },
	{ UI_CMD_ROW_UP, "up" },
	{ UI_CMD_ACTIVATE, "go there" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_WARNINGS, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_notes = {
	.name = "notes",
	.place = UI_PLACE_LOWER,
	.hints = pane_notes_hints,
	.show = UI_CMD_WARNINGS,
	.size = sizeof(struct notes),
	.init = notes_init,
	.clear = notes_clear,
	.fields = pane_notes_fields,
	.restore = notes_restore,
	.command = notes_command,
	.point = notes_point,
	.title = notes_title,
	.draw = notes_draw,
};

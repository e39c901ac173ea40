/* SPDX-License-Identifier: MIT */
/*
 * The overview: a summary of the recording, then one part per analysis, each below its heading.  The worker
 * finds the parts one by one while the user reads the first ones.  The pane opens by itself if the explorer
 * starts without a place to go to.
 */
#include "ui/pane/pane.h"

#include "analysis/request/clock.h"
#include "ui/pane/overview/overview.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/subject.h"
#include "base/base_error.h"
#include "base/base_text.h"
#include "ui/core/ui_fields.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_view.h"
#include "ui/widget/host_look.h"

#include <inttypes.h>
#include <string.h>

/* ---- the lines ---- */

#define WARNINGS 2        /* warnings shown in full */
#define SENTENCE_INDENT 3 /* indent of a sentence's continuation rows, columns */
#define WHAT_MIN 16       /* minimum columns to wrap the details into rows */

static const struct ana_overview_line *line_in(const GArray *lines, guint i)
{
	return &g_array_index(lines, struct ana_overview_line, i);
}

/* Widths in columns. */
#define TIME_MIN 10
#define SHARE_MIN 8
#define WHO_MIN 24
#define WHO_MAX 40

/* Columns where times and shares end, and where names and details begin. */
struct columns {
	unsigned time, share, name, what;
};

static char *share_text(const struct ana_overview_line *line)
{
	if (line->of > 0)
		return g_strdup_printf("%.1f%%", 100 * (double)line->time / (double)line->of);
	return line->count > 0 ? g_strdup_printf("%" PRIu64 "\303\227", line->count) : g_strdup(""); /* × */
}

/* Common columns for all lines: each as wide as its widest text plus a blank. */
static struct columns find_columns(const struct overview *o)
{
	struct columns c = { TIME_MIN, SHARE_MIN, 0, 0 };

	for (unsigned part = ANA_OVERVIEW_ANSWER + 1; part < ANA_OVERVIEW_N; part++)
		for (guint i = 0; o->found.lines[part] && i < o->found.lines[part]->len; i++) {
			const struct ana_overview_line *line = line_in(o->found.lines[part], i);
			g_autofree char *time = ui_shell_duration_text(o->pane.shell, line->time),
					*share = share_text(line);

			c.time = MAX(c.time, term_text_width(time));
			c.share = MAX(c.share, term_text_width(share));
		}
	c.share += c.time + 1;
	c.name = c.share + 2;
	c.what = c.name + CLAMP(o->w / 4, WHO_MIN, WHO_MAX) + 1;
	return c;
}

static void clear_item(gpointer data)
{
	g_free(((struct overview_item *)data)->text);
}

/* Add TEXT (takes ownership), wrapped at the width of the screen. */
static void overview_items_add_text(const struct overview *o, GArray *items, char *text)
{
	g_autoptr(GPtrArray) rows = term_text_rows(text, MAX(o->w, 24) - 2, SENTENCE_INDENT);

	for (guint i = 0; i < rows->len; i++) {
		struct overview_item item = { .text = g_strdup(g_ptr_array_index(rows, i)) };

		g_array_append_val(items, item);
	}
	g_free(text);
}

/* Add LINE.  Text that does not fit behind its name goes to the rows below. */
static void overview_items_add_line(const struct overview *o, GArray *items,
	const struct ana_overview_line *line, const struct columns *columns)
{
	g_autoptr(GPtrArray) rows = line->what && o->w > columns->what + WHAT_MIN
		? term_text_rows(line->what, o->w - columns->what, 0)
		: NULL;

	for (guint i = 0; i < (rows ? MAX(rows->len, 1) : 1); i++) {
		struct overview_item item = { .line = i ? NULL : line,
			.of_line = true,
			.goes_on = i > 0,
			.text = rows && i < rows->len ? g_strdup(g_ptr_array_index(rows, i))
						      : g_strdup(line->what ? line->what : "") };

		g_array_append_val(items, item);
	}
}

/* Append the worst clock error of HOST against the first host, or that HOST has no clock relation to it. */
static void append_clock(GString *text, struct ui_shell *shell, uint32_t host)
{
	struct ana_clock clock = ana_clock_of(shell->q, host, qry_host(shell->q, host)->from);
	g_autofree char *worst = clock.worst == INT64_MAX ? NULL : ui_shell_duration_text(shell, clock.worst);

	if (clock.placed)
		g_string_append(text, "; clock aligned by start");
	else if (!clock.known)
		g_string_append(text, "; own clock");
	else if (!worst)
		g_string_append(text, "; clock error unknown");
	else
		g_string_append_printf(text, "; clock %s%s", shell->grid->ascii ? "+-" : "\302\261", worst);
}

/* "db: 11.9 s, 2 CPUs, 54012 events, kernel 6.1.0, 82 events lost". */
static char *host_text(struct ui_shell *shell, uint32_t host)
{
	const struct qry_host *h = qry_host(shell->q, host);
	g_autofree char *length = ui_shell_duration_text(shell, h->to - h->from);
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%s: %s, %u CPU%s, %" PRIu64 " event%s", h->name, length, h->meta->n_cpus,
		base_text_s(h->meta->n_cpus), h->meta->events, base_text_s(h->meta->events));
	if (*h->meta->release)
		g_string_append_printf(text, ", kernel %s", h->meta->release);
	if (host > 0)
		append_clock(text, shell, host);
	if (h->meta->discarded || h->meta->discarded_packets)
		g_string_append_printf(text, "; lost: %" PRIu64 " event%s, %" PRIu64 " packet%s",
			h->meta->discarded, base_text_s(h->meta->discarded), h->meta->discarded_packets,
			base_text_s(h->meta->discarded_packets));
	if (h->meta->missing_events->len)
		g_string_append_printf(text, "; %u kind%s of events not recorded",
			h->meta->missing_events->len, base_text_s(h->meta->missing_events->len));
	return g_string_free(text, FALSE);
}

static void add_recorded(const struct overview *o, GArray *items)
{
	struct ui_shell *shell = o->pane.shell;
	const GPtrArray *warnings = qry_warnings(shell->q);
	g_autofree char *key = ui_keymap_first(shell->keys, UI_CMD_WARNINGS);

	for (uint32_t host = 0; host < qry_host_count(shell->q); host++)
		overview_items_add_text(o, items, host_text(shell, host));
	for (guint i = 0; i < MIN(warnings->len, WARNINGS); i++)
		overview_items_add_text(o, items,
			g_strdup_printf("warning: %s", (char *)g_ptr_array_index(warnings, i)));
	if (warnings->len > WARNINGS)
		overview_items_add_text(o, items,
			g_strdup_printf("and %u more warning%s: %s", warnings->len - WARNINGS,
				base_text_s(warnings->len - WARNINGS), key));
}

/* Add LINES as sentences.  The first row of each leads to its subject. */
static void add_sentences(const struct overview *o, GArray *items, const GArray *lines)
{
	for (guint i = 0; i < lines->len; i++) {
		const struct ana_overview_line *line = &g_array_index(lines, struct ana_overview_line, i);
		g_autoptr(GPtrArray)
			rows = term_text_rows(line->answer->text, MAX(o->w, 24) - 2, SENTENCE_INDENT);

		for (guint row = 0; row < rows->len; row++) {
			struct overview_item item = { .line = row ? NULL : line,
				.text = g_strdup(g_ptr_array_index(rows, row)),
				.sentence = true,
				.goes_on = row > 0 };

			g_array_append_val(items, item);
		}
	}
}

static void overview_items_add_part(const struct overview *o, GArray *items, enum ana_overview_part part)
{
	const GArray *lines = o->found.lines[part];
	struct overview_item heading = { .heading = true, .part = part };
	struct columns columns = find_columns(o);

	if (part == ANA_OVERVIEW_ANSWER && lines) {
		add_sentences(o, items, lines);
		return;
	}
	if (part != ANA_OVERVIEW_ANSWER)
		g_array_append_val(items, heading);
	if (!lines && !o->found.missing[part])
		overview_items_add_text(o, items,
			g_strdup(o->problem ? "not searched" : "\342\200\246")); /* … */
	else if (o->found.missing[part])
		overview_items_add_text(o, items, g_strdup(o->found.missing[part]));
	else if (!lines || lines->len == 0)
		overview_items_add_text(o, items, g_strdup("none"));
	for (guint i = 0; lines && i < lines->len; i++)
		overview_items_add_line(o, items, line_in(lines, i), &columns);
}

/* Select the nearest line that leads somewhere, searching from the selected one in direction STEP (-1 or
 * 1). */
static void overview_items_settle(struct overview *o, int step)
{
	int n = (int)o->items->len;

	for (int turn = 0; turn < 2; turn++, step = -step)
		for (int i = (int)o->view.line; i >= 0 && i < n; i += step)
			if (overview_item(o, (unsigned)i)->line) {
				o->view.line = (unsigned)i;
				return;
			}
}

/* Make the lines again; the selected one stays selected. */
static void overview_items_make(struct overview *o)
{
	const struct ana_overview_line *selected = o->view.line < o->items->len
		? overview_item(o, o->view.line)->line
		: NULL;
	GArray *items = g_array_new(FALSE, FALSE, sizeof(struct overview_item));

	g_array_set_clear_func(items, clear_item);
	overview_items_add_part(o, items, ANA_OVERVIEW_ANSWER);
	add_recorded(o, items);
	for (unsigned part = ANA_OVERVIEW_ANSWER + 1; part < ANA_OVERVIEW_N; part++)
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

/* True if the user selected a line: any except the first, which is the initial one. */
static bool is_chosen(const struct overview *o)
{
	for (unsigned i = 0; i < MIN(o->view.line, o->items->len); i++)
		if (overview_item(o, i)->line)
			return true;
	return false;
}

/* Set the lines of PART to LINES; if LINES is NULL, MISSING is the reason why.  Takes ownership of both.  The
 * selected line stays selected. */
static void overview_items_take(struct overview *o, enum ana_overview_part part, GArray *lines, char *missing)
{
	g_autoptr(GArray) before = o->found.lines[part];
	bool chosen = is_chosen(o);
	int place = -1;
	uint32_t row;

	for (guint i = 0; chosen && before && o->view.line < o->items->len && i < before->len; i++)
		if (overview_item(o, o->view.line)->line == line_in(before, i))
			place = (int)i;
	row = place < 0 ? UI_NO_ROW : line_in(before, (guint)place)->row;
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

/* Show the content of OLD, found before the trace was reopened, until the new search has results.  Takes
 * everything out of OLD. */
static void overview_items_carry(struct overview *o, struct overview *old)
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

#define LINES 5 /* maximum lines of each part */

/* ---- asking ---- */

struct question {
	enum ana_overview_part part;
	bool hide_tracer;
};

static void *pane_overview_make_answer(struct qry *q, const void *data, struct base_progress *progress,
	GError **error)
{
	const struct question *asked = data;

	return ana_overview_find(q, asked->part, LINES, asked->hide_tracer, progress, error);
}

/* Order of the search: parts that need no computation first. */
static const enum ana_overview_part order[ANA_OVERVIEW_N] = { ANA_OVERVIEW_VCPU, ANA_OVERVIEW_CPU,
	ANA_OVERVIEW_ANSWER, ANA_OVERVIEW_WAKEUP, ANA_OVERVIEW_IRQ, ANA_OVERVIEW_REQUEST,
	ANA_OVERVIEW_WAITING, ANA_OVERVIEW_TAKEN, ANA_OVERVIEW_DISK };

static void ask_next(struct overview *o)
{
	struct question question = { .hide_tracer = o->hide_tracer };

	if (o->found_parts == ANA_OVERVIEW_N)
		return;
	question.part = order[o->found_parts];
	ask_worker_ask(o->pane.worker, &question);
}

/* Before the first key press, move to the thread of the first sentence: the user reads that sentence
 * first. */
static void begin_at_sentence(struct overview *o)
{
	struct ui_shell *shell = o->pane.shell;
	const GArray *lines = o->found.lines[ANA_OVERVIEW_ANSWER];
	const struct ana_overview_line *first = lines && lines->len ? line_in(lines, 0) : NULL;

	if (!first || !o->by_itself || o->yields || shell->used || first->row == shell->view->row ||
		!row_has_paths(shell->q, first->row))
		return;
	ui_shell_set_row(shell, first->row);
	ui_shell_set_cursor(shell, first->from);
	o->has_place = false; /* this is the new start: record it with the next draw */
}

static void pane_overview_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct overview *o = (struct overview *)pane;
	enum ana_overview_part part = order[o->found_parts];

	if (!answer && !g_error_matches(error, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		ask_worker_problem(&o->problem, error);
		overview_items_make(o);
		return;
	}
	overview_items_take(o, part, answer, error ? g_strdup(error->message) : NULL);
	g_clear_error(&error);
	if (part == ANA_OVERVIEW_ANSWER)
		begin_at_sentence(o);
	o->found_parts++;
	ask_next(o);
}

static const struct ask_kind pane_overview_kind = { .size = sizeof(struct question),
	.answer = pane_overview_make_answer,
	.free = (GDestroyNotify)g_array_unref,
	.taken = pane_overview_taken };

static void pane_overview_drop(struct overview *o)
{
	ask_worker_cancel(o->pane.worker);
	for (unsigned i = 0; i < ANA_OVERVIEW_N; i++) {
		g_clear_pointer(&o->found.lines[i], g_array_unref);
		g_clear_pointer(&o->found.missing[i], g_free);
	}
	g_clear_pointer(&o->problem, g_free);
	g_array_set_size(o->items, 0);
	o->found_parts = 0;
	o->view = (struct list_view){ 0 };
}

/* Start the search, unless its result for the current question is known or under way. */
static void pane_overview_begin(struct overview *o)
{
	struct ui_shell *shell = o->pane.shell;

	if (o->pane.worker && !o->problem && o->hide_tracer == shell->hide_tracer)
		return;
	if (o->pane.worker)
		pane_overview_drop(o);
	else
		o->pane.worker = ask_worker_new(shell->q, &pane_overview_kind);
	o->hide_tracer = shell->hide_tracer;
	overview_items_make(o);
	ask_next(o);
	ask_worker_wait(o->pane.worker, &o->pane, ASK_AT_ONCE);
}

/* ---- hooks ---- */

static void overview_init(struct ui_pane *pane)
{
	((struct overview *)pane)->items = g_array_new(FALSE, FALSE, sizeof(struct overview_item));
}

/* PLACE is not carried, because its times and its row may have changed: the next draw records it again. */
static void overview_carry(struct ui_pane *pane, struct ui_pane *old_pane)
{
	struct overview *o = (struct overview *)pane;
	struct overview *old = (struct overview *)old_pane;

	o->by_itself = old->by_itself;
	o->w = old->w; /* the same width, so the same numbers of lines */
	overview_items_carry(o, old);
}

static void overview_clear(struct ui_pane *pane)
{
	struct overview *o = (struct overview *)pane;

	pane_overview_drop(o);
	ask_worker_free(o->pane.worker);
	g_array_unref(o->items);
}

static void overview_changed(struct ui_pane *pane, unsigned changes)
{
	struct overview *o = (struct overview *)pane;
	struct ui_shell *shell = pane->shell;

	if (changes & UI_CHANGED_EXPERIMENT && shell->options->overview && !shell->reopened) {
		o->by_itself = true;
		ui_shell_show(shell, pane, true);
		o->yields = shell->lines->len > 0;
		if (o->yields)
			ui_shell_focus(shell, shell->main);
	}
	if (pane->shown && o->by_itself && o->has_place &&
		(shell->view->row != o->place.row || shell->view->cursor != o->place.cursor ||
			shell->view->from != o->place.from || shell->view->to != o->place.to))
		ui_shell_show(shell, pane, false); /* the user is elsewhere now */
	o->by_itself &= pane->shown;
	if (pane->shown && shell->q)
		pane_overview_begin(o);
}

static const struct ui_field pane_overview_fields[] = {
	UI_FIELD(FLAG, "by-itself", overview, by_itself),
	UI_FIELD(FLAG, "placed", overview, has_place),
	UI_FIELD(TIME, "from", overview, place.from),
	UI_FIELD(END, "to", overview, place.to),
	UI_FIELD(TIME, "cursor", overview, place.cursor),
	UI_FIELD(ROW, "row", overview, place.row),
	UI_FIELD_LIST(overview, view),
};

static bool overview_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct overview *o = (struct overview *)pane;

	if (!ui_fields_set(pane_overview_fields, pane, pane->shell, kept, error))
		return false;
	list_view_go(&o->view, 0, o->items->len);
	return true;
}

static bool overview_work(struct ui_pane *pane)
{
	struct overview *o = (struct overview *)pane;
	struct ui_shell *shell = pane->shell;
	bool more = ask_worker_wait(o->pane.worker, pane, ASK_SLICE);

	if (o->yields && shell->next_line == shell->lines->len) {
		o->yields = false;
		if (o->by_itself)
			ui_shell_focus(shell, pane);
		begin_at_sentence(o);
	}
	return more && (!o->yields || ui_pane_focused(pane));
}

/* The number of shown parts among the first N in search order. */
static unsigned shown_of(const struct overview *o, unsigned n)
{
	unsigned shown = 0;

	for (unsigned i = 0; i < n; i++)
		shown += ana_overview_has(o->pane.shell->q, order[i]);
	return shown;
}

static void overview_title(struct ui_pane *pane, GString *title)
{
	const struct overview *o = (const struct overview *)pane;
	g_autofree char *key = ui_keymap_first(pane->shell->keys, UI_CMD_OVERVIEW);

	scope_title_whole(pane->shell, title, "Overview", NULL);
	if (o->problem)
		g_string_append_printf(title, "  stopped: %s", o->problem);
	else if (o->found_parts < ANA_OVERVIEW_N)
		g_string_append_printf(title, "  %u of %u parts", shown_of(o, o->found_parts),
			shown_of(o, ANA_OVERVIEW_N));
	if (*key)
		g_string_append_printf(title, "  %s closes and opens it", key);
}

static unsigned overview_height(G_GNUC_UNUSED struct ui_pane *pane, G_GNUC_UNUSED unsigned columns,
	unsigned rows)
{
	return rows * 2 / 3;
}

/* ---- drawing ---- */

/* Draw the title of PART above the names, and the headings of its numbers. */
static void draw_heading(const struct term_area *area, unsigned y, const struct columns *columns,
	enum ana_overview_part part)
{
	static const struct {
		const char *time, *share;
	} words[ANA_OVERVIEW_N] = { [ANA_OVERVIEW_VCPU] = { "WAITED", "OF TRACE" },
		[ANA_OVERVIEW_CPU] = { "ON CPU", "OF TRACE" },
		[ANA_OVERVIEW_WAKEUP] = { "LATENCY", "" },
		[ANA_OVERVIEW_WAITING] = { "WAITED", "OF LIFE" },
		[ANA_OVERVIEW_TAKEN] = { "RAN", "TIMES" },
		[ANA_OVERVIEW_REQUEST] = { "WORST", "TIMES" },
		[ANA_OVERVIEW_IRQ] = { "RAN", "OF TRACE" },
		[ANA_OVERVIEW_DISK] = { "WORST", "TIMES" } };

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_before(area, columns->time, y, TERM_ROLE_TITLE, words[part].time);
	term_area_before(area, columns->share, y, TERM_ROLE_TITLE, words[part].share);
	term_area_fit(area, columns->name, y, area->w - MIN(area->w, columns->name), TERM_ROLE_TITLE,
		ana_overview_title(part));
}

static void pane_overview_draw_line(const struct overview *o, const struct term_area *area, unsigned y,
	const struct columns *columns, const struct overview_item *item)
{
	struct ui_shell *shell = o->pane.shell;
	const struct ana_overview_line *line = item->line;
	unsigned name = columns->name, width = columns->what - 1 - name;

	if (columns->what < area->w)
		term_area_fit(area, columns->what, y, area->w - columns->what, TERM_ROLE_TEXT, item->text);
	if (!line)
		return;
	g_autofree char *time = ui_shell_duration_text(shell, line->time), *share = share_text(line);
	uint32_t host = line->row == MDL_NONE ? 0 : qry_row(shell->q, line->row)->host;

	term_area_before(area, columns->time, y, TERM_ROLE_STRONG, time);
	term_area_before(area, columns->share, y, TERM_ROLE_TEXT, share);
	if (qry_host_count(shell->q) > 1 && line->row != MDL_NONE && strchr(line->name, '/'))
		host_look_label(area, name, y, width, TERM_ROLE_NAME_THREAD, shell->q, host, line->name);
	else
		term_area_fit(area, name, y, width, TERM_ROLE_NAME_THREAD, line->name);
}

/* Draw the sentence of ITEM with its subject, up to the colon or verb, in the style of a name. */
static void draw_sentence(const struct term_area *area, unsigned y, const struct overview_item *item)
{
	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_TEXT, item->text);
	if (!item->line || !g_str_has_prefix(item->text, item->line->name))
		return;
	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_NAME_THREAD, item->line->name);
}

static void overview_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct overview *o = (struct overview *)pane;
	const struct ui_shell *shell = pane->shell;
	struct term_area list;
	struct columns columns;

	if (!o->has_place)
		o->place = (struct ui_place_in_time){ shell->view->from, shell->view->to, shell->view->cursor,
			shell->view->row };
	o->has_place = true;
	if (o->items->len && (o->ascii != shell->grid->ascii || o->w != area->w)) {
		o->w = area->w;
		overview_items_make(o);
	}
	o->view.tail = 0;
	for (unsigned i = o->view.line + 1; i < o->items->len && overview_item(o, i)->goes_on; i++)
		o->view.tail++;
	list = list_view_area(&o->view, area, 0, 0, o->items->len);
	columns = find_columns(o);
	for (unsigned y = 0; y < o->view.seen; y++) {
		const struct overview_item *item = overview_item(o, o->view.top + y);

		if (item->heading)
			draw_heading(&list, y, &columns, item->part);
		else if (item->sentence)
			draw_sentence(&list, y, item);
		else if (item->of_line)
			pane_overview_draw_line(o, &list, y, &columns, item);
		else
			term_area_fit(&list, 1, y, list.w - 1, TERM_ROLE_DIM, item->text);
	}
	if (o->view.line < o->items->len && overview_item(o, o->view.line)->line)
		list_view_mark(&o->view, pane, &list);
}

/* ---- commands ---- */

/* Show [FROM, TO) in ns with some room around it. */
static void zoom_to(struct ui_shell *shell, int64_t from, int64_t to)
{
	int64_t room = (to - from) / 8 + 1;

	ui_shell_set_window(shell, from - room, to + room);
}

/* Compare slow and fast cases in the whole trace: those of LINE if it has any, else those of the question. */
static void compare_slow(struct overview *o, const struct ana_overview_line *line)
{
	struct ui_shell *shell = o->pane.shell;
	g_autofree char *text = compare_set_line(shell, line);
	GError *error = NULL;

	o->by_itself = false;
	if (ui_line_do(shell, "zoom-fit", &error)) {
		ui_shell_tell(shell); /* the comparison covers the window */
		ui_line_do(shell, text, &error);
	}
	if (error)
		ui_shell_take_error(shell, error);
	ui_shell_comes_back(shell, &o->pane);
}

static void open_line(struct overview *o, const struct ana_overview_line *line)
{
	struct ui_shell *shell = o->pane.shell;
	int64_t first, end;

	o->by_itself = false;
	if (line->way == ANA_OVERVIEW_SPANS) {
		compare_slow(o, line);
		return;
	}
	if (line->row == MDL_NONE) {
		ui_shell_message(shell, "the thread of this line is unknown");
		return;
	}
	ui_shell_go(shell, line->way == ANA_OVERVIEW_WAIT ? line->to : line->from, line->row);
	zoom_to(shell, line->from, line->to);
	switch (line->way) {
	case ANA_OVERVIEW_LIFE:
		first = qry_row(shell->q, line->row)->first;
		end = qry_life_end(shell->q, line->row);
		zoom_to(shell, first, end);
		ui_shell_lead(shell, UI_LEAD(ACCOUNT, .row = line->row, .from = first, .to = end));
		break;
	case ANA_OVERVIEW_ROW:
		for (struct ui_pane *lower; (lower = ui_pane_at(shell, UI_PLACE_LOWER));)
			ui_shell_show(shell, lower, false);
		break;
	case ANA_OVERVIEW_WAIT: ui_shell_lead(shell, UI_LEAD(WAIT, .row = line->row, .to = line->to)); break;
	case ANA_OVERVIEW_ACCOUNT:
		ui_shell_lead(shell, UI_LEAD(ACCOUNT, .row = line->row, .from = line->from, .to = line->to));
		break;
	case ANA_OVERVIEW_SPANS: break;
	case ANA_OVERVIEW_PATH:
		ui_shell_set_window(shell, line->from, line->to + 1);
		ui_shell_lead(shell, UI_LEAD(PATH, .row = UI_NO_ROW));
		break;
	}
	ui_shell_comes_back(shell, &o->pane);
}

/* Before another pane answers a question about LINE, select its thread and show the time of its path, or the
 * whole life of the thread. */
static void select_line(struct overview *o, const struct ana_overview_line *line)
{
	struct ui_shell *shell = o->pane.shell;
	const struct qry_row *r;

	if (!row_is_thread(shell->q, line->row))
		return;
	o->by_itself = false;
	r = qry_row(shell->q, line->row);
	ui_shell_go(shell, line->from, line->row);
	if (line->way == ANA_OVERVIEW_PATH)
		ui_shell_set_window(shell, line->from, line->to);
	else
		ui_shell_set_window(shell, r->first, qry_life_end(shell->q, r->id));
	ui_shell_comes_back(shell, &o->pane);
}

static bool pane_overview_focused_command(struct overview *o, enum ui_command command)
{
	unsigned before = o->view.line;

	switch (command) {
	case UI_CMD_PATH:
	case UI_CMD_ACCOUNT:
	case UI_CMD_CAUSES:
	case UI_CMD_STORY:
		if (!o->pane.shell->argument && before < o->items->len && overview_item(o, before)->line)
			select_line(o, overview_item(o, before)->line);
		return false;
	case UI_CMD_COMPARE:
		if (o->pane.shell->argument)
			return false;
		compare_slow(o, before < o->items->len ? overview_item(o, before)->line : NULL);
		return true;
	case UI_CMD_ACTIVATE:
	case UI_CMD_FOLLOW:
		if (before < o->items->len && overview_item(o, before)->line)
			open_line(o, overview_item(o, before)->line);
		return true;
	default: break;
	}
	if (!list_view_move(&o->view, command, o->items->len))
		return false;
	overview_items_settle(o, o->view.line < before ? -1 : 1);
	return true;
}

static bool overview_command(struct ui_pane *pane, enum ui_command command)
{
	struct overview *o = (struct overview *)pane;

	if (!pane->shown) {
		if (command ==
			UI_CMD_OVERVIEW) { /* starts at its top when opened; "back" restores the old place */
			o->view = (struct list_view){ 0 };
			overview_items_settle(o, 1);
		}
		return false;
	}
	/* A search for a thread or a time closes the pane, even if that place is already selected. */
	if (o->by_itself && (command == UI_CMD_SEARCH || command == UI_CMD_GOTO)) {
		o->by_itself = false;
		ui_shell_show(pane->shell, pane, false);
		return false;
	}
	/* Esc hides the pane at once.  The search for its parts continues when it is shown again. */
	if (command == UI_CMD_CLEAR && ui_pane_focused(pane)) {
		ui_shell_show(pane->shell, pane, false);
		return true;
	}
	return ui_pane_focused(pane) && pane_overview_focused_command(o, command);
}

static void overview_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct overview *o = (struct overview *)pane;

	if (list_view_point(&o->view, y, o->items->len))
		overview_items_settle(o, 1);
}

static bool overview_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to)
{
	const struct overview *o = (const struct overview *)pane;
	const struct ana_overview_line *line = o->view.line < o->items->len
		? overview_item(o, o->view.line)->line
		: NULL;

	if (!line || line->row == MDL_NONE)
		return false;
	*row = line->row;
	*from = line->way == ANA_OVERVIEW_LIFE ? qry_row(pane->shell->q, line->row)->first : line->from;
	*to = line->way == ANA_OVERVIEW_LIFE ? qry_life_end(pane->shell->q, line->row) : line->to;
	return true;
}

static const struct ana_overview_line *overview_found(struct ui_pane *pane, unsigned part, unsigned about)
{
	const GArray *lines = ((const struct overview *)pane)->found.lines[part];

	for (guint i = 0; lines && i < lines->len; i++)
		if (!line_in(lines, i)->answer || (about & ana_answer_about(line_in(lines, i))))
			return line_in(lines, i);
	return NULL;
}

static const struct ui_hint pane_overview_hints[] = {
	{ UI_CMD_ACTIVATE, "open" },
	{ UI_CMD_BACK, "back" },
	{ UI_CMD_OVERVIEW, "close" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_overview = {
	.name = "overview",
	.place = UI_PLACE_LOWER,
	.hints = pane_overview_hints,
	.show = UI_CMD_OVERVIEW,
	.size = sizeof(struct overview),
	.init = overview_init,
	.clear = overview_clear,
	.carry = overview_carry,
	.changed = overview_changed,
	.work = overview_work,
	.fields = pane_overview_fields,
	.restore = overview_restore,
	.command = overview_command,
	.point = overview_point,
	.time = overview_time,
	.found = overview_found,
	.title = overview_title,
	.height = overview_height,
	.draw = overview_pane_draw,
};

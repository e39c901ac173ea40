/* SPDX-License-Identifier: MIT */
/*
 * The choice: set, order, filter, pins and folds.  It decides which lines are made (flow_lines.c).  If it
 * depends on facts about the window, the pane asks a worker for them (flow_rows_wants(), flow_rows_take()).
 */
#include "ui/pane/flow/flow_rows.h"

#include "ui/core/ui_fields.h"

#include <string.h>

/* ---- life ---- */

struct flow_rows *flow_rows_new(struct qry *q, bool hide_tracer, unsigned shown)
{
	struct flow_rows *rows = g_new0(struct flow_rows, 1);

	rows->q = q;
	rows->hide_tracer = hide_tracer;
	rows->shown = shown;
	rows->kept = rows->process = rows->asked.row = MDL_NONE;
	rows->asked.from = rows->asked.to = BASE_TIME_NONE;
	rows->items = flow_items_new(q);
	rows->item_of = g_new(uint32_t, rows->items->len + 1);
	for (guint i = 0; i < rows->items->len; i++)
		rows->item_of[g_array_index(rows->items, struct flow_item, i).row] = i;
	rows->lines = g_array_new(FALSE, FALSE, sizeof(struct flow_line));
	rows->pins = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	rows->on_path = g_hash_table_new(NULL, NULL);
	rows->folded = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		flow_lines_fold(rows, FLOW_IRQS, host, MDL_NONE, true);
	flow_lines_make(rows);
	return rows;
}

void flow_rows_free(struct flow_rows *rows)
{
	if (!rows)
		return;
	g_array_unref(rows->items);
	g_array_unref(rows->lines);
	g_array_unref(rows->pins);
	g_clear_pointer(&rows->path, g_array_unref);
	g_hash_table_unref(rows->on_path);
	g_hash_table_unref(rows->folded);
	flow_filter_unref(rows->choice.filter);
	flow_facts_free(rows->facts);
	flow_spans_free(rows->spans);
	g_free(rows->item_of);
	g_free(rows);
}

void flow_rows_carry(struct flow_rows *rows, const struct flow_rows *old)
{
	GArray *path = old->path ? qry_rows_again(rows->q, old->q, old->path) : NULL;
	struct flow_choice choice = old->choice;
	GHashTableIter i;
	gpointer key;

	g_hash_table_remove_all(rows->folded);
	g_hash_table_iter_init(&i, old->folded);
	while (g_hash_table_iter_next(&i, &key, NULL))
		g_hash_table_add(rows->folded, flow_lines_key_again(rows, old, *(const gint64 *)key));
	g_array_unref(rows->pins);
	rows->pins = qry_rows_again(rows->q, old->q, old->pins);
	rows->process = qry_row_again(rows->q, old->q, old->process);
	rows->asked = old->asked;
	rows->asked.row = qry_row_again(rows->q, old->q, old->asked.row);
	if (choice.filter) /* the new recording may have more rows */
		choice.filter = flow_filter_new(rows->q, flow_filter_text(choice.filter), NULL);
	flow_rows_set_path(rows, path, MDL_NONE);
	if (path)
		g_array_unref(path);
	flow_rows_choose(rows, &choice, qry_row_again(rows->q, old->q, old->kept));
	flow_filter_unref(choice.filter);
}

void flow_rows_count(const struct flow_rows *rows, unsigned *shown, unsigned *all)
{
	*shown = *all = 0;
	for (unsigned i = 0; i < rows->items->len; i++) {
		const struct flow_item *item = &g_array_index(rows->items, struct flow_item, i);

		*all += item->head != MDL_NONE;
		*shown += item->head != MDL_NONE && flow_lines_passes(rows, item);
	}
}

bool flow_rows_pass_any(const struct flow_rows *rows)
{
	for (unsigned i = 0; i < rows->items->len; i++)
		if (flow_lines_passes(rows, &g_array_index(rows->items, struct flow_item, i)))
			return true;
	return false;
}

/* ---- choosing ---- */

/* Set *QUESTION to what the choice needs to know about a window.  False if it needs nothing. */
static bool asks(const struct flow_rows *rows, struct flow_facts_question *question)
{
	const struct flow_choice *c = &rows->choice;
	bool filter = c->filter && flow_filter_asks(c->filter, question);
	unsigned times = (rows->shown | 1u << c->order) &
		(1u << FLOW_ORDER_CPU | 1u << FLOW_ORDER_WAIT | 1u << FLOW_ORDER_LATE);

	question->late = !!(times & 1u << FLOW_ORDER_LATE);
	question->waited = !!(times & 1u << FLOW_ORDER_WAIT);
	return filter || c->set == FLOW_SET_WINDOW || times;
}

/* True if the facts answer QUESTION, perhaps for another window. */
static bool flow_rows_fits(const struct flow_rows *rows, const struct flow_facts_question *question)
{
	const struct flow_facts *facts = rows->facts;

	return facts && facts->question.n_cpus == question->n_cpus &&
		!memcmp(facts->question.cpu, question->cpu, sizeof question->cpu) &&
		facts->question.late >= question->late && facts->question.waited >= question->waited;
}

static void flow_rows_make(struct flow_rows *rows, uint32_t keep)
{
	struct flow_facts_question question = { 0 };

	rows->kept = keep;
	rows->facts_fit = asks(rows, &question) && flow_rows_fits(rows, &question);
	flow_lines_make(rows);
}

void flow_rows_choose(struct flow_rows *rows, const struct flow_choice *choice, uint32_t keep)
{
	struct flow_filter *before = rows->choice.filter;

	rows->choice = *choice;
	flow_filter_ref(choice->filter);
	flow_filter_unref(before);
	if (rows->choice.set == FLOW_SET_PATH && !rows->path)
		rows->choice.set = FLOW_SET_TRACE;
	flow_rows_make(rows, keep);
}

void flow_rows_set_path(struct flow_rows *rows, GArray *path, uint32_t keep)
{
	g_hash_table_remove_all(rows->on_path);
	if (path)
		g_array_ref(path);
	if (rows->path)
		g_array_unref(rows->path);
	rows->path = path;
	for (guint i = 0; path && i < path->len; i++)
		g_hash_table_add(rows->on_path, GUINT_TO_POINTER(g_array_index(path, uint32_t, i)));
	flow_rows_choose(rows, &rows->choice, keep);
}

void flow_rows_set_process(struct flow_rows *rows, uint32_t row)
{
	rows->process = g_array_index(rows->items, struct flow_item, rows->item_of[row]).head;
	flow_rows_make(rows, rows->kept);
}

void flow_rows_hide_tracer(struct flow_rows *rows, bool hide, uint32_t keep)
{
	rows->hide_tracer = hide;
	flow_rows_make(rows, keep);
}

void flow_rows_pin(struct flow_rows *rows, uint32_t row)
{
	for (guint i = 0; i < rows->pins->len; i++)
		if (g_array_index(rows->pins, uint32_t, i) == row) {
			g_array_remove_index(rows->pins, i);
			flow_rows_make(rows, rows->kept);
			return;
		}
	g_array_append_val(rows->pins, row);
	flow_rows_make(rows, rows->kept);
}

void flow_rows_set_spans(struct flow_rows *rows, struct flow_spans *spans)
{
	flow_spans_free(rows->spans);
	rows->spans = spans;
	flow_rows_make(rows, rows->kept);
}

/* ---- facts about the window ---- */

bool flow_rows_wants(const struct flow_rows *rows, int64_t from, int64_t to,
	struct flow_facts_question *question)
{
	*question = (struct flow_facts_question){ .from = from, .to = to };
	return asks(rows, question) &&
		!(flow_rows_fits(rows, question) && rows->facts->question.from == from &&
			rows->facts->question.to == to);
}

void flow_rows_take(struct flow_rows *rows, struct flow_facts *facts, uint32_t keep)
{
	flow_facts_free(rows->facts);
	rows->facts = facts;
	flow_rows_make(rows, keep);
}

/* ---- changing ---- */

/* The foldable line that contains line INDEX, or is it; UINT32_MAX if there is none. */
static unsigned foldable(const struct flow_rows *rows, unsigned index)
{
	const struct flow_line *line = &g_array_index(rows->lines, struct flow_line, index);
	unsigned depth = line->depth + 1;

	for (unsigned i = index + 1; i-- > 0;) {
		line = &g_array_index(rows->lines, struct flow_line, i);
		if (line->depth < depth && line->children)
			return i;
		depth = MIN(depth, line->depth + (i == index));
	}
	return UINT32_MAX;
}

unsigned flow_rows_fold(struct flow_rows *rows, unsigned index)
{
	unsigned at = index < rows->lines->len ? foldable(rows, index) : UINT32_MAX;
	struct flow_line line;

	if (at == UINT32_MAX)
		return index;
	line = g_array_index(rows->lines, struct flow_line, at);
	flow_lines_fold(rows, line.kind, line.host, line.row, !line.folded);
	flow_lines_make(rows);
	return at;
}

void flow_rows_fold_all(struct flow_rows *rows)
{
	bool fold = false;

	for (unsigned i = 0; i < rows->lines->len; i++) {
		const struct flow_line *line = &g_array_index(rows->lines, struct flow_line, i);

		fold |= line->children && !line->folded && line->kind != FLOW_HOST;
	}
	for (unsigned i = 0; i < rows->items->len; i++) {
		const struct flow_item *item = &g_array_index(rows->items, struct flow_item, i);

		if (item->group != FLOW_PROCESS)
			flow_lines_fold(rows, item->group, item->host, MDL_NONE, fold);
		if (item->head != MDL_NONE)
			flow_lines_fold(rows, FLOW_PROCESS, item->host, item->head, fold);
	}
	flow_lines_make(rows);
}

unsigned flow_rows_find(const struct flow_rows *rows, uint32_t row)
{
	unsigned n = rows->lines->len;

	for (unsigned i = 0; row != MDL_NONE && i < n; i++) {
		unsigned line = (rows->n_pinned + i) % n; /* pinned lines come last */

		if (g_array_index(rows->lines, struct flow_line, line).row == row)
			return line;
	}
	return UINT32_MAX;
}

/* Unfold all parents of ITEM. */
static void unfold(struct flow_rows *rows, const struct flow_item *item)
{
	flow_lines_fold(rows, FLOW_HOST, item->host, MDL_NONE, false);
	flow_lines_fold(rows, item->group, item->host, MDL_NONE, false);
	if (item->head != MDL_NONE)
		flow_lines_fold(rows, FLOW_PROCESS, item->host, item->head, false);
}

void flow_rows_unfold_all(struct flow_rows *rows)
{
	for (guint i = 0; i < rows->items->len; i++) {
		const struct flow_item *item = &g_array_index(rows->items, struct flow_item, i);

		if (flow_lines_passes(rows, item))
			unfold(rows, item);
	}
	flow_lines_make(rows);
}

unsigned flow_rows_reveal(struct flow_rows *rows, uint32_t row)
{
	unsigned line = flow_rows_find(rows, row);
	const struct flow_item *item;

	if (line != UINT32_MAX || row == MDL_NONE)
		return line;
	item = &g_array_index(rows->items, struct flow_item, rows->item_of[row]);
	if (rows->choice.set == FLOW_SET_PROCESS && item->head != MDL_NONE)
		rows->process = item->head;
	unfold(rows, item);
	flow_rows_make(rows, row);
	return flow_rows_find(rows, row);
}

/* ---- searching ---- */

uint32_t flow_rows_search(const struct flow_rows *rows, uint32_t row, const char *needle, enum flow_match how,
	int step)
{
	unsigned n = rows->items->len, at = step > 0 ? n - 1 : 0;

	for (unsigned i = 0; i < n; i++)
		if (g_array_index(rows->items, struct flow_item, i).row == row)
			at = i;
	for (unsigned i = 0; i < n; i++) {
		uint32_t other;

		at = (at + n + (unsigned)step) % n;
		other = g_array_index(rows->items, struct flow_item, at).row;
		if (flow_items_match(rows->q, other, needle, how))
			return other;
	}
	return MDL_NONE;
}

uint32_t flow_rows_search_first(const struct flow_rows *rows, uint32_t row, const char *needle)
{
	uint32_t found;

	for (enum flow_match how = 0; how < FLOW_MATCH_N; how++) {
		if (row != MDL_NONE && flow_items_match(rows->q, row, needle, how))
			return row;
		found = flow_rows_search(rows, row, needle, how, 1);
		if (found != MDL_NONE)
			return found;
	}
	return MDL_NONE;
}

/* ---- as a text ---- */

struct words {
	struct flow_choice choice;
	uint32_t kept, process;
	char *pins, *folded, *filter, *path, *spans; /* owned */
	struct flow_spans_question asked;
	struct flow_seen seen;
};

#define WORD(ID, word, said) word,
static const char *const sets[] = { FLOW_SETS(WORD) }, *const orders[] = { FLOW_ORDERS(WORD) };

static const struct ui_field flow_rows_text_fields[] = {
	UI_FIELD_WORDS("rows", words, choice.set, sets, FLOW_SET_N),
	UI_FIELD_WORDS("sort", words, choice.order, orders, FLOW_ORDER_N),
	UI_FIELD(TEXT, "filter", words, filter),
	UI_FIELD(ROW, "kept-row", words, kept),
	UI_FIELD(ROW, "process-row", words, process),
	UI_FIELD(TEXT, "pins", words, pins),
	UI_FIELD(TEXT, "folded", words, folded),
	UI_FIELD(TEXT, "path", words, path),
	UI_FIELD(FLAG, "on-path", words, seen.on_path),
	UI_FIELD(TEXT, "spans", words, spans),
	UI_FIELD(TIME, "spans-from", words, asked.from),
	UI_FIELD(END, "spans-to", words, asked.to),
	UI_FIELD(ROW, "spans-row", words, asked.row),
	UI_FIELD(NUMBER, "top", words, seen.top),
	UI_FIELD(NUMBER, "line", words, seen.line),
	UI_FIELD_PLACE(TEXT, "found", words, seen.needle),
	UI_FIELD_END,
};

/* The text of ROWS (of uint32_t); NULL: no rows. */
static char *list_text(const GArray *rows)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));

	for (guint i = 0; rows && i < rows->len; i++) {
		gint64 row = g_array_index(rows, uint32_t, i);

		g_array_append_val(numbers, row);
	}
	return ui_fields_numbers_text(numbers);
}

char *flow_rows_text(const struct flow_rows *rows, const struct flow_seen *seen)
{
	g_autofree char *pins = list_text(rows->pins), *path = list_text(rows->path),
			*folded = ui_fields_keys_text(rows->folded),
			*filter = rows->choice.filter ? g_strdup(flow_filter_text(rows->choice.filter))
						      : NULL;
	struct words w = { .choice = rows->choice,
		.kept = rows->kept,
		.process = rows->process,
		.pins = pins,
		.folded = folded,
		.filter = filter,
		.path = path,
		.spans = (char *)(uintptr_t)rows->asked.query,
		.asked = rows->asked,
		.seen = *seen };

	return ui_fields_text(flow_rows_text_fields, &w);
}

/* Set LIST to the rows in TEXT. */
static void set_list(const struct flow_rows *rows, GArray *list, const char *text)
{
	g_autoptr(GArray) numbers = ui_fields_numbers(text);

	g_array_set_size(list, 0);
	for (guint i = 0; i < numbers->len; i++) {
		uint32_t row = (uint32_t)g_array_index(numbers, gint64, i);

		if (row < qry_row_count(rows->q))
			g_array_append_val(list, row);
	}
}

static bool set_words(struct flow_rows *rows, struct words *w, GError **error)
{
	if (w->filter) {
		w->choice.filter = flow_filter_new(rows->q, w->filter, error);
		if (!w->choice.filter)
			return false;
	}
	if (w->path) {
		g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));

		set_list(rows, path, w->path);
		flow_rows_set_path(rows, path, w->kept);
	}
	rows->process = w->process;
	rows->asked = w->asked;
	rows->asked.query = g_intern_string(w->spans);
	set_list(rows, rows->pins, w->pins);
	ui_fields_set_keys(rows->folded, w->folded);
	flow_rows_choose(rows, &w->choice, w->kept);
	flow_filter_unref(w->choice.filter);
	return true;
}

bool flow_rows_set_text(struct flow_rows *rows, const struct ui_shell *shell, const char *text,
	struct flow_seen *seen, GError **error)
{
	struct words w = { 0 };
	bool good = ui_fields_set(flow_rows_text_fields, &w, shell, text, error) &&
		set_words(rows, &w, error);

	g_free(w.pins);
	g_free(w.folded);
	g_free(w.filter);
	g_free(w.path);
	g_free(w.spans);
	if (good)
		*seen = w.seen;
	else
		g_free(w.seen.needle);
	return good;
}

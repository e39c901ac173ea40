/* SPDX-License-Identifier: MIT */
/*
 * Sums of the selection, while there is one: the time that the selected row had a CPU, or the load of the
 * CPUs, and the events by name.  A worker counts them, because it reads the packets of that time; the counts
 * so far are shown.
 */
#include "ui/pane/pane.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "query/events/scan.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_fields.h"
#include "ui/widget/ask_worker.h"

#include <string.h>

#define LOW_FROM 24           /* rows of the screen from which on there are two lines, */
#define HIGH_FROM 50          /* and three */
#define DELAY 150             /* ms */
#define OFFER_EVERY_US 200000 /* what was counted so far is shown this often */
#define DELAY_STEP 5          /* ms */
#define LOOK_EVERY 4096       /* events between two looks at the clock */

/* Events of [from, to) of: */
struct sums_question {
	int64_t from, to;
	uint32_t host, cpu, thread; /* as in struct qry_events_filter */
	uint32_t delay; /* ms before it is begun: while a selection is being made it changes with each key */
};

/* How many are called so. */
struct sums_name {
	char *name; /* owned by the list */
	guint64 n;
};

struct sums_counts {
	GArray *names; /* of struct sums_name, owned; the most frequent first, then by name */
	guint64 all;
};

struct sums {
	struct ui_pane pane;
	struct sums_question asked; /* what the counts are of, or the worker is busy with */
	bool has_asked;
	struct sums_counts *counts; /* owned, maybe but so far; NULL none yet */
	char *problem;              /* why they are not whole; owned, NULL */
	bool all;                   /* all names are shown */
};

/* ---- counting, in the worker's thread: no index has that, the packets of the time are read ---- */

static int by_number(gconstpointer a, gconstpointer b)
{
	const struct sums_name *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : g_strcmp0(x->name, y->name);
}

static void name_clear(gpointer data)
{
	g_free(((struct sums_name *)data)->name);
}

/* COUNTED (name → guint64) as a list. */
static struct sums_counts *list_of(GHashTable *counted)
{
	struct sums_counts *c = g_new0(struct sums_counts, 1);
	GHashTableIter i;
	gpointer name, n;

	c->names = g_array_new(FALSE, FALSE, sizeof(struct sums_name));
	g_array_set_clear_func(c->names, name_clear);
	g_hash_table_iter_init(&i, counted);
	while (g_hash_table_iter_next(&i, &name, &n)) {
		struct sums_name one = { g_strdup(name), *(guint64 *)n };

		c->all += one.n;
		g_array_append_val(c->names, one);
	}
	g_array_sort(c->names, by_number);
	return c;
}

static void counts_free(void *data)
{
	struct sums_counts *counts = data;

	if (!counts)
		return;
	g_array_unref(counts->names);
	g_free(counts);
}

/* Count what SCAN lets through; false with an error. */
static bool count_all(struct qry_scan *scan, const struct sums_question *asked, GHashTable *counted,
	struct base_progress *progress, GError **error)
{
	gint64 offered = g_get_monotonic_time();
	struct qry_event event;
	guint64 n = 0, *count;
	int got;

	while ((got = qry_scan_next(scan, &event, progress, error)) == 1) {
		count = g_hash_table_lookup(counted, event.name);
		if (!count) {
			count = g_new0(guint64, 1);
			g_hash_table_insert(counted, (gpointer)(uintptr_t)event.name, count);
		}
		(*count)++;
		if (++n % LOOK_EVERY || g_get_monotonic_time() < offered + OFFER_EVERY_US)
			continue;
		offered = g_get_monotonic_time();
		base_progress_set(progress,
			(double)(event.time - asked->from) / (double)(asked->to - asked->from), 0);
		ask_worker_offer(progress, list_of(counted));
	}
	return got == 0;
}

static void *count_events(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct sums_question *asked = question;
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	g_autoptr(GHashTable) counted = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	static const struct qry_scan_want want = { .rank = false };
	struct qry_scan *scan;
	bool whole;

	for (uint32_t ms = 0; ms < asked->delay && !base_progress_cancelled(progress); ms += DELAY_STEP)
		g_usleep(DELAY_STEP * 1000);
	filter.from = asked->from;
	filter.to = asked->to;
	filter.host = asked->host;
	filter.cpu = asked->cpu;
	filter.thread = asked->thread;
	scan = qry_scan_new(q, &filter, &want, error);
	whole = scan && count_all(scan, asked, counted, progress, error);
	qry_scan_free(scan);
	return whole ? list_of(counted) : NULL;
}

/* ---- asking ---- */

static void have(struct sums *s, struct sums_counts *counts)
{
	counts_free(s->counts);
	s->counts = counts;
}

static void pane_sums_taken(struct ui_pane *pane, void *counts, GError *error)
{
	struct sums *s = (struct sums *)pane;

	have(s, counts);
	ask_worker_problem(&s->problem, error);
}

static void offered(struct ui_pane *pane, void *counts)
{
	have((struct sums *)pane, counts);
}

static const struct ask_kind pane_sums_kind = { .size = sizeof(struct sums_question),
	.answer = count_events,
	.free = counts_free,
	.taken = pane_sums_taken,
	.offered = offered };

static void pane_sums_forget(struct sums *s)
{
	ask_worker_cancel(s->pane.worker);
	have(s, NULL);
	g_clear_pointer(&s->problem, g_free);
	s->has_asked = false;
}

static void sums_changed(struct ui_pane *pane, G_GNUC_UNUSED unsigned changes)
{
	struct sums *s = (struct sums *)pane;
	struct ui_shell *shell = pane->shell;
	struct sums_question q = { .host = MDL_NONE, .cpu = MDL_NONE, .thread = MDL_NONE };
	const struct qry_row *row;

	if (!shell->q)
		return;
	if (!ui_shell_selection(shell, &q.from, &q.to)) {
		pane_sums_forget(s);
		return;
	}
	/* A thread or a CPU has events of its own; those of other rows are those of all CPUs of the host. */
	row = shell->view->row == UI_NO_ROW ? NULL : qry_row(shell->q, shell->view->row);
	if (row)
		q.host = row->host;
	if (row && row->type == MDL_ROW_THREAD)
		q.thread = shell->view->row;
	if (row && row->type == MDL_ROW_CPU)
		q.cpu = (uint32_t)row->nr;
	if (s->has_asked && !memcmp(&q, &s->asked, sizeof q))
		return;
	pane_sums_forget(s);
	s->asked = q;
	s->has_asked = true;
	q.delay = ui_shell_selects(shell) || shell->drags ? DELAY : 0;
	ask_worker_for(pane, &pane_sums_kind, &q, 0);
}

static const struct ui_field pane_sums_fields[] = { UI_FIELD(FLAG, "all", sums, all), UI_FIELD_END };

static char *sums_keep(struct ui_pane *pane)
{
	return ((struct sums *)pane)->has_asked ? ui_fields_text(pane_sums_fields, pane) : NULL;
}

static bool sums_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	return ui_fields_set(pane_sums_fields, pane, pane->shell, kept, error);
}

static void sums_clear(struct ui_pane *pane)
{
	struct sums *s = (struct sums *)pane;

	ask_worker_free(s->pane.worker);
	have(s, NULL);
	g_free(s->problem);
}

/* ---- time on CPUs ---- */

static int64_t on_cpu(const struct sums *s, uint32_t row)
{
	struct qry_cell cell;

	qry_share(s->pane.shell->q, row, s->asked.from, s->asked.to, &cell);
	return qry_cell_on_cpu(&cell);
}

/* "load 1.34 of 2 CPUs", of all hosts. */
static char *load_text(const struct sums *s)
{
	const struct qry *q = s->pane.shell->q;
	int64_t sum = 0;
	unsigned n = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		if (qry_row(q, row)->type != MDL_ROW_CPU)
			continue;
		sum = base_time_sum(sum, on_cpu(s, row));
		n++;
	}
	return g_strdup_printf("load %.2f of %u CPU%s", (double)sum / (double)(s->asked.to - s->asked.from),
		n, base_text_s(n));
}

/* "wk-victim[546] 3.21 ms of CPU (26.7%)", "CPU 1 load 26.7%".  The caller frees. */
static char *time_text(const struct sums *s)
{
	struct ui_shell *shell = s->pane.shell;
	g_autofree char *label = NULL, *length = NULL;
	double share;
	int64_t time;

	if (shell->view->row == UI_NO_ROW)
		return load_text(s);
	time = on_cpu(s, shell->view->row);
	share = 100 * (double)time / (double)(s->asked.to - s->asked.from);
	label = qry_row_label(shell->q, shell->view->row);
	length = ui_shell_duration_text(shell, time);
	if (qry_row(shell->q, shell->view->row)->type == MDL_ROW_CPU)
		return g_strdup_printf("%s load %.1f%%", label, share);
	return g_strdup_printf("%s %s of CPU (%.1f%%)", label, length, share);
}

/* ---- drawing ---- */

/* The number of events, or how far they are counted. */
static char *state_text(const struct sums *s)
{
	guint64 n = s->counts ? s->counts->all : 0;

	if (ask_worker_busy(s->pane.worker))
		return g_strdup_printf("%" G_GUINT64_FORMAT " events so far (%.0f%%)%s", n,
			100 * ask_worker_share(s->pane.worker), n ? ":" : "");
	if (s->problem)
		return n ? g_strdup_printf("%" G_GUINT64_FORMAT " events at least (%s):", n, s->problem)
			 : g_strdup_printf("events: %s", s->problem);
	return g_strdup_printf("%" G_GUINT64_FORMAT " event%s%s", n, base_text_s(n), n ? ":" : "");
}

/* Where the next text stands; drawn where AREA is not NULL. */
struct place {
	const struct term_area *area;
	unsigned x, y, columns, lines;
};

/* TEXT, on the next line where this one is full; false: there is no room that leaves LEFT columns on the last
 * line. */
static bool pane_sums_put(struct place *p, enum term_role role, const char *text, unsigned left)
{
	unsigned width = term_text_width(text);

	if (p->x + width > p->columns && p->x > 1) {
		p->y++;
		p->x = 3;
	}
	if (p->y >= p->lines || p->x + width + (p->y + 1 == p->lines ? left : 0) > p->columns)
		return false;
	if (p->area)
		term_area_text(p->area, p->x, p->y, role, text);
	p->x += width + 2;
	return true;
}

static void put_names(const struct sums *s, struct place *p)
{
	guint64 left = s->counts->all;

	for (guint i = 0; i < s->counts->names->len; i++) {
		const struct sums_name *name = &g_array_index(s->counts->names, struct sums_name, i);
		unsigned others = s->counts->names->len - i - 1;
		g_autofree char *text = g_strdup_printf("%s %" G_GUINT64_FORMAT, name->name, name->n),
				*rest = g_strdup_printf("%u other name%s %" G_GUINT64_FORMAT, others + 1,
					others ? "s" : "", left);

		if (!pane_sums_put(p, TERM_ROLE_TEXT, text, others ? term_text_width(rest) + 2 : 0)) {
			pane_sums_put(p, TERM_ROLE_DIM, rest, 0);
			return;
		}
		left -= name->n;
	}
}

/* All of it, within P; returns how many lines it takes. */
static unsigned put_all(const struct sums *s, struct place p)
{
	g_autofree char *time = time_text(s), *state = state_text(s);

	pane_sums_put(&p, TERM_ROLE_DIM, time, 0);
	pane_sums_put(&p, TERM_ROLE_TEXT, state, 0);
	if (s->counts)
		put_names(s, &p);
	return MIN(p.y + 1, p.lines);
}

static unsigned sums_height(struct ui_pane *pane, unsigned columns, unsigned rows)
{
	struct sums *s = (struct sums *)pane;
	int64_t from, to;
	unsigned lines;

	if (!pane->shell->q || !s->has_asked || !ui_shell_selection(pane->shell, &from, &to) || rows < 16)
		return 0;
	lines = s->all ? rows / 2 : rows < LOW_FROM ? 1 : rows < HIGH_FROM ? 2 : 3;
	return put_all(s, (struct place){ NULL, 1, 0, columns, lines });
}

static void sums_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct sums *s = (struct sums *)pane;

	if (s->has_asked)
		put_all(s, (struct place){ area, 1, 0, area->w, area->h });
}

/* ---- commands ---- */

static bool sums_command(struct ui_pane *pane, enum ui_command command)
{
	struct sums *s = (struct sums *)pane;

	if (command != UI_CMD_SUMS)
		return false;
	if (!ui_argument_switch(pane->shell, command, &s->all))
		return true;
	ui_shell_message(pane->shell, "%s",
		s->has_asked ? s->all ? "all names of events of the selection" : "the most frequent events"
			     : "nothing is selected to sum up");
	return true;
}

static void sums_words(G_GNUC_UNUSED struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	static const char *const switches[] = { "on", "off" };

	if (command == UI_CMD_SUMS)
		ui_argument_add(words, switches, G_N_ELEMENTS(switches));
}

const struct ui_pane_ops pane_sums = {
	.name = "sums",
	.place = UI_PLACE_BOTTOM,
	.shown = true,
	.size = sizeof(struct sums),
	.clear = sums_clear,
	.changed = sums_changed,
	.work = ask_worker_work,
	.keep = sums_keep,
	.restore = sums_restore,
	.command = sums_command,
	.words = sums_words,
	.height = sums_height,
	.draw = sums_draw,
};

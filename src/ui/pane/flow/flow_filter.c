/* SPDX-License-Identifier: MIT */
/*
 * Facts about the rows in a window, and the filter that asks for them.
 *
 * Times in states cost two look-ups per row for any window.  Only the threads on a CPU and the worst
 * latencies cost time proportional to the intervals or wake-ups in the window.
 *
 * Names do not depend on the window, and there may be thousands of rows: the filter finds the rows that pass
 * by name, host and control group once, when it is made.
 */
#include "ui/pane/flow/flow_rows.h"

#include "analysis/latency/latency.h"
#include "base/base_error.h"

#include <string.h>

/* ---- facts ---- */

#define SLICES 64 /* the history of a CPU is read in this many parts */

struct finder {
	struct qry *q;
	struct flow_facts *facts;
	struct base_progress *progress;
};

/*
 * If ROW is in an interruptible sleep at AT, the part of that interval in the question's window, ns; else 0.
 */
static int64_t rest_at(struct finder *f, uint32_t row, int64_t at, struct mdl_interval *iv)
{
	const struct flow_facts_question *asked = &f->facts->question;

	if (!qry_state_at(f->q, row, at, iv) || iv->state != MDL_ST_BLOCKED ||
		iv->detail == MDL_BLOCK_UNINTERRUPTIBLE || iv->detail == MDL_BLOCK_KILLABLE)
		return 0;
	return MIN(iv->to, asked->to) - MAX(iv->from, asked->from);
}

static int64_t waited(struct finder *f, uint32_t row, const struct qry_cell *cell)
{
	const struct flow_facts_question *asked = &f->facts->question;
	int64_t all = cell->ns[MDL_ST_BLOCKED] + cell->ns[MDL_ST_WAIT_CPU] + cell->ns[MDL_ST_PREEMPTED];
	struct mdl_interval first = { 0 }, last = { 0 };

	if (!asked->waited || cell->ns[MDL_ST_BLOCKED] == 0)
		return all;
	all -= rest_at(f, row, asked->from, &first);
	if (first.from > asked->from || first.to < asked->to) /* unless FIRST covers the whole window */
		all -= rest_at(f, row, asked->to - 1, &last);
	return all;
}

/* Add the facts about ROW, a CPU or an interrupt line, in [FROM, TO): BIT to each thread that ran on the CPU;
 * or the bit of each asked CPU on which the line occurred. */
static void add_ran(struct finder *f, uint32_t row, int64_t from, int64_t to, uint8_t bit)
{
	const struct flow_facts_question *asked = &f->facts->question;
	bool is_cpu = qry_row(f->q, row)->type == MDL_ROW_CPU;
	g_autoptr(GArray) states = qry_states(f->q, row, from, to);

	for (guint i = 0; i < states->len; i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);

		if (is_cpu && iv->aux != MDL_NONE && mdl_state_has_cpu(iv->state))
			f->facts->rows[iv->aux].cpus |= bit;
		for (unsigned c = 0; !is_cpu && iv->state == MDL_ST_RUNNING && c < asked->n_cpus; c++)
			f->facts->rows[row].cpus |= iv->aux == asked->cpu[c] ? 1U << c : 0;
	}
}

/* add_ran() for the whole window, in SLICES parts.  False: cancelled. */
static bool add_all_ran(struct finder *f, uint32_t row, uint8_t bit)
{
	int64_t from = f->facts->question.from, to = f->facts->question.to;

	for (unsigned i = 0; i < SLICES && !base_progress_cancelled(f->progress); i++)
		add_ran(f, row, qry_column_time(from, to, SLICES, i),
			qry_column_time(from, to, SLICES, i + 1), bit);
	return !base_progress_cancelled(f->progress);
}

static bool add_cpus(struct finder *f)
{
	const struct flow_facts_question *asked = &f->facts->question;
	bool whole = true;

	for (uint32_t row = 0; row < f->facts->n && whole; row++) {
		const struct qry_row *r = qry_row(f->q, row);

		if (asked->n_cpus && (r->type == MDL_ROW_IRQ || r->type == MDL_ROW_SOFTIRQ))
			whole = add_all_ran(f, row, 0);
		for (unsigned c = 0; r->type == MDL_ROW_CPU && whole && c < asked->n_cpus; c++) {
			if (r->nr != asked->cpu[c])
				continue;
			f->facts->rows[row].cpus |= 1U << c;
			whole = add_all_ran(f, row, (uint8_t)(1U << c));
		}
	}
	return whole;
}

static bool add_late(struct finder *f, GError **error)
{
	struct ana_latency_options options = { .kind = "wakeup",
		.by = ANA_LATENCY_BY_THREAD,
		.row = MDL_NONE,
		.from = f->facts->question.from,
		.to = f->facts->question.to };
	struct ana_latency *l = ana_latency_new(f->q, &options, f->progress, error);

	if (!l)
		return false;
	for (guint i = 0; i < l->groups->len; i++) {
		const struct ana_latency_group *g = &g_array_index(l->groups, struct ana_latency_group, i);

		if (g->id < f->facts->n && g->figures.count > 0)
			f->facts->rows[g->id].late = g->figures.max;
	}
	ana_latency_free(l);
	return true;
}

void *flow_facts_new(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct flow_facts_question *asked = question;
	struct flow_facts *facts = g_new0(struct flow_facts, 1);
	struct finder f = { q, facts, progress };
	bool whole = true;

	facts->question = *asked;
	facts->n = qry_row_count(q);
	facts->rows = g_new0(struct flow_fact, facts->n);
	for (uint32_t row = 0; row < facts->n && whole; row++) {
		struct flow_fact *fact = &facts->rows[row];
		struct qry_cell cell;

		qry_share(q, row, asked->from, asked->to, &cell);
		fact->states = flow_states(&cell);
		fact->on_cpu = qry_cell_on_cpu(&cell);
		fact->waited = waited(&f, row, &cell);
		fact->late = -1;
		whole = !base_progress_cancelled(progress);
	}
	if (!whole || !add_cpus(&f))
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	else if (!asked->late || add_late(&f, error))
		return facts;
	flow_facts_free(facts);
	return NULL;
}

void flow_facts_free(struct flow_facts *facts)
{
	if (facts)
		g_free(facts->rows);
	g_free(facts);
}

#define WORDS_MAX 32

enum kind { NAME, HOST, CGROUP, STATE, CPU };

/* One word of the filter. */
struct word {
	enum kind kind;
	bool is_not, is_whole; /* HOST: a host has exactly this name */
	char *text;            /* owned: NAME, HOST, CGROUP: in lower case */
	GRegex *regex;         /* owned: NAME, CGROUP; NULL: it is plain text */
	enum mdl_state state;  /* STATE */
	unsigned cpu;          /* CPU: its index in flow_filter.cpu */
};

struct flow_filter {
	char *text;    /* owned */
	GArray *words; /* of struct word */
	uint32_t cpu[FLOW_FACTS_CPUS];
	uint32_t n_cpus;
	bool states;       /* a word asks for a state */
	uint8_t *is_named; /* owned: for each row, 1 if it passes by name, host and cgroup */
};

/* ---- parsing ---- */

static void clear_word(gpointer data)
{
	struct word *w = data;

	g_free(w->text);
	if (w->regex)
		g_regex_unref(w->regex);
}

static bool parse_name(struct word *w, const char *text, GError **error)
{
	w->kind = NAME;
	w->text = g_utf8_casefold(text, -1);
	if (!strpbrk(text, "^$.*+?()[]{}|\\")) /* plain text */
		return true;
	w->regex = g_regex_new(text, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, NULL);
	if (w->regex)
		return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"\"%s\" is not a regular expression: write \\ before a literal sign", text);
}

static bool parse_host(const struct qry *q, struct word *w, const char *name, GError **error)
{
	g_autoptr(GString) all = g_string_new(NULL);
	bool known = false;

	w->kind = HOST;
	w->text = g_utf8_casefold(name, -1);
	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		g_autofree char *host = g_utf8_casefold(qry_host(q, i)->name, -1);

		known |= *name && strstr(host, w->text);
		w->is_whole |= !strcmp(host, w->text);
		g_string_append_printf(all, "%s%s", all->len ? ", " : "", qry_host(q, i)->name);
	}
	if (known)
		return true;
	return base_error_false(error, BASE_ERROR_USAGE, "no host is called \"%s\": the hosts are %s", name,
		all->str);
}

static bool parse_cgroup(const struct qry *q, struct word *w, const char *text, GError **error)
{
	if (!parse_name(w, text, error))
		return false;
	w->kind = CGROUP;
	return qry_has_cgroups(q) ||
		base_error_false(error, BASE_ERROR_USAGE,
			"no control groups were recorded; to record them: perf record --all-cgroups");
}

static bool parse_state(struct flow_filter *f, struct word *w, const char *name, GError **error)
{
	g_autoptr(GString) all = g_string_new(NULL);

	w->kind = STATE;
	f->states = true;
	for (unsigned i = 0; i < MDL_ST_N; i++) {
		w->state = i;
		if (!strcmp(mdl_state_name(i), name))
			return true;
		g_string_append_printf(all, " %s", mdl_state_name(i));
	}
	return base_error_false(error, BASE_ERROR_USAGE, "no state is called \"%s\": the states are%s", name,
		all->str);
}

static bool parse_cpu(const struct qry *q, struct flow_filter *f, struct word *w, const char *text,
	GError **error)
{
	bool known = false;
	guint64 cpu;

	w->kind = CPU;
	if (!g_ascii_string_to_unsigned(text, 10, 0, UINT32_MAX - 1, &cpu, NULL))
		return base_error_false(error, BASE_ERROR_USAGE,
			"\"%s\" is not a CPU: give its number, cpu:0", text);
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		known |= qry_cpu_row(q, i, (uint32_t)cpu) != MDL_NONE;
	if (!known || f->n_cpus == FLOW_FACTS_CPUS)
		return base_error_false(error, BASE_ERROR_USAGE, "%s",
			known ? "too many CPUs in one filter" : "this trace has no such CPU");
	w->cpu = f->n_cpus;
	f->cpu[f->n_cpus++] = (uint32_t)cpu;
	return true;
}

static bool parse_word(const struct qry *q, struct flow_filter *f, const char *text, GError **error)
{
	struct word w = { .is_not = *text == '!' };
	bool good;

	text += w.is_not;
	if (f->words->len == WORDS_MAX || !*text)
		return base_error_false(error, BASE_ERROR_USAGE,
			*text ? "too many words: no more than %u" : "there is no word after !", WORDS_MAX);
	if (g_str_has_prefix(text, "host:"))
		good = parse_host(q, &w, text + strlen("host:"), error);
	else if (g_str_has_prefix(text, "cgroup:"))
		good = parse_cgroup(q, &w, text + strlen("cgroup:"), error);
	else if (g_str_has_prefix(text, "state:"))
		good = parse_state(f, &w, text + strlen("state:"), error);
	else if (g_str_has_prefix(text, "cpu:"))
		good = parse_cpu(q, f, &w, text + strlen("cpu:"), error);
	else
		good = parse_name(&w, text, error);
	g_array_append_val(f->words, w); /* the array frees the word even if it is invalid */
	return good;
}

/* ---- names ---- */

static bool is_name(const struct word *w, const char *name)
{
	g_autofree char *folded = g_utf8_casefold(name, -1);

	return strstr(folded, w->text) || (w->regex && g_regex_match(w->regex, name, 0, NULL));
}

/* True if the name of ROW matches W; for a thread, also a former name or its TID. */
static bool flow_filter_is_called(const struct qry *q, const struct word *w, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, r->nr);
	g_autoptr(GPtrArray) names = NULL;
	bool found = false;

	if (r->type != MDL_ROW_THREAD) {
		g_autofree char *label = qry_row_label(q, row);
		size_t host = qry_host_count(q) > 1 ? strlen(qry_host(q, r->host)->name) + 1 : 0;

		return is_name(w, label + host);
	}
	names = qry_names(q, row);
	for (guint i = 0; i < names->len && !found; i++)
		found = is_name(w, g_ptr_array_index(names, i));
	return found || !strcmp(number, w->text);
}

static bool has_names(const struct qry *q, const struct flow_filter *f, uint32_t row)
{
	g_autofree char *host = g_utf8_casefold(qry_host(q, qry_row(q, row)->host)->name, -1);
	bool passes = true;

	for (guint i = 0; i < f->words->len && passes; i++) {
		const struct word *w = &g_array_index(f->words, struct word, i);

		if (w->kind == NAME)
			passes = w->is_not != flow_filter_is_called(q, w, row);
		else if (w->kind == CGROUP)
			passes = w->is_not !=
				(*qry_row(q, row)->cgroup && is_name(w, qry_row(q, row)->cgroup));
		else if (w->kind == HOST)
			passes = w->is_not !=
				(w->is_whole ? !strcmp(host, w->text) : !!strstr(host, w->text));
	}
	return passes;
}

/* ---- life ---- */

static void clear_filter(gpointer data)
{
	struct flow_filter *f = data;

	g_free(f->text);
	g_free(f->is_named);
	g_array_unref(f->words);
}

void flow_filter_unref(struct flow_filter *filter)
{
	if (filter)
		g_rc_box_release_full(filter, clear_filter);
}

struct flow_filter *flow_filter_ref(struct flow_filter *filter)
{
	return filter ? g_rc_box_acquire(filter) : NULL;
}

struct flow_filter *flow_filter_new(const struct qry *q, const char *text, GError **error)
{
	struct flow_filter *f = g_rc_box_new0(struct flow_filter);
	g_auto(GStrv) words = g_strsplit_set(text, " \t", -1);
	bool good = true;

	f->text = g_strstrip(g_strdup(text));
	f->words = g_array_new(FALSE, FALSE, sizeof(struct word));
	g_array_set_clear_func(f->words, clear_word);
	for (unsigned i = 0; words[i] && good; i++)
		good = !*words[i] || parse_word(q, f, words[i], error);
	if (!good) {
		flow_filter_unref(f);
		return NULL;
	}
	f->is_named = g_new(uint8_t, qry_row_count(q));
	for (uint32_t row = 0; row < qry_row_count(q); row++)
		f->is_named[row] = has_names(q, f, row);
	return f;
}

/* ---- asking ---- */

const char *flow_filter_text(const struct flow_filter *filter)
{
	return filter->text;
}

bool flow_filter_asks(const struct flow_filter *filter, struct flow_facts_question *question)
{
	memcpy(question->cpu, filter->cpu, sizeof question->cpu);
	question->n_cpus = filter->n_cpus;
	return filter->states || filter->n_cpus;
}

bool flow_filter_passes(const struct flow_filter *f, uint32_t row, const struct flow_fact *fact)
{
	bool passes = f->is_named[row];

	for (guint i = 0; fact && i < f->words->len && passes; i++) {
		const struct word *w = &g_array_index(f->words, struct word, i);

		if (w->kind == STATE)
			passes = w->is_not != ((fact->states >> w->state & 1) != 0);
		else if (w->kind == CPU)
			passes = w->is_not != ((fact->cpus >> w->cpu & 1) != 0);
	}
	return passes;
}

/* SPDX-License-Identifier: MIT */
/* How it works: requests come from ana_request, latencies from the stored cases of each kind (ana_cases);
 * intervals between two events are a rule for latencies (ana_rules) with the thread as its key. */
#include "analysis/compare/set.h"

#include "analysis/kind/kind.h"
#include "analysis/latency/kind.h"
#include "analysis/latency/program.h"
#include "analysis/latency/rules_match.h"
#include "analysis/path/path.h"
#include "analysis/request/request.h"
#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <stdio.h>
#include <string.h>

#define REQUESTS "requests"
#define LATENCY "latency:"
#define BETWEEN "between:"
#define RUNS "runs:"
#define BETWEEN_RULE "between"

static struct ana_set *new_empty(const char *spec, const char *key_name)
{
	struct ana_set *set = g_new0(struct ana_set, 1);

	set->spec = g_strdup(spec);
	set->intervals = base_many_new(sizeof(struct ana_set_interval));
	set->key_name = key_name;
	set->keys = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(set->keys, g_strdup("not known"));
	return set;
}

void ana_set_free(struct ana_set *set)
{
	if (!set)
		return;
	base_many_free(set->intervals);
	g_ptr_array_unref(set->keys);
	g_free(set->spec);
	g_free(set);
}

/* The set under construction, with its KEYS by text. */
struct making {
	struct qry *q;
	struct ana_set *set;
	GHashTable *keys; /* text, weak → index */
	int64_t from, to;
	struct base_progress *progress;
};

static uint32_t set_key_of(struct ana_set *set, GHashTable *known, const char *text)
{
	gpointer found;
	char *own;

	if (!text)
		return 0;
	if (g_hash_table_lookup_extended(known, text, NULL, &found))
		return GPOINTER_TO_UINT(found);
	own = g_strdup(text);
	g_ptr_array_add(set->keys, own);
	g_hash_table_insert(known, own, GUINT_TO_POINTER(set->keys->len - 1));
	return set->keys->len - 1;
}

static void set_add(struct making *m, uint32_t row, int64_t from, int64_t to, const char *key)
{
	struct ana_set_interval i = { .from = from, .to = to, .row = row };

	if (row == MDL_NONE || qry_row(m->q, row)->type != MDL_ROW_THREAD) {
		m->set->no_thread++;
		return;
	}
	i.key = set_key_of(m->set, m->keys, key);
	base_many_add(m->set->intervals, &i);
}

int ana_set_order(const void *a, const void *b)
{
	const struct ana_set_interval *x = a, *y = b;

	return BASE_BY(x, y, from) ?: BASE_BY(x, y, to) ?: BASE_BY(x, y, row);
}

/* The thread that THREAD (NULL: any) names. */
static bool find_thread(const struct qry *q, const char *thread, uint32_t *row, GError **error)
{
	*row = MDL_NONE;
	return !thread || qry_find_thread(q, thread, row, error);
}

static bool stopped(GError **error)
{
	return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

/* ---- requests ---- */

static void set_add_request(void *data, const struct ana_request *r)
{
	const struct ana_connection *c = &r->x.connection;
	g_autofree char *own = ana_words_endpoint(c->version, c->own, c->own_port);
	g_autofree char *peer = ana_words_endpoint(c->version, c->peer, c->peer_port);
	/* The end that asked comes first. */
	g_autofree char *connection = c->version == 0
		? g_strdup("lo")
		: g_strdup_printf("%s > %s", r->x.asked ? own : peer, r->x.asked ? peer : own);

	set_add(data, r->row, r->from, r->to, connection);
}

struct asked {
	struct making *m;
	uint32_t row; /* MDL_NONE: any thread */
};

/* Requests that the thread only served are left out: their path is that of another thread. */
static void add_asked(void *data, const struct ana_request *r)
{
	const struct asked *a = data;

	if (a->row == MDL_NONE || r->asker == a->row || (r->asker == MDL_NONE && r->row == a->row))
		set_add_request(a->m, r);
}

/* Add the requests that thread ROW (MDL_NONE: any) asked. */
static bool add_requests(struct making *m, uint32_t row, GError **error)
{
	return ana_request_each(m->q, row, MDL_NONE, m->from, m->to, m->progress, add_asked,
		       &(struct asked){ m, row }) ||
		stopped(error);
}

static bool add_requests_of(struct making *m, const char *thread, GError **error)
{
	uint32_t row;

	return find_thread(m->q, thread, &row, error) && add_requests(m, row, error);
}

/* ---- latencies, and rules ---- */

static void add_span(void *data, const struct idx_spans_found *found)
{
	struct making *m = data;

	if (found->span.fate == MDL_SPAN_DONE)
		set_add(m, found->span.row, found->span.start, found->span.end, NULL);
	else if (found->span.fate != MDL_SPAN_UNMATCHED)
		m->set->unfinished++;
}

static bool add_cases(struct making *m, const struct ana_rules *rules, const char *kind, uint32_t row,
	GError **error)
{
	struct qry_spans_filter filter = { .from = m->from,
		.to = m->to,
		.row = row,
		.progress = m->progress };
	struct qry_spans spans;

	if (!ana_latency_open(m->q, rules, kind, &spans, m->progress, error))
		return false;
	qry_spans_each(m->q, &spans, &filter, add_span, m);
	return !base_progress_cancelled(m->progress) || stopped(error);
}

/* Where the exit of "EVENT[…]..EVENT[…]" begins, outside of brackets; NULL: there is none. */
static const char *find_exit(const char *text)
{
	bool inside = false;

	for (const char *p = text; *p; p++) {
		inside = *p == '[' || (inside && *p != ']');
		if (!inside && p[0] == '.' && p[1] == '.')
			return p + 2;
	}
	return NULL;
}

static bool add_between(struct making *m, const char *what, GError **error)
{
	const char *exit = strpbrk(what, "\n\r") ? NULL : find_exit(what);
	g_autofree char *text = NULL;
	struct ana_rules *rules;
	bool fine;

	if (!exit || exit - 2 == what || !*exit)
		return base_error_false(error, BASE_ERROR_USAGE,
			"\"%s%s\" does not name two events: type " BETWEEN
			"EVENT..EVENT, each optionally followed by [field=value,...]",
			BETWEEN, what);
	text = g_strdup_printf("[" BETWEEN_RULE "]\nentry = %.*s\nexit = %s\nkey = $tid\n",
		(int)(exit - 2 - what), what, exit);
	rules = ana_rules_parse(m->set->spec, text, strlen(text), error);
	fine = rules && add_cases(m, rules, BETWEEN_RULE, MDL_NONE, error);
	if (rules)
		ana_rules_free(rules);
	return fine;
}

/* ---- runs ---- */

/* Add the runs of THREAD: from being woken, or created, until it waits again. */
static bool add_runs(struct making *m, const char *thread, GError **error)
{
	int64_t time, from = BASE_TIME_NONE;
	unsigned before = MDL_ST_UNKNOWN;
	struct mdl_interval v;
	uint32_t row;
	bool stays;

	if (!find_thread(m->q, thread, &row, error))
		return false;
	for (time = qry_row(m->q, row)->first; qry_state_at(m->q, row, time, &v); time = v.to) {
		if (base_progress_cancelled(m->progress))
			return stopped(error);
		stays = v.state == MDL_ST_BLOCKED || v.state == MDL_ST_EXITED;
		if (from != BASE_TIME_NONE && stays)
			set_add(m, row, from, v.from, NULL);
		m->set->unfinished += from != BASE_TIME_NONE && v.state == MDL_ST_UNKNOWN;
		if (stays || v.state == MDL_ST_UNKNOWN)
			from = BASE_TIME_NONE;
		else if (from == BASE_TIME_NONE && v.from >= m->from && v.from < m->to &&
			(v.state == MDL_ST_NEW || before == MDL_ST_BLOCKED ||
				(qry_row(m->q, row)->born && v.from == qry_row(m->q, row)->first)))
			from = v.from;
		before = v.state;
	}
	m->set->unfinished += from != BASE_TIME_NONE;
	return true;
}

/* ---- a file ---- */

static bool wrong_line(const char *file, unsigned line, const char *why, GError **error)
{
	return base_error_false(error, BASE_ERROR_USAGE,
		"%s: line %u: %s: write THREAD FROM TO, and a name if it has one", file, line, why);
}

static bool set_add_line(struct making *m, const char *file, unsigned line, const char *text, GError **error)
{
	g_auto(GStrv) words = NULL;
	int64_t begin, end, from, to;
	g_autoptr(GError) why = NULL;
	int n = 0;
	uint32_t row;

	if (!g_shell_parse_argv(text, &n, &words, &why))
		return g_error_matches(why, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING) ||
			wrong_line(file, line, why->message, error);
	qry_span(m->q, &begin, &end);
	if (n != 3 && n != 4)
		return wrong_line(file, line, n < 3 ? "too few words" : "too many words", error);
	if (!qry_find_thread(m->q, words[0], &row, error) ||
		!base_time_parse(words[1], begin, end, &from, error) ||
		!base_time_parse(words[2], begin, end, &to, error)) {
		g_prefix_error(error, "%s: line %u: ", file, line);
		return false;
	}
	if (to <= from)
		return wrong_line(file, line, "it ends before it begins", error);
	if (ana_path_covers(m->q, row, from, to))
		set_add(m, row, from, to, n == 4 ? words[3] : NULL);
	else
		m->set->outside++;
	return true;
}

static bool add_file(struct making *m, const char *file, GError **error)
{
	static const struct base_file_kind kind = { "file of intervals", 16 << 20, BASE_ERROR_USAGE };
	GError *why = NULL;
	g_autofree char *text = base_file_text(file, &kind, &why);
	bool fine = text;
	unsigned n = 0;

	for (char *line = text, *next; fine && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		fine = set_add_line(m, file, ++n, line, error);
	}
	if (g_error_matches(why, BASE_ERROR, BASE_ERROR_USAGE)) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%s: a set is " REQUESTS "[:T], " RUNS "T, " LATENCY "KIND[:T], " ANA_PROGRAM_PREFIX
			"NAME, " BETWEEN "EVENT..EVENT or a file of lines THREAD FROM TO",
			why->message);
		g_clear_error(&why);
	}
	if (why)
		g_propagate_error(error, why);
	return fine;
}

/* ---- the whole ---- */

/* True if TEXT is not the path of a file. */
static bool set_is_named(const char *text)
{
	return g_str_equal(text, REQUESTS) || g_str_has_prefix(text, REQUESTS ":") ||
		g_str_has_prefix(text, RUNS) || g_str_has_prefix(text, LATENCY) ||
		g_str_has_prefix(text, BETWEEN) || g_str_has_prefix(text, ANA_PROGRAM_PREFIX) ||
		g_str_equal(text, ANA_PROGRAM_ALL);
}

bool ana_set_is_spec(const char *text)
{
	char begin[4096];
	FILE *f = set_is_named(text) || !g_file_test(text, G_FILE_TEST_IS_REGULAR) ? NULL : fopen(text, "re");
	size_t n = f ? fread(begin, 1, sizeof begin, f) : 0;
	bool is_text = f && !memchr(begin, '\0', n);

	if (f)
		fclose(f);
	return is_text || set_is_named(text);
}

static bool set_add_all(struct making *m, const char *spec, GError **error)
{
	g_auto(GStrv) parts = NULL;
	uint32_t row;

	if (g_str_equal(spec, REQUESTS))
		return add_requests_of(m, NULL, error);
	if (g_str_has_prefix(spec, REQUESTS ":"))
		return add_requests_of(m, spec + strlen(REQUESTS ":"), error);
	if (g_str_has_prefix(spec, RUNS))
		return add_runs(m, spec + strlen(RUNS), error);
	if (g_str_equal(spec, ANA_PROGRAM_ALL)) {
		const char *widest = ana_program_widest(m->q, m->progress, error);
		g_autofree char *kind = widest ? g_strconcat(ANA_PROGRAM_PREFIX, widest, NULL) : NULL;

		if (!widest)
			return false;
		g_free(m->set->spec);
		m->set->spec = g_strdup(kind);
		return add_cases(m, NULL, kind, MDL_NONE, error);
	}
	/* A name of spans may contain a ":". */
	if (g_str_has_prefix(spec, LATENCY ANA_PROGRAM_PREFIX))
		spec += strlen(LATENCY);
	if (g_str_has_prefix(spec, ANA_PROGRAM_PREFIX))
		return add_cases(m, NULL, spec, MDL_NONE, error);
	if (g_str_has_prefix(spec, LATENCY)) {
		parts = g_strsplit(spec + strlen(LATENCY), ":", 2);
		return find_thread(m->q, parts[0] ? parts[1] : NULL, &row, error) &&
			add_cases(m, NULL, parts[0] ? parts[0] : "", row, error);
	}
	if (g_str_has_prefix(spec, BETWEEN))
		return add_between(m, spec + strlen(BETWEEN), error);
	return add_file(m, spec, error);
}

static struct making set_begin(struct qry *q, const char *spec, const char *key_name, int64_t from,
	int64_t to, struct base_progress *progress)
{
	return (struct making){ .q = q,
		.set = new_empty(spec, key_name),
		.keys = g_hash_table_new(g_str_hash, g_str_equal),
		.from = from == BASE_TIME_NONE ? INT64_MIN : from,
		.to = to == BASE_TIME_NONE ? INT64_MAX : to,
		.progress = progress };
}

/* FINE: all intervals were added. */
static struct ana_set *set_finish(struct making *m, bool fine, GError **error)
{
	g_hash_table_unref(m->keys);
	if (fine && m->set->intervals->len == 0)
		fine = base_error_false(error, BASE_ERROR_NO_ANSWER,
			"%s: no such interval of a thread in these traces", m->set->spec);
	base_many_sort(m->set->intervals, ana_set_order);
	if (!fine)
		g_clear_pointer(&m->set, ana_set_free);
	return m->set;
}

struct ana_set *ana_set_find(struct qry *q, const char *spec, int64_t from, int64_t to,
	struct base_progress *progress, GError **error)
{
	const char *key_name = !set_is_named(spec) ? "name"
		: g_str_has_prefix(spec, REQUESTS) ? "connection"
						   : NULL;
	struct making m = set_begin(q, spec, key_name, from, to, progress);
	bool fine = set_add_all(&m, spec, error);

	return set_finish(&m, fine, error);
}

struct ana_set *ana_set_of_thread(struct qry *q, const struct ana_rules *rules, const char *kind,
	uint32_t row, int64_t from, int64_t to, struct base_progress *progress, GError **error)
{
	g_autofree char *spec = g_strconcat(kind ? LATENCY : REQUESTS, kind, NULL);
	struct making m = set_begin(q, spec, kind ? NULL : "connection", from, to, progress);
	bool fine = kind ? add_cases(&m, rules, kind, row, error) : add_requests(&m, row, error);

	return set_finish(&m, fine, error);
}

struct ana_set *ana_set_of_scope(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress, GError **error)
{
	struct making m = set_begin(q, REQUESTS, "connection", asked->from, asked->to, progress);

	return set_finish(&m,
		ana_request_scope_each(q, asked, progress, set_add_request, &m) || stopped(error), error);
}

/* ---- keys: a field of the first event of a name that the thread met in the interval ---- */

struct looking {
	struct ana_set *set;
	struct ana_rules_facts facts;
	struct ana_rule_side side;      /* the event, and the field as its key */
	struct ana_rules_wanted wanted; /* of SIDE */
	GHashTable *rows;               /* row → GArray of uint32_t: its intervals, by their begin */
	GHashTable *keys;               /* text, weak → index */
};

static void index_rows(struct looking *l)
{
	for (uint32_t i = 0; i < l->set->intervals->len; i++) {
		struct ana_set_interval *v = &g_array_index(l->set->intervals, struct ana_set_interval, i);
		GArray *of = g_hash_table_lookup(l->rows, GUINT_TO_POINTER(v->row));

		if (!of) {
			of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
			g_hash_table_insert(l->rows, GUINT_TO_POINTER(v->row), of);
		}
		v->key = 0;
		g_array_append_val(of, i);
	}
}

/* Give the event's key to those intervals of its thread that contain it and have no key yet. */
static void set_field_on_event(struct looking *l)
{
	const struct qry_event *e = &l->facts.event;
	GArray *of = g_hash_table_lookup(l->rows, GUINT_TO_POINTER(ana_rules_facts_thread(&l->facts)));
	const struct ana_rules_key *field;
	uint32_t key = 0;

	for (guint i = 0; of && i < of->len; i++) {
		struct ana_set_interval *v = &g_array_index(l->set->intervals, struct ana_set_interval,
			g_array_index(of, uint32_t, i));

		if (v->from > e->time)
			return;
		if (v->to <= e->time) {
			g_array_remove_index(of, i--);
			continue;
		}
		field = key == 0 ? ana_rules_facts_key(&l->facts, &l->wanted) : NULL;
		if (field) {
			g_autofree char *text = ana_rules_key_text(field, UINT_MAX);

			key = set_key_of(l->set, l->keys, text);
		}
		v->key = v->key == 0 ? key : v->key;
	}
}

static bool wants(void *data, const char *name)
{
	struct looking *l = data;

	return ana_rules_is_called(&l->facts, &l->side, name);
}

static bool set_field_walk(struct looking *l, struct base_progress *progress, GError **error)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	int got = 0;

	filter.wants = wants;
	filter.data = l;
	if (progress)
		base_progress_set_label(progress, "reading the trace for the groups");
	ana_rules_wanted_init(&l->wanted, &l->facts, &l->side, true);
	if (!ana_rules_facts_open(&l->facts, &filter, error))
		return false;
	while ((got = ana_rules_facts_next(&l->facts, progress, error)) > 0)
		set_field_on_event(l);
	return got == 0;
}

bool ana_set_by_field(struct qry *q, struct ana_set *set, const char *what, struct base_progress *progress,
	GError **error)
{
	const char *dot = strrchr(what, '.');
	g_autofree char *event = dot ? g_strndup(what, (gsize)(dot - what)) : NULL;
	struct looking l = { .set = set };
	bool fine, any = false;

	if (!dot || dot == what || !dot[1]) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "\"%s\" makes no groups: type EVENT.FIELD",
			what);
		return false;
	}
	l.side = (struct ana_rule_side){ .event = event, .key = g_ptr_array_new() };
	g_ptr_array_add(l.side.key, (char *)(uintptr_t)(dot + 1));
	l.rows = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
	l.keys = g_hash_table_new(g_str_hash, g_str_equal);
	g_ptr_array_set_size(set->keys, 1);
	set->key_name = "field";
	ana_rules_facts_init(&l.facts, q);
	index_rows(&l);
	fine = set_field_walk(&l, progress, error);
	for (guint i = 0; i < set->intervals->len; i++)
		any |= g_array_index(set->intervals, struct ana_set_interval, i).key != 0;
	if (fine && !any)
		fine = base_error_false(error, BASE_ERROR_NO_ANSWER,
			"no thread has an event \"%s\" with a field \"%s\" in these intervals", event,
			dot + 1);
	ana_rules_wanted_clear(&l.wanted);
	ana_rules_facts_clear(&l.facts);
	g_hash_table_unref(l.rows);
	g_hash_table_unref(l.keys);
	g_ptr_array_unref(l.side.key);
	return fine;
}

/* SPDX-License-Identifier: MIT */
/*
 * How it works: the recognised shapes are rules like those of a user (analysis/latency/rules.h), with fields
 * "$mark…" that analysis/latency/mark.h computes.  The cases of all these rules go into one file; the text of
 * a case is its name, key and source.  The cases of one name are copied into a file of their own, to have
 * statistics and a list of the worst cases, as each kind of latency does.
 */
#include "analysis/latency/program.h"

#include "analysis/latency/kind.h"
#include "base/base_error.h"
#include "base/base_near.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "query/cases/kept.h"
#include "query/events/events.h"

#include <string.h>

/* Stored spans depend on these names: a change to how spans are found needs another name.  An end without a
 * name ends the newest begin of its thread; an end with a name, that of its name; an end with a key, that of
 * its key, also from another thread of the process. */
static const char built_in[] =
	"[span marker]\n"
	"begin = $text[$mark=B]\nend = $text[$mark=E]\nkey = $mark_owner\nname = $mark_name\nopen = stack\n"
	"[span word with id]\n"
	"begin = $text[$mark=begin]\nend = $text[$mark=end]\n"
	"key = $mark_owner, $mark_name, $mark_id\nname = $mark_name\nopen = newest\n"
	"[span async]\n"
	"begin = $text[$mark=S]\nend = $text[$mark=F]\n"
	"key = $mark_owner, $mark_name, $mark_key\nname = $mark_name\nopen = stack\n"
	"[span async track]\n"
	"begin = $text[$mark=G]\nend = $text[$mark=H]\n"
	"key = $mark_owner, $mark_key\nname = $mark_name\nopen = stack\n"
	"[span program, probe or function]\n"
	"begin = $program[$mark=enters]\nend = $program[$mark=leaves]\n"
	"key = $mark_owner, $mark_name, $mark_key\nname = $mark_name\nopen = stack\n"
	"[span track]\n"
	"begin = track_event:slice_begin\nend = track_event:slice_end\n"
	"key = $mark_owner\nname = $mark_name\nopen = stack\n";

/*
 * Kernel work for memory that a thread does itself, and that begins and ends in it: try_to_free_pages(),
 * try_to_free_mem_cgroup_pages(), mem_cgroup_shrink_node() and __node_reclaim() (mm/vmscan.c), compact_zone()
 * (mm/compaction.c).  None of these runs in an interrupt, and none calls itself.
 */
static const struct {
	const char *name, *system, *event;
} of_kernel[] = { { "direct reclaim", "vmscan", "mm_vmscan_direct_reclaim" },
	{ "memcg reclaim", "vmscan", "mm_vmscan_memcg_reclaim" },
	{ "memcg soft limit reclaim", "vmscan", "mm_vmscan_memcg_softlimit_reclaim" },
	{ "node reclaim", "vmscan", "mm_vmscan_node_reclaim" },
	{ "compaction", "compaction", "mm_compaction" } };

/* The doubt of each of them: no event shows that all begins and ends are recorded (proofs.md R32.1). */
#define WORK_DOUBTS MDL_DOUBT(FILTER)

/* All rules that need no declaration by the user. */
static struct ana_rules *built_in_new(void)
{
	g_autoptr(GString) text = g_string_new(built_in);
	struct ana_rules *rules;

	for (gsize i = 0; i < G_N_ELEMENTS(of_kernel); i++)
		g_string_append_printf(text,
			"[span %s]\nbegin = *%s_begin\nend = *%s_end\nkey = $tid\nopen = newest\n",
			of_kernel[i].name, of_kernel[i].event, of_kernel[i].event);
	rules = ana_rules_parse("built in", text->str, text->len, NULL);
	g_assert(rules);
	return rules;
}

/* ---- all of them ---- */

/* Warn with NOTE of a declared phase that no trace has the events or fields for, and add the line that
 * declares it. */
static void warn(struct qry *q, const char *note)
{
	const struct ana_rules *rules = qry_declared(q);
	g_autofree char *text = NULL;

	for (guint i = 0; rules && !text && i < rules->rules->len; i++) {
		const struct ana_rule *rule = g_ptr_array_index(rules->rules, i);
		g_autofree char *begin = g_strdup_printf("rule \"%s\"", rule->name);

		if (g_str_has_prefix(note, begin))
			text = g_strdup_printf("%s: line %u: %s", rules->file, rule->line, note);
	}
	qry_warn(q, text ? text : note);
}

static bool open_all(struct qry *q, struct qry_spans *spans, struct base_progress *progress, GError **error)
{
	struct ana_rules *known = built_in_new();
	bool fine;

	fine = ana_rules_open_program(q, known, qry_declared(q), spans, progress, error);
	ana_rules_free(known);
	if (fine && *qry_spans_note(spans))
		warn(q, qry_spans_note(spans));
	return fine;
}

/* The spans of one name. */
struct named {
	char *name;              /* owned */
	double squares, longest; /* of their times, ns */
	unsigned n;
	bool of_kernel;
};

static void named_free(void *data)
{
	struct named *n = data;

	g_free(n->name);
	g_free(n);
}

struct naming {
	const struct qry_spans *spans;
	GHashTable *of; /* name of a span → struct named, weak */
	GPtrArray *all; /* of struct named, owned */
	GString *name;  /* a buffer */
};

static void add_named(void *data, const struct idx_spans_found *found)
{
	struct naming *n = data;
	const char *text = qry_spans_text(n->spans, found->span.key);
	double length = (double)(found->span.end - found->span.start);
	struct named *of;

	if (found->span.fate != MDL_SPAN_DONE || !text)
		return;
	g_string_truncate(n->name, 0);
	g_string_append_len(n->name, text, (gssize)strcspn(text, ANA_MARK_BETWEEN));
	of = g_hash_table_lookup(n->of, n->name->str);
	if (!of) {
		of = g_new0(struct named, 1);
		of->name = base_text_clean(n->name->str, -1);
		of->of_kernel = g_str_has_suffix(text, ANA_MARK_BETWEEN ANA_MARK_KERNEL);
		g_hash_table_insert(n->of, of->name, of);
		g_ptr_array_add(n->all, of);
	}
	of->squares += length * length;
	of->longest = MAX(of->longest, length);
	of->n++;
}

static int by_name(const void *a, const void *b)
{
	const struct named *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Needs all phases to be open. */
static void *named_new(struct qry *q)
{
	const struct qry_spans_filter filter = { INT64_MIN, INT64_MAX, MDL_NONE, false, NULL };
	struct qry_spans spans;
	struct naming n = { &spans, g_hash_table_new(g_str_hash, g_str_equal),
		g_ptr_array_new_with_free_func(named_free), g_string_new(NULL) };

	if (open_all(q, &spans, NULL, NULL))
		qry_spans_each(q, &spans, &filter, add_named, &n);
	g_ptr_array_sort(n.all, by_name);
	g_hash_table_unref(n.of);
	g_string_free(n.name, TRUE);
	return n.all;
}

/* The names of Q, sorted: of struct named; weak.  NULL with an error. */
static const GPtrArray *all_named(struct qry *q, struct base_progress *progress, GError **error)
{
	static const char key;
	struct qry_spans spans;

	return open_all(q, &spans, progress, error)
		? qry_memo(q, &key, named_new, (GDestroyNotify)g_ptr_array_unref)
		: NULL;
}

/* ---- the phases of one name ---- */

/* The full name of the phase called NAME: itself, or the only one with NAME after the ":" of its program. */
static const char *name_among(const GPtrArray *all, const char *name, GError **error)
{
	g_autoptr(GPtrArray) meant = g_ptr_array_new();
	g_autofree char *list = NULL;
	struct base_near near;

	for (guint i = 0; i < all->len; i++) {
		const char *one = ((const struct named *)all->pdata[i])->name, *behind = strchr(one, ':');

		if (g_str_equal(one, name))
			return one;
		if (behind && g_str_equal(behind + 1, name))
			g_ptr_array_add(meant, (char *)(uintptr_t)one);
	}
	if (meant->len == 1)
		return meant->pdata[0];
	if (meant->len > 1) {
		list = base_text_join(meant, ", ");
		return base_error_null(error, BASE_ERROR_USAGE,
			"\"%s\" is ambiguous: it matches the spans %s", name, list);
	}
	if (all->len == 0)
		return base_error_null(error, BASE_ERROR_NO_ANSWER,
			"no span was recorded: have the program write B|PID|NAME and E|PID to trace_marker of tracefs (wakepath record --for-question spans has it), or declare its events with --spans FILE");
	base_near_init(&near, name, false);
	for (guint i = 0; i < all->len; i++)
		base_near_offer(&near, ((const struct named *)all->pdata[i])->name);
	list = base_near_text(&near);
	return base_error_null(error, BASE_ERROR_USAGE,
		"no span is called \"%s\"%s; wakepath spans lists them all", name, list);
}

const char *ana_program_find(struct qry *q, const char *name, struct base_progress *progress, GError **error)
{
	const GPtrArray *all = all_named(q, progress, error);

	return all ? name_among(all, name, error) : NULL;
}

struct copying {
	const char *name;
	struct qry_spans *from;
	struct qry_kept *to;
};

static void copy(void *data, const struct idx_spans_found *found)
{
	const struct copying *c = data;
	const char *text = qry_spans_text(c->from, found->span.key);
	struct mdl_span span = found->span;
	gsize length = strlen(c->name);

	if (!text || strncmp(text, c->name, length) != 0 || text[length] != *ANA_MARK_BETWEEN)
		return;
	span.key = qry_kept_text(c->to, text);
	qry_kept_add(c->to, found->host, &span);
}

static bool copy_all(void *data, struct qry_kept *kept, struct base_progress *progress,
	G_GNUC_UNUSED GError **error)
{
	const struct qry_spans_filter filter = { INT64_MIN, INT64_MAX, MDL_NONE, false, progress };
	struct copying *c = data;

	c->to = kept;
	qry_spans_each(kept->q, c->from, &filter, copy, c);
	return !ana_cases_stopped(progress, error);
}

bool ana_program_open(struct qry *q, const char *name, struct qry_spans *spans,
	struct base_progress *progress, GError **error)
{
	const struct ana_rules *declared = qry_declared(q);
	g_autofree char *key = declared ? ana_rules_all_mean(declared, NULL) : g_strdup(""), *file = NULL;
	struct qry_spans all;
	struct copying c = { .from = &all };
	struct qry_kept kept = { .key = key };
	bool fine;

	if (!name)
		return open_all(q, spans, progress, error);
	c.name = ana_program_find(q, name, progress, error);
	if (!c.name || !open_all(q, &all, progress, error))
		return false;
	file = g_strconcat(ANA_PROGRAM_PREFIX, c.name, NULL);
	kept.name = file;
	fine = qry_kept_open(q, &kept, 1, copy_all, &c, progress, error);
	*spans = (struct qry_spans){ kept.file, 0, NULL };
	return fine;
}

/* ---- the name with a few slow ones ---- */

#define SEVERAL 8 /* phases */

const char *ana_program_widest(struct qry *q, struct base_progress *progress, GError **error)
{
	const GPtrArray *all = all_named(q, progress, error);
	const char *widest = NULL;
	double most = 0;

	for (guint i = 0; all && i < all->len; i++) {
		const struct named *of = all->pdata[i];
		/* Many fast ones weigh less than a few slow ones. */
		double worth = !of->of_kernel && of->n >= SEVERAL && of->longest > 0
			? of->squares / of->longest
			: 0;

		if (worth > most) {
			most = worth;
			widest = of->name;
		}
	}
	if (all && !widest)
		return base_error_null(error, BASE_ERROR_NO_ANSWER, "%s",
			"no span was recorded several times: have the program write B|PID|NAME and E|PID to trace_marker of tracefs for each piece of its work");
	return widest;
}

/* ---- one phase ---- */

struct looking {
	const struct qry_spans *spans;
	const char *key;
	struct mdl_span found; /* if ANY */
	bool any;
};

static void look(void *data, const struct idx_spans_found *found)
{
	struct looking *l = data;
	const struct mdl_span *span = &found->span;
	struct ana_mark_told told;

	if (span->fate != MDL_SPAN_DONE || (l->any && l->found.start <= span->start))
		return;
	told = ana_mark_split(qry_spans_text(l->spans, span->key));
	if (g_str_equal(told.key, l->key)) {
		l->found = *span;
		l->any = true;
	}
	ana_mark_told_clear(&told);
}

bool ana_program_time(struct qry *q, const char *text, uint32_t row, int64_t *from, int64_t *to,
	struct base_progress *progress, GError **error)
{
	const struct qry_spans_filter filter = { INT64_MIN, INT64_MAX, row, false, progress };
	const char *name = text + strlen(ANA_PROGRAM_PREFIX), *key = strchr(name, '=');
	g_autofree char *only = key ? g_strndup(name, (gsize)(key - name)) : NULL;
	struct qry_spans spans;
	struct looking l = { .spans = &spans };

	if (!key)
		return base_error_false(error, BASE_ERROR_USAGE, "\"%s\" names no span: write span:NAME=KEY",
			text);
	if (!ana_program_open(q, only, &spans, progress, error))
		return false;
	l.key = key + 1;
	qry_spans_each(q, &spans, &filter, look, &l);
	if (ana_cases_stopped(progress, error))
		return false;
	if (!l.any)
		return base_error_false(error, BASE_ERROR_USAGE,
			"no span \"%s\" has the key \"%s\": wakepath spans lists them all", only, l.key);
	*from = l.found.start;
	*to = l.found.end;
	return true;
}

/* ---- the kernel's work for memory ---- */

struct working {
	struct qry *q;
	const struct qry_spans *spans;
	uint32_t row;
	int64_t from, to;
	struct ana_program_work of[G_N_ELEMENTS(of_kernel)];
};

/* Add [FROM, TO) of WORK by thread ROW. */
static void add_time(struct qry *q, struct ana_program_work *work, uint32_t row, int64_t from, int64_t to)
{
	struct qry_cell cell;

	qry_share(q, row, from, to, &cell);
	work->count++;
	work->time += to - from;
	for (unsigned s = 0; s < MDL_ST_N; s++)
		work->ns[s] += cell.ns[s];
}

/* The place in OF_KERNEL of SPAN, one of SPANS; -1: it is no such work, or incomplete. */
static int kernel_work(const struct qry_spans *spans, const struct mdl_span *span)
{
	const char *text = span->fate == MDL_SPAN_DONE ? qry_spans_text(spans, span->key) : NULL;

	if (!text || !g_str_has_suffix(text, ANA_MARK_BETWEEN ANA_MARK_KERNEL))
		return -1;
	for (gsize i = 0; i < G_N_ELEMENTS(of_kernel); i++) {
		gsize length = strlen(of_kernel[i].name);

		if (strncmp(text, of_kernel[i].name, length) == 0 && text[length] == *ANA_MARK_BETWEEN)
			return (int)i;
	}
	return -1;
}

static void add_work(void *data, const struct idx_spans_found *found)
{
	struct working *w = data;
	const struct mdl_span *span = &found->span;
	int64_t from = MAX(span->start, w->from), to = MIN(span->end, w->to);
	int work = span->row == w->row && from < to ? kernel_work(w->spans, span) : -1;

	if (work >= 0)
		add_time(w->q, &w->of[work], w->row, from, to);
}

/* Add to ALL (of struct ana_program_work) the page faults of thread ROW in [FROM, TO), summed up by file. */
static void add_faults(struct qry *q, GArray *all, uint32_t row, int64_t from, int64_t to)
{
	for (const struct qry_spin *fault = qry_work_after(q, row, from); fault && fault->from < to;
		fault = qry_work_after(q, row, fault->to)) {
		struct ana_program_work none = { .name = fault->name, .doubts = fault->doubts };
		guint i = 0;

		if (!ana_faults_is(fault->name))
			continue;
		while (i < all->len && g_array_index(all, struct ana_program_work, i).name != fault->name)
			i++;
		if (i == all->len)
			g_array_append_val(all, none);
		add_time(q, &g_array_index(all, struct ana_program_work, i), row, MAX(fault->from, from),
			MIN(fault->to, to));
	}
}

/* True if a trace of Q may have the begin of such work. ftrace and perf prefix the event with its system. */
static bool may_work(struct qry *q)
{
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		for (gsize i = 0; i < G_N_ELEMENTS(of_kernel); i++) {
			g_autofree char *name = g_strconcat(of_kernel[i].event, "_begin", NULL),
					*whole = g_strconcat(of_kernel[i].system, ":", name, NULL);

			if (qry_events_declared(q, host, name) || qry_events_declared(q, host, whole))
				return true;
		}
	return false;
}

static int most_first(const void *a, const void *b)
{
	const struct ana_program_work *x = a, *y = b;

	return BASE_BY(y, x, time) ?: strcmp(x->name, y->name);
}

GArray *ana_program_memory(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error)
{
	const struct qry_spans_meeting meeting = { from, to, 1, row, row };
	struct qry_spans spans;
	struct working w = { .q = q, .spans = &spans, .row = row, .from = from, .to = to };
	GArray *all;
	bool may = may_work(q);

	if (may && !open_all(q, &spans, progress, error))
		return NULL;
	if (may)
		qry_spans_meet(q, &spans, &meeting, add_work, &w);
	all = g_array_new(FALSE, FALSE, sizeof(struct ana_program_work));
	for (gsize i = 0; i < G_N_ELEMENTS(of_kernel); i++) {
		w.of[i].name = of_kernel[i].name;
		w.of[i].doubts = WORK_DOUBTS;
		if (w.of[i].count > 0)
			g_array_append_val(all, w.of[i]);
	}
	add_faults(q, all, row, from, to);
	g_array_sort(all, most_first);
	return all;
}

/* ---- kernel work for memory, of all threads ---- */

#define WORKS_MOST 1000000 /* some 60 MB */

struct finding_works {
	const struct qry_spans *spans;
	struct qry_spins *works;
	bool more; /* than WORKS_MOST */
};

static void find_work(void *data, const struct idx_spans_found *found)
{
	struct finding_works *f = data;
	const struct mdl_span *span = &found->span;
	int work = span->row != MDL_NONE && span->start < span->end ? kernel_work(f->spans, span) : -1;
	struct qry_spin spin = { span->start, span->end, span->end, span->row, MDL_NONE, NULL, WORK_DOUBTS };

	if (work < 0)
		return;
	f->more |= f->works->all->len >= WORKS_MOST;
	if (f->more)
		return;
	spin.name = of_kernel[work].name;
	g_array_append_val(f->works->all, spin);
}

struct qry_spins *ana_program_works(struct qry *q)
{
	const struct qry_spans_filter filter = { INT64_MIN, INT64_MAX, MDL_NONE, false, NULL };
	struct qry_spans spans;
	struct finding_works f = { .spans = &spans };
	GError *error = NULL;
	bool may = may_work(q);

	if (may && !open_all(q, &spans, NULL, &error)) {
		qry_fail(q, error);
		return NULL;
	}
	f.works = g_new(struct qry_spins, 1);
	*f.works = (struct qry_spins){ g_array_new(FALSE, FALSE, sizeof(struct qry_spin)),
		g_string_chunk_new(64) };
	if (may)
		qry_spans_each(q, &spans, &filter, find_work, &f);
	if (!ana_faults_add(q, f.works, WORKS_MOST, &error))
		qry_fail(q, error);
	if (f.more)
		qry_warn(q,
			"threads reclaimed or compacted memory more than " G_STRINGIFY(
				WORKS_MOST) " times: causes and paths show only the first ones; cut the trace");
	return f.works;
}

/* ---- as a kind ---- */

static char *key_of(G_GNUC_UNUSED struct qry *q, const struct ana_latency_case *c)
{
	struct ana_mark_told told = ana_mark_split(c->text);
	char *key = *told.key ? g_steal_pointer(&told.key) : NULL;

	ana_mark_told_clear(&told);
	return key;
}

static char *name_of(G_GNUC_UNUSED struct qry *q, const struct ana_latency_case *c)
{
	struct ana_mark_told told = ana_mark_split(c->text);
	char *name = g_steal_pointer(&told.name);

	ana_mark_told_clear(&told);
	return name;
}

struct ana_latency_kind ana_program_kind(const char *kind)
{
	return (struct ana_latency_kind){ .name = g_intern_string(kind),
		.has_texts = true,
		.from = ANA_LATENCY_FROM_EVENTS,
		.explain = ana_latency_explain_thread,
		.call = ana_latency_call_of,
		.key = g_str_equal(kind, ANA_PROGRAM_ALL) ? name_of : key_of };
}

/* SPDX-License-Identifier: MIT */
/*
 * How it works: one walk over all events finds the cases of all rules whose cases are not stored yet.  Only
 * events that a rule names are read with their fields; the others are skipped.
 *
 * An interval is dropped if events were lost between its start and its end: on any CPU of its host, or only
 * on its own CPU if $cpu is in the key of both sides.
 */
#include "analysis/latency/kind.h"

#include "analysis/latency/rules_match.h"
#include "analysis/latency/rules_open.h"
#include "base/base_error.h"
#include "base/base_near.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "query/cases/kept.h"

#include <inttypes.h>
#include <string.h>

#define LOOK_EVERY 4096 /* events between two looks at the progress */

/* ---- lost events ---- */

#define UNKNOWN_CPU (MDL_NONE - 1) /* events lost on an unknown CPU may be of any */

struct lost_gap {
	int64_t from, to; /* FROM first: base_search_by_int64() */
	uint32_t host, cpu;
};

/* The latest end of lost events, as time goes on. */
struct lost {
	GArray *gaps; /* of struct lost_gap, by their begin */
	guint next;   /* the first gap that has not begun */
	/* id_of() of host and CPU → int64_t, the latest end of its gaps that have begun; owned. */
	GHashTable *until;
};

static uint64_t id_of(uint32_t host, uint32_t cpu)
{
	return (uint64_t)host << 32 | cpu;
}

static struct lost *lost_new(const struct qry *q)
{
	struct lost *l = g_new0(struct lost, 1);

	l->gaps = g_array_new(FALSE, FALSE, sizeof(struct lost_gap));
	l->until = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	for (uint32_t host = 0; host < qry_host_count(q); host++) {
		const GArray *gaps = qry_host(q, host)->gaps;

		for (guint i = 0; i < gaps->len; i++) {
			const struct idx_gap *gap = &g_array_index(gaps, struct idx_gap, i);
			struct lost_gap lost = { gap->from, gap->to, host, gap->cpu };

			g_array_append_val(l->gaps, lost);
		}
	}
	g_array_sort(l->gaps, base_search_by_int64);
	return l;
}

static int64_t ended(const struct lost *l, uint32_t host, uint32_t cpu)
{
	uint64_t id = id_of(host, cpu);
	const int64_t *to = g_hash_table_lookup(l->until, &id);

	return to ? *to : INT64_MIN;
}

static void note(struct lost *l, uint32_t host, uint32_t cpu, int64_t to)
{
	uint64_t id = id_of(host, cpu);
	const int64_t *known = g_hash_table_lookup(l->until, &id);
	int64_t latest = MAX(to, known ? *known : INT64_MIN);

	g_hash_table_insert(l->until, g_memdup2(&id, sizeof id), g_memdup2(&latest, sizeof latest));
}

/* Advance to NOW: gaps that begin before it count.  Calls come in order of time. */
static void lost_go(struct lost *l, int64_t now)
{
	for (; l->next < l->gaps->len; l->next++) {
		const struct lost_gap *gap = &g_array_index(l->gaps, struct lost_gap, l->next);

		if (gap->from >= now)
			return;
		note(l, gap->host, gap->cpu == MDL_NONE ? UNKNOWN_CPU : gap->cpu, gap->to);
		note(l, gap->host, MDL_NONE, gap->to);
		note(l, MDL_NONE, MDL_NONE, gap->to);
	}
}

/* ---- the state of a walk ---- */

struct walk;

/* The events and fields of entry or exit that were seen. */
struct seen {
	bool event;         /* an event of that name was seen */
	GPtrArray *missing; /* of const char *: fields that the rule names and no event has had yet */
	char *fields;       /* the fields of the first such event; owned */
};

/* A rule while it is measured. */
struct measured {
	struct walk *run;
	struct qry_kept *cases; /* its cases; weak */
	struct ana_rules_open open;
	struct ana_rules_wanted entry, exit;
	struct seen seen_entry, seen_exit;
	uint32_t thread; /* number of the field with the rule's thread, if any */
	bool of_cpu;     /* only events lost on its own CPU matter */
	bool is_span;    /* its cases are spans, or states, of programs */
	bool is_state;
	bool has_any;         /* a case was complete */
	bool is_built_in;     /* a recognised shape, perhaps wrongly: an end without a begin is no case */
	bool is_of_kernel;    /* built in; the name of the case is that of the rule */
	uint32_t label, item; /* numbers of the fields with the name and, if it is built in, the key */
	/* For texts in words: ID is the number of the field with their id. BEGUN has the last begins by
	 * begun_names(): "HOST ROW NAME" and "HOST pPID NAME\037ID" → struct begun, owned; NULL: a rule for
	 * other events. */
	uint32_t id;
	GHashTable *begun;
};

/* The last begin with one name: of a thread, or, with one id, of a process. */
struct begun {
	char *id;      /* owned; "" none */
	GBytes *words; /* owned: of the key */
};

/* How a rule uses the events of one name. */
struct role {
	struct measured *m; /* weak */
	bool entry, exit;
};

#define KNOWN 64 /* names found without BY_NAME */

struct walk {
	struct qry *q;
	GPtrArray *measured; /* of struct measured, owned */
	GHashTable *by_name; /* name as of struct qry_event → GArray of struct role; owned */
	struct {
		const char *name; /* weak */
		const GArray *roles;
	} known[KNOWN];      /* names that were looked up, by their address */
	GPtrArray *names;    /* of const char *: the names of all events in use */
	GHashTable *threads; /* host and TID → GArray of rows; owned */
	struct lost *lost;
	struct ana_rules_facts facts; /* of the current event */
	GError *error;                /* owned; NULL: none so far */
};

/* ---- threads ---- */

/* Rows of threads by host and TID, as struct walk has them. */
static GHashTable *threads_of(const struct qry *q)
{
	GHashTable *threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
		(GDestroyNotify)g_array_unref);

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		const struct qry_row *r = qry_row(q, row);
		int64_t id = (int64_t)((uint64_t)r->host << 32 | (uint32_t)r->nr);
		GArray *rows = g_hash_table_lookup(threads, &id);

		if (r->type != MDL_ROW_THREAD)
			continue;
		if (!rows) {
			rows = g_array_new(FALSE, FALSE, sizeof row);
			g_hash_table_insert(threads, g_memdup2(&id, sizeof id), rows);
		}
		g_array_append_val(rows, row);
	}
	return threads;
}

/* The thread that field number FIELD of the event names; MDL_NONE unknown.  TID 0 is the idle thread of the
 * CPU. */
static uint32_t thread_of(struct walk *run, uint32_t field)
{
	const struct qry_event *e = &run->facts.event;
	struct trc_value tid;
	GArray *rows;
	int64_t id;

	if (!ana_rules_facts_get(&run->facts, field, &tid) || tid.type == TRC_VALUE_TEXT ||
		tid.number > INT32_MAX)
		return MDL_NONE;
	id = (int64_t)((uint64_t)e->host << 32 | tid.number);
	rows = g_hash_table_lookup(run->threads, &id);
	for (guint i = 0; rows && i < rows->len; i++) {
		const struct qry_row *r = qry_row(run->q, g_array_index(rows, uint32_t, i));

		if (e->time >= r->first && e->time <= r->last && (r->nr != 0 || r->cpu == e->cpu))
			return r->id;
	}
	return MDL_NONE;
}

/* The thread of a case of M that the current event names; MDL_NONE unknown. */
static uint32_t thread_here(const struct measured *m)
{
	return m->open.rule->thread ? thread_of(m->run, m->thread) : ana_rules_facts_thread(&m->run->facts);
}

/* ---- cases ---- */

/* The end of a state that no event ended: that of its thread or of the trace. */
static int64_t last_of(const struct walk *run, const struct ana_rules_interval *i)
{
	int64_t begin, end;

	qry_span(run->q, &begin, &end);
	if (i->row != MDL_NONE)
		end = MIN(end, qry_life_end(run->q, i->row));
	return MAX(end, i->start);
}

/* Store interval I of M (DATA), with the key of S. */
static void settle(void *data, const struct ana_rules_interval *i, struct ana_rules_slot *s,
	enum mdl_span_fate fate)
{
	struct measured *m = data;
	const struct qry_event *here = &m->run->facts.event;
	uint32_t host = m->open.rule->across ? MDL_NONE : i->host, cpu = m->of_cpu ? i->cpu : MDL_NONE;
	bool lasts = fate == MDL_SPAN_OPEN && m->is_state, over = fate == MDL_SPAN_DONE || lasts;
	struct mdl_span span = { .start = i->start,
		.end = lasts   ? last_of(m->run, i)
			: over ? here->time
			       : i->start,
		.row = over && m->open.rule->thread_of_exit ? thread_here(m) : i->row,
		.cpu = over ? here->cpu : MDL_NONE,
		.fate = (uint8_t)(lasts ? MDL_SPAN_DONE : fate) };

	if (!i->text && s->text == ANA_RULES_NO_TEXT) {
		g_autofree char *text = ana_rules_key_text(&s->key, UINT_MAX);

		s->text = text ? qry_kept_text(m->cases, text) : 0;
	}
	span.key = i->text ? i->text : s->text;
	/* Events were lost after it began: on its CPU, its host or any host. */
	if (m->run->lost->next > 0 &&
		i->start <= MAX(ended(m->run->lost, host, cpu), ended(m->run->lost, host, UNKNOWN_CPU))) {
		span.fate = MDL_SPAN_LOST;
		span.end = span.start;
	}
	m->has_any |= span.fate == MDL_SPAN_DONE;
	qry_kept_add(m->cases, i->host, &span);
}

/* ---- events ---- */

/* The key of the event, whose name is that of SIDE; NULL if it does not meet the conditions or lacks a
 * field. */
static const struct ana_rules_key *key_of(struct measured *m, const struct ana_rules_wanted *side,
	struct seen *seen)
{
	struct walk *run = m->run;
	struct trc_value value;

	if (!seen->event)
		seen->fields = ana_rules_facts_names(&run->facts, &run->error);
	if (run->error)
		return NULL;
	seen->event = true;
	for (guint i = seen->missing->len; i-- > 0;)
		if (ana_rules_facts_get(&run->facts,
			    ana_rules_facts_want(&run->facts, g_ptr_array_index(seen->missing, i)), &value))
			g_ptr_array_remove_index_fast(seen->missing, i);
	return ana_rules_meets(&run->facts, side) ? ana_rules_facts_key(&run->facts, side) : NULL;
}

/* FIELD of the event as a clean text; "" if it has none.  The caller frees. */
static char *text_of(struct ana_rules_facts *f, uint32_t field)
{
	struct trc_value value;
	g_autoptr(GString) text = g_string_new(NULL);

	if (ana_rules_facts_get(f, field, &value))
		ana_rules_append_value(text, &value);
	return base_text_clean(text->str, (gssize)text->len);
}

/* The name of the state of M that begins here: "STATE:VALUE", or "STATE" if it has no value. */
static char *state_name(struct measured *m)
{
	const char *name = m->open.rule->name + strlen(ANA_STATE_PREFIX), *label = m->open.rule->label;
	g_autofree char *value = label ? text_of(&m->run->facts, m->label) : NULL;
	size_t length = label ? strlen(label) : 0;

	if (!label)
		return g_strdup(name);
	if (*value)
		return g_strconcat(name, ":", value, NULL);
	/* The event has no such field: it is the value. */
	return *label == '"' ? g_strdup_printf("%s:%.*s", name, (int)length - 2, label + 1)
			     : g_strconcat(name, ":", label, NULL);
}

/* The text (ana_mark_join()), as a key, of the span of M that begins here with the key OF. */
static uint64_t span_text(struct measured *m, const struct ana_rules_key *of)
{
	struct walk *run = m->run;
	const struct ana_rule *rule = m->open.rule;
	g_autofree char *name = m->is_state ? state_name(m)
		: rule->label               ? text_of(&run->facts, m->label)
					    : g_strdup(rule->name + strlen(ANA_PROGRAM_PREFIX)),
			*key = m->is_built_in ? text_of(&run->facts, m->item)
					      : ana_rules_key_text(of, rule->entry.key->len - m->is_state),
			*text = ana_mark_join(name, key ? key : "",
				m->is_built_in        ? ana_rules_facts_source(&run->facts)
					: m->is_state ? ANA_STATE_SOURCE
						      : "declared");

	return qry_kept_text(m->cases, text);
}

/* The text of a span of kernel work: with the order of the pages that it looks for. */
static uint64_t kernel_text(struct measured *m)
{
	g_autofree char *order = text_of(&m->run->facts, m->item),
			*key = *order ? g_strconcat("order ", order, NULL) : g_strdup(""),
			*text = ana_mark_join(m->open.rule->name + strlen(ANA_PROGRAM_PREFIX), key,
				ANA_MARK_KERNEL);

	return qry_kept_text(m->cases, text);
}

/* ---- texts in words: one side may lack the id, and another thread may end an id ---- */

#define BEGUN_MOST 200000 /* remembered names and open ids: some 50 MB */

static void begun_free(void *data)
{
	struct begun *b = data;

	g_free(b->id);
	g_bytes_unref(b->words);
	g_free(b);
}

/* Make the keys in BEGUN of the current event, which has that ID: by thread, and by id within the process.
 * *OF_ID is NULL if the ID or the process is unknown. The caller frees both. */
static void begun_names(struct measured *m, const char *id, char **of_thread, char **of_id)
{
	struct walk *run = m->run;
	uint32_t thread = ana_rules_facts_thread(&run->facts);
	const struct qry_row *row = thread != MDL_NONE ? qry_row(run->q, thread) : NULL;
	g_autofree char *name = text_of(&run->facts, m->label);
	uint32_t host = run->facts.event.host;

	*of_thread = g_strdup_printf("%u %u %s", host, thread, name);
	*of_id = *id && row ? g_strdup_printf("%u p%" PRId64 " %s\037%s", host, (int64_t)row->pid, name, id)
			    : NULL;
}

/* Remember that M begins with KEY. */
static void begun_note(struct measured *m, const struct ana_rules_key *key)
{
	g_autofree char *id = text_of(&m->run->facts, m->id);
	char *names[2];

	if (g_hash_table_size(m->begun) >= BEGUN_MOST)
		g_hash_table_remove_all(m->begun);
	begun_names(m, id, &names[0], &names[1]);
	for (unsigned i = 0; i < 2 && names[i]; i++) {
		struct begun b = { g_strdup(id), g_bytes_new(key->words, key->n * sizeof *key->words) };

		g_hash_table_replace(m->begun, names[i], g_memdup2(&b, sizeof b));
	}
}

/* True if the ids are of one kind but differ, as "17" and "18", or "id=17" and "id=18": two items. */
static bool are_two(const char *a, const char *b)
{
	size_t label = strcspn(a, "0123456789");

	return *a && *b && strcspn(b, "0123456789") == label && strncmp(a, b, label) == 0 &&
		strcmp(a, b) != 0;
}

/* M ends with KEY.  If no interval of KEY is open (FOUND false), end that of its id in another thread, or the
 * last one of its thread. */
static void begun_exit(struct measured *m, const struct ana_rules_key *key, int64_t time, bool found)
{
	g_autofree char *id = text_of(&m->run->facts, m->id), *of_thread = NULL, *of_id = NULL;
	const struct begun *b;
	struct ana_rules_key other;
	gsize size;

	begun_names(m, id, &of_thread, &of_id);
	b = of_id ? g_hash_table_lookup(m->begun, of_id) : NULL;
	if (!b && !found)
		b = g_hash_table_lookup(m->begun, of_thread);
	if (!b || are_two(b->id, id))
		return;
	other.words = g_bytes_get_data(b->words, &size);
	other.n = size / sizeof *other.words;
	other.hash = ana_rules_hash(other.words, other.n);
	if (!found)
		ana_rules_open_exit(&m->open, &other, time);
	else if (other.n != key->n || memcmp(other.words, key->words, size) != 0)
		return; /* another thread began one with this id */
	if (of_id)
		g_hash_table_remove(m->begun, of_id);
}

/* An event may end one interval and begin the next. */
static void rules_run_on_event(const struct role *role)
{
	struct measured *m = role->m;
	const struct qry_event *here = &m->run->facts.event;
	struct ana_rules_interval i = { here->time, here->host, here->cpu, MDL_NONE, 0 };
	const struct ana_rules_key *key = role->exit ? key_of(m, &m->exit, &m->seen_exit) : NULL;
	bool ended = key && ana_rules_open_exit(&m->open, key, here->time);

	if (key && m->begun)
		begun_exit(m, key, here->time, ended);
	if (key && !ended && !m->is_built_in) {
		/* There is no entry, so only the exit can show the thread. */
		struct mdl_span span = { .start = here->time,
			.end = here->time,
			.row = m->open.rule->thread_of_exit ? thread_here(m) : MDL_NONE,
			.cpu = here->cpu,
			.fate = MDL_SPAN_UNMATCHED };

		qry_kept_add(m->cases, here->host, &span);
	}
	key = role->entry ? key_of(m, &m->entry, &m->seen_entry) : NULL;
	if (!key)
		return;
	if (!m->open.rule->thread_of_exit)
		i.row = thread_here(m);
	if (m->is_span)
		i.text = m->is_of_kernel ? kernel_text(m) : span_text(m, key);
	if (m->begun)
		begun_note(m, key);
	ana_rules_open_enter(&m->open, key, &i);
}

/* True if a rule names events called NAME. */
static bool wants(void *data, const char *name)
{
	struct walk *run = data;
	GArray *roles = g_array_new(FALSE, FALSE, sizeof(struct role));

	if (!g_ptr_array_find_with_equal_func(run->names, name, g_str_equal, NULL))
		g_ptr_array_add(run->names, (char *)(uintptr_t)name);
	for (guint i = 0; i < run->measured->len; i++) {
		struct measured *m = g_ptr_array_index(run->measured, i);
		struct role role = { m, ana_rules_is_called(&run->facts, &m->open.rule->entry, name),
			ana_rules_is_called(&run->facts, &m->open.rule->exit, name) };

		if (role.entry || role.exit)
			g_array_append_val(roles, role);
	}
	g_hash_table_insert(run->by_name, (char *)(uintptr_t)name, roles);
	return roles->len > 0;
}

/* The uses of events called NAME, which is interned. */
static const GArray *roles_of(struct walk *run, const char *name)
{
	unsigned i = ((uintptr_t)name ^ (uintptr_t)name >> 6) % KNOWN;

	if (run->known[i].name != name) {
		run->known[i].name = name;
		run->known[i].roles = g_hash_table_lookup(run->by_name, name);
	}
	return run->known[i].roles;
}

static bool rules_run_walk(struct walk *run, struct base_progress *progress, GError **error)
{
	const struct qry_event *event = &run->facts.event;
	int64_t begin, end;
	int got;

	qry_span(run->q, &begin, &end);
	for (uint64_t n = 1; (got = ana_rules_facts_next(&run->facts, progress, error)) > 0; n++) {
		const GArray *roles = roles_of(run, event->name);

		lost_go(run->lost, event->time);
		for (guint i = 0; i < roles->len; i++)
			rules_run_on_event(&g_array_index(roles, struct role, i));
		if (run->error) {
			g_propagate_error(error, run->error);
			return false;
		}
		if (n % LOOK_EVERY != 0 || !progress)
			continue;
		base_progress_set(progress, (double)(event->time - begin) / (double)MAX(end - begin, 1), n);
		if (base_progress_cancelled(progress))
			return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	}
	if (got >= 0) {
		lost_go(run->lost, INT64_MAX);
		for (guint i = 0; i < run->measured->len; i++) {
			struct measured *m = g_ptr_array_index(run->measured, i);

			ana_rules_open_finish(&m->open, end);
		}
	}
	return got >= 0;
}

/* ---- rules ---- */

static void seen_init(struct seen *seen, const struct ana_rule_side *side, const char *thread)
{
	seen->missing = g_ptr_array_new();
	for (guint i = 0; i < side->conditions->len; i++)
		g_ptr_array_add(seen->missing,
			g_array_index(side->conditions, struct ana_rule_condition, i).field);
	g_ptr_array_extend(seen->missing, side->key, NULL, NULL);
	if (thread)
		g_ptr_array_add(seen->missing, (char *)(uintptr_t)thread);
}

static void measured_free(void *data)
{
	struct measured *m = data;

	ana_rules_open_clear(&m->open);
	ana_rules_wanted_clear(&m->entry);
	ana_rules_wanted_clear(&m->exit);
	g_ptr_array_unref(m->seen_entry.missing);
	g_ptr_array_unref(m->seen_exit.missing);
	g_free(m->seen_entry.fields);
	g_free(m->seen_exit.fields);
	if (m->begun)
		g_hash_table_unref(m->begun);
	g_free(m);
}

static void add_rule(struct walk *run, uint64_t open_max, const struct ana_rule *rule, struct qry_kept *cases,
	bool is_built_in)
{
	struct measured *m = g_new(struct measured, 1);

	*m = (struct measured){ .run = run,
		.cases = cases,
		.is_span = ana_rules_is_program(rule),
		.is_state = ana_rules_is_state(rule),
		.is_built_in = is_built_in,
		.is_of_kernel = is_built_in && !rule->label,
		.open = { .rule = rule, .most = open_max, .settle = settle, .data = m } };
	ana_rules_open_init(&m->open);
	ana_rules_wanted_init(&m->entry, &run->facts, &rule->entry, rule->across && !m->is_state);
	ana_rules_wanted_init(&m->exit, &run->facts, &rule->exit, rule->across && !m->is_state);
	if (rule->label)
		m->label = ana_rules_facts_want(&run->facts, rule->label);
	if (is_built_in)
		m->item = ana_rules_facts_want(&run->facts, m->is_of_kernel ? "order" : "$mark_item");
	if (is_built_in &&
		g_strcmp0(g_ptr_array_index(rule->entry.key, rule->entry.key->len - 1), "$mark_id") == 0) {
		m->id = ana_rules_facts_want(&run->facts, "$mark_id");
		m->begun = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, begun_free);
	}
	if (rule->thread)
		m->thread = ana_rules_facts_want(&run->facts, rule->thread);
	for (guint i = 0; !rule->across && i < rule->entry.key->len; i++)
		m->of_cpu |= g_str_equal(g_ptr_array_index(rule->entry.key, i), "$cpu") &&
			g_str_equal(g_ptr_array_index(rule->exit.key, i), "$cpu");
	seen_init(&m->seen_entry, &rule->entry, rule->thread_of_exit ? NULL : rule->thread);
	seen_init(&m->seen_exit, &rule->exit, rule->thread_of_exit ? rule->thread : NULL);
	g_ptr_array_add(run->measured, m);
}

/* The reason why M cannot be measured, after what was SEEN of SIDE; NULL: it can.  The caller frees. */
static char *problem_of(const struct measured *m, const struct ana_rule_side *side, const struct seen *seen)
{
	g_autofree char *text = NULL;
	struct base_near near;

	if (seen->event && seen->missing->len > 0)
		return g_strdup_printf("rule \"%s\": no event %s has a field \"%s\": it has %s",
			m->open.rule->name, side->event, (const char *)g_ptr_array_index(seen->missing, 0),
			seen->fields);
	if (seen->event || !side->event)
		return NULL;
	base_near_init(&near, side->event, false);
	for (guint i = 0; i < m->run->names->len; i++)
		base_near_offer(&near, g_ptr_array_index(m->run->names, i));
	text = base_near_text(&near);
	return g_strdup_printf(
		"rule \"%s\": no trace here has an event \"%s\": correct its name, or record it%s",
		m->open.rule->name, side->event, text);
}

/* ---- the whole ---- */

/* The rules whose cases are to be found, in the order of qry_kept_open(). */
struct finding {
	struct qry *q;
	uint64_t open_max;
	GPtrArray *rules; /* of const struct ana_rule * */
	/* All cases go into one file; the rules before N_BUILT_IN are recognised shapes, not declared. */
	bool one;
	guint n_built_in;
};

static bool find_all(void *data, struct qry_kept *kept, struct base_progress *progress, GError **error)
{
	const struct finding *f = data;
	struct walk run = { .q = f->q,
		.measured = g_ptr_array_new_with_free_func(measured_free),
		.by_name = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref),
		.names = g_ptr_array_new(),
		.threads = threads_of(f->q),
		.lost = lost_new(f->q) };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	bool fine;

	ana_rules_facts_init(&run.facts, f->q);
	for (guint i = 0; i < f->rules->len; i++) {
		const struct ana_rule *rule = g_ptr_array_index(f->rules, i);

		struct qry_kept *to = &kept[f->one ? 0 : i];

		if (to->writer)
			add_rule(&run, f->open_max, rule, to, i < f->n_built_in);
	}
	filter.wants = wants;
	filter.data = &run;
	if (progress)
		base_progress_set_label(progress, "reading the trace for the rules");
	fine = ana_rules_facts_open(&run.facts, &filter, error) && rules_run_walk(&run, progress, error);
	/* A rule that cannot be measured is kept with the reason. */
	for (guint i = f->n_built_in; fine && i < run.measured->len; i++) {
		const struct measured *m = g_ptr_array_index(run.measured, i);
		g_autofree char *problem = problem_of(m, &m->open.rule->entry, &m->seen_entry);

		if (!problem)
			problem = problem_of(m, &m->open.rule->exit, &m->seen_exit);
		if (!problem && f->one && !m->has_any)
			problem = g_strdup_printf(
				"rule \"%s\": its events are there, but no span of it begins and ends: look at its conditions and its key",
				m->open.rule->name);
		if (problem)
			qry_kept_note(m->cases, problem);
	}
	g_ptr_array_unref(run.measured);
	g_hash_table_unref(run.by_name);
	g_ptr_array_unref(run.names);
	g_hash_table_unref(run.threads);
	g_array_unref(run.lost->gaps);
	g_hash_table_unref(run.lost->until);
	g_free(run.lost);
	ana_rules_facts_clear(&run.facts);
	return fine;
}

static void kept_clear(void *data)
{
	struct qry_kept *kept = data;

	g_free((char *)(uintptr_t)kept->name);
	g_free((char *)(uintptr_t)kept->key);
}

/* The store of the cases of RULE; the caller clears. */
static struct qry_kept kept_of(const struct ana_rules *rules, const struct ana_rule *rule)
{
	return (struct qry_kept){ .name = g_strdup_printf("rule %s", rule->name),
		.key = ana_rules_meaning(rules, rule),
		.classes = true };
}

bool ana_rules_at_hand(struct qry *q, const struct ana_rules *rules, const struct ana_rule *rule)
{
	struct qry_kept kept = kept_of(rules, rule);
	bool there = qry_kept_open(q, &kept, 1, NULL, NULL, NULL, NULL);

	kept_clear(&kept);
	return there;
}

bool ana_rules_open(struct qry *q, const struct ana_rules *rules, const struct ana_rule *only,
	struct qry_spans *spans, struct base_progress *progress, GError **error)
{
	g_autoptr(GArray) kept = g_array_new(FALSE, TRUE, sizeof(struct qry_kept));
	struct finding f = { .q = q, .open_max = rules->open_max, .rules = g_ptr_array_new() };
	bool fine;

	g_array_set_clear_func(kept, kept_clear);
	for (guint i = 0; i < rules->rules->len; i++) {
		struct ana_rule *rule = g_ptr_array_index(rules->rules, i);
		struct qry_kept one;

		if (only && only != rule)
			continue;
		one = kept_of(rules, rule);
		g_array_append_val(kept, one);
		g_ptr_array_add(f.rules, rule);
	}
	fine = qry_kept_open(q, (struct qry_kept *)(void *)kept->data, kept->len, find_all, &f, progress,
		error);
	if (only)
		*spans = (struct qry_spans){ g_array_index(kept, struct qry_kept, 0).file, 0, NULL };
	g_ptr_array_unref(f.rules);
	return fine;
}

/* ---- spans: all of them in one file ---- */

bool ana_rules_open_program(struct qry *q, const struct ana_rules *built_in, const struct ana_rules *declared,
	struct qry_spans *spans, struct base_progress *progress, GError **error)
{
	struct finding f = { .q = q,
		.open_max = built_in->open_max,
		.rules = g_ptr_array_new(),
		.one = true,
		.n_built_in = built_in->rules->len };
	g_autofree char *meaning = ana_rules_all_mean(built_in, declared);
	struct qry_kept kept = { .name = "spans", .key = meaning, .classes = true };
	bool fine;

	g_ptr_array_extend(f.rules, built_in->rules, NULL, NULL);
	for (guint i = 0; declared && i < declared->rules->len; i++) {
		const struct ana_rule *rule = g_ptr_array_index(declared->rules, i);

		if (ana_rules_is_program(rule))
			g_ptr_array_add(f.rules, (void *)(uintptr_t)rule);
	}
	fine = qry_kept_open(q, &kept, 1, find_all, &f, progress, error);
	*spans = (struct qry_spans){ kept.file, 0, NULL };
	g_ptr_array_unref(f.rules);
	return fine;
}

/* ---- as a kind ---- */

static char *rules_run_key_of(G_GNUC_UNUSED struct qry *q, const struct ana_latency_case *c)
{
	return c->text ? base_text_clean(c->text, -1) : NULL;
}

struct ana_latency_kind ana_rules_kind(const struct ana_rule *rule)
{
	return (struct ana_latency_kind){ .name = rule->name,
		.has_texts = true,
		.explain = ana_latency_explain_thread,
		.call = ana_latency_call_of,
		.key = rule->entry.key->len > 0 ? rules_run_key_of : NULL };
}

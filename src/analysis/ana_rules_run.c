/* SPDX-License-Identifier: MIT */
/*
 * How it works: one walk over the events of all rules, from the trace's start, as what is open at a window's
 * start may matter in it; it ends when what began in the window is over.  Only events that a rule names are
 * read with their fields; the others are passed by.
 *
 * No interval spans a gap: it is dropped where events were lost between its start and its end, of any CPU of
 * its host, or of its own alone where $cpu is in the key of both sides.
 */
#include "analysis/ana_rules_run.h"

#include "analysis/ana_rules_parts.h"
#include "base/base_error.h"
#include "base/base_time.h"

#define LOOK_EVERY 4096 /* events between two looks at the progress */

/* ---- events ---- */

static void see(struct ana_rules_walk *run, struct ana_rules_seen *seen)
{
	struct trc_value value;

	if (!seen->event)
		seen->fields = ana_rules_facts_names(&run->facts);
	seen->event = true;
	for (guint i = seen->missing->len; i-- > 0;)
		if (ana_rules_facts_get(&run->facts, g_ptr_array_index(seen->missing, i), &value))
			g_ptr_array_remove_index_fast(seen->missing, i);
}

/* Is the event one of SIDE?  Then its key is at hand. */
static bool is_of(struct ana_rules_measured *m, const struct ana_rule_side *side, struct ana_rules_seen *seen)
{
	struct ana_rules_walk *run = m->run;

	if (!ana_rules_is_called(side, run->facts.event.name))
		return false;
	see(run, seen);
	return ana_rules_meets(&run->facts, side) &&
		ana_rules_key(&run->facts, side, m->rule->across, run->key);
}

/* An event may end one interval and begin the next. */
static void on_event(struct ana_rules_measured *m)
{
	const struct qry_event *here = &m->run->facts.event;
	struct ana_rules_interval i = { here->time, here->host, here->cpu, MDL_NONE };

	if (is_of(m, &m->rule->exit, &m->exit) && !ana_rules_open_exit(m->open, m->run->key, here->time) &&
		here->time >= m->run->from && here->time < m->run->to)
		m->strays.unmatched++;
	if (!is_of(m, &m->rule->entry, &m->entry))
		return;
	if (!m->rule->thread_of_exit)
		i.row = ana_rules_thread_here(m->run, m->rule);
	ana_rules_open_enter(m->open, m->run->key, &i);
}

/* Is any rule about events called NAME? */
static bool wants(void *data, const char *name)
{
	struct ana_rules_walk *run = data;
	GPtrArray *for_them = g_ptr_array_new();

	if (!g_ptr_array_find_with_equal_func(run->names, name, g_str_equal, NULL))
		g_ptr_array_add(run->names, (char *)(uintptr_t)name);
	for (guint i = 0; i < run->measured->len; i++) {
		struct ana_rules_measured *m = g_ptr_array_index(run->measured, i);

		if (ana_rules_is_called(&m->rule->entry, name) || ana_rules_is_called(&m->rule->exit, name))
			g_ptr_array_add(for_them, m);
	}
	g_hash_table_insert(run->by_name, (char *)(uintptr_t)name, for_them);
	return for_them->len > 0;
}

/* Is all that can be asked for over at TIME? */
static bool is_over(const struct ana_rules_walk *run, int64_t time)
{
	bool over = time >= run->to;

	for (guint i = 0; over && i < run->measured->len; i++) {
		const struct ana_rules_measured *m = g_ptr_array_index(run->measured, i);

		over = ana_rules_open_earliest(m->open) >= run->to && m->entry.event && m->exit.event &&
			m->entry.missing->len + m->exit.missing->len == 0;
	}
	return over;
}

static bool walk(struct ana_rules_walk *run, struct qry_events *events, struct base_progress *progress,
	GError **error)
{
	struct qry_event event;
	int64_t begin, end;
	int got;

	qry_span(run->q, &begin, &end);
	for (uint64_t n = 1; (got = qry_events_step(events, 1, &event, progress, error)) > 0; n++) {
		const GPtrArray *of = g_hash_table_lookup(run->by_name, event.name);

		if (is_over(run, event.time))
			break;
		if (!ana_rules_facts_read(&run->facts, events, &event, error))
			return false;
		ana_rules_lost_go(run->lost, event.time);
		for (guint i = 0; i < of->len; i++)
			on_event(g_ptr_array_index(of, i));
		if (n % LOOK_EVERY != 0 || !progress)
			continue;
		base_progress_set(progress, (double)(event.time - begin) / (double)MAX(end - begin, 1), n);
		if (base_progress_cancelled(progress)) {
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
			return false;
		}
	}
	if (got >= 0) {
		ana_rules_lost_go(run->lost, INT64_MAX);
		for (guint i = 0; i < run->measured->len; i++)
			ana_rules_open_finish(((struct ana_rules_measured *)g_ptr_array_index(run->measured,
						       i))
						      ->open,
				end);
	}
	return got >= 0;
}

/* ---- rules ---- */

static void seen_init(struct ana_rules_seen *seen, const struct ana_rule_side *side, const char *thread)
{
	seen->missing = g_ptr_array_new();
	for (guint i = 0; i < side->conditions->len; i++)
		g_ptr_array_add(seen->missing,
			g_array_index(side->conditions, struct ana_rule_condition, i).field);
	g_ptr_array_extend(seen->missing, side->key, NULL, NULL);
	if (thread)
		g_ptr_array_add(seen->missing, (char *)(uintptr_t)thread);
}

static bool is_of_cpu(const struct ana_rule *rule)
{
	for (guint i = 0; !rule->across && i < rule->entry.key->len; i++)
		if (g_str_equal(g_ptr_array_index(rule->entry.key, i), "$cpu") &&
			g_str_equal(g_ptr_array_index(rule->exit.key, i), "$cpu"))
			return true;
	return false;
}

static void measured_free(void *data)
{
	struct ana_rules_measured *m = data;

	ana_rules_open_free(m->open);
	if (m->tally)
		ana_tally_free(m->tally);
	g_ptr_array_unref(m->entry.missing);
	g_ptr_array_unref(m->exit.missing);
	g_free(m->entry.fields);
	g_free(m->exit.fields);
	g_free(m);
}

static bool add_rule(struct ana_rules_walk *run, const struct ana_rules *rules, const struct ana_rule *rule,
	GError **error)
{
	struct ana_rules_measured *m = g_new0(struct ana_rules_measured, 1);

	*m = (struct ana_rules_measured){ .run = run,
		.rule = rule,
		.options = *run->options,
		.of_cpu = is_of_cpu(rule) };
	if (m->options.threshold == 0)
		m->options.threshold = rule->threshold;
	m->kind = (struct ana_latency_kind){ .name = rule->name, .explain = ana_latency_explain_thread };
	if (rule->entry.key->len > 0)
		m->kind.key = ana_rules_key_of;
	seen_init(&m->entry, &rule->entry, rule->thread_of_exit ? NULL : rule->thread);
	seen_init(&m->exit, &rule->exit, rule->thread_of_exit ? rule->thread : NULL);
	g_ptr_array_add(run->measured, m);
	if (!ana_latency_check(run->q, &m->kind, run->options, error))
		return false;
	m->tally = ana_tally_new(run->q, &m->kind, &m->options);
	m->open = ana_rules_open_new(rule, rules->open_max, ana_rules_count, m);
	return true;
}

/* Why M cannot be measured by what SEEN of SIDE was there; NULL: it can.  The caller frees. */
static char *problem_of(const struct ana_rules_measured *m, const struct ana_rule_side *side,
	const struct ana_rules_seen *seen)
{
	char *near, *text;

	if (seen->event && seen->missing->len > 0)
		return g_strdup_printf("rule \"%s\": no event %s has a field \"%s\": it has %s",
			m->rule->name, side->event, (const char *)g_ptr_array_index(seen->missing, 0),
			seen->fields);
	if (seen->event)
		return NULL;
	near = ana_rules_near(side->event, m->run->names);
	text = g_strdup_printf("rule \"%s\": no trace here has an event \"%s\": %s%s", m->rule->name,
		side->event, near ? "write it as it is there: " : "correct its name, or record it",
		near ? near : "");
	g_free(near);
	return text;
}

static bool collect(struct ana_rules_walk *run, struct ana_rules_found *found, GError **error)
{
	for (guint i = 0; i < run->measured->len; i++) {
		struct ana_rules_measured *m = g_ptr_array_index(run->measured, i);
		char *problem = problem_of(m, &m->rule->entry, &m->entry);
		struct ana_latency *l;

		if (!problem)
			problem = problem_of(m, &m->rule->exit, &m->exit);
		if (problem) {
			g_ptr_array_add(found->warnings, problem);
			continue;
		}
		l = ana_latency_of(m->tally);
		l->of_rule = true;
		l->strays = m->strays;
		g_ptr_array_add(found->latencies, l);
		g_ptr_array_add(found->rules, (void *)(uintptr_t)m->rule);
	}
	if (found->latencies->len > 0)
		return true;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, g_ptr_array_index(found->warnings, 0));
	return false;
}

/* ---- the whole ---- */

static void latency_free(void *data)
{
	ana_latency_free(data);
}

void ana_rules_found_free(struct ana_rules_found *found)
{
	if (!found)
		return;
	g_ptr_array_unref(found->latencies);
	g_ptr_array_unref(found->rules);
	g_ptr_array_unref(found->warnings);
	g_free(found);
}

static void array_unref(void *data)
{
	g_ptr_array_unref(data);
}

static void run_init(struct ana_rules_walk *run, struct qry *q, const struct ana_latency_options *o)
{
	*run = (struct ana_rules_walk){ .q = q,
		.options = o,
		.from = o->from == BASE_TIME_NONE ? INT64_MIN : o->from,
		.to = o->to == BASE_TIME_NONE ? INT64_MAX : o->to,
		.measured = g_ptr_array_new_with_free_func(measured_free),
		.by_name = g_hash_table_new_full(NULL, NULL, NULL, array_unref),
		.names = g_ptr_array_new(),
		.threads = ana_rules_threads(q),
		.texts = g_string_chunk_new(4096),
		.lost = ana_rules_lost_new(q),
		.key = g_string_new(NULL) };
	ana_rules_facts_init(&run->facts, q);
}

static void run_clear(struct ana_rules_walk *run)
{
	g_ptr_array_unref(run->measured);
	g_hash_table_unref(run->by_name);
	g_ptr_array_unref(run->names);
	g_hash_table_unref(run->threads);
	g_string_chunk_free(run->texts);
	ana_rules_lost_free(run->lost);
	g_string_free(run->key, TRUE);
	ana_rules_facts_clear(&run->facts);
}

static bool run_all(struct ana_rules_walk *run, struct base_progress *progress, GError **error)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_events *events;
	bool fine;

	filter.wants = wants;
	filter.data = run;
	if (progress)
		base_progress_set_label(progress, "reading the trace for the rules");
	events = qry_events_new(run->q, &filter, error);
	fine = events && walk(run, events, progress, error);
	qry_events_free(events);
	return fine;
}

struct ana_rules_found *ana_rules_run(struct qry *q, const struct ana_rules *rules,
	const struct ana_rule *only, const struct ana_latency_options *options,
	struct base_progress *progress, GError **error)
{
	struct ana_rules_found *found = g_new0(struct ana_rules_found, 1);
	struct ana_rules_walk run;
	bool fine = true;

	found->latencies = g_ptr_array_new_with_free_func(latency_free);
	found->rules = g_ptr_array_new();
	found->warnings = g_ptr_array_new_with_free_func(g_free);
	run_init(&run, q, options);
	for (guint i = 0; fine && i < rules->rules->len; i++) {
		const struct ana_rule *rule = g_ptr_array_index(rules->rules, i);

		if (!only || only == rule)
			fine = add_rule(&run, rules, rule, error);
	}
	if (!fine || !run_all(&run, progress, error) || !collect(&run, found, error))
		g_clear_pointer(&found, ana_rules_found_free);
	run_clear(&run);
	return found;
}

/* SPDX-License-Identifier: MIT */
#include "query/host/parts.h"
#include "query/symbols/symbols.h"
#include "query/clock/sync.h"
#include "query/clock/clock.h"
#include "query/cases/spans.h"
#include "query/cases/kept.h"
#include "trace/trc_reader.h"

#include "base/base_error.h"

static void source_free(gpointer data)
{
	struct qry_source *s = data;

	for (unsigned i = 0; i < QRY_CURSORS; i++) {
		idx_intervals_free(s->intervals[i]);
		idx_wakeups_free(s->wakeups[i]);
	}
	qry_trace_free(s->trace);
	qry_spans_close(s);
	qry_symbols_free(s->symbols);
	qry_programs_free(s->programs);
	g_free(s->kallsyms);
	qry_axis_free(s->axis);
	trc_folders_recording_free(s->recording);
	if (s->gaps)
		g_array_unref(s->gaps);
	if (s->chunks)
		g_array_unref(s->chunks);
	idx_reader_remove_damaged(s->reader);
	idx_reader_free(s->reader);
	g_free(s->cpu_rows);
	g_free(s->line_rows);
	g_free(s);
}

const char *qry_host_name(GPtrArray *names, const struct idx_meta *meta)
{
	g_autofree char *base = *meta->host != '\0' ? g_strdup(meta->host) : g_path_get_basename(meta->path);
	char *name = g_strdup(base);

	for (unsigned n = 2; g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL); n++) {
		g_free(name);
		name = g_strdup_printf("%s#%u", base, n);
	}
	g_ptr_array_add(names, name);
	return name;
}

void qry_set_host_name(struct qry *q, uint32_t host, const char *name)
{
	struct qry_source *s = g_ptr_array_index(q->sources, host);

	g_ptr_array_add(q->names, g_strdup(name));
	s->name = s->host.name = g_ptr_array_index(q->names, q->names->len - 1);
}

static bool is_missing(const struct idx_meta *meta, const char *event)
{
	return g_ptr_array_find_with_equal_func(meta->missing_events, event, g_str_equal, NULL);
}

/* Add the host of READER. Takes ownership of READER. */
static void add_source(struct qry *q, struct idx_reader *reader)
{
	/* Events of interrupt contexts that can be missing, by the names of mdl_coverage_missing(). Machines
	 * without vectors have ipi_*. */
	static const char *const interrupts[] = { "irq_handler_*", "irq_softirq_*", "x86_irq_vectors_*",
		"x86_irq_vectors_local_timer_*", "x86_irq_vectors_reschedule_*",
		"x86_irq_vectors_call_function_*", "x86_irq_vectors_call_function_single_*",
		"x86_irq_vectors_irq_work_*", "ipi_*" };
	const unsigned always = 2; /* these matter always; the others only if vectors were not recorded */
	struct qry_source *s = g_new0(struct qry_source, 1);
	const struct idx_meta *meta = idx_reader_meta(reader);
	const char *missing = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(interrupts) && !missing; i++)
		if (is_missing(meta, interrupts[i]) &&
			(i < always || !(meta->recorded & (uint64_t)1 << MDL_GROUP_VECTOR)))
			missing = interrupts[i];
	s->reader = reader;
	s->name = qry_host_name(q->names, meta);
	s->host = (struct qry_host){ .name = s->name,
		.meta = meta,
		.index_path = idx_reader_path(reader),
		.interrupts_missing = missing,
		.tells_contexts = trc_tells_contexts(meta->reader),
		.softirqs_missing = is_missing(meta, "irq_softirq_*"),
		.hrtimers_missing = is_missing(meta, "timer_hrtimer_expire_*"),
		.moves_missing = meta->n_cpus > 1 && is_missing(meta, "sched_migrate_task"),
		.index_bytes = idx_reader_bytes(reader),
		.first_row = q->n_rows,
		.n_rows = idx_reader_row_count(reader) };
	q->n_rows += s->host.n_rows;
	g_ptr_array_add(q->sources, s);
	qry_host_warnings(q->warnings, s->name, meta);
}

void qry_host_warnings(GPtrArray *warnings, const char *name, const struct idx_meta *meta)
{
	for (guint i = 0; i < meta->warnings->len; i++)
		g_ptr_array_add(warnings,
			g_strdup_printf("%s: %s", name, (const char *)g_ptr_array_index(meta->warnings, i)));
}

static struct qry *qry_new(void)
{
	struct qry *q = g_new0(struct qry, 1);

	q->pairs_fd = -1;
	q->sources = g_ptr_array_new_with_free_func(source_free);
	q->names = g_ptr_array_new_with_free_func(g_free);
	q->warnings = g_ptr_array_new_with_free_func(g_free);
	q->overall = g_ptr_array_new_with_free_func(g_free);
	q->notes = g_ptr_array_new_with_free_func(g_free);
	return q;
}

struct qry *qry_open_taking(const GPtrArray *paths, const GPtrArray *fingerprints, GPtrArray *readers,
	GError **error)
{
	struct qry *q;

	if (paths->len == 0)
		return base_error_null(error, BASE_ERROR_DATA, "there is no trace to open");
	q = qry_new();
	for (guint i = 0; i < paths->len; i++) {
		gpointer *opened = readers ? &g_ptr_array_index(readers, i) : NULL;
		struct idx_reader *reader = opened && *opened
			? g_steal_pointer(opened)
			: idx_reader_open(g_ptr_array_index(paths, i), g_ptr_array_index(fingerprints, i),
				  error);

		if (!reader) {
			qry_free(q);
			return NULL;
		}
		add_source(q, reader);
	}
	qry_rows_load(q);
	qry_clock_show(q, true);
	qry_tracer_load(q);
	return q;
}

struct qry *qry_open(const GPtrArray *paths, const GPtrArray *fingerprints, GError **error)
{
	return qry_open_taking(paths, fingerprints, NULL, error);
}

void qry_set_trace(struct qry *q, uint32_t host, const struct trc_recording *recording)
{
	struct qry_source *s = qry_source(q, host);

	g_clear_pointer(&s->trace, qry_trace_free);
	trc_folders_recording_free(s->recording);
	s->recording = recording ? trc_folders_recording_copy(recording) : NULL;
}

struct qry *qry_open_again(const struct qry *q, GError **error)
{
	struct qry *again = qry_new();

	for (guint i = 0; i < q->sources->len; i++) {
		add_source(again, idx_reader_again(qry_source(q, i)->reader));
		qry_set_trace(again, i, qry_source(q, i)->recording);
		qry_source(again, i)->kallsyms = g_strdup(qry_source(q, i)->kallsyms);
		qry_source(again, i)->programs = qry_programs_again(qry_source(q, i)->programs);
	}
	qry_set_spans_maker(again, q->spans_maker);
	qry_set_declared(again, q->declared);
	qry_set_spins_maker(again, q->spins_maker);
	qry_set_works_maker(again, q->works_maker);
	qry_clock_share(again, q);
	for (guint i = 0; i < q->overall->len; i++)
		qry_warn(again, g_ptr_array_index(q->overall, i));
	for (guint i = 0; i < q->notes->len; i++)
		qry_note(again, g_ptr_array_index(q->notes, i));
	if (!qry_pairs_open_again(again, q, error))
		g_clear_pointer(&again, qry_free);
	return again;
}

void qry_free(struct qry *q)
{
	if (!q)
		return;
	qry_pairs_close(q);
	qry_kept_close(q);
	g_free(q->aside);
	g_clear_error(&q->failure);
	g_ptr_array_unref(q->sources);
	g_ptr_array_unref(q->names);
	g_ptr_array_unref(q->warnings);
	g_ptr_array_unref(q->overall);
	g_ptr_array_unref(q->notes);
	sync_hosts_unref(q->clocks);
	g_clear_pointer(&q->rows, g_atomic_rc_box_release);
	g_clear_pointer(&q->tracer, g_atomic_rc_box_release);
	g_free(q);
}

void qry_span(const struct qry *q, int64_t *from, int64_t *to)
{
	*from = q->from;
	*to = q->to;
}

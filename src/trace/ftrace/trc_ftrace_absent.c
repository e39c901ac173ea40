/* SPDX-License-Identifier: MIT */
/*
 * How it works: nothing is written of a CPU that tracing_cpumask leaves out (ring_buffer_record_disable_cpu()
 * in tracing_set_cpumask(), kernel/trace/trace.c), so its part of the file is empty.  That of one which idled
 * all the time, or was off-line, is empty, too; but nobody is put on it (trc_aim.h).
 */
#include "trace/ftrace/trc_ftrace_absent.h"

#include "trace/core/trc_queue.h"
#include "trace/ftrace/trc_ftrace_pages.h"
#include "trace/tracefs/trc_aim.h"

struct search {
	struct trc_ftrace_head *head; /* weak */
	GHashTable *fields;           /* owned: id of an event → field that names the CPU */
	bool *empty;                  /* owned: of each CPU, has it no events? */
	uint32_t n_cpus, n_empty;     /* all; how many are still EMPTY and not known to be absent */
};

static void find_fields(struct search *s)
{
	GHashTableIter iter;
	gpointer id, event;

	g_hash_table_iter_init(&iter, s->head->formats.events);
	while (g_hash_table_iter_next(&iter, &id, &event)) {
		const struct trc_format_field *field = trc_aim_field(event, false);

		if (field)
			g_hash_table_insert(s->fields, id, (gpointer)field);
	}
}

static void find_empty(struct search *s)
{
	const GArray *streams = s->head->streams;

	s->n_empty = s->n_cpus;
	for (uint32_t i = 0; i < s->n_cpus; i++)
		s->empty[i] = true;
	for (guint i = 0; i < streams->len; i++) {
		uint32_t cpu = g_array_index(streams, struct trc_ftrace_stream, i).cpu;

		if (cpu < s->n_cpus && s->empty[cpu]) {
			s->empty[cpu] = false;
			s->n_empty--;
		}
	}
}

static void take_record(struct search *s, const struct trc_ftrace_record *record)
{
	struct trc_bytes b = record->data;
	const struct trc_format_field *field = g_hash_table_lookup(s->fields,
		GUINT_TO_POINTER(trc_bytes_take_number(&b, 2)));
	uint32_t cpu = field ? trc_aim_cpu(field, &record->data, s->n_cpus) : s->n_cpus;

	if (cpu == s->n_cpus || !s->empty[cpu] || s->head->absent->len == TRC_FTRACE_ABSENT_MAX)
		return;
	s->empty[cpu] = false;
	s->n_empty--;
	g_array_append_val(s->head->absent, cpu);
}

static void look_through(struct search *s, const struct trc_ftrace_stream *stream)
{
	struct trc_ftrace_pages *pages = trc_ftrace_pages_new(s->head, stream);
	struct trc_ftrace_page page;
	struct trc_ftrace_record record;
	bool cut;

	while (s->n_empty > 0 && trc_ftrace_pages_next(pages, &page, &cut))
		while (trc_ftrace_page_next(&page, &record))
			take_record(s, &record);
	trc_ftrace_pages_free(pages);
}

void trc_ftrace_absent_find(struct trc_ftrace_head *h)
{
	struct search s = { .head = h,
		.fields = g_hash_table_new(NULL, NULL),
		.n_cpus = (uint32_t)MIN(h->cpus, TRC_CPUS_MAX) };

	s.empty = g_new(bool, s.n_cpus + 1);
	find_fields(&s);
	find_empty(&s);
	for (guint i = 0; i < h->streams->len && g_hash_table_size(s.fields) > 0; i++)
		look_through(&s, &g_array_index(h->streams, struct trc_ftrace_stream, i));
	g_hash_table_unref(s.fields);
	g_free(s.empty);
}

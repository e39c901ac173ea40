/* SPDX-License-Identifier: MIT */
/*
 * How it works: the kernel records nothing on a CPU that tracing_cpumask leaves out
 * (ring_buffer_record_disable_cpu() in tracing_set_cpumask(), kernel/trace/trace.c), so its part of the file
 * is empty. The part of a CPU that was always idle or off-line is empty, too. The difference: an event names
 * the left-out CPU as target of a thread (trc_format_aim()).
 */
#include "trace/ftrace/trc_ftrace.h"

#define TOLD_MAX 256    /* at most as many are reported; more would change nothing in what is known */
#define SAMPLE 16777216 /* bytes that are searched before the first event is read … */
#define PIECE 16        /* … in pieces of as many pages, spread over the file */

struct trc_ftrace_absent {
	const struct trc_ftrace_head *head; /* weak */
	GHashTable *fields;                 /* owned: id of an event → its field with the target CPU */
	bool *empty;              /* owned: true for each CPU without events that is not reported yet */
	uint32_t n_cpus, n_empty; /* number of CPUs, and of those that are EMPTY */
	GArray *cpus;             /* owned, of uint32_t: reported CPUs */
};

bool trc_ftrace_absent_take(struct trc_ftrace_absent *a, const struct trc_ftrace_record *record,
	uint32_t *cpu)
{
	struct trc_bytes b = record->data;
	const struct trc_format_field *field;

	if (a->n_empty == 0 || a->cpus->len == TOLD_MAX)
		return false;
	field = g_hash_table_lookup(a->fields, GUINT_TO_POINTER(trc_bytes_take_number(&b, 2)));
	*cpu = field ? trc_format_aimed(field, &record->data, a->n_cpus) : a->n_cpus;
	if (*cpu == a->n_cpus || !a->empty[*cpu])
		return false;
	a->empty[*cpu] = false;
	a->n_empty--;
	g_array_append_val(a->cpus, *cpu);
	return true;
}

/* Search about BYTES of STREAM. */
static void ftrace_absent_look_at(struct trc_ftrace_absent *a, const struct trc_ftrace_stream *stream,
	uint64_t bytes)
{
	struct trc_ftrace_pages *pages = trc_ftrace_pages_new(a->head, stream);
	uint64_t n = trc_ftrace_pages_count(pages);
	uint64_t step = MAX(PIECE, n / MAX(1, bytes / PIECE / stream->page_size));

	for (uint64_t at = 0; a->n_empty > 0 && at < n; at += step) {
		struct trc_ftrace_page page;
		struct trc_ftrace_record record;
		uint32_t cpu;
		bool cut;

		trc_ftrace_pages_seek(pages, at * stream->page_size);
		for (int i = 0; i < PIECE && trc_ftrace_pages_next(pages, &page, &cut); i++)
			while (trc_ftrace_page_next(&page, &record))
				trc_ftrace_absent_take(a, &record, &cpu);
	}
	trc_ftrace_pages_free(pages);
}

struct trc_ftrace_absent *trc_ftrace_absent_new(const struct trc_ftrace_head *h)
{
	struct trc_ftrace_absent *a = g_new(struct trc_ftrace_absent, 1);
	GHashTableIter iter;
	gpointer id, event;

	*a = (struct trc_ftrace_absent){ .head = h,
		.fields = g_hash_table_new(NULL, NULL),
		.n_cpus = (uint32_t)MIN(h->cpus, TRC_CPUS_MAX),
		.cpus = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
	a->empty = g_new(bool, a->n_cpus + 1);
	g_hash_table_iter_init(&iter, h->formats.events);
	while (g_hash_table_iter_next(&iter, &id, &event)) {
		const struct trc_format_field *field = trc_format_aim(event, false);

		if (field)
			g_hash_table_insert(a->fields, id, (gpointer)field);
	}
	a->n_empty = a->n_cpus;
	for (uint32_t i = 0; i < a->n_cpus; i++)
		a->empty[i] = true;
	for (guint i = 0; i < h->streams->len; i++) {
		uint32_t cpu = g_array_index(h->streams, struct trc_ftrace_stream, i).cpu;

		if (cpu < a->n_cpus && a->empty[cpu]) {
			a->empty[cpu] = false;
			a->n_empty--;
		}
	}
	for (guint i = 0; i < h->streams->len; i++)
		ftrace_absent_look_at(a, &g_array_index(h->streams, struct trc_ftrace_stream, i),
			SAMPLE / h->streams->len);
	return a;
}

void trc_ftrace_absent_free(struct trc_ftrace_absent *a)
{
	if (!a)
		return;
	g_hash_table_unref(a->fields);
	g_array_unref(a->cpus);
	g_free(a->empty);
	g_free(a);
}

const GArray *trc_ftrace_absent_cpus(const struct trc_ftrace_absent *a)
{
	return a->cpus;
}

/* SPDX-License-Identifier: MIT */
#include "analysis/ana_synth.h"

#include "index/table/writer.h"
#include "query/clock/sync.h"

#include <glib/gstdio.h>

struct ana_synth {
	int64_t end;
	GArray *rows;           /* of struct mdl_row */
	GArray *reached;        /* of int64_t: end of each row's last interval */
	GArray *contexts;       /* of struct mdl_context */
	struct mdl_wakeup next; /* only its contexts, cause and, unless 0, since */
	uint32_t n_causes, n_cpus;
	struct base_strings *strings;
	struct idx_writer *writer;
	struct qry *q;
	const char *name;   /* of the host; static */
	GPtrArray *missing; /* static texts: events that were not recorded */
	char *file;
	GPtrArray *beside; /* of struct ana_synth *, owned */
	uint32_t first_row;
};

static uint32_t add_row(struct ana_synth *s, const struct mdl_row *row)
{
	g_array_append_val(s->rows, *row);
	g_array_append_val(s->reached, row->first);
	return s->rows->len - 1;
}

struct ana_synth *ana_synth_named(const char *name, int64_t end)
{
	struct ana_synth *s = g_new0(struct ana_synth, 1);
	struct mdl_row cpu = { .type = MDL_ROW_CPU,
		.cpu = MDL_NONE,
		.pid = -1,
		.ppid = -1,
		.parent = MDL_NONE,
		.last = end };
	GError *error = NULL;

	s->end = end;
	s->n_cpus = 1;
	s->rows = g_array_new(FALSE, FALSE, sizeof(struct mdl_row));
	s->reached = g_array_new(FALSE, FALSE, sizeof(int64_t));
	s->contexts = g_array_new(FALSE, FALSE, sizeof(struct mdl_context));
	s->strings = base_strings_new();
	s->name = name;
	s->missing = g_ptr_array_new();
	s->beside = g_ptr_array_new_with_free_func((GDestroyNotify)ana_synth_free);
	s->file = g_strdup_printf("%s/%s.index", g_get_tmp_dir(), name);
	s->writer = idx_writer_new(s->file, &error);
	g_assert_no_error(error);
	ana_synth_state(s, add_row(s, &cpu), end, MDL_ST_IDLE);
	return s;
}

struct ana_synth *ana_synth_new(int64_t end)
{
	return ana_synth_named("host", end);
}

struct ana_synth *ana_synth_beside(struct ana_synth *first, const char *name)
{
	struct ana_synth *s = ana_synth_named(name, first->end);

	g_ptr_array_add(first->beside, s);
	return s;
}

void ana_synth_free(struct ana_synth *s)
{
	g_clear_pointer(&s->q, qry_free);
	g_ptr_array_unref(s->beside);
	g_ptr_array_unref(s->missing);
	idx_writer_free(s->writer);
	base_strings_free(s->strings);
	g_array_unref(s->rows);
	g_array_unref(s->reached);
	g_array_unref(s->contexts);
	g_remove(s->file);
	g_free(s->file);
	g_free(s);
}

uint32_t ana_synth_thread(struct ana_synth *s, int64_t tid, int64_t first, uint32_t parent)
{
	char *name = g_strdup_printf("t%d", (int)tid);
	struct mdl_row row = { .type = MDL_ROW_THREAD,
		.nr = tid,
		.cpu = tid == 0 ? 0 : MDL_NONE,
		.pid = tid,
		.ppid = -1,
		.parent = parent,
		.name = base_strings_add(s->strings, name),
		.first = first,
		.last = s->end,
		.born = parent != MDL_NONE };

	g_free(name);
	return add_row(s, &row);
}

void ana_synth_rename(struct ana_synth *s, uint32_t row, const char *name)
{
	g_array_index(s->rows, struct mdl_row, row).name = base_strings_add(s->strings, name);
}

void ana_synth_on_cpu(struct ana_synth *s, uint32_t cpu, int64_t to, enum mdl_state state, uint32_t thread,
	uint32_t context)
{
	int64_t *reached = &g_array_index(s->reached, int64_t, cpu);
	struct mdl_interval iv = { .from = *reached,
		.to = to,
		.state = (uint8_t)state,
		.aux = thread,
		.detail = state == MDL_ST_INTERRUPTED ? context : 0 };

	idx_writer_interval(s->writer, cpu, &iv);
	*reached = to;
}

void ana_synth_state(struct ana_synth *s, uint32_t row, int64_t to, enum mdl_state state)
{
	ana_synth_on_cpu(s, row, to, state, MDL_NONE, 0);
}

void ana_synth_priority(struct ana_synth *s, uint32_t row, int64_t time, int16_t priority)
{
	idx_writer_priority(s->writer, row, time, priority);
}

uint32_t ana_synth_cpu(struct ana_synth *s)
{
	struct mdl_row cpu = { .type = MDL_ROW_CPU,
		.nr = s->n_cpus++,
		.cpu = MDL_NONE,
		.pid = -1,
		.ppid = -1,
		.parent = MDL_NONE,
		.last = s->end };

	return add_row(s, &cpu);
}

uint32_t ana_synth_context_id(struct ana_synth *s, enum mdl_ctx_type type, int64_t nr, const char *name)
{
	struct mdl_context ctx = { .type = (uint8_t)type,
		.nr = nr,
		.name = base_strings_add(s->strings, name) };

	g_array_append_val(s->contexts, ctx);
	return s->contexts->len - 1;
}

void ana_synth_context(struct ana_synth *s, enum mdl_ctx_type type, int64_t nr, const char *name)
{
	s->next.contexts[s->next.n_contexts++].context = ana_synth_context_id(s, type, nr, name);
}

struct mdl_act ana_synth_act(uint32_t thread, int64_t time)
{
	return (struct mdl_act){ .time = time,
		.entry = MDL_NEVER,
		.cpu = 0,
		.context = MDL_NONE,
		.thread = thread };
}

void ana_synth_transfer(struct ana_synth *s, const struct mdl_transfer *transfer)
{
	idx_writer_transfer(s->writer, transfer);
}

void ana_synth_cause(struct ana_synth *s, const struct mdl_cause *cause)
{
	idx_writer_cause(s->writer, cause);
	s->next.cause = ++s->n_causes;
}

void ana_synth_since(struct ana_synth *s, int64_t since)
{
	s->next.since = since;
}

void ana_synth_ran(struct ana_synth *s, int64_t at)
{
	s->next.ran_at = at;
}

void ana_synth_wakeup(struct ana_synth *s, uint32_t row, int64_t time, uint32_t waker, enum mdl_via via)
{
	struct mdl_wakeup w = s->next;

	w.time = w.event_time = time;
	w.since = s->next.since != 0 ? s->next.since : MDL_NEVER;
	w.ran_at = s->next.ran_at != 0 ? s->next.ran_at : MDL_NEVER;
	w.waker = waker;
	w.cpu = w.target_cpu = 0;
	w.via = (uint8_t)via;
	for (unsigned i = 0; i < w.n_contexts; i++)
		w.contexts[i].entry = time;
	idx_writer_wakeup(s->writer, row, &w);
	s->next = (struct mdl_wakeup){ 0 };
}

void ana_synth_missing(struct ana_synth *s, const char *event)
{
	g_ptr_array_add(s->missing, (char *)event);
}

/* Removes the group NAME from RECORDED, and adds the doubts that its events would settle to HIDES. */
static void lack(const char *name, uint64_t *recorded, mdl_doubts *hides)
{
	for (enum mdl_group g = 0; g < MDL_GROUPS_N; g++)
		if (!g_strcmp0(mdl_group_name(g), name))
			*recorded &= ~((uint64_t)1 << g);
	for (unsigned i = 0; i < MDL_DOUBTS_N; i++) {
		enum mdl_group settles = mdl_doubt_texts[i].group;
		bool vector = settles < MDL_GROUPS_N && mdl_group_is_vector(settles);

		if (settles != MDL_GROUP_NONE &&
			!g_strcmp0(mdl_group_name(vector ? MDL_GROUP_VECTOR : settles), name))
			*hides |= (mdl_doubts)1 << i;
	}
}

static struct idx_meta *make_meta(const struct ana_synth *s)
{
	struct idx_meta *meta = idx_meta_new();
	struct mdl_hides hides = { INT64_MIN, 0 };

	meta->fingerprint = g_strdup("");
	meta->path = g_strdup("synthetic");
	meta->host = g_strdup(s->name);
	meta->uuid = g_strdup("");
	meta->clock_uuid = g_strdup("");
	meta->domain = g_strdup("kernel");
	meta->tracer = g_strdup("");
	meta->release = g_strdup("");
	meta->format = g_strdup("");
	meta->reader = g_strdup("");
	meta->to = s->end;
	meta->n_cpus = s->n_cpus;
	meta->recorded = UINT64_MAX;
	for (guint i = 0; i < s->missing->len; i++) {
		g_ptr_array_add(meta->missing_events, g_strdup(s->missing->pdata[i]));
		lack(s->missing->pdata[i], &meta->recorded, &hides.doubts);
	}
	g_array_append_val(meta->hides, hides);
	return meta;
}

static void write_host(struct ana_synth *s)
{
	struct idx_meta *meta = make_meta(s);
	struct idx_tables tables = { .meta = meta,
		.contexts = (struct mdl_context *)(void *)s->contexts->data,
		.n_contexts = s->contexts->len,
		.strings = s->strings };
	GError *error = NULL;

	for (guint i = 0; i < s->rows->len; i++) /* rows end where the trace does */
		if (g_array_index(s->reached, int64_t, i) < s->end)
			ana_synth_state(s, i, s->end, MDL_ST_UNKNOWN);
	for (guint i = 0; i < s->rows->len; i++)
		idx_writer_over(s->writer, i, &g_array_index(s->rows, struct mdl_row, i));
	idx_writer_finish(s->writer, &tables, &error);
	g_assert_no_error(error);
	idx_meta_free(meta);
}

struct qry *ana_synth_open(struct ana_synth *s)
{
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	GError *error = NULL;

	for (guint i = 0; i <= s->beside->len; i++) {
		struct ana_synth *host = i == 0 ? s : s->beside->pdata[i - 1];

		write_host(host);
		g_ptr_array_add(paths, host->file);
		g_ptr_array_add(fingerprints, NULL);
	}
	s->q = qry_open(paths, fingerprints, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < s->beside->len; i++)
		((struct ana_synth *)s->beside->pdata[i])->first_row = qry_host(s->q, i + 1)->first_row;
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
	if (s->beside->len > 0)
		sync_hosts_unref(qry_sync_open(s->q, true, NULL, &error));
	g_assert_no_error(error);
	return s->q;
}

uint32_t ana_synth_row(const struct ana_synth *s, uint32_t row)
{
	return s->first_row + row;
}

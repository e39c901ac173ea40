/* SPDX-License-Identifier: MIT */
/*
 * How it works: a session of LTTng with both domains writes one trace of the kernel, and one for each user
 * (or process) in folders of their own. They differ in metadata and streams and share one clock. This source
 * has a source of CTF for each such folder. The names of its streams begin with the path of the folder,
 * relative to the trace of the kernel.
 *
 * Each tracer compares the monotonic clock with the time of day when it begins, some microseconds apart. All
 * times are by the kernel's comparison (trc_metadata_set_clock()).
 *
 * These events do not show the kernel's state, so they have no CPU for the model. Their packets keep the
 * CPU, which shows the thread of each event.
 */
#include "trace/ctf/trc_ctf.h"

#include "base/base_error.h"

#include <string.h>

/* Return the path of FOLDER relative to ROOT; the caller frees it. */
static char *seen_from(const char *root, const char *folder)
{
	g_autofree char *both = trc_folders_root(
		(char *[]){ (char *)(uintptr_t)root, (char *)(uintptr_t)folder, NULL });
	size_t length = strlen(both);

	return g_strdup(folder + length + (folder[length] == '/'));
}

/* Return the name of the stream NAME within FOLDER; NULL if it is not in FOLDER. */
static const char *within(const char *folder, const char *name)
{
	size_t length = strlen(folder);

	return strncmp(name, folder, length) == 0 && name[length] == '/' ? name + length + 1 : NULL;
}

/* ---- all events ---- */

struct one {
	struct trc_ctf_trace trace; /* its survey is owned */
	struct trc_info *info;      /* owned; its warnings go to the whole trace */
	void *source;               /* owned, of trc_ctf_ops */
};

struct user {
	GPtrArray *all;  /* of struct one *, owned */
	GHashTable *ofs; /* struct trc_queue * → struct one *, both weak */
};

static void one_free(void *data)
{
	struct one *o = data;

	if (o->source)
		trc_ctf_ops.free(o->source);
	trc_survey_free(o->trace.survey);
	trc_info_free(o->info);
	g_free(o);
}

static void user_free(void *source)
{
	struct user *u = source;

	g_ptr_array_unref(u->all);
	g_hash_table_unref(u->ofs);
	g_free(u);
}

static void user_fill(void *source, struct trc_queue *q)
{
	const struct one *o = g_hash_table_lookup(((struct user *)source)->ofs, q);

	trc_ctf_ops.fill(o->source, q);
	/* A read error ends this stream alone. */
	if (!o->info->problem)
		return;
	trc_info_warn(o->info, "%s", o->info->problem->message);
	g_clear_error(&o->info->problem);
}

/* Open the trace in FOLDER. False with a warning if it cannot be read. */
static bool add_one(struct user *u, const struct trc_survey *kernel, const struct trc_clock *clock,
	const char *folder, struct trc_info *info, GPtrArray *queues)
{
	struct one *o = g_new0(struct one, 1);
	g_autofree char *seen = seen_from(kernel->directory, folder);
	g_autoptr(GPtrArray) streams = g_ptr_array_new();
	g_autoptr(GError) problem = NULL;
	guint first = queues->len;

	o->info = trc_info_new(folder);
	g_ptr_array_unref(o->info->warnings);
	o->info->warnings = g_ptr_array_ref(info->warnings);
	o->trace.survey = trc_survey_new((char *[]){ (char *)(uintptr_t)folder, NULL }, clock, o->info,
		&problem);
	for (guint i = 0; o->trace.survey && i < o->trace.survey->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(o->trace.survey->streams, i);

		if (f->state != TRC_FILE_UNUSABLE)
			g_ptr_array_add(streams, f);
	}
	if (o->trace.survey)
		o->source = trc_ctf_ops.open(&o->trace, streams, NULL, o->info, queues, &problem);
	if (!o->source) {
		g_ptr_array_set_size(queues, (gint)first);
		trc_info_warn(info, "%s: left out: %s", seen, problem->message);
		one_free(o);
		return false;
	}
	for (guint i = first; i < queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(queues, i);
		char *name = g_strconcat(seen, "/", q->name, NULL);

		g_free(q->name);
		q->name = name;
		q->beside = true;
		g_hash_table_insert(u->ofs, q, o);
	}
	info->size += o->info->size;
	g_ptr_array_add(u->all, o);
	return true;
}

static void *user_open(void *trace, G_GNUC_UNUSED const GPtrArray *streams, G_GNUC_UNUSED GPtrArray *rest,
	struct trc_info *info, GPtrArray *queues, G_GNUC_UNUSED GError **error)
{
	const struct trc_survey *kernel = ((const struct trc_ctf_trace *)trace)->survey;
	struct user *u = g_new0(struct user, 1);
	struct trc_clock clock;
	bool known = kernel->metadata_of && trc_metadata_clock(kernel->metadata, kernel->metadata_of, &clock);

	u->all = g_ptr_array_new_with_free_func(one_free);
	u->ofs = g_hash_table_new(NULL, NULL);
	for (char *const *folder = info->beside; *folder; folder++)
		add_one(u, kernel, known ? &clock : NULL, *folder, info, queues);
	return u;
}

/* ---- single packets ---- */

struct user_pages {
	GPtrArray *seen, *traces; /* owned: of char *; of traces of trc_ctf_paging, NULL: not readable */
};

struct user_page {
	void *trace; /* weak */
	void *page;  /* owned */
};

static void pages_free(void *trace)
{
	struct user_pages *p = trace;

	for (guint i = 0; i < p->traces->len; i++)
		if (p->traces->pdata[i])
			trc_ctf_paging.free(p->traces->pdata[i]);
	g_ptr_array_unref(p->traces);
	g_ptr_array_unref(p->seen);
	g_free(p);
}

/* FOLDERS: those of the trace of the kernel, an empty text, then those beside it. */
static void *pages_open(char *const *folders, G_GNUC_UNUSED bool all, G_GNUC_UNUSED GError **error)
{
	struct user_pages *p = g_new0(struct user_pages, 1);
	struct trc_metadata *metadata = trc_metadata_new();
	g_autoptr(GPtrArray) kernel = g_ptr_array_new();
	g_autofree char *root = NULL;
	const struct trc_meta *meta;
	const GError *problem;
	struct trc_clock clock;
	const char *of;
	bool known;

	p->seen = g_ptr_array_new_with_free_func(g_free);
	p->traces = g_ptr_array_new();
	for (; **folders; folders++)
		g_ptr_array_add(kernel, *folders);
	g_ptr_array_add(kernel, NULL);
	root = trc_folders_root((char *const *)kernel->pdata);
	known = trc_metadata_choose(metadata, (char *const *)kernel->pdata, &meta, &of, &problem, NULL) &&
		meta && trc_metadata_clock(metadata, of, &clock);
	for (folders++; *folders; folders++) {
		g_ptr_array_add(p->seen, seen_from(root, *folders));
		g_ptr_array_add(p->traces,
			trc_ctf_pages_open((char *[]){ *folders, NULL }, known ? &clock : NULL, NULL));
	}
	trc_metadata_free(metadata);
	return p;
}

static void *page_new(const struct user_pages *p, struct trc_paging_packet *packet, bool forwards,
	GError **error)
{
	const char *name = packet->stream;
	struct user_page *page;
	guint i = 0;

	while (i < p->seen->len && !(packet->stream = within(p->seen->pdata[i], name)))
		i++;
	if (i == p->seen->len || !p->traces->pdata[i]) {
		packet->stream = name;
		return base_error_null(error, BASE_ERROR_DATA, "%s: no such stream", name);
	}
	page = g_new(struct user_page, 1);
	page->trace = p->traces->pdata[i];
	page->page = forwards ? trc_ctf_paging.begin(page->trace, packet, error)
			      : trc_ctf_paging.read(page->trace, packet, error);
	packet->stream = name;
	if (!page->page)
		g_clear_pointer(&page, g_free);
	return page;
}

static void *user_read(void *trace, struct trc_paging_packet *packet, GError **error)
{
	return page_new(trace, packet, false, error);
}

static void *user_begin(void *trace, const struct trc_paging_packet *packet, GError **error)
{
	struct trc_paging_packet copy = *packet;

	return page_new(trace, &copy, true, error);
}

static void user_page_free(void *page)
{
	trc_ctf_paging.free_page(((struct user_page *)page)->page);
	g_free(page);
}

static bool user_event(G_GNUC_UNUSED void *trace, void *page, uint64_t i, struct trc_paging_event *event,
	GError **error)
{
	struct user_page *p = page;

	return trc_ctf_paging.event(p->trace, p->page, i, event, error);
}

static bool user_find(G_GNUC_UNUSED void *trace, void *page, int64_t time, uint64_t *found, GError **error)
{
	struct user_page *p = page;

	return trc_ctf_paging.find(p->trace, p->page, time, found, error);
}

static bool user_fields(G_GNUC_UNUSED void *trace, void *page, uint64_t i, GString *to,
	const struct trc_taker *taker, GError **error)
{
	struct user_page *p = page;

	return trc_ctf_paging.fields(p->trace, p->page, i, to, taker, error);
}

static bool user_next(G_GNUC_UNUSED void *trace, void *page, const struct trc_paging_event **events,
	unsigned *n, GError **error)
{
	struct user_page *p = page;

	return trc_ctf_paging.next(p->trace, p->page, events, n, error);
}

static void *user_picker(G_GNUC_UNUSED void *trace, const char *const *names, unsigned n)
{
	return trc_ctf_paging.picker_new(NULL, names, n);
}

static void user_picker_free(void *picker)
{
	trc_ctf_paging.picker_free(picker);
}

static bool user_pick(G_GNUC_UNUSED void *trace, void *page, uint64_t i, void *picker,
	struct trc_value *values)
{
	struct user_page *p = page;

	return trc_ctf_paging.pick(p->trace, p->page, i, picker, values);
}

static void user_types(const void *trace, trc_paging_typed *typed, void *data)
{
	const struct user_pages *p = trace;

	for (guint i = 0; i < p->traces->len; i++)
		if (p->traces->pdata[i])
			trc_ctf_paging.types(p->traces->pdata[i], typed, data);
}

static bool user_declares(const void *trace, const char *name)
{
	const struct user_pages *p = trace;

	for (guint i = 0; i < p->traces->len; i++)
		if (p->traces->pdata[i] && trc_ctf_paging.declares(p->traces->pdata[i], name))
			return true;
	return false;
}

static const struct trc_paging_ops paging = {
	.open = pages_open,
	.free = pages_free,
	.read = user_read,
	.free_page = user_page_free,
	.event = user_event,
	.find = user_find,
	.fields = user_fields,
	.begin = user_begin,
	.next = user_next,
	.picker_new = user_picker,
	.picker_free = user_picker_free,
	.pick = user_pick,
	.types = user_types,
	.declares = user_declares,
};

const struct trc_source_ops trc_ctf_user_ops = {
	.name = "ctf-user",
	.open = user_open,
	.fill = user_fill,
	.free = user_free,
	.paging = &paging,
};

/* SPDX-License-Identifier: MIT */
#include "trace/trc_reader.h"

#include "base/base_error.h"
#include "trace/trc_info.h"
#include "trace/trc_merge.h"
#include "trace/trc_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All kinds of reader there are; the first that understands a trace reads it. */
static const struct trc_source_ops *const kinds[] = { &trc_ctf_ops, &trc_bt2_ops };

struct trc_reader {
	const struct trc_source_ops *ops;
	void *source;			/* owned, by ops->free */
	struct trc_info *info;		/* owned */
	GPtrArray *queues;		/* owned, of owned struct trc_queue * */
	struct trc_merge *merge;	/* owned */
	bool ended;
};

static void fill(void *data, struct trc_queue *queue)
{
	struct trc_reader *r = data;

	r->ops->fill(r->source, queue);
}

static void queue_free(gpointer queue)
{
	trc_queue_free(queue);
}

static int compare_queues(gconstpointer a, gconstpointer b)
{
	const struct trc_queue *const *qa = a, *const *qb = b;

	return g_strcmp0((*qa)->name, (*qb)->name);
}

/* Number the streams by name, so that events of one time come in the same order from every reader. */
static void sort_queues(GPtrArray *queues)
{
	unsigned i;

	g_ptr_array_sort(queues, compare_queues);
	for (i = 0; i < queues->len; i++)
		((struct trc_queue *)g_ptr_array_index(queues, i))->index = i;
}

/* Open DIRECTORY, which is canonical, with the reader OPS. */
static struct trc_reader *open_with(const struct trc_source_ops *ops, const char *directory, GError **error)
{
	struct trc_reader *r = g_new0(struct trc_reader, 1);

	r->ops = ops;
	r->info = trc_info_new(directory);
	r->info->reader = ops->name;
	r->queues = g_ptr_array_new_with_free_func(queue_free);
	r->source = ops->open(directory, r->info, r->queues, error);
	if (!r->source) {
		trc_reader_free(r);
		return NULL;
	}
	sort_queues(r->queues);
	r->merge = trc_merge_new(r->queues, r->info, fill, r);
	return r;
}

/* Try all kinds in their order; the error is that of the last, unless the first could not read a file at all. */
static struct trc_reader *open_any(const char *directory, GError **error)
{
	GError *local = NULL;
	struct trc_reader *r = NULL;
	size_t i;

	for (i = 0; !r && i < G_N_ELEMENTS(kinds); i++) {
		if (g_error_matches(local, BASE_ERROR, BASE_ERROR_IO))
			break;
		g_clear_error(&local);
		r = open_with(kinds[i], directory, &local);
	}
	if (local)
		g_propagate_error(error, local);
	return r;
}

static const struct trc_source_ops *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	return NULL;
}

struct trc_reader *trc_reader_open(const char *directory, const char *reader, GError **error)
{
	const struct trc_source_ops *kind = reader ? find_kind(reader) : NULL;
	char *canonical = realpath(directory, NULL);
	struct trc_reader *r = NULL;

	if (!canonical)
		base_error_set_errno(error, errno, "cannot open the trace", directory);
	else if (reader && !kind)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "there is no reader \"%s\": use ctf or babeltrace2",
			    reader);
	else
		r = kind ? open_with(kind, canonical, error) : open_any(canonical, error);
	free(canonical);
	return r;
}

void trc_reader_free(struct trc_reader *r)
{
	if (!r)
		return;
	trc_merge_free(r->merge);
	if (r->source)
		r->ops->free(r->source);
	g_ptr_array_unref(r->queues);
	trc_info_free(r->info);
	g_free(r);
}

const struct trc_info *trc_reader_info(const struct trc_reader *r)
{
	return r->info;
}

int trc_reader_read(struct trc_reader *r, struct mdl_event *events, int max, GError **error)
{
	int n = trc_merge_read(r->merge, events, max);

	(void)error;	/* damage ends a stream with a warning; no reader fails as a whole once it is open */
	if (!n && max > 0 && !r->ended) {
		r->ended = true;
		trc_info_summarise(r->info);
	}
	return n;
}

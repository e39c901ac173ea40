/* SPDX-License-Identifier: MIT */
#include "trace/trc_reader.h"

#include "base/base_error.h"
#include "trace/trc_info.h"
#include "trace/trc_merge.h"
#include "trace/trc_source.h"

#include <errno.h>
#include <stdlib.h>

/* All kinds of reader there are. */
static const struct trc_source_ops *const kinds[] = { &trc_bt2_ops };

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

struct trc_reader *trc_reader_open(const char *directory, GError **error)
{
	char *canonical = realpath(directory, NULL);
	struct trc_reader *r;

	if (!canonical) {
		base_error_set_errno(error, errno, "cannot open the trace", directory);
		return NULL;
	}
	r = g_new0(struct trc_reader, 1);
	r->ops = kinds[0];
	r->info = trc_info_new(canonical);
	r->info->reader = r->ops->name;
	r->queues = g_ptr_array_new_with_free_func(queue_free);
	r->source = r->ops->open(canonical, r->info, r->queues, error);
	free(canonical);
	if (!r->source) {
		trc_reader_free(r);
		return NULL;
	}
	sort_queues(r->queues);
	r->merge = trc_merge_new(r->queues, r->info, fill, r);
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

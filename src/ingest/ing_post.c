/* SPDX-License-Identifier: MIT */
/* How it works: records follow each other in blocks, which circulate between two queues, full and free. */
#include "ingest/ing_post.h"

#include "base/base_memory.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 32
#define ROOM (1 << 16) /* bytes of a block */
#define ALIGNED(size) (((size) + 7) / 8 * 8)

struct head {
	uint32_t what, row;
};

struct block {
	size_t used; /* 0: no more blocks follow */
	uint64_t bytes[ROOM / sizeof(uint64_t)];
};

struct ing_post {
	struct ing_post_files *files; /* weak */
	GThread *thread;
	GAsyncQueue *full, *free; /* of struct block *, weak */
	struct block *blocks;     /* owned: BLOCKS of them */
	struct block *now;        /* weak: is filled */
	GError *error;            /* atomic; weak */
};

static const size_t sizes[ING_POST_WHATS] = { [ING_POST_INTERVAL] = sizeof(struct mdl_interval),
	[ING_POST_WAKEUP] = sizeof(struct mdl_wakeup),
	[ING_POST_CAUSE] = sizeof(struct mdl_cause),
	[ING_POST_TRANSFER] = sizeof(struct mdl_transfer),
	[ING_POST_NAME] = sizeof(struct ing_post_at),
	[ING_POST_PRIORITY] = sizeof(struct ing_post_at),
	[ING_POST_IPI_WAIT] = sizeof(struct mdl_ipi_wait),
	[ING_POST_COUNTED] = sizeof(struct mdl_counted),
	[ING_POST_OVER] = sizeof(struct mdl_row),
	[ING_POST_SPAN] = sizeof(struct mdl_span),
	[ING_POST_TIME] = sizeof(struct ing_post_at),
	[ING_POST_PACKET] = sizeof(struct idx_packet) };

/* ROW is over. The hash of all such rows identifies the index that spans belong to. */
static void write_over(struct ing_post_files *f, uint32_t row, const struct mdl_row *facts)
{
	idx_writer_over(f->index, row, facts);
	if (!f->spans)
		return;
	f->rows++;
	f->hash += idx_spans_hash(row, facts);
}

void ing_post_write(struct ing_post_files *files, enum ing_post_what what, uint32_t row, const void *record)
{
	const struct ing_post_at *at = record;
	struct idx_writer *w = files->index;

	switch (what) {
	case ING_POST_INTERVAL: idx_writer_interval(w, row, record); return;
	case ING_POST_WAKEUP: idx_writer_wakeup(w, row, record); return;
	case ING_POST_CAUSE: idx_writer_cause(w, record); return;
	case ING_POST_TRANSFER: idx_writer_transfer(w, record); return;
	case ING_POST_NAME: idx_writer_name(w, row, at->time, at->name); return;
	case ING_POST_PRIORITY: idx_writer_priority(w, row, at->time, at->priority); return;
	case ING_POST_IPI_WAIT: idx_writer_ipi_wait(w, record); return;
	case ING_POST_COUNTED: idx_writer_counted(w, row, record); return;
	case ING_POST_OVER: write_over(files, row, record); return;
	case ING_POST_SPAN:
		if (files->spans)
			idx_spans_writer_add(files->spans, 0, record, false, MDL_SPAN_NO_CLASS);
		return;
	case ING_POST_TIME: idx_writer_event_time(w, at->time); return;
	case ING_POST_PACKET: idx_writer_packet(w, row, record); return;
	case ING_POST_WHATS: break;
	}
	g_assert_not_reached();
}

static gpointer post_run(gpointer data)
{
	struct ing_post *p = data;
	struct block *b;

	while ((b = g_async_queue_pop(p->full))->used > 0) {
		const char *at = (const char *)b->bytes, *end = at + b->used;

		while (at < end) {
			const struct head *head = (const void *)at;

			ing_post_write(p->files, head->what, head->row, head + 1);
			at += sizeof *head + ALIGNED(sizes[head->what]);
		}
		g_atomic_pointer_set(&p->error, (GError *)(uintptr_t)idx_writer_error(p->files->index));
		g_async_queue_push(p->free, b);
	}
	return NULL;
}

static void next_block(struct ing_post *p)
{
	p->now = g_async_queue_pop(p->free);
	p->now->used = 0;
}

struct ing_post *ing_post_new(struct ing_post_files *files)
{
	struct ing_post *p = g_new0(struct ing_post, 1);

	p->files = files;
	p->full = g_async_queue_new();
	p->free = g_async_queue_new();
	p->blocks = base_pages_new(BLOCKS * sizeof *p->blocks);
	for (unsigned i = 0; i < BLOCKS; i++)
		g_async_queue_push(p->free, &p->blocks[i]);
	next_block(p);
	p->thread = base_memory_thread("wakepath-write", post_run, p);
	return p;
}

void ing_post_put(struct ing_post *p, enum ing_post_what what, uint32_t row, const void *record)
{
	size_t size = sizeof(struct head) + ALIGNED(sizes[what]);
	struct head *head;

	if (size > ROOM - p->now->used) {
		g_async_queue_push(p->full, p->now);
		next_block(p);
	}
	head = (void *)((char *)p->now->bytes + p->now->used);
	*head = (struct head){ what, row };
	memcpy(head + 1, record, sizes[what]);
	p->now->used += size;
}

const GError *ing_post_error(struct ing_post *p)
{
	return g_atomic_pointer_get(&p->error);
}

void ing_post_free(struct ing_post *p)
{
	if (!p)
		return;
	if (p->now->used > 0) {
		g_async_queue_push(p->full, p->now);
		next_block(p);
	}
	g_async_queue_push(p->full, p->now);
	g_thread_join(p->thread);
	g_async_queue_unref(p->full);
	g_async_queue_unref(p->free);
	free(p->blocks);
	g_free(p);
}

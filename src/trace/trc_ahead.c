/* SPDX-License-Identifier: MIT */
/*
 * How it works: a few batches circulate between two queues, full and free. Texts and packets of events belong
 * to the reader and do not survive its next call, so the thread copies them into the batch.
 *
 * Free batches return several at a time: if the thread waits for one, waking it costs as much as a hundred
 * events. There are as many batches as are read in some slices of the scheduler (3 ms each,
 * kernel/sched/fair.c). So neither thread waits for the other while another program has its processor.
 */
#include "trace/trc_reader.h"

#include "base/base_memory.h"

#include <stdlib.h>
#include <string.h>

#define BATCHES 48
#define BACK_AT_ONCE 8 /* batches */
#define BATCH_EVENTS 2048
#define BATCH_TEXT (BATCH_EVENTS * 32) /* bytes; more is allocated singly */

struct room {
	struct mdl_event events[BATCH_EVENTS];
	char text[BATCH_TEXT];
};

struct batch {
	struct room *room;              /* weak */
	GPtrArray *long_texts;          /* owned strings that did not fit */
	struct mdl_packet *net_packets; /* owned: of the event at the same index; NULL: none had one */
	struct mdl_counts *counts;      /* owned: of the event at the same index; NULL: none had one */
	GArray *packets;                /* of struct trc_packet_seen, owned */
	int n;                          /* return value of trc_ahead_read() */
	GError *error;                  /* set if N is -1 */
};

struct trc_ahead {
	struct trc_reader *reader; /* weak */
	GThread *thread;
	GAsyncQueue *full, *free; /* of struct batch *, weak */
	struct room *rooms;       /* owned: BATCHES of them */
	struct batch batches[BATCHES];
	struct batch *current;            /* weak: with the caller; NULL: none */
	struct batch *back[BACK_AT_ONCE]; /* weak: batches that the caller has finished */
	unsigned n_back;
	gint stop;
};

/* Return a copy of TEXT, which is padded. */
static const char *copy_text(struct batch *b, size_t *used, const char *text)
{
	size_t size = text[MDL_COMM - 1] == '\0' ? MDL_COMM : strlen(text) + 1;
	char *copy = b->room->text + *used;

	if (size > BATCH_TEXT - *used) {
		copy = g_malloc(size);
		g_ptr_array_add(b->long_texts, copy);
	} else {
		*used += size;
	}
	if (size == MDL_COMM)
		memcpy(copy, text, MDL_COMM); /* inline, because nearly all have this size */
	else
		memcpy(copy, text, size);
	return copy;
}

static const struct mdl_packet *copy_packet(struct batch *b, int i)
{
	if (!b->net_packets)
		b->net_packets = g_new(struct mdl_packet, BATCH_EVENTS);
	b->net_packets[i] = *b->room->events[i].packet;
	return &b->net_packets[i];
}

static const struct mdl_counts *copy_counts(struct batch *b, int i)
{
	if (!b->counts)
		b->counts = g_new(struct mdl_counts, BATCH_EVENTS);
	b->counts[i] = *b->room->events[i].counts;
	return &b->counts[i];
}

static void ahead_keep(struct batch *b)
{
	size_t used = 0;

	for (int i = 0; i < b->n; i++) {
		for (unsigned t = 0; t < MDL_TEXTS; t++)
			if (b->room->events[i].text[t])
				b->room->events[i].text[t] = copy_text(b, &used, b->room->events[i].text[t]);
		if (b->room->events[i].packet)
			b->room->events[i].packet = copy_packet(b, i);
		if (b->room->events[i].counts)
			b->room->events[i].counts = copy_counts(b, i);
	}
}

static gpointer ahead_run(gpointer data)
{
	struct trc_ahead *a = data;
	struct batch *b;

	do {
		b = g_async_queue_pop(a->free);
		if (g_atomic_int_get(&a->stop))
			break;
		g_ptr_array_set_size(b->long_texts, 0);
		b->n = trc_reader_read(a->reader, b->room->events, BATCH_EVENTS, &b->error);
		ahead_keep(b);
		g_array_set_size(b->packets, 0);
		trc_reader_take_packets(a->reader, b->packets);
		g_async_queue_push(a->full, b);
	} while (b->n > 0);
	return NULL;
}

struct trc_ahead *trc_ahead_new(struct trc_reader *reader)
{
	struct trc_ahead *a = g_new0(struct trc_ahead, 1);

	a->reader = reader;
	a->full = g_async_queue_new();
	a->free = g_async_queue_new();
	a->rooms = base_pages_new(BATCHES * sizeof(struct room));
	for (unsigned i = 0; i < BATCHES; i++) {
		struct batch *b = &a->batches[i];

		b->room = &a->rooms[i];
		b->long_texts = g_ptr_array_new_with_free_func(g_free);
		b->packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));
		g_async_queue_push(a->free, b);
	}
	a->thread = base_memory_thread("wakepath-read", ahead_run, a);
	return a;
}

int trc_ahead_read(struct trc_ahead *a, const struct mdl_event **events, GError **error)
{
	if (a->current && a->current->n <= 0)
		return a->current->n;
	if (a->current)
		a->back[a->n_back++] = a->current;
	if (a->n_back == BACK_AT_ONCE)
		while (a->n_back > 0)
			g_async_queue_push(a->free, a->back[--a->n_back]);
	a->current = g_async_queue_pop(a->full);
	*events = a->current->room->events;
	if (a->current->n < 0)
		g_propagate_error(error, g_error_copy(a->current->error));
	return a->current->n;
}

unsigned trc_ahead_packets(const struct trc_ahead *a, const struct trc_packet_seen **packets)
{
	*packets = (const struct trc_packet_seen *)(const void *)a->current->packets->data;
	return a->current->packets->len;
}

void trc_ahead_free(struct trc_ahead *a)
{
	if (!a)
		return;
	g_atomic_int_set(&a->stop, 1);
	/* The thread may wait for a free batch. Any will do, because it checks STOP first. */
	g_async_queue_push(a->free, &a->batches[0]);
	g_thread_join(a->thread);
	g_async_queue_unref(a->full);
	g_async_queue_unref(a->free);
	for (unsigned i = 0; i < BATCHES; i++) {
		g_ptr_array_unref(a->batches[i].long_texts);
		g_array_unref(a->batches[i].packets);
		g_clear_error(&a->batches[i].error);
		g_free(a->batches[i].net_packets);
		g_free(a->batches[i].counts);
	}
	free(a->rooms);
	g_free(a);
}

/* SPDX-License-Identifier: MIT */
/* How it works: few items are in flight at a time, so a sorted array is small and fast. */
#include "model/block/inflight.h"

#include "model/block/queue.h"

#include "base/base_search.h"

/* The most items before a sector among which one that covers the sector is sought. */
#define LOOK_BACK 64

static int inflight_compare(const struct mdl_item *item, uint32_t dev, uint64_t sector)
{
	if (item->dev != dev)
		return item->dev < dev ? -1 : 1;
	return item->start < sector ? -1 : item->start > sector;
}

struct sought {
	const struct mdl_inflight *list;
	uint32_t dev;
	uint64_t sector;
};

static bool inflight_is_before(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return inflight_compare(g_ptr_array_index(s->list->items, i), s->dev, s->sector) < 0;
}

guint mdl_inflight_seek(const struct mdl_inflight *list, uint32_t dev, uint64_t sector)
{
	return (guint)base_search(0, list->items->len, inflight_is_before,
		&(struct sought){ list, dev, sector });
}

struct mdl_item *mdl_inflight_at(const struct mdl_inflight *list, guint index, uint32_t dev)
{
	struct mdl_item *item = index < list->items->len ? g_ptr_array_index(list->items, index) : NULL;

	return item && item->dev == dev ? item : NULL;
}

void mdl_inflight_init(struct mdl_inflight *list, struct mdl_queues *queues)
{
	list->queues = queues;
	list->items = g_ptr_array_new_with_free_func(g_free);
	g_queue_init(&list->age);
}

void mdl_inflight_clear(struct mdl_inflight *list)
{
	g_ptr_array_unref(list->items); /* the links of the queue are in the items */
}

/* The index where ITEM belongs: after all with its start. */
static guint place_for(const struct mdl_inflight *list, const struct mdl_item *item)
{
	guint i = mdl_inflight_seek(list, item->dev, item->start);

	while (i < list->items->len &&
		inflight_compare(g_ptr_array_index(list->items, i), item->dev, item->start) == 0)
		i++;
	return i;
}

static guint index_of(const struct mdl_inflight *list, const struct mdl_item *item)
{
	guint i = mdl_inflight_seek(list, item->dev, item->start);

	while (g_ptr_array_index(list->items, i) != item)
		i++;
	return i;
}

/* Add SIGN to the count for ITEM's stage. */
static void inflight_count(const struct mdl_item *item, int sign)
{
	if (item->queue)
		mdl_queue_count(item->queue, item->era, item->stage == MDL_STAGE_QUEUED ? sign : 0,
			item->stage == MDL_STAGE_ISSUED ? sign : 0);
}

bool mdl_inflight_counts(const struct mdl_item *item)
{
	return item->queue && item->era == mdl_queue_era(item->queue);
}

bool mdl_inflight_move(struct mdl_item *item, enum mdl_stage stage)
{
	bool counted = mdl_inflight_counts(item);

	inflight_count(item, -1);
	item->stage = (uint8_t)stage;
	item->era = item->queue ? mdl_queue_era(item->queue) : 0;
	inflight_count(item, 1);
	return counted;
}

/* Drop ITEM, whose end will not be seen. */
static void inflight_forget(struct mdl_inflight *list, struct mdl_item *item)
{
	if (mdl_inflight_counts(item) && item->stage != MDL_STAGE_FLUSHING)
		mdl_queue_forget(list->queues, item->queue);
	mdl_inflight_drop(list, item);
}

/* Forget items whose last event was before TIME. */
static void forget_before(struct mdl_inflight *list, int64_t time)
{
	struct mdl_item *oldest;

	while ((oldest = g_queue_peek_head(&list->age)) && oldest->heard < time)
		inflight_forget(list, oldest);
}

struct mdl_item *mdl_inflight_add(struct mdl_inflight *list, const struct mdl_item *item)
{
	struct mdl_item *copy;

	forget_before(list, item->heard - MDL_BLOCK_AGE);
	if (list->items->len == MDL_BLOCK_MAX)
		inflight_forget(list, g_queue_peek_head(&list->age));
	copy = g_memdup2(item, sizeof *item);
	copy->age = (GList){ .data = copy };
	copy->queue = list->queues ? mdl_queue_of(list->queues, copy->dev) : NULL;
	copy->era = copy->queue ? mdl_queue_era(copy->queue) : 0;
	inflight_count(copy, 1);
	g_ptr_array_insert(list->items, (gint)place_for(list, copy), copy);
	g_queue_push_tail_link(&list->age, &copy->age);
	return copy;
}

void mdl_inflight_drop(struct mdl_inflight *list, struct mdl_item *item)
{
	inflight_count(item, -1);
	g_queue_unlink(&list->age, &item->age);
	g_ptr_array_remove_index(list->items, index_of(list, item));
}

void mdl_inflight_touch(struct mdl_inflight *list, struct mdl_item *item, int64_t now)
{
	item->heard = now;
	g_queue_unlink(&list->age, &item->age);
	g_queue_push_tail_link(&list->age, &item->age);
}

void mdl_inflight_resize(struct mdl_inflight *list, struct mdl_item *item, uint64_t start, uint64_t end)
{
	item->end = end;
	if (item->start == start)
		return;
	g_ptr_array_steal_index(list->items, index_of(list, item));
	item->start = start;
	g_ptr_array_insert(list->items, (gint)place_for(list, item), item);
}

bool mdl_item_has_data(const struct mdl_item *item)
{
	return item->start != MDL_SECTOR_NONE;
}

struct mdl_item *mdl_inflight_covering(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t sector)
{
	guint at = mdl_inflight_seek(list, dev, sector + 1);
	struct mdl_item *found = NULL, *item;

	for (unsigned i = 0; i < LOOK_BACK && at-- > 0; i++) {
		item = mdl_inflight_at(list, at, dev);
		if (!item || (found && item->start != found->start))
			break;
		if (item->stage == stage && item->end > sector)
			found = item;
	}
	return found;
}

struct mdl_item *mdl_inflight_find(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t start, bool flush)
{
	struct mdl_item *item;

	for (guint at = mdl_inflight_seek(list, dev, start);
		(item = mdl_inflight_at(list, at, dev)) && item->start == start; at++)
		if (item->stage == stage && item->flush == flush)
			return item;
	return NULL;
}

struct mdl_item *mdl_inflight_within(const struct mdl_inflight *list, enum mdl_stage stage, uint32_t dev,
	uint64_t start, uint64_t end)
{
	struct mdl_item *item;

	for (guint at = mdl_inflight_seek(list, dev, start);
		(item = mdl_inflight_at(list, at, dev)) && item->start < end; at++)
		if (item->stage == stage && item->end <= end && mdl_item_has_data(item))
			return item;
	return NULL;
}

struct mdl_item *mdl_inflight_bio(const struct mdl_inflight *bios, uint32_t dev, uint64_t start,
	uint32_t thread)
{
	bool data = start != MDL_SECTOR_NONE;
	guint at = data ? mdl_inflight_seek(bios, dev, start + 1) : mdl_inflight_seek(bios, dev + 1, 0);
	struct mdl_item *found = NULL, *item;

	for (unsigned i = 0; i < LOOK_BACK && at-- > 0; i++) {
		item = mdl_inflight_at(bios, at, dev);
		if (!item || mdl_item_has_data(item) != data)
			break;
		if (data && item->end <= start)
			continue;
		if (item->request.submitter.thread == thread)
			return item;
		if (!found)
			found = item;
	}
	return found;
}

bool mdl_inflight_brought(const struct mdl_inflight *bios, uint32_t dev, uint32_t thread)
{
	unsigned left = LOOK_BACK;

	for (const GList *link = bios->age.tail; link && left-- > 0; link = link->prev) {
		const struct mdl_item *bio = link->data;

		if (bio->dev == dev && bio->maker == thread)
			return true;
	}
	return false;
}

/* SPDX-License-Identifier: MIT */
/*
 * Requests to disks. The index keeps three spans of a request: the whole, from its begin until the driver has
 * it, and from then on (model/span/span.c, mdl_span_request()). Each kind is in the order in which requests
 * were completed. So one pass through the three kinds together finds the three spans of each request.
 */
#include "table/cases.h"

#include "base/base_time.h"

enum part { WHOLE, QUEUE, DEVICE, PARTS };

struct block {
	struct table_case c; /* of the kind WHOLE */
	/* DRIVER: when the driver got it last; DONE: when its data were done */
	int64_t queued, issued, driver, done, completed;
};

struct blocks {
	struct table_cursor of;
	struct table_cases parts[PARTS];
	const struct table_case *ahead[PARTS]; /* weak; the next one of each kind; NULL: none */
	struct block block;
};

static const char *const kinds[PARTS] = { "block", "block-queue", "block-device" };

static bool advance(struct blocks *c, enum part part, GError **error)
{
	const void *row = NULL;
	int found = table_cases_next(&c->parts[part].of, &row, error);

	c->ahead[part] = found > 0 ? row : NULL;
	return found >= 0;
}

static bool open_blocks(struct table_cursor *cursor, GError **error)
{
	struct blocks *c = (struct blocks *)cursor;

	for (unsigned i = 0; i < PARTS; i++) {
		c->parts[i].of.q = cursor->q;
		/* Parts begin later than the whole, so the window does not apply to them. */
		c->parts[i].of.ask = cursor->ask;
		c->parts[i].of.ask.from = INT64_MIN;
		c->parts[i].of.ask.to = INT64_MAX;
		if (!table_cases_open(&c->parts[i], NULL, kinds[i], error) || !advance(c, i, error))
			return false;
	}
	return true;
}

static bool is_of(const struct mdl_span *part, const struct mdl_span *whole)
{
	return part->key == whole->key && part->row == whole->row && part->start >= whole->start &&
		part->end <= whole->end;
}

/* Set *SPAN and *TAKEN if the next one of PART belongs to c->block. False with an error. */
static bool take(struct blocks *c, enum part part, bool same_start, struct mdl_span *span, bool *taken,
	GError **error)
{
	const struct mdl_span *whole = &c->block.c.span;

	*taken = c->ahead[part] && c->ahead[part]->host == c->block.c.host &&
		is_of(&c->ahead[part]->span, whole) &&
		(!same_start || c->ahead[part]->span.start == whole->start);
	if (!*taken)
		return true;
	*span = c->ahead[part]->span;
	return advance(c, part, error);
}

/* True if the next span of DEVICE belongs to a request whose begin is unknown. */
static bool is_alone(const struct blocks *c)
{
	const struct table_case *device = c->ahead[DEVICE], *whole = c->ahead[WHOLE];

	if (!device)
		return false;
	if (!whole || device->host != whole->host)
		return !whole || device->host < whole->host;
	return device->span.end < whole->span.end && !is_of(&device->span, &whole->span);
}

/* Read the next request. Returns 1; 0 if there is none; -1 with an error. */
static int next_request(struct blocks *c, GError **error)
{
	struct block *b = &c->block;
	struct mdl_span queue, device;
	bool has_queue, has_device;

	if (is_alone(c)) {
		*b = (struct block){ *c->ahead[DEVICE], MDL_NEVER, MDL_NEVER, c->ahead[DEVICE]->span.start,
			c->ahead[DEVICE]->span.end, c->ahead[DEVICE]->span.end };
		b->issued = b->driver;
		return advance(c, DEVICE, error) ? 1 : -1;
	}
	if (!c->ahead[WHOLE])
		return 0;
	*b = (struct block){ *c->ahead[WHOLE], c->ahead[WHOLE]->span.start, MDL_NEVER, MDL_NEVER, MDL_NEVER,
		c->ahead[WHOLE]->span.end };
	if (!advance(c, WHOLE, error) || !take(c, QUEUE, true, &queue, &has_queue, error) ||
		!take(c, DEVICE, false, &device, &has_device, error))
		return -1;
	b->issued = has_queue ? queue.end : has_device ? device.start : MDL_NEVER;
	b->driver = has_device ? device.start : b->issued;
	b->done = has_device ? device.end : b->completed;
	return 1;
}

static int next_block(struct table_cursor *cursor, const void **row, GError **error)
{
	struct blocks *c = (struct blocks *)cursor;
	int found;

	while ((found = next_request(c, error)) > 0 &&
		(c->block.c.span.start < cursor->ask.from || c->block.c.span.start >= cursor->ask.to))
		;
	*row = &c->block;
	return found;
}

static void close_blocks(struct table_cursor *cursor)
{
	for (unsigned i = 0; i < PARTS; i++)
		table_cases_close(&((struct blocks *)cursor)->parts[i].of);
}

TABLE_COLUMNS(block_columns)
{
	const struct block *b = row;

	table_cases_columns(to, row ? &b->c : NULL, in);
	table_cases_thread(to, row ? &b->c : NULL, in);
	TABLE_COLUMN("device", NULL, TABLE_WORD, "`vdb`",
		taken = qry_span_device(in->q, b->c.host, MDL_SPAN_BLOCK, b->c.span.key));
	TABLE_COLUMN("op", NULL, TABLE_WORD, "`read`, `write`, `flush`, `discard`, `other`; null: not known",
		word = mdl_op_name(b->c.span.key & 0xff));
	TABLE_COLUMN("queued", NULL, TABLE_TIME, "null: not recorded", number = b->queued);
	TABLE_COLUMN("issued", NULL, TABLE_TIME, "when the driver received it for the first time",
		number = b->issued);
	TABLE_COLUMN("device_from", NULL, TABLE_TIME, "when the driver received it for the last time",
		number = b->driver);
	TABLE_COLUMN("device_to", NULL, TABLE_TIME,
		"when the device was done with it; a flush after it comes later", number = b->done);
	TABLE_COLUMN("completed", NULL, TABLE_TIME, "", number = b->completed);
}

const struct table table_blocks = {
	.name = "request_block",
	.list = "blocks",
	.doc = "a request to a disk that was completed; its thread is the one that queued it",
	.columns = block_columns,
	.size = sizeof(struct blocks),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.rows = table_cases_rows,
	.open = open_blocks,
	.next = next_block,
	.close = close_blocks,
};

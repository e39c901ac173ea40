/* SPDX-License-Identifier: MIT */
/* The clocks of all hosts, and the travel times of packets by these clocks. */
#include "table/table.h"

#include "analysis/request/clock.h"
#include "base/base_time.h"
#include "query/clock/clock.h"
#include "sync/sync_hosts.h"

static const struct sync_line *sync_line_of(const struct sync_host *h, guint i)
{
	return &g_array_index(h->clock->lines, struct sync_line, i);
}

static guint lines_of(const struct sync_host *h)
{
	return h->clock ? h->clock->lines->len : 0;
}

static const char *namesake(const struct qry *q, uint32_t host)
{
	return table_host(q, qry_sync_namesake(q, host));
}

/* ---- the clocks: a row for each line of each clock; text has most counts as words ---- */

/* Line I of a host's clock. HAS is false if the host has no clock. */
struct clock_line {
	uint32_t host;
	const struct sync_host *h;
	guint i;
	bool has;
};

/* How far the host's clock is ahead of the reference at the line's begin; NULL: too far. The caller frees. */
static char *ahead_text(const struct qry *q, const struct clock_line *x)
{
	int64_t at = x->i > 0 ? sync_line_of(x->h, x->i)->from
			      : qry_host_time(q, x->host, qry_host(q, x->host)->from),
		ahead;

	return __builtin_sub_overflow(at, sync_line_reference(sync_line_of(x->h, x->i), at), &ahead)
		? NULL
		: table_duration_text(ahead);
}

/* The keys of the JSON of sync_file_write(), except the parts of the clock. Text has the columns of the host
 * only in its first line. */
TABLE_COLUMNS(host_columns)
{
	const struct clock_line *x = row;
	bool again = row && in->format == TABLE_TEXT && x->i > 0;

	TABLE_COLUMN("host", "HOST", TABLE_WORD, "", word = again ? NULL : qry_host(in->q, x->host)->name);
	TABLE_COLUMN("quality", "CLOCK", TABLE_WORD,
		"`absent`, `incomplete`, `approximate`, `accurate`, `fail`, `given` (only from shifts in the recording), `typed`",
		taken = again ? table_time_text(sync_line_of(x->h, x->i)->from)
			      : g_strdup(sync_quality_name(x->h->quality)));
	TABLE_COLUMN("from", NULL, TABLE_TIME, "start of the first line; null: the start of the trace",
		number = x->has && x->i > 0 ? sync_line_of(x->h, x->i)->from : BASE_TIME_NONE);
	TABLE_COLUMN("slope", NULL, TABLE_DECIMAL, "the clock, or its first line",
		taken = x->has ? sync_text_slope(sync_line_of(x->h, x->i)) : NULL);
	TABLE_COLUMN("offset_ns", NULL, TABLE_DECIMAL, "the clock, or its first line",
		taken = x->has ? sync_text_offset(sync_line_of(x->h, x->i)) : NULL);
	TABLE_COLUMN("", ">AHEAD BY", TABLE_WORD, "", taken = x->has ? ahead_text(in->q, x) : NULL);
	TABLE_COLUMN("", ">FAST (ppm)", TABLE_WORD, "",
		taken = x->has ? g_strdup_printf("%+.3f", sync_line_fast(sync_line_of(x->h, x->i))) : NULL);
	TABLE_COLUMN_BY("error_ns_max", ">ERROR UP TO", TABLE_DURATION, "its largest possible error anywhere",
			cell->word = "";
			if (x->has &&
				(cell->number = table_bound(g_array_index(x->h->errors, int64_t, x->i))) ==
					BASE_TIME_NONE) cell->word = "unknown";
			else if (x->has) cell->word = NULL);
	TABLE_COLUMN_BY("packets_matched", ">PACKETS", TABLE_NUMBER, "packets seen at both ends",
			cell->number = (int64_t)x->h->exchanged;
			cell->word = again ? "" : NULL);
	/* Packets that left before they arrived, by the clocks as recorded. */
	TABLE_COLUMN("packets_sent_first", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)(x->h->exchanged - x->h->violations_before));
	TABLE_COLUMN_BY("violations_before", ">TOO EARLY", TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
			cell->number = (int64_t)x->h->violations_before;
			cell->word = again ? "" : NULL);
	TABLE_COLUMN_BY("violations_after", ">NOW", TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
			if (x->h->clock) cell->number = (int64_t)x->h->violations_after;
			cell->word = again || !x->h->clock ? "" : NULL);
	TABLE_COLUMN("pieces", NULL, TABLE_NUMBER, "number of lines", number = lines_of(x->h));
	TABLE_COLUMN("by", "VIA", TABLE_WORD, "host through which the clock is known",
		word = !again && x->h->clock && x->h->by != x->host ? qry_host(in->q, x->h->by)->name : NULL);
	TABLE_COLUMN("packets_sent", NULL, TABLE_NUMBER, "packets that it sent",
		number = (int64_t)x->h->counts.sent);
	TABLE_COLUMN("packets_received", NULL, TABLE_NUMBER, "packets that it received",
		number = (int64_t)x->h->counts.received);
	TABLE_COLUMN("packets_without_headers", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)x->h->counts.nameless);
	TABLE_COLUMN("packets_received_without_headers", NULL, TABLE_NUMBER,
		"see [Accuracy](sync.md#accuracy)", number = (int64_t)x->h->counts.nameless_received);
	TABLE_COLUMN("packets_own", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)x->h->counts.own);
	TABLE_COLUMN("packets_resent", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)x->h->counts.resent);
	TABLE_COLUMN("packets_again", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)x->h->counts.again);
	TABLE_COLUMN("packets_ambiguous", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)x->h->counts.ambiguous);
	TABLE_COLUMN("packets_unmatched", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)x->h->counts.unmatched);
	TABLE_COLUMN("packets_aged", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)x->h->counts.aged);
	TABLE_COLUMN("packets_given_up", NULL, TABLE_NUMBER, "see [Accuracy](sync.md#accuracy)",
		number = (int64_t)x->h->counts.given_up);
	TABLE_COLUMN("packets_received_matched", NULL, TABLE_NUMBER,
		"packets seen at both ends that it received", number = (int64_t)x->h->counts.matched);
	TABLE_COLUMN("start_shift_ns", NULL, TABLE_DURATION,
		"for a host without a common clock: what wakepath adds to its times",
		number = x->h->placed ? sync_place_shift(x->h) : BASE_TIME_NONE);
	TABLE_COLUMN("same_clock_as", NULL, TABLE_WORD, "another host of the same boot",
		word = sync_bounds_are_exact(x->h->bounds) ? qry_host(in->q, x->h->by)->name : NULL);
	TABLE_COLUMN("same_name_as", NULL, TABLE_WORD, "another host of the same name",
		word = namesake(in->q, x->host));
}

struct clock_lines {
	struct table_cursor of;
	const struct sync_hosts *hosts;
	struct clock_line line;
};

static bool open_hosts(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	((struct clock_lines *)cursor)->hosts = cursor->ask.result;
	return true;
}

static int next_host(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct clock_lines *c = (struct clock_lines *)cursor;
	struct clock_line *x = &c->line;

	if (!x->h)
		x->i = 0;
	else if (++x->i >= lines_of(x->h)) {
		x->i = 0;
		x->host++;
	}
	if (x->host >= c->hosts->n)
		return 0;
	x->h = &c->hosts->hosts[x->host];
	x->has = x->i < lines_of(x->h);
	*row = x;
	return 1;
}

const struct table table_sync_hosts = {
	.name = "sync_host",
	.takes = TABLE_NEEDS_RESULT,
	.list = "hosts",
	.doc = "a line of the clock of a host",
	.columns = host_columns,
	.size = sizeof(struct clock_lines),
	.open = open_hosts,
	.next = next_host,
};

/* ---- the travel time of each packet by these clocks ---- */

struct packet {
	struct qry_passage passage;
	int64_t residual;
};

TABLE_COLUMNS(packet_columns)
{
	const struct packet *x = row;

	TABLE_COLUMN("sender", "SENDER", TABLE_WORD, "host that sent it",
		word = qry_host(in->q, x->passage.sender)->name);
	TABLE_COLUMN("receiver", "RECEIVER", TABLE_WORD, "host that received it",
		word = qry_host(in->q, x->passage.receiver)->name);
	TABLE_COLUMN("sent", "SENT", TABLE_TIME, "", number = x->passage.sent);
	TABLE_COLUMN("received", "RECEIVED", TABLE_TIME, "", number = x->passage.received);
	TABLE_COLUMN("residual", ">ON THE WAY", TABLE_DURATION, "negative: received before it was sent",
		number = x->residual);
}

struct packets {
	struct table_cursor of;
	struct ana_residuals_walk *walk;
	struct packet packet;
};

static struct ana_residuals_window window_of(const struct table_cursor *c)
{
	const struct table_question *ask = &c->ask;
	struct ana_residuals_window window = { .host = ask->host, .other = MDL_NONE };

	qry_span(c->q, &window.from, &window.to);
	window.from = ask->from == INT64_MIN ? window.from : ask->from;
	window.to = ask->to == INT64_MAX ? window.to + 1 : ask->to;
	return window;
}

static bool open_packets(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	const struct ana_residuals_window window = window_of(cursor);

	((struct packets *)cursor)->walk = ana_residuals_walk_new(cursor->q, &window, cursor->ask.progress);
	return true;
}

static int next_packet(struct table_cursor *cursor, const void **row, GError **error)
{
	struct packets *c = (struct packets *)cursor;

	*row = &c->packet;
	return ana_residuals_walk_next(c->walk, &c->packet.passage, &c->packet.residual, error);
}

static void close_packets(struct table_cursor *cursor)
{
	ana_residuals_walk_free(((struct packets *)cursor)->walk);
}

const struct table table_sync_packets = {
	.name = "sync_packet",
	.list = "packets",
	.doc = "a packet from one host to another, with its travel time by the clocks in use",
	.columns = packet_columns,
	.size = sizeof(struct packets),
	.takes = TABLE_TAKES_HOST | TABLE_TAKES_WINDOW,
	.open = open_packets,
	.next = next_packet,
	.close = close_packets,
};

/* ---- the packets of each direction between two hosts in each part of the window ---- */

struct part {
	const struct ana_residuals_way *way;
	const struct ana_residuals_cell *packets;
	int64_t from, to;
};

TABLE_COLUMNS(part_columns)
{
	const struct part *x = row;

	TABLE_COLUMN("sender", "SENDER", TABLE_WORD, "", word = qry_host(in->q, x->way->sender)->name);
	TABLE_COLUMN("receiver", "RECEIVER", TABLE_WORD, "", word = qry_host(in->q, x->way->receiver)->name);
	TABLE_COLUMN("from", "FROM", TABLE_TIME, "begin of the part", number = x->from);
	TABLE_COLUMN("to", "TO", TABLE_TIME, "end of the part", number = x->to);
	TABLE_COLUMN("packets", ">PACKETS", TABLE_NUMBER, "", number = (int64_t)x->packets->packets);
	TABLE_COLUMN("too_early", ">TOO EARLY", TABLE_NUMBER, "received before they were sent",
		number = (int64_t)x->packets->early);
	TABLE_COLUMN("least", ">MIN", TABLE_DURATION, "smallest residual", number = x->packets->least);
	TABLE_COLUMN("most", ">MAX", TABLE_DURATION, "largest residual", number = x->packets->most);
}

struct parts {
	struct table_cursor of;
	struct ana_residuals *all;
	guint way;
	uint32_t column;
	struct part part;
};

static bool open_parts(struct table_cursor *cursor, GError **error)
{
	struct parts *c = (struct parts *)cursor;
	const struct ana_residuals_window window = window_of(cursor);

	c->all = ana_residuals_new(cursor->q, &window, MAX(cursor->ask.columns, 1), cursor->ask.progress,
		error);
	return c->all;
}

static int next_part(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct parts *c = (struct parts *)cursor;
	const struct ana_residuals *r = c->all;

	for (; c->way < r->ways->len; c->way++, c->column = 0) {
		const struct ana_residuals_way *way = g_ptr_array_index(r->ways, c->way);

		while (c->column < r->n_columns && way->cells[c->column].packets == 0)
			c->column++;
		if (c->column == r->n_columns)
			continue;
		c->part = (struct part){ way, &way->cells[c->column],
			qry_column_time(r->window.from, r->window.to, r->n_columns, c->column),
			qry_column_time(r->window.from, r->window.to, r->n_columns, c->column + 1) };
		c->column++;
		*row = &c->part;
		return 1;
	}
	return 0;
}

static void close_parts(struct table_cursor *cursor)
{
	ana_residuals_free(((struct parts *)cursor)->all);
}

const struct table table_sync_columns = {
	.name = "sync_column",
	.list = "columns",
	.doc = "the packets from one host to another in a part of the window, of `columns`",
	.columns = part_columns,
	.size = sizeof(struct parts),
	.takes = TABLE_TAKES_HOST | TABLE_TAKES_WINDOW,
	.open = open_parts,
	.next = next_part,
	.close = close_parts,
};

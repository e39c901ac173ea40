/* SPDX-License-Identifier: MIT */
/* Reading clocks from text: its values, and one host's part. */
#include "sync/sync_file_parts.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "sync/sync_text.h"

#include <string.h>

#define RATE_MAX (INT64_C(1) << 60) /* a quarter: of a chain of hosts, each within SYNC_RATE_MAX */

#define COUNT(member) G_STRUCT_OFFSET(struct sync_host, member)

const struct sync_file_count sync_file_counts[] = {
	{ "packets_sent", COUNT(counts.sent) },
	{ "packets_received", COUNT(counts.received) },
	{ "packets_without_headers", COUNT(counts.nameless) },
	{ "packets_received_without_headers", COUNT(counts.nameless_received) },
	{ "packets_own", COUNT(counts.own) },
	{ "packets_resent", COUNT(counts.resent) },
	{ "packets_again", COUNT(counts.again) },
	{ "packets_ambiguous", COUNT(counts.ambiguous) },
	{ "packets_unmatched", COUNT(counts.unmatched) },
	{ "packets_aged", COUNT(counts.aged) },
	{ "packets_given_up", COUNT(counts.given_up) },
	{ "packets_received_matched", COUNT(counts.matched) },
	{ "packets_matched", COUNT(exchanged) },
	{ "violations_before", COUNT(violations_before) },
	{ NULL, 0 },
};

bool sync_file_fail(GError **error, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL, *clean = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	clean = base_text_clean(text, -1);
	return base_error_false(error, BASE_ERROR_DATA, "%s", clean);
}

bool sync_file_bad(const struct sync_file_place *p, const char *key, const char *what)
{
	if (!p->host)
		return sync_file_fail(p->error, "\"%s\" %s", key, what);
	return sync_file_fail(p->error, "clock of %.100s: \"%s\" %s", p->host, key, what);
}

/* Null is as good as not there. */
static JsonNode *member(JsonObject *o, const char *key)
{
	JsonNode *node = json_object_get_member(o, key);

	return node && !JSON_NODE_HOLDS_NULL(node) ? node : NULL;
}

bool sync_file_get_int(const struct sync_file_place *p, JsonObject *o, const char *key, int64_t *value)
{
	JsonNode *node = member(o, key);

	if (!node)
		return true;
	if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64)
		return sync_file_bad(p, key, "is not a whole number");
	*value = json_node_get_int(node);
	return true;
}

bool sync_file_get_count(const struct sync_file_place *p, JsonObject *o, const char *key, uint64_t *value)
{
	int64_t count = (int64_t)*value;

	if (!sync_file_get_int(p, o, key, &count))
		return false;
	if (count < 0)
		return sync_file_bad(p, key, "is less than 0");
	*value = (uint64_t)count;
	return true;
}

bool sync_file_get_text(const struct sync_file_place *p, JsonObject *o, const char *key, const char **value)
{
	JsonNode *node = member(o, key);

	if (!node)
		return true;
	if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING)
		return sync_file_bad(p, key, "is not text in quotes");
	*value = json_node_get_string(node);
	return true;
}

bool sync_file_get_list(const struct sync_file_place *p, JsonObject *o, const char *key, JsonArray **value)
{
	JsonNode *node = member(o, key);

	if (!node)
		return true;
	if (!JSON_NODE_HOLDS_ARRAY(node))
		return sync_file_bad(p, key, "is not a list");
	*value = json_node_get_array(node);
	return true;
}

bool sync_file_get_object(const struct sync_file_place *p, JsonArray *list, unsigned i, const char *key,
	JsonObject **value)
{
	JsonNode *node = json_array_get_element(list, i);

	if (!JSON_NODE_HOLDS_OBJECT(node))
		return sync_file_bad(p, key, "has something that is not an object");
	*value = json_node_get_object(node);
	return true;
}

unsigned sync_file_host_named(const struct sync_file_place *p, const char *name)
{
	unsigned i = 0;

	while (i < p->n && !g_str_equal(p->names[i], name))
		i++;
	return i;
}

/* ---- lines ---- */

/* Lines of a clock, and what bounds them: it may be chained over all hosts. */
static guint pieces_max(const struct sync_file_place *p)
{
	return MIN(p->n, G_MAXUINT / SYNC_LINES_MAX) * SYNC_LINES_MAX;
}

/* A number of decimal text, in 2^-62; false when it is not there. */
static bool get_decimal(const struct sync_file_place *p, JsonObject *o, const char *key, sync_wide *value,
	bool *there)
{
	const char *text = NULL;

	if (!sync_file_get_text(p, o, key, &text))
		return false;
	*there = text;
	return !text || sync_text_parse(text, value) ||
		sync_file_bad(p, key, "is not a decimal number like \"-12.5\"");
}

static bool get_rate(const struct sync_file_place *p, JsonObject *o, const char *key, int64_t *rate,
	bool *there)
{
	sync_wide slope = (sync_wide)1 << SYNC_FRACTION_BITS;

	if (!get_decimal(p, o, key, &slope, there))
		return false;
	slope -= (sync_wide)1 << SYNC_FRACTION_BITS;
	if (slope > RATE_MAX || slope < -RATE_MAX)
		return sync_file_bad(p, key, "is too far from 1");
	*rate = (int64_t)slope;
	return true;
}

/* Slope and offset as they stand in O; *THERE: both do. */
static bool get_line(const struct sync_file_place *p, JsonObject *o, struct sync_line *line, bool *there)
{
	bool slope, offset;

	if (!get_rate(p, o, "slope", &line->rate, &slope) ||
		!get_decimal(p, o, "offset_ns", &line->offset, &offset))
		return false;
	*there = slope && offset;
	return slope == offset || sync_file_bad(p, slope ? "offset_ns" : "slope", "is missing");
}

/* What is at 0 is told at the origin instead: the same line. */
static bool move_origin(const struct sync_file_place *p, struct sync_line *line, int64_t origin)
{
	sync_wide most = (sync_wide)INT64_MAX << SYNC_FRACTION_BITS;

	if (__builtin_add_overflow(line->offset, (sync_wide)line->rate * origin, &line->offset) ||
		line->offset > most || line->offset < -most)
		return sync_file_bad(p, "offset_ns", "is too far away");
	line->origin = origin;
	return true;
}

static bool add_line(const struct sync_file_place *p, JsonArray *list, guint i, GArray *lines)
{
	struct sync_line line = { .from = INT64_MIN, .seen = INT64_MAX };
	struct sync_line *before = i > 0 ? &g_array_index(lines, struct sync_line, i - 1) : NULL;
	int64_t origin = 0;
	JsonObject *o = NULL;
	bool there;

	if (!sync_file_get_object(p, list, i, "lines", &o) || !get_line(p, o, &line, &there) ||
		!sync_file_get_int(p, o, "from", &line.from) ||
		!sync_file_get_int(p, o, "seen", &line.seen) || !sync_file_get_int(p, o, "origin", &origin))
		return false;
	if (!there)
		return sync_file_bad(p, "slope", "and \"offset_ns\" are missing in one of \"lines\"");
	if (i == 0 ? line.from != INT64_MIN : line.from <= before->from)
		return sync_file_bad(p, "from",
			i == 0 ? "of the first line must be null"
			       : "is not later than that of the line before");
	if (before && before->seen == INT64_MAX) /* else it would never end */
		before->seen = line.from;
	if (!move_origin(p, &line, origin))
		return false;
	g_array_append_val(lines, line);
	return true;
}

/* Where the host has a list of lines, what it says above that must be the first of them. */
static bool check_first(const struct sync_file_place *p, const struct sync_line *above, const GArray *lines)
{
	const struct sync_line *first = &g_array_index(lines, struct sync_line, 0);

	if (first->rate != above->rate)
		return sync_file_bad(p, "slope",
			"is not that of the first of \"lines\": change both, or take \"lines\" out");
	if (first->offset - (sync_wide)first->rate * first->origin != above->offset)
		return sync_file_bad(p, "offset_ns",
			"is not that of the first of \"lines\": change both, or take \"lines\" out");
	return true;
}

/* LINES becomes those of the clock, none where there is no clock. */
static bool read_lines(const struct sync_file_place *p, JsonObject *o, GArray *lines)
{
	struct sync_line above = { .from = INT64_MIN, .seen = INT64_MAX };
	JsonArray *list = NULL;
	bool there;

	if (!get_line(p, o, &above, &there) || !sync_file_get_list(p, o, "lines", &list))
		return false;
	if (list && json_array_get_length(list) > pieces_max(p))
		return sync_file_bad(p, "lines", "are too many");
	for (guint i = 0; list && i < json_array_get_length(list); i++)
		if (!add_line(p, list, i, lines))
			return false;
	if (lines->len > 0)
		return !there || check_first(p, &above, lines);
	if (there && !move_origin(p, &above, 0))
		return false;
	if (there)
		g_array_append_val(lines, above);
	return true;
}

/* ---- bounds ---- */

static bool get_point(JsonNode *node, struct sync_point *point)
{
	JsonArray *pair = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

	if (!pair || json_array_get_length(pair) != 2)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		JsonNode *n = json_array_get_element(pair, i);

		if (!JSON_NODE_HOLDS_VALUE(n) || json_node_get_value_type(n) != G_TYPE_INT64)
			return false;
		*(i == 0 ? &point->host : &point->other) = json_node_get_int(n);
	}
	return true;
}

static bool read_points(const struct sync_file_place *p, JsonObject *o, const char *key, GArray *points)
{
	JsonArray *list = NULL;

	if (!sync_file_get_list(p, o, key, &list))
		return false;
	if (!list)
		return sync_file_bad(p, key, "of \"bounds\" is missing");
	for (guint i = 0; i < json_array_get_length(list); i++) {
		struct sync_point point;

		if (!get_point(json_array_get_element(list, i), &point))
			return sync_file_bad(p, key,
				"of \"bounds\" has something that is not a pair of times");
		g_array_append_val(points, point);
	}
	return true;
}

static bool add_bound(const struct sync_file_place *p, JsonArray *list, guint i, GArray *bounds)
{
	struct sync_bound b = { .from = INT64_MIN, .seen = INT64_MAX };
	JsonObject *o = NULL;
	bool there, ok;

	b.low = g_array_new(FALSE, FALSE, sizeof(struct sync_point));
	b.high = g_array_new(FALSE, FALSE, sizeof(struct sync_point));
	ok = sync_file_get_object(p, list, i, "bounds", &o) && sync_file_get_int(p, o, "from", &b.from) &&
		sync_file_get_int(p, o, "seen", &b.seen) && get_rate(p, o, "slow", &b.slow, &there) &&
		get_rate(p, o, "fast", &b.fast, &there) && read_points(p, o, "low", b.low) &&
		read_points(p, o, "high", b.high);
	g_array_append_val(bounds, b);
	return ok;
}

static bool read_bounds(const struct sync_file_place *p, JsonObject *o, struct sync_host *h)
{
	JsonArray *list = NULL;

	if (!sync_file_get_list(p, o, "bounds", &list))
		return false;
	if (!list)
		return true;
	if (json_array_get_length(list) > pieces_max(p))
		return sync_file_bad(p, "bounds", "are too many");
	h->bounds = sync_bounds_new();
	for (guint i = 0; i < json_array_get_length(list); i++)
		if (!add_bound(p, list, i, h->bounds))
			return false;
	return sync_bounds_are_valid(h->bounds) ||
		sync_file_bad(p, "bounds",
			"contradict each other: take them out where the lines were edited");
}

/* ---- the host ---- */

static bool read_quality(const struct sync_file_place *p, JsonObject *o, struct sync_host *h)
{
	const char *text = NULL;

	if (!sync_file_get_text(p, o, "quality", &text))
		return false;
	for (unsigned i = 0; text && i < SYNC_QUALITIES; i++) {
		if (!g_str_equal(text, sync_quality_name((enum sync_quality)i)))
			continue;
		h->quality = (enum sync_quality)i;
		return true;
	}
	return !text || sync_file_bad(p, "quality", "is none that is known");
}

static bool read_by(const struct sync_file_place *p, JsonObject *o, struct sync_host *h)
{
	const char *text = NULL;

	if (!sync_file_get_text(p, o, "by", &text))
		return false;
	h->by = text ? sync_file_host_named(p, text) : 0;
	return h->by < p->n || sync_file_bad(p, "by", "is no host of this experiment");
}

static bool read_counts(const struct sync_file_place *p, JsonObject *o, struct sync_host *h)
{
	for (const struct sync_file_count *c = sync_file_counts; c->key; c++)
		if (!sync_file_get_count(p, o, c->key, &G_STRUCT_MEMBER(uint64_t, h, c->offset)))
			return false;
	return sync_file_get_count(p, o, "violations_after", &h->violations_after);
}

/* A clock that packets did not give was given by hand, and what has none cannot be good. */
static void settle_quality(struct sync_host *h)
{
	bool has = h->quality == SYNC_APPROXIMATE || h->quality == SYNC_ACCURATE ||
		h->quality == SYNC_TYPED || h->quality == SYNC_GIVEN;

	if (h->clock && !has)
		h->quality = SYNC_TYPED;
	else if (!h->clock && has)
		h->quality = SYNC_ABSENT;
}

bool sync_file_host(const struct sync_file_place *p, JsonObject *o, struct sync_host *h)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));

	if (!read_quality(p, o, h) || !read_by(p, o, h) || !read_counts(p, o, h) ||
		!read_lines(p, o, lines)) {
		g_array_unref(lines);
		return false;
	}
	if (lines->len > 0)
		h->clock = sync_clock_new(lines);
	else
		g_array_unref(lines);
	settle_quality(h);
	return !h->clock || read_bounds(p, o, h);
}

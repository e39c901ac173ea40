/* SPDX-License-Identifier: MIT */
/* Reading clocks from text: its values, and one host's part. */
#include "sync/sync_file_parts.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "sync/sync_hosts.h"

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

bool sync_file_fail(struct sync_file_place *p, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL, *clean = NULL;

	if (p->failed)
		return false;
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	clean = base_text_clean(text, -1);
	p->failed = true;
	return base_error_false(p->error, BASE_ERROR_DATA, "%s", clean);
}

bool sync_file_bad(struct sync_file_place *p, const char *key, const char *what)
{
	if (!p->host)
		return sync_file_fail(p, "\"%s\" %s", key, what);
	return sync_file_fail(p, "clock of %.100s: \"%s\" %s", p->host, key, what);
}

/* The value of KEY, which is of TYPE: else it is not WHAT.  Null is as good as not there: NULL. */
static const struct base_json_value *file_host_value_of(struct sync_file_place *p,
	const struct base_json_value *o, const char *key, enum base_json_type type, const char *what)
{
	const struct base_json_value *v = base_json_value_member(o, key);

	if (!v || base_json_value_type(v) == BASE_JSON_NULL)
		return NULL;
	if (base_json_value_type(v) == type)
		return v;
	sync_file_bad(p, key, what);
	return NULL;
}

void sync_file_get_int(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	int64_t *value)
{
	const struct base_json_value *v = file_host_value_of(p, o, key, BASE_JSON_INT,
		"is not a whole number");

	if (v)
		*value = base_json_value_int(v);
}

void sync_file_get_count(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	uint64_t *value)
{
	int64_t count = (int64_t)*value;

	sync_file_get_int(p, o, key, &count);
	if (count < 0)
		sync_file_bad(p, key, "is less than 0");
	*value = (uint64_t)count;
}

const char *sync_file_get_text(struct sync_file_place *p, const struct base_json_value *o, const char *key)
{
	const struct base_json_value *v = file_host_value_of(p, o, key, BASE_JSON_TEXT,
		"is not text in quotes");

	return v ? base_json_value_text(v) : NULL;
}

const struct base_json_value *sync_file_get_list(struct sync_file_place *p, const struct base_json_value *o,
	const char *key)
{
	return file_host_value_of(p, o, key, BASE_JSON_LIST, "is not a list");
}

const struct base_json_value *sync_file_get_object(struct sync_file_place *p,
	const struct base_json_value *list, unsigned i, const char *key)
{
	const struct base_json_value *o = base_json_value_at(list, i);

	if (base_json_value_type(o) == BASE_JSON_OBJECT)
		return o;
	sync_file_bad(p, key, "has something that is not an object");
	return NULL;
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
static bool get_decimal(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	sync_wide *value)
{
	const char *text = sync_file_get_text(p, o, key);

	return text &&
		(sync_text_parse(text, value) ||
			sync_file_bad(p, key, "is not a decimal number like \"-12.5\""));
}

static bool get_rate(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	int64_t *rate)
{
	const sync_wide one = (sync_wide)1 << SYNC_FRACTION_BITS;
	sync_wide slope = one;
	bool there = get_decimal(p, o, key, &slope);

	if (slope > one + RATE_MAX || slope < one - RATE_MAX)
		return sync_file_bad(p, key, "is too far from 1");
	*rate = (int64_t)(slope - one);
	return there;
}

/* Slope and offset as they stand in O; false: neither is there. */
static bool get_line(struct sync_file_place *p, const struct base_json_value *o, struct sync_line *line)
{
	bool slope = get_rate(p, o, "slope", &line->rate),
	     offset = get_decimal(p, o, "offset_ns", &line->offset);

	if (slope != offset)
		sync_file_bad(p, slope ? "offset_ns" : "slope", "is missing");
	return slope;
}

/* What is at 0 is told at ORIGIN instead: the same line, one of LINES. */
static void add_at(struct sync_file_place *p, struct sync_line *line, int64_t origin, GArray *lines)
{
	sync_wide most = (sync_wide)INT64_MAX << SYNC_FRACTION_BITS;

	if (__builtin_add_overflow(line->offset, (sync_wide)line->rate * origin, &line->offset) ||
		line->offset > most || line->offset < -most) {
		sync_file_bad(p, "offset_ns", "is too far away");
		return;
	}
	line->origin = origin;
	g_array_append_val(lines, *line);
}

static void file_host_add_line(struct sync_file_place *p, const struct base_json_value *list, guint i,
	GArray *lines)
{
	struct sync_line line = { .from = INT64_MIN, .seen = INT64_MAX };
	struct sync_line *before = i > 0 ? &g_array_index(lines, struct sync_line, i - 1) : NULL;
	const struct base_json_value *o = sync_file_get_object(p, list, i, "lines");
	int64_t origin = 0;

	if (!o)
		return;
	if (!get_line(p, o, &line))
		sync_file_bad(p, "slope", "and \"offset_ns\" are missing in one of \"lines\"");
	sync_file_get_int(p, o, "from", &line.from);
	sync_file_get_int(p, o, "seen", &line.seen);
	sync_file_get_int(p, o, "origin", &origin);
	if (i == 0 ? line.from != INT64_MIN : line.from <= before->from)
		sync_file_bad(p, "from",
			i == 0 ? "of the first line must be null"
			       : "is not later than that of the line before");
	if (before && before->seen == INT64_MAX) /* else it would never end */
		before->seen = line.from;
	add_at(p, &line, origin, lines);
}

/* Where the host has a list of lines, what it says above that must be the first of them. */
static void check_first(struct sync_file_place *p, const struct sync_line *above, const GArray *lines)
{
	static const char differs[] =
		"is not that of the first of \"lines\": change both, or take \"lines\" out";
	const struct sync_line *first = &g_array_index(lines, struct sync_line, 0);

	if (first->rate != above->rate)
		sync_file_bad(p, "slope", differs);
	if (first->offset - (sync_wide)first->rate * first->origin != above->offset)
		sync_file_bad(p, "offset_ns", differs);
}

/* LINES becomes those of the clock, none where there is no clock. */
static void read_lines(struct sync_file_place *p, const struct base_json_value *o, GArray *lines)
{
	struct sync_line above = { .from = INT64_MIN, .seen = INT64_MAX };
	bool there = get_line(p, o, &above);
	const struct base_json_value *list = sync_file_get_list(p, o, "lines");

	if (list && base_json_value_length(list) > pieces_max(p))
		sync_file_bad(p, "lines", "are too many");
	for (guint i = 0; !p->failed && list && i < base_json_value_length(list); i++)
		file_host_add_line(p, list, i, lines);
	if (there && lines->len > 0)
		check_first(p, &above, lines);
	else if (there)
		add_at(p, &above, 0, lines);
}

/* ---- bounds ---- */

static bool get_point(const struct base_json_value *pair, struct sync_point *point)
{
	if (base_json_value_type(pair) != BASE_JSON_LIST || base_json_value_length(pair) != 2)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		const struct base_json_value *v = base_json_value_at(pair, i);

		if (base_json_value_type(v) != BASE_JSON_INT)
			return false;
		*(i == 0 ? &point->host : &point->other) = base_json_value_int(v);
	}
	return true;
}

static void read_points(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	GArray *points)
{
	const struct base_json_value *list = sync_file_get_list(p, o, key);

	if (!list)
		sync_file_bad(p, key, "of \"bounds\" is missing");
	for (guint i = 0; !p->failed && i < base_json_value_length(list); i++) {
		struct sync_point point;

		if (get_point(base_json_value_at(list, i), &point))
			g_array_append_val(points, point);
		else
			sync_file_bad(p, key, "of \"bounds\" has something that is not a pair of times");
	}
}

static void add_bound(struct sync_file_place *p, const struct base_json_value *list, guint i, GArray *bounds)
{
	struct sync_bound b = { .from = INT64_MIN, .seen = INT64_MAX };
	const struct base_json_value *o = sync_file_get_object(p, list, i, "bounds");

	if (!o)
		return;
	sync_file_get_int(p, o, "from", &b.from);
	sync_file_get_int(p, o, "seen", &b.seen);
	get_rate(p, o, "slow", &b.slow);
	get_rate(p, o, "fast", &b.fast);
	b.low = g_array_new(FALSE, FALSE, sizeof(struct sync_point));
	b.high = g_array_new(FALSE, FALSE, sizeof(struct sync_point));
	read_points(p, o, "low", b.low);
	read_points(p, o, "high", b.high);
	g_array_append_val(bounds, b);
}

static void read_bounds(struct sync_file_place *p, const struct base_json_value *o, struct sync_host *h)
{
	const struct base_json_value *list = sync_file_get_list(p, o, "bounds");

	if (!list)
		return;
	if (base_json_value_length(list) > pieces_max(p))
		sync_file_bad(p, "bounds", "are too many");
	h->bounds = sync_bounds_new();
	for (guint i = 0; !p->failed && i < base_json_value_length(list); i++)
		add_bound(p, list, i, h->bounds);
	if (!p->failed && !sync_bounds_are_valid(h->bounds))
		sync_file_bad(p, "bounds",
			"contradict each other: take them out where the lines were edited");
}

/* ---- the host ---- */

static void read_quality(struct sync_file_place *p, const struct base_json_value *o, struct sync_host *h)
{
	const char *text = sync_file_get_text(p, o, "quality");
	unsigned i = 0;

	while (text && i < SYNC_QUALITIES && !g_str_equal(text, sync_quality_name((enum sync_quality)i)))
		i++;
	if (i == SYNC_QUALITIES)
		sync_file_bad(p, "quality", "is none that is known");
	else if (text)
		h->quality = (enum sync_quality)i;
}

static void read_by(struct sync_file_place *p, const struct base_json_value *o, struct sync_host *h)
{
	const char *text = sync_file_get_text(p, o, "by");

	h->by = text ? sync_file_host_named(p, text) : 0;
	if (h->by == p->n)
		sync_file_bad(p, "by", "is no host of this experiment");
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

void sync_file_host(struct sync_file_place *p, const struct base_json_value *o, struct sync_host *h)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));

	read_quality(p, o, h);
	read_by(p, o, h);
	for (const struct sync_file_count *c = sync_file_counts; c->key; c++)
		sync_file_get_count(p, o, c->key, &G_STRUCT_MEMBER(uint64_t, h, c->offset));
	sync_file_get_count(p, o, "violations_after", &h->violations_after);
	read_lines(p, o, lines);
	if (!p->failed && lines->len > 0)
		h->clock = sync_clock_new(g_array_ref(lines));
	g_array_unref(lines);
	settle_quality(h);
	if (h->clock)
		read_bounds(p, o, h);
}

/* SPDX-License-Identifier: MIT */
/*
 * A key is its values one behind the other, each with its length before it, so that no text of a trace can
 * stand for two of them: "0:9:2663383047:4722048" is host 0, dev 266338304, sector 4722048.
 */
#include "analysis/latency/rules_match.h"

#include "base/base_text.h"

#include <inttypes.h>
#include <string.h>

#define NEAR_MAX 3 /* names */

/* ---- the event ---- */

void ana_rules_facts_init(struct ana_rules_facts *f, struct qry *q)
{
	*f = (struct ana_rules_facts){ .q = q, .wanted = g_ptr_array_new() };
}

void ana_rules_facts_clear(struct ana_rules_facts *f)
{
	qry_scan_free(f->scan);
	g_ptr_array_unref(f->wanted);
}

/* Fields that "$mark" and its like need: texts of programs; what tells an event of a probe; and what tells one item of a
 * program from the others, the first of an event counts. */
static const char *const texts[] = { "buf", "msg", "_msg" },
			 *const probes[] = { "__probe_ip", "__probe_func", "vtid" },
			 *const items[] = { "id", "req", "req_id", "request", "request_id", "cookie", "key",
				 "seq", "sequence", "index" },
			 *const tracks[] = { "name", "track" };

static void want(struct ana_rules_facts *f, const char *field);

static void want_all(struct ana_rules_facts *f, const char *const *fields, gsize n)
{
	for (gsize i = 0; i < n; i++)
		want(f, fields[i]);
}

static void want(struct ana_rules_facts *f, const char *field)
{
	if (g_str_has_prefix(field, "$mark") && !f->wants_marks) {
		f->wants_marks = true;
		want_all(f, texts, G_N_ELEMENTS(texts));
		want_all(f, probes, G_N_ELEMENTS(probes));
		want_all(f, items, G_N_ELEMENTS(items));
		want_all(f, tracks, G_N_ELEMENTS(tracks));
	}
	if (*field != '$' && !g_ptr_array_find_with_equal_func(f->wanted, field, g_str_equal, NULL))
		g_ptr_array_add(f->wanted, (char *)(uintptr_t)field);
}

void ana_rules_facts_want(struct ana_rules_facts *f, const struct ana_rule_side *side, const char *field)
{
	for (guint i = 0; side->conditions && i < side->conditions->len; i++)
		want(f, g_array_index(side->conditions, struct ana_rule_condition, i).field);
	for (guint i = 0; i < side->key->len; i++)
		want(f, g_ptr_array_index(side->key, i));
	if (field)
		want(f, field);
}

bool ana_rules_facts_open(struct ana_rules_facts *f, const struct qry_events_filter *filter, GError **error)
{
	const struct qry_scan_want what = { .fields = (const char *const *)f->wanted->pdata,
		.n_fields = f->wanted->len,
		.thread = true };

	f->scan = qry_scan_new(f->q, filter, &what, error);
	return f->scan;
}

int ana_rules_facts_next(struct ana_rules_facts *f, struct base_progress *progress, GError **error)
{
	int got = qry_scan_next(f->scan, &f->event, progress, error);

	f->values = got > 0 ? qry_scan_values(f->scan, error) : NULL;
	f->has_mark = false;
	return got > 0 && !f->values ? -1 : got;
}

/* ---- what the event says of a phase of its program ---- */

static const struct trc_value *value_of(const struct ana_rules_facts *f, const char *field)
{
	guint i;

	if (!g_ptr_array_find_with_equal_func(f->wanted, field, g_str_equal, &i) ||
		f->values[i].type == TRC_VALUE_NONE)
		return NULL;
	return &f->values[i];
}

static const struct trc_value *first_of(const struct ana_rules_facts *f, const char *const *fields, gsize n)
{
	const struct trc_value *v = NULL;

	for (gsize i = 0; !v && i < n; i++)
		v = value_of(f, fields[i]);
	return v;
}

const char *ana_rules_facts_source(const struct ana_rules_facts *f)
{
	if (ana_mark_is_text(f->event.name))
		return "marker";
	if (g_str_has_prefix(f->event.name, "track_event:"))
		return "track";
	if (value_of(f, "__probe_ip") || value_of(f, "__probe_func"))
		return g_str_has_prefix(f->event.name, "sdt_") ? "usdt" : "uprobe";
	return "ust";
}

/* The mark of the event; its texts are valid until the next one is read. */
static const struct ana_mark *mark_of(struct ana_rules_facts *f)
{
	const struct trc_value *v = NULL;

	if (f->has_mark)
		return &f->mark;
	f->has_mark = true;
	f->mark = (struct ana_mark){ .what = ANA_MARK_NONE };
	if (ana_mark_is_text(f->event.name)) {
		v = first_of(f, texts, G_N_ELEMENTS(texts));
		if (v && v->type == TRC_VALUE_TEXT)
			f->mark = ana_mark_of_text(v->text, strnlen(v->text, v->length));
	} else if (g_str_has_prefix(f->event.name, "track_event:slice_")) {
		bool begins = g_str_has_suffix(f->event.name, "begin");

		v = value_of(f, "name");
		f->mark = (struct ana_mark){ .what = begins ? ANA_MARK_BEGIN : ANA_MARK_END,
			.sign = begins ? "opens" : "closes" };
		if (v && v->type == TRC_VALUE_TEXT)
			f->mark.name = (struct ana_mark_text){ v->text, strnlen(v->text, v->length) };
	} else if (first_of(f, probes, G_N_ELEMENTS(probes))) {
		f->mark = ana_mark_of_name(f->event.name);
	}
	return &f->mark;
}

/* "$mark": the shape; "$mark_name"; "$mark_key", which may be a field of the event; "$mark_owner": who has that key, the
 * track, the process if there is a key, else the thread. */
static bool get_mark(const struct ana_rules_facts *of, const char *what, struct trc_value *value)
{
	struct ana_rules_facts *f = (struct ana_rules_facts *)(uintptr_t)of;
	const struct ana_mark *mark = mark_of(f);
	const struct qry_row *row = f->event.thread != MDL_NONE ? qry_row(f->q, f->event.thread) : NULL;
	bool by_name = mark->sign && (g_str_equal(mark->sign, "enters") || g_str_equal(mark->sign, "leaves"));
	const struct trc_value *item = by_name ? first_of(f, items, G_N_ELEMENTS(items)) : NULL,
			       *track = value_of(f, "track");
	const char *part = what + strlen("$mark");

	if (mark->what == ANA_MARK_NONE)
		return false;
	*value = (struct trc_value){ .type = TRC_VALUE_TEXT, .text = mark->sign };
	if (g_str_equal(part, "_name")) {
		value->text = mark->name.at ? mark->name.at : "";
		value->length = mark->name.length;
		return true;
	}
	if (g_str_equal(part, "_key") && item) {
		*value = *item;
		return true;
	}
	if (g_str_equal(part, "_key")) {
		value->text = mark->key.at ? mark->key.at : "";
		value->length = mark->key.length;
		return true;
	}
	if (g_str_equal(part, "_owner")) {
		if (track && g_str_has_prefix(f->event.name, "track_event:"))
			g_snprintf(f->owner, sizeof f->owner, "track %" PRIu64, track->number);
		else if (!row)
			return false;
		else
			g_snprintf(f->owner, sizeof f->owner,
				item || mark->of_process ? "process %" PRId64 : "%" PRId64,
				(int64_t)(item || mark->of_process ? row->pid : row->nr));
		value->text = f->owner;
	}
	value->length = strlen(value->text);
	return true;
}

/* "$cpu" and its like. */
static bool get_other(const struct ana_rules_facts *f, const char *what, struct trc_value *value)
{
	const struct qry_event *e = &f->event;
	const struct qry_row *row = e->thread != MDL_NONE ? qry_row(f->q, e->thread) : NULL;

	*value = (struct trc_value){ .type = TRC_VALUE_SIGNED };
	if (g_str_equal(what, "$host")) {
		value->type = TRC_VALUE_TEXT;
		value->text = qry_host(f->q, e->host)->name;
		value->length = strlen(value->text);
		return true;
	}
	if (g_str_equal(what, "$cpu")) {
		value->number = e->cpu;
		return e->cpu != MDL_NONE;
	}
	value->number = row ? (uint64_t)(g_str_equal(what, "$tid") ? row->nr : row->pid) : 0;
	return row && (int64_t)value->number >= 0;
}

bool ana_rules_facts_get(const struct ana_rules_facts *f, const char *field, struct trc_value *value)
{
	if (*field == '$')
		return g_str_has_prefix(field, "$mark") ? get_mark(f, field, value)
							: get_other(f, field, value);
	for (guint i = 0; i < f->wanted->len; i++) {
		if (strcmp(g_ptr_array_index(f->wanted, i), field) != 0)
			continue;
		*value = f->values[i];
		return value->type != TRC_VALUE_NONE;
	}
	return false;
}

static void rules_match_take(void *data, const char *name, G_GNUC_UNUSED const struct trc_value *value)
{
	GString *names = data;

	g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", name);
}

char *ana_rules_facts_names(struct ana_rules_facts *f, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);
	const struct trc_taker taker = { rules_match_take, names };

	if (!qry_scan_take(f->scan, &taker, error))
		return NULL;
	/* Values are of the event once more. */
	f->values = qry_scan_values(f->scan, error);
	return f->values ? base_text_clean(names->str, -1) : NULL;
}

/* ---- what a rule asks ---- */

bool ana_rules_is_called(const struct ana_rule_side *side, const char *name)
{
	if (g_str_equal(side->event, "$text"))
		return ana_mark_is_text(name);
	if (g_str_equal(side->event, "$program"))
		return ana_mark_of_name(name).what != ANA_MARK_NONE;
	return strpbrk(side->event, "*?") ? qry_events_match(side->event, name)
					  : g_ascii_strcasecmp(side->event, name) == 0;
}

static bool is_below_zero(const struct trc_value *v)
{
	return v->type == TRC_VALUE_SIGNED && (int64_t)v->number < 0;
}

static double real_of(const struct trc_value *v)
{
	if (v->type == TRC_VALUE_REAL)
		return v->real;
	return v->type == TRC_VALUE_SIGNED ? (double)(int64_t)v->number : (double)v->number;
}

/* Two numbers: < 0, 0, > 0. */
static int rules_match_compare(const struct trc_value *a, const struct trc_value *b)
{
	if (a->type == TRC_VALUE_REAL || b->type == TRC_VALUE_REAL)
		return (real_of(a) > real_of(b)) - (real_of(a) < real_of(b));
	if (is_below_zero(a) != is_below_zero(b))
		return is_below_zero(a) ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

void ana_rules_append_value(GString *to, const struct trc_value *v)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	switch (v->type) {
	case TRC_VALUE_SIGNED: g_string_append_printf(to, "%" PRId64, (int64_t)v->number); break;
	case TRC_VALUE_UNSIGNED: g_string_append_printf(to, "%" PRIu64, v->number); break;
	case TRC_VALUE_REAL: g_string_append(to, g_ascii_dtostr(text, sizeof text, v->real)); break;
	case TRC_VALUE_TEXT: g_string_append_len(to, v->text, (gssize)v->length); break;
	case TRC_VALUE_NONE: break;
	}
}

/* Patterns are of characters: what is none must not be taken for the beginning of one. */
static bool is_like(const char *pattern, const struct trc_value *v)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *clean = NULL;

	ana_rules_append_value(text, v);
	clean = base_text_clean(text->str, (gssize)text->len);
	return g_pattern_match_simple(pattern, clean);
}

static bool meets(const struct ana_rule_condition *c, const struct trc_value *v)
{
	bool numbers = c->is_number && v->type != TRC_VALUE_TEXT;
	int order = numbers ? rules_match_compare(v, &c->number) : 0;

	switch (c->compare) {
	case ANA_RULE_EQUAL: return numbers ? order == 0 : is_like(c->text, v);
	case ANA_RULE_UNLIKE: return numbers ? order != 0 : !is_like(c->text, v);
	case ANA_RULE_MORE: return numbers && order > 0;
	case ANA_RULE_LESS: return numbers && order < 0;
	case ANA_RULE_AT_LEAST: return numbers && order >= 0;
	case ANA_RULE_AT_MOST: return numbers && order <= 0;
	}
	g_assert_not_reached();
}

bool ana_rules_meets(const struct ana_rules_facts *f, const struct ana_rule_side *side)
{
	struct trc_value value;

	for (guint i = 0; i < side->conditions->len; i++) {
		const struct ana_rule_condition *c = &g_array_index(side->conditions,
			struct ana_rule_condition, i);

		if (!ana_rules_facts_get(f, c->field, &value) || !meets(c, &value))
			return false;
	}
	return true;
}

/* ---- keys ---- */

bool ana_rules_key(const struct ana_rules_facts *f, const struct ana_rule_side *side, bool across,
	GString *key)
{
	struct trc_value value;

	g_string_truncate(key, 0);
	g_string_append_printf(key, "%u:", across ? 0 : f->event.host);
	for (guint i = 0; i < side->key->len; i++) {
		gsize before = key->len;
		char length[24];

		if (!ana_rules_facts_get(f, g_ptr_array_index(side->key, i), &value))
			return false;
		ana_rules_append_value(key, &value);
		g_snprintf(length, sizeof length, "%" G_GSIZE_FORMAT ":", key->len - before);
		g_string_insert(key, (gssize)before, length);
	}
	return true;
}

char *ana_rules_key_text(const char *key, gsize length)
{
	const char *end = key + length, *p = strchr(key, ':') + 1;
	GString *text = g_string_new(NULL);

	while (p < end) {
		g_autofree char *value = NULL;
		gsize size = (gsize)g_ascii_strtoull(p, &value, 10);

		value++;
		if (text->len > 0)
			g_string_append(text, ", ");
		p = value + size;
		value = base_text_clean(value, (gssize)size);
		g_string_append(text, value);
	}
	return g_string_free(text, text->len == 0);
}

/* ---- what may have been meant ---- */

/* How many letters of A must be changed to make B of it: Wagner and Fischer, The String-to-String Correction
 * Problem, J. ACM 21, 1974. */
static unsigned rules_match_distance(const char *a, const char *b)
{
	size_t n = strlen(b);
	unsigned *row = g_new(unsigned, n + 1), result;

	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; a[i]; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned change = diagonal + (g_ascii_tolower(a[i]) != g_ascii_tolower(b[j]));

			diagonal = row[j + 1];
			row[j + 1] = MIN(change, MIN(row[j], diagonal) + 1);
		}
	}
	result = row[n];
	g_free(row);
	return result;
}

char *ana_rules_near(const char *name, const GPtrArray *names)
{
	GString *text = g_string_new(NULL);
	unsigned found = 0;

	for (unsigned far = 1; far <= MAX(strlen(name) / 4, 2) && found < NEAR_MAX; far++)
		for (guint i = 0; i < names->len && found < NEAR_MAX; i++) {
			const char *other = g_ptr_array_index(names, i);

			/* What holds it is near. */
			if ((strstr(other, name) ? 1 : rules_match_distance(name, other)) == far)
				g_string_append_printf(text, "%s%s", found++ > 0 ? ", " : "", other);
		}
	return g_string_free(text, text->len == 0);
}

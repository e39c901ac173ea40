/* SPDX-License-Identifier: MIT */
/*
 * How it works: a key is a sequence of words of 8 bytes, so writing and reading it is fast: the host, then
 * for each value its type and the number, or the length of the text and the text.  A text that reads like a
 * number is stored as that number, and a real as its text.  So two keys are equal if, and only if, their
 * values have equal texts.
 */
#include "analysis/latency/rules_match.h"

#include "base/base_text.h"

#include <inttypes.h>
#include <string.h>

/* A key that one or more sides use. */
struct ana_rules_facts_key {
	uint32_t *fields; /* owned: N numbers of fields */
	guint n;
	bool across;     /* without the host */
	uint64_t number; /* of the event that KEY is of; 0: none */
	bool has;        /* that event has all of the fields */
	struct ana_rules_key key;
	GString *words; /* owned: those of KEY */
};

static void facts_key_free(void *data)
{
	struct ana_rules_facts_key *k = data;

	g_free(k->fields);
	g_string_free(k->words, TRUE);
	g_free(k);
}

/* ---- the event ---- */

void ana_rules_facts_init(struct ana_rules_facts *f, struct qry *q)
{
	*f = (struct ana_rules_facts){ .q = q,
		.wanted = g_ptr_array_new(),
		.names = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.twice = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.mark_fields = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.keys = g_ptr_array_new_with_free_func(facts_key_free) };
}

void ana_rules_facts_clear(struct ana_rules_facts *f)
{
	qry_scan_free(f->scan);
	g_ptr_array_unref(f->wanted);
	g_hash_table_unref(f->names);
	g_hash_table_unref(f->twice);
	g_clear_pointer(&f->types, g_ptr_array_unref);
	g_array_unref(f->mark_fields);
	g_ptr_array_unref(f->keys);
	g_clear_error(&f->error);
}

/* Numbers of names that are not fields of the trace; those of marks come last. */
enum {
	OTHER_HOST = MDL_NONE - 10,
	OTHER_CPU,
	OTHER_TID,
	OTHER_PID,
	OTHER_MARK,
	OTHER_MARK_NAME,
	OTHER_MARK_KEY,
	OTHER_MARK_OWNER,
	OTHER_MARK_ITEM,
	OTHER_MARK_ID
};
static const char *const others[] = { "$host", "$cpu", "$tid", "$pid", "$mark", "$mark_name", "$mark_key",
	"$mark_owner", "$mark_item", "$mark_id" };

/* Fields of marks: texts of programs; fields that only events of probes, of lttng enable-event --function or
 * of LTTng-UST have; name and track of a slice; keys of a program's items, of which the first that the event
 * has counts. */
enum { FIELD_TEXT, FIELD_PROBE = 3, FIELD_NAME = 7, FIELD_TRACK, FIELD_ITEM, FIELDS = FIELD_ITEM + 10 };
static const char *const mark_fields[FIELDS] = { "buf", "msg", "_msg", "__probe_ip", "__probe_func",
	"parent_ip", "vtid", "name", "track", "id", "req", "req_id", "request", "request_id", "cookie", "key",
	"seq", "sequence", "index" };

static uint32_t want_field(struct ana_rules_facts *f, const char *field)
{
	guint i;

	if (!g_ptr_array_find_with_equal_func(f->wanted, field, g_str_equal, &i)) {
		i = f->wanted->len;
		g_ptr_array_add(f->wanted, (char *)(uintptr_t)field);
	}
	return i;
}

uint32_t ana_rules_facts_want(struct ana_rules_facts *f, const char *field)
{
	uint32_t i = 0;

	if (*field != '$')
		return want_field(f, field);
	while (i + 1 < G_N_ELEMENTS(others) && !g_str_equal(others[i], field))
		i++;
	for (unsigned k = f->mark_fields->len; OTHER_HOST + i >= OTHER_MARK && k < FIELDS; k++) {
		uint32_t number = want_field(f, mark_fields[k]);

		g_array_append_val(f->mark_fields, number);
	}
	return OTHER_HOST + i;
}

bool ana_rules_facts_open(struct ana_rules_facts *f, const struct qry_events_filter *filter, GError **error)
{
	const struct qry_scan_want what = { .fields = (const char *const *)f->wanted->pdata,
		.n_fields = f->wanted->len };

	f->scan = qry_scan_new(f->q, filter, &what, error);
	return f->scan;
}

int ana_rules_facts_next(struct ana_rules_facts *f, struct base_progress *progress, GError **error)
{
	int got;

	if (f->error) {
		g_propagate_error(error, g_steal_pointer(&f->error));
		return -1;
	}
	got = qry_scan_next(f->scan, &f->event, progress, error);
	f->number++;
	f->has_thread = f->has_mark = false;
	f->values = got > 0 ? qry_scan_values(f->scan, error) : NULL;
	return got > 0 && !f->values ? -1 : got;
}

uint32_t ana_rules_facts_thread(struct ana_rules_facts *f)
{
	if (f->has_thread || f->error)
		return f->event.thread;
	f->has_thread = true;
	if (!qry_scan_thread(f->scan, &f->event, &f->error))
		return MDL_NONE;
	/* The look-up invalidated the values of the event. */
	f->values = qry_scan_values(f->scan, &f->error);
	return f->event.thread;
}

/* ---- marks ---- */

/* The value of the first field that the event has, of N fields of marks from number FIRST on; NULL: none. */
static const struct trc_value *mark_value(const struct ana_rules_facts *f, unsigned first, unsigned n)
{
	for (unsigned i = first; f->values && i < first + n; i++) {
		const struct trc_value *v = &f->values[g_array_index(f->mark_fields, uint32_t, i)];

		if (v->type != TRC_VALUE_NONE)
			return v;
	}
	return NULL;
}

static bool is_slice(const struct ana_rules_facts *f)
{
	return g_str_has_prefix(f->event.name, "track_event:slice_");
}

const char *ana_rules_facts_source(struct ana_rules_facts *f)
{
	if (ana_mark_is_text(f->event.name))
		return "marker";
	if (is_slice(f))
		return "track";
	if (mark_value(f, FIELD_PROBE, 3))
		return g_str_has_prefix(f->event.name, "sdt_") ? "usdt" : "uprobe";
	return "ust";
}

static struct ana_mark_text text_of(const struct trc_value *v)
{
	return v && v->type == TRC_VALUE_TEXT ? (struct ana_mark_text){ v->text, strnlen(v->text, v->length) }
					      : (struct ana_mark_text){ NULL, 0 };
}

/* True if a trace has events called NAME followed by ENDING. */
static bool has_other(struct ana_rules_facts *f, const char *name, const char *ending)
{
	g_autofree char *other = g_strconcat(name, ending, NULL);
	bool has = false;

	/* A trace that does not list its events has ":", too: it does not count. */
	for (uint32_t host = 0; !has && host < qry_host_count(f->q); host++)
		has = qry_events_declared(f->q, host, other) && !qry_events_declared(f->q, host, ":");
	return has;
}

static bool has_any(struct ana_rules_facts *f, const char *name, const char *const *endings)
{
	while (*endings && !has_other(f, name, *endings))
		endings++;
	return *endings;
}

/* True if NAME, "work", is a begin: there is "work__return" (perf probe), "work_exit" or "work_ret", and no
 * "work_entry" or similar. */
static bool begins_plain(struct ana_rules_facts *f, const char *name)
{
	static const char *const begins[] = { "_entry", "_enter", "_begin", "_start", NULL },
				 *const ends[] = { "__return", "_return", "__exit", "_exit", "__ret", "_ret",
					 NULL };

	return has_any(f, name, ends) && !has_any(f, name, begins);
}

/* "p_work_0" and "r_work_0": the kernel's names for probes without a name (kernel/trace/trace_kprobe.c
 * trace_kprobe_create()). */
static struct ana_mark of_kernel_name(struct ana_rules_facts *f, const char *name)
{
	const char *behind = strchr(name, ':'), *own = behind ? behind + 1 : name;
	g_autofree char *other = g_strdup(name);

	if ((*own != 'p' && *own != 'r') || own[1] != '_' || own[2] == '\0')
		return (struct ana_mark){ .what = ANA_MARK_NONE };
	other[own - name] = *own == 'p' ? 'r' : 'p';
	if (!has_other(f, other, ""))
		return (struct ana_mark){ .what = ANA_MARK_NONE };
	return (struct ana_mark){ .what = *own == 'p' ? ANA_MARK_BEGIN : ANA_MARK_END,
		.sign = *own == 'p' ? "enters" : "leaves",
		.name = { own + 2, strlen(own + 2) } };
}

const struct ana_mark *ana_rules_facts_of_name(struct ana_rules_facts *f, const char *name)
{
	struct ana_mark *known = g_hash_table_lookup(f->names, name), mark;

	if (known)
		return known;
	mark = ana_mark_of_name(name);
	/* All names of probes and of programs contain the name of a group. */
	if (mark.what == ANA_MARK_NONE && strchr(name, ':')) {
		mark = of_kernel_name(f, name);
		if (mark.what == ANA_MARK_NONE && begins_plain(f, name))
			mark = (struct ana_mark){ .what = ANA_MARK_BEGIN,
				.sign = "enters",
				.name = { name, strlen(name) } };
	}
	known = g_memdup2(&mark, sizeof mark);
	g_hash_table_insert(f->names, (char *)(uintptr_t)name, known);
	return known;
}

static bool has_item(const struct qry_scan_type *type)
{
	for (guint i = 0; i < type->fields->len; i++)
		for (unsigned k = FIELD_ITEM; k < FIELDS; k++)
			if (g_str_equal(g_array_index(type->fields, struct qry_scan_field, i).name,
				    mark_fields[k]))
				return true;
	return false;
}

/* MARK is that of the event's name. True if the events of its other side (end or begin) may have a key: one
 * of their types has one, or no such type is known. The return of a function has no key, nor has the end of a
 * phase that only its thread works at. */
static bool is_told_twice(struct ana_rules_facts *f, const struct ana_mark *mark)
{
	bool none = true, *known = g_hash_table_lookup(f->twice, f->event.name);

	if (known)
		return *known;
	if (!f->types) {
		f->types = qry_scan_types(f->q, MDL_NONE, NULL, NULL);
		/* The look-up invalidated the values of the event. */
		f->values = qry_scan_values(f->scan, &f->error);
	}
	for (guint i = 0; f->types && i < f->types->len; i++) {
		const struct qry_scan_type *type = f->types->pdata[i];
		const struct ana_mark *other = ana_rules_facts_of_name(f, type->name);

		if (other->what == ANA_MARK_NONE || other->what == mark->what ||
			other->name.length != mark->name.length ||
			memcmp(other->name.at, mark->name.at, mark->name.length) != 0)
			continue;
		none = has_item(type);
		if (none)
			break;
	}
	g_hash_table_insert(f->twice, (char *)(uintptr_t)f->event.name, g_memdup2(&none, sizeof none));
	return none;
}

/* The mark of the event; its texts are valid until the next event is read.  Look up the thread before. */
static const struct ana_mark *mark_of(struct ana_rules_facts *f)
{
	struct ana_mark_text text;

	if (f->has_mark)
		return &f->mark;
	f->has_mark = true;
	f->mark = (struct ana_mark){ .what = ANA_MARK_NONE };
	if (ana_mark_is_text(f->event.name)) {
		text = text_of(mark_value(f, FIELD_TEXT, FIELD_PROBE - FIELD_TEXT));
		if (text.at)
			f->mark = ana_mark_of_text(text.at, text.length);
	} else if (is_slice(f)) {
		bool begins = g_str_has_suffix(f->event.name, "begin");

		f->mark = (struct ana_mark){ .what = begins ? ANA_MARK_BEGIN : ANA_MARK_END,
			.sign = begins ? "opens" : "closes",
			.name = text_of(mark_value(f, FIELD_NAME, 1)) };
	} else if (mark_value(f, FIELD_PROBE, FIELD_NAME - FIELD_PROBE)) {
		f->mark = *ana_rules_facts_of_name(f, f->event.name);
	}
	return &f->mark;
}

/* "$mark": the shape; "$mark_name"; "$mark_key", which may be a field of the event; "$mark_owner": the scope
 * of the key, which is the track, or the process if both sides have a key, or else the thread; "$mark_item":
 * the key of this side; "$mark_id": of a text in words, the part of the key that both sides have. */
static bool get_mark(struct ana_rules_facts *f, uint32_t what, struct trc_value *value)
{
	uint32_t thread = ana_rules_facts_thread(f);
	const struct qry_row *row = thread != MDL_NONE ? qry_row(f->q, thread) : NULL;
	const struct ana_mark *mark = mark_of(f);
	const struct trc_value *item, *track;
	struct ana_mark_text part = what == OTHER_MARK_NAME ? mark->name
		: what == OTHER_MARK_ID                     ? mark->id
							    : mark->key;
	bool by_name, of_process;

	if (mark->what == ANA_MARK_NONE || !mark->sign)
		return false;
	by_name = g_str_equal(mark->sign, "enters") || g_str_equal(mark->sign, "leaves");
	item = by_name ? mark_value(f, FIELD_ITEM, FIELDS - FIELD_ITEM) : NULL;
	if (item && what != OTHER_MARK_ITEM)
		item = is_told_twice(f, mark) ? mark_value(f, FIELD_ITEM, FIELDS - FIELD_ITEM) : NULL;
	track = is_slice(f) ? mark_value(f, FIELD_TRACK, 1) : NULL;
	of_process = item || mark->of_process;
	if ((what == OTHER_MARK_KEY || what == OTHER_MARK_ITEM) && item) {
		*value = *item;
		return true;
	}
	*value = (struct trc_value){ .type = TRC_VALUE_TEXT, .text = mark->sign };
	if (what == OTHER_MARK_NAME || what == OTHER_MARK_KEY || what >= OTHER_MARK_ITEM) {
		value->text = part.at ? part.at : "";
		value->length = part.length;
		return true;
	}
	if (what == OTHER_MARK_OWNER) {
		if (!track && !row)
			return false;
		g_snprintf(f->owner, sizeof f->owner, "%s %" PRId64,
			track                ? "track"
				: of_process ? "process"
					     : "thread",
			track                ? (int64_t)track->number
				: of_process ? row->pid
					     : row->nr);
		value->text = f->owner;
	}
	value->length = strlen(value->text);
	return true;
}

/* True if the event's mark has the shape SIGN.  Called with the shapes of all rules for each mark. */
static bool is_shape(struct ana_rules_facts *f, const char *sign)
{
	const struct ana_mark *mark;

	ana_rules_facts_thread(f);
	mark = mark_of(f);
	return mark->what != ANA_MARK_NONE && mark->sign && g_str_equal(mark->sign, sign);
}

/* Set *VALUE to "$cpu" etc. */
static bool get_other(struct ana_rules_facts *f, uint32_t what, struct trc_value *value)
{
	const struct qry_event *e = &f->event;
	const struct qry_row *row;
	uint32_t thread;

	*value = (struct trc_value){ .type = TRC_VALUE_SIGNED };
	if (what == OTHER_HOST) {
		value->type = TRC_VALUE_TEXT;
		value->text = qry_host(f->q, e->host)->name;
		value->length = strlen(value->text);
		return true;
	}
	if (what == OTHER_CPU) {
		value->number = e->cpu;
		return e->cpu != MDL_NONE;
	}
	thread = ana_rules_facts_thread(f);
	row = thread != MDL_NONE ? qry_row(f->q, thread) : NULL;
	value->number = row ? (uint64_t)(what == OTHER_TID ? row->nr : row->pid) : 0;
	return row && (int64_t)value->number >= 0;
}

/* Like ana_rules_facts_get(): the value, or NULL.  OTHER is room for a value that is not a field. */
static const struct trc_value *facts_value(struct ana_rules_facts *f, uint32_t field, struct trc_value *other)
{
	if (G_UNLIKELY(field >= OTHER_HOST))
		return (field >= OTHER_MARK ? get_mark(f, field, other) : get_other(f, field, other)) ? other
												      : NULL;
	return f->values && f->values[field].type != TRC_VALUE_NONE ? &f->values[field] : NULL;
}

bool ana_rules_facts_get(struct ana_rules_facts *f, uint32_t field, struct trc_value *value)
{
	const struct trc_value *found = facts_value(f, field, value);

	if (found && found != value)
		*value = *found;
	return found;
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
	/* The look-up invalidated the values of the event. */
	f->values = qry_scan_values(f->scan, error);
	return f->values ? base_text_clean(names->str, -1) : NULL;
}

/* ---- fields and conditions of a rule ---- */

/* The key with the N FIELDS (taken); made if no side wanted it before. */
static struct ana_rules_facts_key *want_key(struct ana_rules_facts *f, uint32_t *fields, guint n, bool across)
{
	struct ana_rules_facts_key *k;

	for (guint i = 0; i < f->keys->len; i++) {
		k = g_ptr_array_index(f->keys, i);
		if (k->n == n && k->across == across && memcmp(k->fields, fields, n * sizeof *fields) == 0) {
			g_free(fields);
			return k;
		}
	}
	k = g_new(struct ana_rules_facts_key, 1);
	*k = (struct ana_rules_facts_key){ .fields = fields,
		.n = n,
		.across = across,
		.words = g_string_new(NULL) };
	g_ptr_array_add(f->keys, k);
	return k;
}

void ana_rules_wanted_init(struct ana_rules_wanted *w, struct ana_rules_facts *f,
	const struct ana_rule_side *side, bool across)
{
	guint n = side->conditions ? side->conditions->len : 0;
	uint32_t *fields = g_new(uint32_t, side->key->len + 1);

	*w = (struct ana_rules_wanted){ .side = side, .conditions = g_new(uint32_t, n) };
	for (guint i = 0; i < n; i++)
		w->conditions[i] = ana_rules_facts_want(f,
			g_array_index(side->conditions, struct ana_rule_condition, i).field);
	for (guint i = 0; i < side->key->len; i++)
		fields[i] = ana_rules_facts_want(f, g_ptr_array_index(side->key, i));
	w->key = want_key(f, fields, side->key->len, across);
}

void ana_rules_wanted_clear(struct ana_rules_wanted *w)
{
	g_free(w->conditions);
}

bool ana_rules_is_called(struct ana_rules_facts *f, const struct ana_rule_side *side, const char *name)
{
	if (!side->event)
		return false;
	if (g_str_equal(side->event, "$text"))
		return ana_mark_is_text(name);
	if (g_str_equal(side->event, "$program"))
		return ana_rules_facts_of_name(f, name)->what != ANA_MARK_NONE;
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

/* Three-way comparison of numbers: <0, 0, >0. */
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

/* Patterns match characters: bytes that form none must not look like the begin of one. */
static bool is_like(const struct ana_rule_condition *c, const struct trc_value *v)
{
	g_autoptr(GString) text = NULL;
	g_autofree char *clean = NULL;

	if (v->type == TRC_VALUE_TEXT && !c->is_pattern && base_text_is_plain(v->text, (gssize)v->length))
		return strlen(c->text) == v->length && memcmp(c->text, v->text, v->length) == 0;
	text = g_string_new(NULL);
	ana_rules_append_value(text, v);
	clean = base_text_clean(text->str, (gssize)text->len);
	return g_pattern_match_simple(c->text, clean);
}

static bool meets(const struct ana_rule_condition *c, const struct trc_value *v)
{
	bool numbers = c->is_number && v->type != TRC_VALUE_TEXT;
	int order = numbers ? rules_match_compare(v, &c->number) : 0;

	switch (c->compare) {
	case ANA_RULE_EQUAL: return numbers ? order == 0 : is_like(c, v);
	case ANA_RULE_UNLIKE: return numbers ? order != 0 : !is_like(c, v);
	case ANA_RULE_MORE: return numbers && order > 0;
	case ANA_RULE_LESS: return numbers && order < 0;
	case ANA_RULE_AT_LEAST: return numbers && order >= 0;
	case ANA_RULE_AT_MOST: return numbers && order <= 0;
	}
	g_assert_not_reached();
}

bool ana_rules_meets(struct ana_rules_facts *f, const struct ana_rules_wanted *w)
{
	const GArray *conditions = w->side->conditions;
	struct trc_value other;

	for (guint i = 0; i < conditions->len; i++) {
		const struct ana_rule_condition *c = &g_array_index(conditions, struct ana_rule_condition, i);
		const struct trc_value *value;

		if (w->conditions[i] == OTHER_MARK && c->compare == ANA_RULE_EQUAL && !c->is_pattern) {
			if (!is_shape(f, c->text))
				return false;
			continue;
		}
		value = facts_value(f, w->conditions[i], &other);
		if (!value || !meets(c, value))
			return false;
	}
	return true;
}

/* ---- keys ---- */

enum { PART_NUMBER, PART_BELOW_ZERO, PART_TEXT };

#define WORD sizeof(uint64_t)

/* Make room for N more bytes, and return it. */
static char *extend(GString *key, gsize n)
{
	gsize before = key->len;

	if (before + n >= key->allocated_len)
		g_string_set_size(key, before + n);
	key->len = before + n;
	return key->str + before;
}

static void add_part(GString *key, uint64_t type, uint64_t number)
{
	uint64_t part[] = { type, number };

	memcpy(extend(key, sizeof part), part, sizeof part);
}

/* Append TEXT as a number; false if it is not written exactly like one. */
static bool add_written(GString *key, const char *text, gsize length)
{
	bool below = length > 0 && text[0] == '-';
	uint64_t number = 0;

	if (length - below == 0 || length - below > 20 || (text[below] == '0' && (below || length > 1)))
		return false;
	for (gsize i = below; i < length; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');

		if (text[i] < '0' || text[i] > '9' || number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (below && number > (uint64_t)INT64_MAX + 1)
		return false;
	add_part(key, below ? PART_BELOW_ZERO : PART_NUMBER, below ? 0 - number : number);
	return true;
}

static void add_text(GString *key, const char *text, gsize length)
{
	if (add_written(key, text, length))
		return;
	add_part(key, PART_TEXT, length);
	if (length > 0) {
		char *to = extend(key, (length + WORD - 1) / WORD * WORD);

		memset(key->str + key->len - WORD, 0, WORD);
		memcpy(to, text, length);
	}
}

static void add_value(GString *key, const struct trc_value *value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (value->type == TRC_VALUE_TEXT) {
		add_text(key, value->text, value->length);
	} else if (value->type == TRC_VALUE_REAL) {
		g_ascii_dtostr(text, sizeof text, value->real);
		add_text(key, text, strlen(text));
	} else {
		add_part(key, is_below_zero(value) ? PART_BELOW_ZERO : PART_NUMBER, value->number);
	}
}

/* Make K the key of the event.  False if the event lacks a field. */
static bool make_key(struct ana_rules_facts *f, struct ana_rules_facts_key *k)
{
	uint64_t host = k->across ? 0 : f->event.host;
	struct trc_value other;
	GString *words = k->words;

	words->len = 0;
	memcpy(extend(words, WORD), &host, WORD);
	for (guint i = 0; i < k->n; i++) {
		const struct trc_value *value = facts_value(f, k->fields[i], &other);

		if (!value)
			return false;
		add_value(words, value);
	}
	k->key = (struct ana_rules_key){ (const uint64_t *)(const void *)words->str, words->len / WORD, 0 };
	k->key.hash = ana_rules_hash(k->key.words, k->key.n);
	return true;
}

const struct ana_rules_key *ana_rules_facts_key(struct ana_rules_facts *f, const struct ana_rules_wanted *w)
{
	struct ana_rules_facts_key *k = w->key;

	if (k->number != f->number) {
		k->number = f->number;
		k->has = make_key(f, k);
	}
	return k->has ? &k->key : NULL;
}

char *ana_rules_key_text(const struct ana_rules_key *key, guint parts)
{
	GString *text = g_string_new(NULL);
	const char *words = (const char *)key->words, *end = words + key->n * WORD;

	for (const char *p = words + WORD; p < end && parts > 0; parts--) {
		uint64_t type, number;

		memcpy(&type, p, WORD);
		memcpy(&number, p + WORD, WORD);
		p += 2 * WORD;
		if (text->len > 0)
			g_string_append(text, ", ");
		if (type == PART_TEXT) {
			g_autofree char *clean = base_text_clean(p, (gssize)number);

			g_string_append(text, clean);
			p += (number + WORD - 1) / WORD * WORD;
		} else {
			ana_rules_append_value(text,
				&(struct trc_value){ .type = type == PART_NUMBER ? TRC_VALUE_UNSIGNED
										 : TRC_VALUE_SIGNED,
					.number = number });
		}
	}
	return g_string_free(text, text->len == 0);
}

/* SPDX-License-Identifier: MIT */
/*
 * How it works: the fragments of the metadata are read one after the other. Each may refer only to earlier
 * ones, so there are no cycles. trc_ctf2_field.c reads field classes.
 */
#include "trace/ctf2/trc_ctf2.h"

#include "trace/ctf2/trc_ctf2_parse.h"

#include <string.h>

#define RECORD_SEPARATOR '\x1e'

/* Return a copy of TEXT that lives as long as the metadata. */
static const char *fragments_keep(struct trc_fragments *p, const char *text)
{
	return g_string_chunk_insert_const(p->t->strings, text);
}

/* Set *VALUE to the number KEY of O, if there is one. False with a failure. */
static bool fragments_signed(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	int64_t *value)
{
	const struct base_json_value *v = trc_fragments_get(p, o, key, BASE_JSON_INT, false);

	if (!v)
		return !p->error;
	if (base_json_value_type(v) == BASE_JSON_LARGE)
		return trc_fragments_fail(p, v, BASE_ERROR_DATA, "\"%s\" is too large", key);
	*value = base_json_value_int(v);
	return true;
}

/* Set *SLOT to the structure KEY of O, if there is one. */
static bool set_struct(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	struct trc_type **slot)
{
	struct trc_type *type = trc_fragments_class(p, o, key, false);

	if (!type)
		return !p->error;
	if (type->kind != TRC_TYPE_STRUCT)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "\"%s\" must be a structure", key);
	*slot = type;
	return trc_meta_unfold(p->t, type->nodes) ||
		trc_fragments_fail(p, o, BASE_ERROR_REFUSED, "its events have too many fields in all");
}

/* ---- fragments ---- */

/* True if O has an extension. A trace with an unknown one must not be read (CTF2-SPEC-2.0, 5.1). */
static bool has_extension(struct trc_fragments *p, const struct base_json_value *o)
{
	const struct base_json_value *all = trc_fragments_get(p, o, "extensions", BASE_JSON_OBJECT, false);

	for (unsigned i = 0; all && i < base_json_value_length(all); i++) {
		const struct base_json_value *space = base_json_value_at(all, i);

		if (base_json_value_type(space) != BASE_JSON_OBJECT || !base_json_value_length(space))
			continue;
		trc_fragments_fail(p, space, BASE_ERROR_FOREIGN,
			"a trace of CTF 2 with the extension \"%.60s\" of \"%.60s\", which wakepath does not "
			"know: record it without",
			base_json_value_key(base_json_value_at(space, 0)), base_json_value_key(space));
		return true;
	}
	return p->error;
}

static bool read_preamble(struct trc_fragments *p, const struct base_json_value *o)
{
	const struct base_json_value *uuid = trc_fragments_get(p, o, "uuid", BASE_JSON_LIST, false);
	uint64_t version = 0;

	if (p->number > 1)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "a second preamble");
	if (!trc_fragments_number(p, o, "version", true, &version))
		return false;
	if (version != 2)
		return trc_fragments_fail(p, o, BASE_ERROR_FOREIGN,
			"a trace of CTF %" G_GUINT64_FORMAT
			", and wakepath reads CTF 1.8 and 2: record or convert it in one of these",
			version);
	if (uuid && base_json_value_length(uuid) != sizeof p->t->uuid)
		return trc_fragments_fail(p, uuid, BASE_ERROR_DATA, "a \"uuid\" must have 16 integers");
	for (unsigned i = 0; uuid && i < sizeof p->t->uuid; i++) {
		const struct base_json_value *byte = base_json_value_at(uuid, i);

		if (base_json_value_type(byte) != BASE_JSON_INT || base_json_value_int(byte) < 0 ||
			base_json_value_int(byte) > UINT8_MAX)
			return trc_fragments_fail(p, byte, BASE_ERROR_DATA,
				"a \"uuid\" must have integers from 0 to 255");
		p->t->uuid[i] = (uint8_t)base_json_value_int(byte);
		p->t->has_uuid = true;
	}
	return !has_extension(p, o);
}

static bool read_alias(struct trc_fragments *p, const struct base_json_value *o)
{
	const char *name = trc_fragments_text(p, o, "name", true);
	struct trc_type *type = name ? trc_fragments_class(p, o, "field-class", true) : NULL;

	if (!type)
		return false;
	if (!g_hash_table_contains(p->aliases, name))
		return g_hash_table_insert(p->aliases, (gpointer)name, type);
	return trc_fragments_fail(p, o, BASE_ERROR_DATA, "there are two aliases \"%.60s\"", name);
}

static bool read_environment(struct trc_fragments *p, const struct base_json_value *all)
{
	for (unsigned i = 0; i < base_json_value_length(all); i++) {
		const struct base_json_value *v = base_json_value_at(all, i);
		enum base_json_type type = base_json_value_type(v);
		struct trc_env *env;

		if (type != BASE_JSON_TEXT && type != BASE_JSON_INT)
			return trc_fragments_fail(p, v, BASE_ERROR_DATA,
				"\"%.60s\" of \"environment\" must be a string or an integer",
				base_json_value_key(v));
		if (p->t->env->len > TRC_ENTRIES_MAX)
			return trc_fragments_fail(p, v, BASE_ERROR_REFUSED, "it declares too many things");
		env = g_new0(struct trc_env, 1);
		env->name = fragments_keep(p, base_json_value_key(v));
		if (type == BASE_JSON_TEXT)
			env->text = fragments_keep(p, base_json_value_text(v));
		else
			env->number = base_json_value_int(v);
		g_ptr_array_add(p->t->env, env);
	}
	return true;
}

static bool read_trace(struct trc_fragments *p, const struct base_json_value *o)
{
	const struct base_json_value *all = trc_fragments_get(p, o, "environment", BASE_JSON_OBJECT, false);

	if (p->has_trace)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "a second trace class");
	if (p->t->streams->len)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "a trace class after a data stream class");
	p->has_trace = true;
	return !p->error && (!all || read_environment(p, all)) &&
		set_struct(p, o, "packet-header-field-class", &p->t->packet_header);
}

/* Set CLOCK->elsewhere unless O says that it counts from 1970. */
static bool read_origin(struct trc_fragments *p, const struct base_json_value *o, struct trc_clock *clock)
{
	const struct base_json_value *v = base_json_value_member(o, "origin");
	enum base_json_type type = v ? base_json_value_type(v) : BASE_JSON_OBJECT;

	clock->elsewhere = type == BASE_JSON_OBJECT;
	return type == BASE_JSON_OBJECT ||
		(type == BASE_JSON_TEXT && !strcmp(base_json_value_text(v), "unix-epoch")) ||
		trc_fragments_fail(p, v, BASE_ERROR_DATA, "\"origin\" must be \"unix-epoch\" or an object");
}

static bool read_clock(struct trc_fragments *p, const struct base_json_value *o)
{
	const char *id = trc_fragments_text(p, o, "id", true);
	const struct base_json_value *from = trc_fragments_get(p, o, "offset-from-origin", BASE_JSON_OBJECT,
		false);
	struct trc_clock *clock = g_new0(struct trc_clock, 1);
	const char *name, *uid;
	bool fine;

	g_ptr_array_add(p->t->clocks, clock);
	name = trc_fragments_text(p, o, "name", false);
	uid = trc_fragments_text(p, o, "uid", false);
	clock->name = name ?: id ?: "";
	clock->uuid = uid ?: "";
	fine = trc_fragments_number(p, o, "frequency", true, &clock->frequency) && read_origin(p, o, clock) &&
		(!from ||
			(fragments_signed(p, from, "seconds", &clock->offset_s) &&
				fragments_signed(p, from, "cycles", &clock->offset)));
	if (fine && !clock->frequency)
		trc_fragments_fail(p, o, BASE_ERROR_DATA, "the clock's frequency is 0");
	if (p->error)
		return false;
	if (g_hash_table_contains(p->clocks, id))
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "there are two clocks \"%.60s\"", id);
	trc_meta_check_clock(clock);
	return g_hash_table_insert(p->clocks, (gpointer)id, clock);
}

/* Give the field "cpu_id" of a packet context its role, which CTF 2 does not have. */
static void set_cpu(struct trc_fragments *p, struct trc_type *context)
{
	const struct trc_field *field = trc_type_find(context, "cpu_id");

	if (field && trc_type_is_number(field->type)) {
		struct trc_type *type = trc_type_copy(p->t, field->type);

		type->roles |= TRC_ROLE_CPU;
		context->fields[field - context->fields].type = type;
	}
}

static bool read_stream(struct trc_fragments *p, const struct base_json_value *o)
{
	const char *clock = trc_fragments_text(p, o, "default-clock-class-id", false);
	struct trc_stream_class *stream = trc_meta_new_stream(p->t);

	if (!trc_fragments_number(p, o, "id", false, &stream->id) ||
		!set_struct(p, o, "packet-context-field-class", &stream->packet_context) ||
		!set_struct(p, o, "event-record-header-field-class", &stream->event_header) ||
		!set_struct(p, o, "event-record-common-context-field-class", &stream->event_context) ||
		p->error)
		return false;
	stream->clock = clock ? g_hash_table_lookup(p->clocks, clock) : NULL;
	if (clock && !stream->clock)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "no clock class \"%.60s\" comes before it",
			clock);
	if (trc_meta_stream(p->t, stream->id))
		return trc_fragments_fail(p, o, BASE_ERROR_DATA,
			"there are two data stream classes %" G_GUINT64_FORMAT, stream->id);
	set_cpu(p, stream->packet_context);
	return g_hash_table_insert(p->t->by_id, &stream->id, stream);
}

static bool read_event(struct trc_fragments *p, const struct base_json_value *o)
{
	struct trc_event_class *event = g_new0(struct trc_event_class, 1);
	struct trc_stream_class *stream = NULL;
	const char *name = trc_fragments_text(p, o, "name", false);

	event->name = name ?: "";
	if (trc_fragments_number(p, o, "id", false, &event->id) &&
		trc_fragments_number(p, o, "data-stream-class-id", false, &event->stream_id) &&
		set_struct(p, o, "specific-context-field-class", &event->context) &&
		set_struct(p, o, "payload-field-class", &event->fields))
		stream = (struct trc_stream_class *)trc_meta_stream(p->t, event->stream_id);
	if (!stream)
		trc_fragments_fail(p, o, BASE_ERROR_DATA,
			"no data stream class %" G_GUINT64_FORMAT " comes before it", event->stream_id);
	else if (stream->events->len > TRC_ENTRIES_MAX)
		trc_fragments_fail(p, o, BASE_ERROR_REFUSED, "it declares too many events");
	else if (!trc_meta_unfold(p->t, stream->event_context ? stream->event_context->nodes : 0))
		trc_fragments_fail(p, o, BASE_ERROR_REFUSED, "its events have too many fields in all");
	else if (!g_hash_table_add(p->events,
			 g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, stream->id, event->id)))
		trc_fragments_fail(p, o, BASE_ERROR_DATA,
			"there are two event record classes %" G_GUINT64_FORMAT
			" of data stream class %" G_GUINT64_FORMAT,
			event->id, stream->id);
	if (p->error || !stream)
		g_free(event);
	else
		g_ptr_array_add(stream->events, event);
	return !p->error;
}

static bool read_fragment(struct trc_fragments *p, const struct base_json_value *o)
{
	static const struct {
		const char *type;
		bool (*read)(struct trc_fragments *, const struct base_json_value *);
	} types[] = {
		{ "preamble", read_preamble },
		{ "field-class-alias", read_alias },
		{ "trace-class", read_trace },
		{ "clock-class", read_clock },
		{ "data-stream-class", read_stream },
		{ "event-record-class", read_event },
	};
	const char *type;

	if (base_json_value_type(o) != BASE_JSON_OBJECT)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "a fragment must be an object");
	type = trc_fragments_text(p, o, "type", true);
	if (type && p->number == 1 && strcmp(type, "preamble") != 0)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "it does not begin with a preamble");
	if (p->t->clocks->len > TRC_CLOCKS_MAX || p->t->streams->len > TRC_ENTRIES_MAX ||
		p->t->types->len > TRC_TYPES_MAX)
		return trc_fragments_fail(p, o, BASE_ERROR_REFUSED, "it declares too many things");
	for (size_t i = 0; type && i < G_N_ELEMENTS(types); i++)
		if (!strcmp(types[i].type, type))
			return types[i].read(p, o);
	return trc_fragments_fail(p, o, BASE_ERROR_DATA, "unknown fragment \"%.60s\"", type ?: "");
}

/* ---- the whole ---- */

/* Skip the characters between fragments: RS, LF and blanks. */
static void skip_between(const GString *text, gsize *at, unsigned *line)
{
	for (; *at < text->len; ++*at) {
		char c = text->str[*at];

		if (c != RECORD_SEPARATOR && !g_ascii_isspace(c))
			return;
		*line += c == '\n';
	}
}

static bool read_fragments(struct trc_fragments *p, const GString *text)
{
	unsigned line = 1;
	gsize at = 0, used = 0;

	for (skip_between(text, &at, &line); at < text->len; skip_between(text, &at, &line)) {
		struct base_json *json;
		bool fine;

		p->number++;
		json = base_json_parse_first(text->str + at, text->len - at, &line, &used, &p->error);
		if (!json) {
			g_prefix_error(&p->error, "metadata fragment %u, ", p->number);
			return false;
		}
		fine = read_fragment(p, base_json_root(json));
		base_json_free(json);
		if (!fine)
			return false;
		at += used;
	}
	return true;
}

bool trc_ctf2_is(const GString *text)
{
	unsigned line = 0;
	gsize at = 0;

	skip_between(text, &at, &line);
	return text->len > 0 && (text->str[0] == RECORD_SEPARATOR || text->str[at] == '{');
}

struct trc_meta *trc_ctf2_parse(const void *data, size_t size, GError **error)
{
	GString *text = trc_meta_text(data, size, error);
	struct trc_fragments p = { 0 };

	if (!text)
		return NULL;
	p.t = trc_meta_new();
	p.t->format = "ctf 2";
	p.aliases = g_hash_table_new(g_str_hash, g_str_equal);
	p.clocks = g_hash_table_new(g_str_hash, g_str_equal);
	p.events = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (read_fragments(&p, text) && !p.t->streams->len)
		g_set_error(&p.error, BASE_ERROR, BASE_ERROR_DATA,
			"metadata fragment %u: it ends before any data stream class", p.number);
	g_hash_table_unref(p.aliases);
	g_hash_table_unref(p.clocks);
	g_hash_table_unref(p.events);
	g_string_free(text, TRUE);
	if (p.error) {
		g_propagate_error(error, p.error);
		g_clear_pointer(&p.t, trc_meta_free);
	}
	return p.t;
}

/* SPDX-License-Identifier: MIT */
/*
 * How it works: a recursive descent parser for TSDL. This file has the blocks (trace, env, clock, stream,
 * event), trc_tsdl_decl.c the types, trc_tsdl_parse.c the tools of both.
 *
 * Integers without a byte order have that of the trace, which may come after them. So byte orders are set at
 * the end.
 */
#include "trace/meta/trc_meta.h"

#include "base/base_time.h"
#include "trace/tsdl/trc_tsdl_parse.h"
#include "trace/meta/trc_meta_type.h"

#include <string.h>

/* ---- blocks ---- */

/* Takes "name = value;" or "name := type;" (VALUE is NULL then) of a block. */
typedef bool (*attribute_func)(struct trc_parser *p, void *block, const char *name,
	const struct trc_value *value, struct trc_type *type);

/* Parse a block "{ … };". FUNC takes its attributes. */
static bool parse_block(struct trc_parser *p, attribute_func func, void *block)
{
	struct trc_scope scope;
	bool fine = trc_parser_skip(p, '{');

	trc_scope_enter(p, &scope);
	while (fine && !trc_lex_is(&p->lex, '}')) {
		struct trc_value value;
		struct trc_type *type;
		const char *name;

		if (trc_decl_is_alias(p)) {
			fine = trc_decl_alias(p);
			continue;
		}
		name = trc_parser_path(p);
		if (name && p->lex.token == TRC_TOKEN_ASSIGN_TYPE) {
			trc_lex_next(&p->lex);
			type = trc_decl_type(p, false);
			fine = type && trc_parser_skip(p, ';') && func(p, block, name, NULL, type);
		} else {
			fine = name && trc_parser_skip(p, '=') && trc_parser_value(p, &value) &&
				func(p, block, name, &value, NULL);
		}
	}
	trc_scope_leave(p, &scope);
	if (fine)
		trc_lex_next(&p->lex);
	return fine && trc_parser_skip(p, ';');
}

/* Count NODES more of the unfolded types: those of a type, once for each use. */
static bool unfold(struct trc_parser *p, uint32_t nodes)
{
	return trc_meta_unfold(p->t, nodes) || trc_parser_refuse(p, "its events have too many fields in all");
}

/* Set *SLOT to TYPE, which must be a struct. */
static bool set_struct(struct trc_parser *p, const char *name, struct trc_type *type, struct trc_type **slot)
{
	if (!type || type->kind != TRC_TYPE_STRUCT)
		return trc_parser_fail(p, "\"%.60s\" must be a struct", name);
	*slot = type;
	return unfold(p, type->nodes);
}

/* Set the trace's 16 bytes from "5c1014ff-1599-d447-8883-0a6826d8fcfb". */
static bool set_uuid(struct trc_parser *p, const char *text)
{
	unsigned n = 0;

	for (; *text && n < 32; text++) {
		if (*text == '-')
			continue;
		if (!g_ascii_isxdigit(*text))
			break;
		p->t->uuid[n / 2] = (uint8_t)(p->t->uuid[n / 2] << 4 | g_ascii_xdigit_value(*text));
		n++;
	}
	p->t->has_uuid = n == 32 && !*text;
	return p->t->has_uuid || trc_parser_fail(p, "the trace's uuid is wrong");
}

#define READS \
	", and wakepath reads CTF 1.8, or CTF 2 with metadata in JSON: record or convert it in one of these"

static bool trace_attribute(struct trc_parser *p, G_GNUC_UNUSED void *block, const char *name,
	const struct trc_value *value, struct trc_type *type)
{
	uint64_t number;

	if (!strcmp(name, "packet.header"))
		return set_struct(p, name, type, &p->t->packet_header);
	if (!value)
		return true;
	if (!strcmp(name, "uuid"))
		return set_uuid(p, value->text);
	if (!strcmp(name, "byte_order")) {
		p->t->big_endian = !strcmp(value->text, "be") || !strcmp(value->text, "network");
		return p->t->big_endian || !strcmp(value->text, "le") ||
			trc_parser_fail(p, "the trace's byte order must be le or be");
	}
	/* libbabeltrace2 refuses other versions, too (ctf_visitor_generate_ir(),
	 * src/plugins/ctf/common/metadata/visitor-generate-ir.c). */
	if (!strcmp(name, "major") && trc_parser_unsigned(p, value, &number) && number != 1)
		return trc_parser_foreign(p, "a trace of CTF %" G_GUINT64_FORMAT READS, number);
	if (!strcmp(name, "minor") && trc_parser_unsigned(p, value, &number) && number != 8)
		return trc_parser_foreign(p, "a trace of CTF 1.%" G_GUINT64_FORMAT READS, number);
	return true;
}

static bool env_attribute(struct trc_parser *p, G_GNUC_UNUSED void *block, const char *name,
	const struct trc_value *value, G_GNUC_UNUSED struct trc_type *type)
{
	struct trc_env *env;

	if (!value)
		return trc_parser_expected(p, "a value");
	if (p->t->env->len > TRC_ENTRIES_MAX)
		return trc_parser_refuse(p, "it declares too many things");
	env = g_new0(struct trc_env, 1);
	env->name = name;
	env->text = value->token == TRC_TOKEN_NUMBER ? NULL : value->text;
	env->number = (int64_t)(value->negative ? 0 - value->number : value->number);
	g_ptr_array_add(p->t->env, env);
	return true;
}

static bool clock_attribute(struct trc_parser *p, void *block, const char *name,
	const struct trc_value *value, G_GNUC_UNUSED struct trc_type *type)
{
	struct trc_clock *clock = block;

	if (!value)
		return trc_parser_expected(p, "a value");
	if (!strcmp(name, "name"))
		clock->name = value->text;
	else if (!strcmp(name, "uuid"))
		clock->uuid = value->text;
	else if (!strcmp(name, "freq"))
		return trc_parser_unsigned(p, value, &clock->frequency) &&
			(clock->frequency || trc_parser_fail(p, "the clock's frequency is 0"));
	else if (!strcmp(name, "offset_s"))
		return trc_parser_signed(p, value, &clock->offset_s);
	else if (!strcmp(name, "offset"))
		return trc_parser_signed(p, value, &clock->offset);
	return true;
}

static bool stream_attribute(struct trc_parser *p, void *block, const char *name,
	const struct trc_value *value, struct trc_type *type)
{
	struct trc_stream_class *stream = block;

	if (!strcmp(name, "packet.context"))
		return set_struct(p, name, type, &stream->packet_context);
	if (!strcmp(name, "event.header"))
		return set_struct(p, name, type, &stream->event_header);
	if (!strcmp(name, "event.context"))
		return set_struct(p, name, type, &stream->event_context);
	if (value && !strcmp(name, "id"))
		return trc_parser_unsigned(p, value, &stream->id);
	return true;
}

static bool event_attribute(struct trc_parser *p, void *block, const char *name,
	const struct trc_value *value, struct trc_type *type)
{
	struct trc_event_class *event = block;

	if (!strcmp(name, "context"))
		return set_struct(p, name, type, &event->context);
	if (!strcmp(name, "fields"))
		return set_struct(p, name, type, &event->fields);
	if (!value)
		return true;
	if (!strcmp(name, "name"))
		event->name = value->text;
	else if (!strcmp(name, "id"))
		return trc_parser_unsigned(p, value, &event->id);
	else if (!strcmp(name, "stream_id"))
		return trc_parser_unsigned(p, value, &event->stream_id);
	return true;
}

static bool parse_clock(struct trc_parser *p)
{
	struct trc_clock *clock = g_new0(struct trc_clock, 1);

	clock->name = clock->uuid = "";
	clock->frequency = 1000000000;
	g_ptr_array_add(p->t->clocks, clock);
	if (!parse_block(p, clock_attribute, clock))
		return false;
	trc_meta_check_clock(clock);
	return true;
}

static bool parse_stream(struct trc_parser *p)
{
	struct trc_stream_class *stream = trc_meta_new_stream(p->t);

	if (parse_block(p, stream_attribute, stream) && trc_meta_stream(p->t, stream->id))
		trc_parser_fail(p, "there are two streams %" G_GUINT64_FORMAT, stream->id);
	g_hash_table_insert(p->t->by_id, &stream->id, stream);
	return !p->error;
}

static bool parse_event(struct trc_parser *p)
{
	struct trc_event_class *event = g_new0(struct trc_event_class, 1);
	struct trc_stream_class *stream = NULL;

	event->name = "";
	if (parse_block(p, event_attribute, event)) {
		stream = (struct trc_stream_class *)trc_meta_stream(p->t, event->stream_id);
		if (!stream)
			trc_parser_fail(p, "the event \"%.60s\" belongs to no stream", event->name);
		else if (stream->events->len > TRC_ENTRIES_MAX)
			trc_parser_refuse(p, "it declares too many events");
		else
			unfold(p, stream->event_context ? stream->event_context->nodes : 0);
	}
	if (p->error || !stream)
		g_free(event);
	else
		g_ptr_array_add(stream->events, event);
	return !p->error;
}

/* Skip an unknown block, such as callsite: "word { … };". */
static bool skip_unknown(struct trc_parser *p)
{
	unsigned depth = 0;

	trc_lex_next(&p->lex);
	while (p->lex.token != TRC_TOKEN_END && p->lex.token != TRC_TOKEN_BAD &&
		(depth || !trc_lex_is(&p->lex, ';'))) {
		depth += trc_lex_is(&p->lex, '{');
		depth -= depth && trc_lex_is(&p->lex, '}');
		trc_lex_next(&p->lex);
	}
	return trc_parser_skip(p, ';');
}

/* Parse a block or declaration at the outermost level. */
static bool parse_top(struct trc_parser *p)
{
	struct trc_lex *lex = &p->lex;
	bool (*parse)(struct trc_parser *) = NULL;

	if (trc_decl_is_alias(p))
		return trc_decl_alias(p);
	if (trc_lex_is_word(lex, "struct") || trc_lex_is_word(lex, "variant") || trc_lex_is_word(lex, "enum"))
		return trc_decl_type(p, false) && trc_parser_skip(p, ';');
	if (lex->token != TRC_TOKEN_WORD)
		return trc_parser_expected(p, "a declaration");
	if (trc_lex_is_word(lex, "trace") || trc_lex_is_word(lex, "env")) {
		attribute_func func = trc_lex_is_word(lex, "trace") ? trace_attribute : env_attribute;

		trc_lex_next(lex);
		return parse_block(p, func, NULL);
	}
	if (trc_lex_is_word(lex, "clock"))
		parse = parse_clock;
	else if (trc_lex_is_word(lex, "stream"))
		parse = parse_stream;
	else if (trc_lex_is_word(lex, "event"))
		parse = parse_event;
	if (!parse)
		return skip_unknown(p);
	if (p->t->clocks->len > TRC_CLOCKS_MAX || p->t->streams->len > TRC_ENTRIES_MAX)
		return trc_parser_refuse(p, "it declares too many things");
	trc_lex_next(lex);
	return parse(p);
}

/* ---- the whole ---- */

/* Return the clock of the first field below TYPE that is mapped to one; NULL: none. */
static const char *find_clock(const struct trc_type *type)
{
	const char *name = type ? type->clock : NULL;

	for (unsigned i = 0; type && !name && i < type->n_fields; i++)
		name = find_clock(type->fields[i].type);
	return name;
}

/* A name in a head and its meaning (CTF 1.8, 5.2). */
struct tsdl_role {
	const char *name;
	enum trc_role role;
};

/* Give FIELD, a number or (UUID) an array, the role in a copy of its type, which others may share. */
static void tsdl_give_role(struct trc_meta *t, struct trc_field *field, enum trc_role role)
{
	if (field->type->roles & role)
		return; /* several streams share this struct */
	field->type = trc_type_copy(t, field->type);
	field->type->roles |= (uint16_t)role;
}

/* Give the fields of the struct TYPE (may be NULL) the N roles of their names. */
static void tsdl_give_roles(struct trc_meta *t, struct trc_type *type, const struct tsdl_role *roles,
	size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct trc_field *field = trc_type_find(type, roles[i].name);

		if (field && trc_type_is_number(field->type) == (roles[i].role != TRC_ROLE_UUID))
			tsdl_give_role(t, &type->fields[field - type->fields], roles[i].role);
	}
}

/* Give the role of ids to numbers called "id" at any depth of an event header. */
static void tsdl_give_ids(struct trc_meta *t, struct trc_type *type)
{
	for (unsigned i = 0; type && i < type->n_fields; i++) {
		struct trc_field *field = &type->fields[i];

		if (!trc_type_is_number(field->type))
			tsdl_give_ids(t, field->type);
		else if (!strcmp(trc_type_bare(field->name), "id"))
			tsdl_give_role(t, field, TRC_ROLE_EVENT);
	}
}

/* Set what may come after its use: clocks, roles, and the trace's byte order for numbers without one. */
static void tsdl_finish(struct trc_meta *t)
{
	static const struct tsdl_role in_header[] = {
		{ "magic", TRC_ROLE_MAGIC },
		{ "uuid", TRC_ROLE_UUID },
		{ "stream_id", TRC_ROLE_STREAM },
		{ "stream_instance_id", TRC_ROLE_INSTANCE },
	};
	static const struct tsdl_role in_context[] = {
		{ "packet_size", TRC_ROLE_SIZE },
		{ "content_size", TRC_ROLE_CONTENT },
		{ "timestamp_begin", TRC_ROLE_TIME },
		{ "timestamp_end", TRC_ROLE_END },
		{ "events_discarded", TRC_ROLE_DISCARDED },
		{ "packet_seq_num", TRC_ROLE_SEQUENCE },
		{ "cpu_id", TRC_ROLE_CPU },
	};

	t->format = "ctf 1.8";
	tsdl_give_roles(t, t->packet_header, in_header, G_N_ELEMENTS(in_header));
	for (unsigned i = 0; i < t->streams->len; i++) {
		struct trc_stream_class *stream = g_ptr_array_index(t->streams, i);
		const char *name = find_clock(stream->event_header) ?: find_clock(stream->packet_context);

		stream->clock = name ? trc_meta_clock(t, name) : NULL;
		tsdl_give_roles(t, stream->packet_context, in_context, G_N_ELEMENTS(in_context));
		tsdl_give_ids(t, stream->event_header);
	}
	for (unsigned i = 0; i < t->types->len; i++) {
		struct trc_type *type = g_ptr_array_index(t->types, i);

		if (type->native_order)
			type->big_endian = t->big_endian;
	}
}

#define BEGIN "/* CTF"

/* True if TEXT, whose first token is FIRST, is no metadata but other text, and not damaged. */
static bool is_other_text(const GString *text, const struct trc_lex *first)
{
	static const char *const words[] = { "trace", "env", "clock", "callsite", "stream", "event",
		"typealias", "typedef", "struct", "variant", "enum", NULL };
	const gsize looked_at = MIN(text->len, 512);

	if (first->token == TRC_TOKEN_END || text->len < 16 || g_str_has_prefix(text->str, BEGIN) ||
		(first->token == TRC_TOKEN_WORD && g_strv_contains(words, first->text->str)))
		return false;
	for (gsize i = 0; i < looked_at; i++)
		if (g_ascii_iscntrl(text->str[i]) && !g_ascii_isspace(text->str[i]))
			return false;
	return true;
}

struct trc_meta *trc_tsdl_parse(const void *data, size_t size, GError **error)
{
	GString *text = trc_meta_text(data, size, error);
	struct trc_parser p = { 0 };
	struct trc_scope scope;
	bool other;

	if (!text)
		return NULL;
	p.t = trc_meta_new();
	p.path = g_string_new(NULL);
	trc_lex_init(&p.lex, text->str, text->len);
	other = is_other_text(text, &p.lex);
	trc_scope_enter(&p, &scope);
	while (p.lex.token != TRC_TOKEN_END && parse_top(&p))
		;
	if (!p.error && !p.t->streams->len)
		trc_parser_fail(&p, "it ends before any stream is described");
	if (p.error && other) {
		g_clear_error(&p.error);
		trc_parser_foreign(&p,
			"this is not a description of a CTF trace, which begins with \"" BEGIN
			" 1.8 */\": give the folder that a tracer wrote");
	}
	trc_scope_leave(&p, &scope);
	g_string_free(p.lex.text, TRUE);
	g_string_free(p.path, TRUE);
	g_string_free(text, TRUE);
	if (p.error) {
		g_propagate_error(error, p.error);
		g_clear_pointer(&p.t, trc_meta_free);
	} else {
		tsdl_finish(p.t);
	}
	return p.t;
}

/* SPDX-License-Identifier: MIT */
/* Members of objects, and errors with fragment and line. */
#include "trace/ctf2/trc_ctf2_parse.h"

#include "base/base_text.h"

#include <stdarg.h>

bool trc_fragments_fail(struct trc_fragments *p, const struct base_json_value *v, enum base_error code,
	const char *format, ...)
{
	g_autofree char *text = NULL, *shown = NULL;
	va_list arguments;

	if (p->error)
		return false;
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	shown = base_text_clean(text, -1);
	return base_error_false(&p->error, code, "metadata fragment %u, line %u: %s", p->number,
		base_json_value_line(v), shown);
}

const struct base_json_value *trc_fragments_get(struct trc_fragments *p, const struct base_json_value *o,
	const char *key, enum base_json_type type, bool needed)
{
	static const char *const words[] = { [BASE_JSON_INT] = "an integer",
		[BASE_JSON_TEXT] = "a string",
		[BASE_JSON_LIST] = "an array",
		[BASE_JSON_OBJECT] = "an object" };
	const struct base_json_value *v = base_json_value_member(o, key);
	enum base_json_type is = v ? base_json_value_type(v) : BASE_JSON_NULL;

	if (!v && needed)
		trc_fragments_fail(p, o, BASE_ERROR_DATA, "\"%s\" is missing", key);
	if (!v || is == type || (is == BASE_JSON_LARGE && type == BASE_JSON_INT))
		return v;
	trc_fragments_fail(p, v, BASE_ERROR_DATA, "\"%s\" must be %s", key, words[type]);
	return NULL;
}

const char *trc_fragments_text(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	bool needed)
{
	const struct base_json_value *v = trc_fragments_get(p, o, key, BASE_JSON_TEXT, needed);

	return v ? g_string_chunk_insert_const(p->t->strings, base_json_value_text(v)) : NULL;
}

bool trc_fragments_number(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	bool needed, uint64_t *value)
{
	const struct base_json_value *v = trc_fragments_get(p, o, key, BASE_JSON_INT, needed);

	if (!v)
		return !p->error;
	if (base_json_value_type(v) == BASE_JSON_INT && base_json_value_int(v) < 0)
		return trc_fragments_fail(p, v, BASE_ERROR_DATA, "\"%s\" must not be below 0", key);
	*value = base_json_value_large(v);
	return true;
}

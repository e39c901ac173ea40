/* SPDX-License-Identifier: MIT */
#include "export/exp_json.h"

#include "analysis/ana_chain.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The comma and the key before the next member, or (KEY NULL) the next element. */
static void begin_value(GString *o, const char *key)
{
	char last = o->str[o->len - 1];

	if (last != '{' && last != '[')
		g_string_append_c(o, ',');
	if (!key)
		return;
	g_string_append_c(o, '"');
	g_string_append(o, key);
	g_string_append(o, "\":");
}

void exp_json_null(GString *o, const char *key)
{
	begin_value(o, key);
	g_string_append(o, "null");
}

void exp_json_yes(GString *o, const char *key, bool yes)
{
	begin_value(o, key);
	g_string_append(o, yes ? "true" : "false");
}

void exp_json_decimal(GString *o, const char *key, double value)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];

	if (isnan(value)) {
		exp_json_null(o, key);
		return;
	}
	begin_value(o, key);
	g_string_append(o, g_ascii_dtostr(digits, sizeof(digits), value));
	if (!strpbrk(digits, ".e")) /* readers that tell the two apart take it for no integer */
		g_string_append(o, ".0");
}

void exp_json_int(GString *o, const char *key, int64_t value)
{
	char digits[24], *p = digits + sizeof(digits);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	begin_value(o, key);
	do
		*--p = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (value < 0)
		*--p = '-';
	g_string_append_len(o, p, digits + sizeof(digits) - p);
}

void exp_json_digits(GString *o, const char *key, const char *digits)
{
	begin_value(o, key);
	g_string_append(o, digits);
}

void exp_json_time(GString *o, const char *key, int64_t time)
{
	if (time == BASE_TIME_NONE)
		exp_json_null(o, key);
	else
		exp_json_int(o, key, time);
}

void exp_json_id(GString *o, const char *key, uint32_t value)
{
	exp_json_time(o, key, value == MDL_NONE ? BASE_TIME_NONE : (int64_t)value);
}

void exp_json_natural(GString *o, const char *key, int64_t value)
{
	exp_json_time(o, key, value < 0 ? BASE_TIME_NONE : value);
}

/* C as JSON has it in a string (RFC 8259, section 7). */
static void append_escaped(GString *o, char c)
{
	static const char letters[] = "\"\\\b\f\n\r\t", escapes[] = "\"\\bfnrt";
	const char *letter = strchr(letters, c);

	if (letter)
		g_string_append_printf(o, "\\%c", escapes[letter - letters]);
	else
		g_string_append_printf(o, "\\u%04x", (unsigned char)c);
}

static void append_string(GString *o, const char *text)
{
	const char *from = text;

	g_string_append_c(o, '"');
	for (; *text; text++) {
		if ((unsigned char)*text >= ' ' && *text != '"' && *text != '\\' && *text != 127)
			continue;
		g_string_append_len(o, from, text - from);
		append_escaped(o, *text);
		from = text + 1;
	}
	g_string_append_len(o, from, text - from);
	g_string_append_c(o, '"');
}

void exp_json_string(GString *o, const char *key, const char *text)
{
	begin_value(o, key);
	if (g_utf8_validate(text, -1, NULL)) {
		append_string(o, text);
	} else { /* names are clean already; the path of a trace may be anything that a file system takes */
		g_autofree char *clean = base_text_clean(text, -1);

		append_string(o, clean);
	}
}

void exp_json_text(GString *o, const char *key, const char *text)
{
	if (!text || !*text)
		exp_json_null(o, key);
	else
		exp_json_string(o, key, text);
}

GString *exp_json_object(void)
{
	return g_string_new("{");
}

GString *exp_json_list(void)
{
	return g_string_new("[");
}

GString *exp_json_texts(const GPtrArray *texts)
{
	GString *list = exp_json_list();

	for (guint i = 0; i < texts->len; i++)
		exp_json_string(list, NULL, g_ptr_array_index(texts, i));
	return list;
}

void exp_json_put(GString *o, const char *key, GString *value)
{
	if (!value) {
		exp_json_null(o, key);
		return;
	}
	begin_value(o, key);
	g_string_append_len(o, value->str, (gssize)value->len);
	g_string_append_c(o, *value->str == '{' ? '}' : ']');
	g_string_free(value, TRUE);
}

void exp_json_window(GString *out, const struct exp_options *o)
{
	exp_json_time(out, "from", o->from);
	exp_json_time(out, "to", o->to);
}

void exp_json_begin_list(GString *out, const char *key)
{
	begin_value(out, key);
	g_string_append_c(out, '[');
}

void exp_json_put_line(GString *out, GString *value)
{
	/* Parted here: begin_value() would find the end of the line. */
	g_string_append(out, out->str[out->len - 1] == '[' ? "\n" : ",\n");
	g_string_append_len(out, value->str, (gssize)value->len);
	g_string_append_c(out, '}');
	g_string_free(value, TRUE);
}

void exp_json_end_list(GString *out)
{
	g_string_append(out, "\n]");
}

GString *exp_json_subject(const struct qry *q, uint32_t row)
{
	static const char *const types[MDL_ROW_TYPES] = { [MDL_ROW_THREAD] = "thread",
		[MDL_ROW_CPU] = "cpu",
		[MDL_ROW_IRQ] = "irq",
		[MDL_ROW_SOFTIRQ] = "softirq",
		[MDL_ROW_VCPU] = "vcpu",
		[MDL_ROW_DEVICE] = "device" };
	const struct qry_row *r = qry_row(q, row);
	GString *o = exp_json_object();

	exp_json_string(o, "type", types[r->type]);
	exp_json_text(o, "host", qry_host(q, r->host)->name);
	if (r->type == MDL_ROW_THREAD) {
		exp_json_int(o, "tid", r->nr);
		exp_json_natural(o, "pid", r->pid);
	} else if (r->type != MDL_ROW_CPU) {
		exp_json_int(o, "nr", r->nr);
	}
	if (r->type == MDL_ROW_CPU)
		exp_json_int(o, "cpu", r->nr);
	else if (r->cpu != MDL_NONE)
		exp_json_id(o, "cpu", r->cpu);
	if (r->type != MDL_ROW_CPU)
		exp_json_text(o, "name", r->name);
	return o;
}

GString *exp_json_thread(const struct qry *q, uint32_t row, int64_t time)
{
	GString *o;

	if (row == MDL_NONE)
		return NULL;
	o = exp_json_object();
	exp_json_text(o, "host", qry_host(q, qry_row(q, row)->host)->name);
	exp_json_int(o, "tid", qry_row(q, row)->nr);
	exp_json_text(o, "name", qry_name_at(q, row, time));
	return o;
}

void exp_json_address(GString *o, const char *key, uint64_t address)
{
	g_autofree char *text = address != 0 ? g_strdup_printf("0x%" PRIx64, address) : NULL;

	exp_json_text(o, key, text);
}

void exp_json_actor(GString *o, const char *key, const struct qry *q, const struct mdl_act *act)
{
	exp_json_put(o, key, exp_json_thread(q, ana_chain_actor(q, act), act->time));
}

/* SPDX-License-Identifier: MIT */
/*
 * JSON.  It is written as text from the first byte on: an object or a list is a GString that holds it without
 * the bracket that ends it, which comes as it is put into another.  No tree stands beside the text, for paths
 * have a hundred thousand segments.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* An object, and a list, for base_json_put(), which frees it. */
GString *base_json_object(void);
GString *base_json_list(void);
/* A list of TEXTS (of char *). */
GString *base_json_texts(const GPtrArray *texts);

/* ---- the next member of object O, or (KEY NULL) element of list O; what is unknown becomes null.  No key
 * may come twice. ---- */

void base_json_null(GString *o, const char *key);
void base_json_yes(GString *o, const char *key, bool yes);
void base_json_int(GString *o, const char *key, int64_t value);
/* A number that is text already. */
void base_json_digits(GString *o, const char *key, const char *digits);
/* Null for BASE_TIME_NONE. */
void base_json_time(GString *o, const char *key, int64_t time);
/* Null when VALUE is negative: a PID, the number of a context. */
void base_json_natural(GString *o, const char *key, int64_t value);
/* Null for NAN. */
void base_json_decimal(GString *o, const char *key, double value);
/* TEXT, which may be "". */
void base_json_string(GString *o, const char *key, const char *text);
/* Null for NULL and "". */
void base_json_text(GString *o, const char *key, const char *text);
/* VALUE, an object or a list, which is taken over; null for NULL. */
void base_json_put(GString *o, const char *key, GString *value);

/* ---- a list as a member named KEY of the whole, one element on a line ---- */

void base_json_begin_list(GString *out, const char *key);
void base_json_end_list(GString *out);
/* The next element of the open list, an object, whose members come into OUT between these two. */
void base_json_begin_line(GString *out);
void base_json_end_line(GString *out);
/* Both, with the object VALUE.  Takes VALUE over. */
void base_json_put_line(GString *out, GString *value);

/* ---- reading, by json-glib ---- */

/* A text that was read; a value in it is good as long as it is. */
struct base_json;
struct base_json_value;

enum base_json_type {
	BASE_JSON_NULL,
	BASE_JSON_INT, /* a whole number */
	BASE_JSON_TEXT,
	BASE_JSON_LIST,
	BASE_JSON_OBJECT,
	BASE_JSON_OTHER
};

/* Read TEXT of SIZE bytes; NULL with BASE_ERROR_DATA ("not JSON: ..."), or BASE_ERROR_IO: the library is not
 * there. */
struct base_json *base_json_parse(const char *text, gsize size, GError **error);
void base_json_free(struct base_json *json);
const struct base_json_value *base_json_root(const struct base_json *json);

enum base_json_type base_json_value_type(const struct base_json_value *v);
/* Each of a value of that type. */
int64_t base_json_value_int(const struct base_json_value *v);
const char *base_json_value_text(const struct base_json_value *v);
unsigned base_json_value_length(const struct base_json_value *list);
const struct base_json_value *base_json_value_at(const struct base_json_value *list, unsigned i);
/* NULL: OBJECT has none of that name. */
const struct base_json_value *base_json_value_member(const struct base_json_value *object, const char *name);

#endif

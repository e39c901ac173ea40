/* SPDX-License-Identifier: MIT */
/* JSON.  The writer appends text directly: an object or a list is a GString without its closing bracket,
 * which base_json_put() adds when it puts the GString into another one.  It builds no tree, because paths
 * have a hundred thousand segments. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Return a new object or list.  Give it to base_json_put(), which frees it. */
GString *base_json_object(void);
GString *base_json_list(void);
/* Return a new list of TEXTS (of char *). */
GString *base_json_texts(const GPtrArray *texts);

/* ---- append a member KEY to the object O, or an element to the list O if KEY is NULL.  Unknown values
 * become null.  A key must not repeat within an object. ---- */

void base_json_null(GString *o, const char *key);
void base_json_yes(GString *o, const char *key, bool yes);
void base_json_int(GString *o, const char *key, int64_t value);
/* A number that is already text. */
void base_json_digits(GString *o, const char *key, const char *digits);
/* Null if TIME is BASE_TIME_NONE. */
void base_json_time(GString *o, const char *key, int64_t time);
/* Null if VALUE (a PID, the number of a context) is negative. */
void base_json_natural(GString *o, const char *key, int64_t value);
/* Null if VALUE is NAN. */
void base_json_decimal(GString *o, const char *key, double value);
/* TEXT as it is, even if it is "". */
void base_json_string(GString *o, const char *key, const char *text);
/* Null if TEXT is NULL or "". */
void base_json_text(GString *o, const char *key, const char *text);
/* VALUE, an object or a list, which is freed; null if VALUE is NULL. */
void base_json_put(GString *o, const char *key, GString *value);

/* ---- a list as the member KEY of the whole text, one element per line ---- */

void base_json_begin_list(GString *out, const char *key);
void base_json_end_list(GString *out);
/* Start and end the next element of the open list.  The element is an object; append its members to OUT
 * between the two calls. */
void base_json_begin_line(GString *out);
void base_json_end_line(GString *out);
/* Append the object VALUE as one element.  Frees VALUE. */
void base_json_put_line(GString *out, GString *value);

/* ---- reading: RFC 8259, except that a string may not hold NUL, and that a key may not occur twice ---- */

/* A parsed text.  Its values stay valid until base_json_free(). */
struct base_json;
struct base_json_value;

enum base_json_type {
	BASE_JSON_NULL,
	BASE_JSON_INT,   /* an integer from INT64_MIN to INT64_MAX */
	BASE_JSON_LARGE, /* an integer above that, up to UINT64_MAX */
	BASE_JSON_TEXT,
	BASE_JSON_LIST,
	BASE_JSON_OBJECT,
	BASE_JSON_OTHER /* true, false, a number with a point or an exponent */
};

/* Parse TEXT of SIZE bytes, hostile.  NULL with BASE_ERROR_DATA ("not JSON: line 3: ..."). */
struct base_json *base_json_parse(const char *text, gsize size, GError **error);
/* Like base_json_parse(), for the first value in TEXT: *USED bytes of it were read.  *LINE is the number of
 * TEXT's first line, and becomes that of the last one that was read.  The error begins with "line". */
struct base_json *base_json_parse_first(const char *text, gsize size, unsigned *line, gsize *used,
	GError **error);
void base_json_free(struct base_json *json);
const struct base_json_value *base_json_root(const struct base_json *json);

enum base_json_type base_json_value_type(const struct base_json_value *v);
/* Return the number of the line in which V begins. */
unsigned base_json_value_line(const struct base_json_value *v);
/* V must be of the type that the function reads. */
int64_t base_json_value_int(const struct base_json_value *v);
uint64_t base_json_value_large(const struct base_json_value *v);
const char *base_json_value_text(const struct base_json_value *v);
/* Return the number of values in LIST, a list or an object, and value I of it. */
unsigned base_json_value_length(const struct base_json_value *list);
const struct base_json_value *base_json_value_at(const struct base_json_value *list, unsigned i);
/* Return the key of a value of an object. */
const char *base_json_value_key(const struct base_json_value *member);
/* NULL if OBJECT has no member NAME. */
const struct base_json_value *base_json_value_member(const struct base_json_value *object, const char *name);

#endif

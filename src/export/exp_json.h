/* SPDX-License-Identifier: MIT */
/*
 * JSON, written as text from the first byte on: an object or a list is a GString that holds it without the
 * bracket that ends it, which comes as it is put into another.  No tree stands beside the text, for paths
 * have a hundred thousand segments.  Inside the library only.
 */
#ifndef EXP_JSON_H
#define EXP_JSON_H

#include "export/exp.h"

/* An object, and a list, for exp_json_put(), which frees it. */
GString *exp_json_object(void);
GString *exp_json_list(void);
/* A list of TEXTS (of char *). */
GString *exp_json_texts(const GPtrArray *texts);

/* ---- the next member of object O, or (KEY NULL) element of list O; what is unknown becomes null.  No key
 * may come twice. ---- */

void exp_json_null(GString *o, const char *key);
void exp_json_yes(GString *o, const char *key, bool yes);
void exp_json_int(GString *o, const char *key, int64_t value);
/* A number that is text already. */
void exp_json_digits(GString *o, const char *key, const char *digits);
/* Null for MDL_NONE. */
void exp_json_id(GString *o, const char *key, uint32_t value);
/* Null for BASE_TIME_NONE. */
void exp_json_time(GString *o, const char *key, int64_t time);
/* Null when VALUE is negative: a PID, the number of a context. */
void exp_json_natural(GString *o, const char *key, int64_t value);
/* Null for NAN. */
void exp_json_decimal(GString *o, const char *key, double value);
/* TEXT, which may be "". */
void exp_json_string(GString *o, const char *key, const char *text);
/* Null for NULL and "". */
void exp_json_text(GString *o, const char *key, const char *text);
/* VALUE, an object or a list, which is taken over; null for NULL. */
void exp_json_put(GString *o, const char *key, GString *value);

/* ---- the whole ---- */

/* What "from" and "to" were asked for. */
void exp_json_window(GString *out, const struct exp_options *o);
/* A list as a member named KEY, one element on a line. */
void exp_json_begin_list(GString *out, const char *key);
void exp_json_end_list(GString *out);
/* Add the object VALUE as an element of the open list.  Takes VALUE over. */
void exp_json_put_line(GString *out, GString *value);

/* ---- things of the model ---- */

/* {"type":"thread","host","tid","pid","name"}, or of a CPU, an interrupt line, a softirq. */
GString *exp_json_subject(const struct qry *q, uint32_t row);
/* {"host","tid","name"} of thread ROW by the name it had at TIME; NULL for MDL_NONE. */
GString *exp_json_thread(const struct qry *q, uint32_t row, int64_t time);
/* KEY is the thread that did ACT, null when an interrupt did. */
void exp_json_actor(GString *o, const char *key, const struct qry *q, const struct mdl_act *act);
/* An address of the kernel: "0xffffffff82f68260". */
void exp_json_address(GString *o, const char *key, uint64_t address);

#endif

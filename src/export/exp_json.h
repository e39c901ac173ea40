/* SPDX-License-Identifier: MIT */
/*
 * JSON piece by piece: small objects are json-glib's, long lists are written
 * element by element, so that memory holds the text and not a tree beside it.
 * Inside the library only.
 */
#ifndef EXP_JSON_H
#define EXP_JSON_H

#include "query/qry.h"

#include <json-glib/json-glib.h>

/* ---- members of an object; what is unknown becomes null ---- */

void exp_json_int(JsonObject *o, const char *key, int64_t value);
/* Null for MDL_NONE. */
void exp_json_id(JsonObject *o, const char *key, uint32_t value);
/* Null for BASE_TIME_NONE. */
void exp_json_time(JsonObject *o, const char *key, int64_t time);
/* Null when VALUE is negative: a PID, the number of a context. */
void exp_json_natural(JsonObject *o, const char *key, int64_t value);
/* Null for NULL and "". */
void exp_json_text(JsonObject *o, const char *key, const char *text);
/* A list of texts (of char *).  The caller owns it. */
JsonArray *exp_json_texts(const GPtrArray *texts);

/* ---- writing ---- */

/* The whole: "{" at the start, "}" and a newline at the end. */
void exp_json_begin(GString *out);
void exp_json_end(GString *out);
/* A list as a member named KEY, one element on a line. */
void exp_json_begin_list(GString *out, const char *key);
void exp_json_end_list(GString *out);
/* Add O as a member named KEY or (NULL) as an element of the open list.  Takes O over. */
void exp_json_put(GString *out, const char *key, JsonObject *o);
/* Add all members of O to the whole.  Takes O over. */
void exp_json_put_members(GString *out, JsonObject *o);

/* ---- things of the model ---- */

/* {"type":"thread","host","tid","pid","name"}, or of a CPU, an interrupt line, a softirq. */
JsonObject *exp_json_subject(const struct qry *q, uint32_t row);
/* {"host","tid","name"} of thread ROW by the name it had at TIME; NULL for MDL_NONE. */
JsonObject *exp_json_thread(const struct qry *q, uint32_t row, int64_t time);
/* Set KEY to OBJECT, which is taken over, or to null. */
void exp_json_object(JsonObject *o, const char *key, JsonObject *object);

/* TAKE, which is taken over, as a node. */
JsonNode *exp_json_node(JsonObject *take);
/* KEY is the thread that did ACT, null when an interrupt did. */
void exp_json_actor(JsonObject *o, const char *key, const struct qry *q, const struct mdl_act *act);
/* An address of the kernel: "0xffffffff82f68260". */
void exp_json_address(JsonObject *o, const char *key, uint64_t address);

#endif

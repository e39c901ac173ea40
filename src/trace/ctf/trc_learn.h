/* SPDX-License-Identifier: MIT */
/* Facts about the whole trace, from the metadata into struct trc_info. */
#ifndef TRC_LEARN_H
#define TRC_LEARN_H

#include "trace/core/trc_info.h"
#include "trace/tsdl/trc_tsdl.h"

/* Set host, tracer, release, UUID and classes of INFO from T. */
void trc_learn(struct trc_info *info, const struct trc_tsdl *t);

/* A value of the trace's env: TEXT, or NUMBER if TEXT is NULL. */
struct trc_learn_value {
	const char *text; /* weak */
	int64_t number;
};

/* Get the value NAME of TRACE, whose type depends on the reader.  False if there is none. */
typedef bool (*trc_learn_value_of)(const void *trace, const char *name, struct trc_learn_value *value);

/* Set host, tracer and UUID (16 bytes; may be NULL) of INFO from the env of TRACE. */
void trc_learn_env(struct trc_info *info, const void *trace, trc_learn_value_of value_of,
	const uint8_t *uuid);

/* Return UUID as text, "" for NULL; the caller frees. */
char *trc_learn_uuid(const uint8_t *uuid);

#endif

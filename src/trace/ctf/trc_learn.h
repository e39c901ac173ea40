/* SPDX-License-Identifier: MIT */
/* What the metadata says of the trace as a whole, for struct trc_info. */
#ifndef TRC_LEARN_H
#define TRC_LEARN_H

#include "trace/core/trc_info.h"
#include "trace/tsdl/trc_tsdl.h"

/* Fill in host, tracer, release, uuid and classes of INFO from T. */
void trc_learn(struct trc_info *info, const struct trc_tsdl *t);

/* A value in the environment of a trace: TEXT or, where that is NULL, NUMBER. */
struct trc_learn_value {
	const char *text; /* weak */
	int64_t number;
};

/* The value called NAME of TRACE, as a reader has it; false: there is none. */
typedef bool (*trc_learn_value_of)(const void *trace, const char *name, struct trc_learn_value *value);

/* What the environment of TRACE tells of host and tracer, and its UUID (of 16 bytes; NULL none). */
void trc_learn_env(struct trc_info *info, const void *trace, trc_learn_value_of value_of,
	const uint8_t *uuid);

/* UUID as text, "" for NULL; the caller frees. */
char *trc_learn_uuid(const uint8_t *uuid);

#endif

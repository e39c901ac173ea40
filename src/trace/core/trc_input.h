/* SPDX-License-Identifier: MIT */
/* The interface of a trace format.  Each reader of its streams is a struct trc_source_ops
 * (trace/core/trc_source.h); trc_inputs.c lists all formats and readers. */
#ifndef TRC_INPUT_H
#define TRC_INPUT_H

#include "trace/core/trc_info.h"

#include <stdbool.h>

struct trc_input_ops {
	/* True if PATH, a folder or a file, is a trace of this format. */
	bool (*detect)(const char *path);

	/* Group FOLDERS (of char *, canonical, each once, all of this format) into recordings.  Returns an
	 * array of struct trc_recording * (trace/core/trc_folders.h) in the order of their first folders; the
	 * caller unrefs. */
	GPtrArray *(*join)(const GPtrArray *folders);

	/* True if its readers give MDL_EV_FIRST: the thread that runs on a CPU when its events begin. */
	bool tells_first;

	/* See trc_fingerprint(). */
	char *(*fingerprint)(char *const *folders, GError **error);

	/* Return the text of /proc/kallsyms stored in the trace in FOLDERS, *LENGTH bytes and a NUL; the
	 * caller frees.  NULL if it has none.  NULL instead of a function: the format cannot store it. */
	char *(*kallsyms)(char *const *folders, gsize *length);

	/* Fill in GUESTS, whose CPUS exists.  NULL instead of a function: the format has no such data. */
	void (*guests)(char *const *folders, struct trc_guests *guests);

	/* Examine the trace in FOLDERS before it is read, and put into INFO what is known by then: times,
	 * chunks, warnings.  Returns the survey for the readers; NULL only if files cannot be read. */
	void *(*survey)(char *const *folders, struct trc_info *info, GError **error);
	void (*survey_free)(void *survey);

	/* The whole trace was read: add to INFO what is known only now.  NULL instead of a function:
	 * nothing. */
	void (*read_to_end)(const void *survey, struct trc_info *info);

	/* Examine the trace of SURVEY, made with INFO->grows, again; FOLDERS are its current folders.  New
	 * streams go to ADDED.  NULL instead of a function: traces of this format are not followed. */
	enum trc_growth (*grow)(void *survey, char *const *folders, struct trc_info *info, GPtrArray *added);
	/* The trace will not grow any more: report damage at its end to INFO. */
	void (*settle)(void *survey, struct trc_info *info);

	/* Return the readable streams, for open() of the readers; the caller unrefs.  *KNOWN is false if the
	 * streams are not known: the last reader then opens all streams there are.  NULL instead of a
	 * function: *KNOWN is always false.  NULL with BASE_ERROR_REFUSED if no reader may read them. */
	GPtrArray *(*streams)(const void *survey, bool *known, GError **error);

	/* Fill in offset and size of PACKET, by its number, in the stream NAME, for a reader that does not
	 * know them.  Calls for a stream must be in the order of its packets.  SIZE stays 0 if unknown.  NULL
	 * instead of a function: all readers know them. */
	void (*place)(void *survey, const char *name, struct trc_packet_seen *packet);
};

#endif

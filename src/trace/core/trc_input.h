/* SPDX-License-Identifier: MIT */
/* The interfaces of a trace format and of a reader of its streams; trc_inputs.c lists all of both. */
#ifndef TRC_INPUT_H
#define TRC_INPUT_H

#include "trace/core/trc_cut.h"
#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"

#include <glib.h>
#include <stdbool.h>

/* A trace format: a const struct in its own file. */
struct trc_input_ops {
	const char *format; /* its name for people, unless survey() sets a more precise one in INFO */

	/* Set *IS to true if the folder, or the file, PATH is a trace of this format. False with errno if
	 * PATH cannot be read. */
	bool (*detect)(const char *path, bool *is);

	/*
	 * Add to PARTS (of char *, owned) the names of the recordings in the file PATH, if there are several:
	 * the folder of each is PATH/NAME (trc_folders_file()). None if the file cannot be read. NULL instead
	 * of a function: a file is one recording.
	 */
	void (*parts)(const char *path, GPtrArray *parts);

	/*
	 * Group FOLDERS (of char *, canonical, each once), all of this format, into recordings. Returns an
	 * array of struct trc_recording * (trc_folders.h), in the order of the first folder of each; the
	 * caller unrefs. NULL with an error when a file cannot be read.
	 */
	GPtrArray *(*join)(const GPtrArray *folders, GError **error);

	/* True if its readers emit MDL_EV_FIRST: the thread that runs on a CPU when its events begin. */
	bool tells_first;

	/* True if its events have the flags of the kernel's own ring buffers, which show the context of each
	 * event (model/cause/within.c). */
	bool tells_contexts;

	/* True if events of one time are in the order of their places in the file, whatever their stream: its
	 * readers set the rank of each event to that (trc_queue.h). */
	bool by_place;

	/* See trc_fingerprint(). */
	char *(*fingerprint)(char *const *folders, GError **error);

	/*
	 * The text of /proc/kallsyms that the trace in FOLDERS holds, *LENGTH bytes and a NUL; the caller
	 * frees.  NULL: it holds none, or, with an error, cannot be read; NULL instead of a function: the
	 * format has no place for it.
	 */
	char *(*kallsyms)(char *const *folders, gsize *length, GError **error);

	/* Fill in GUESTS, whose CPUS is an empty array.  False with an error.  NULL instead of a function:
	 * the format has no facts about guests. */
	bool (*guests)(char *const *folders, struct trc_guests *guests, GError **error);

	/* Examine the trace in FOLDERS before it is read, and set in INFO the facts known by then: times,
	 * chunks, warnings.  Returns the survey for the readers; NULL only if files cannot be read. */
	void *(*survey)(char *const *folders, struct trc_info *info, GError **error);
	void (*survey_free)(void *survey);

	/* Called after the whole trace was read: add to INFO the facts known only now.  NULL instead of a
	 * function: there are none. */
	void (*read_to_end)(const void *survey, struct trc_info *info);

	/*
	 * Look again at the trace of SURVEY, made with INFO->grows, in FOLDERS as they are now; streams that
	 * are new go to ADDED.  TRC_GROWTH_UNSEEN with an error.  NULL: traces of this format are not
	 * followed while they are written.
	 */
	enum trc_growth (*grow)(void *survey, char *const *folders, struct trc_info *info, GPtrArray *added,
		GError **error);
	/* Called when the trace will not grow any more: add a warning about each damage to INFO.  False with
	 * an error if not all can be read. */
	bool (*settle)(void *survey, struct trc_info *info, GError **error);

	/* Return the readable streams, for open() of the readers; the caller unrefs.  *KNOWN is false if the
	 * streams are not known: the last reader then opens all streams there are.  NULL instead of a
	 * function: *KNOWN is always false.  NULL with BASE_ERROR_REFUSED if no reader may read them. */
	GPtrArray *(*streams)(const void *survey, bool *known, GError **error);

	/*
	 * Set offset and size of PACKET of the stream NAME, by its number, for a reader that does not set
	 * them. Packets of a stream must be asked for in ascending order. SIZE stays 0 if the place is
	 * unknown. False with an error if the file cannot be read. NULL instead of a function: the readers
	 * set them.
	 */
	bool (*place)(void *survey, const char *name, struct trc_packet_seen *packet, GError **error);

	/* Write the part of the trace in FOLDERS that CUT describes as a recording of this format, which
	 * appears complete or not at all. False with an error. NULL instead of a function: this format cannot
	 * be written … */
	bool (*cut)(char *const *folders, struct trc_cut *cut, GError **error);
	const char *instead; /* … and this says what the user can do instead */
};

/* One reader: a const struct in its own file, and an entry in trc_inputs.c. */
struct trc_source_ops {
	const char *name;

	/*
	 * Open STREAMS of the trace that SURVEY examined; both come from its struct trc_input_ops.  Fill in
	 * INFO, and add one struct trc_queue per stream to QUEUES, which owns it; a queue may already have
	 * events.  Streams that the reader does not understand go to REST; if REST is NULL they are an error.
	 * SURVEY, INFO and QUEUES outlive the source.  NULL with an error.
	 */
	void *(*open)(void *survey, const GPtrArray *streams, GPtrArray *rest, struct trc_info *info,
		GPtrArray *queues, GError **error);

	/* Put at least one more event of its stream into QUEUE, which is empty, or set QUEUE->ended. Damage
	 * ends the stream with a warning in INFO. If streams share blocks of a file, the call ends at the end
	 * of a block. Otherwise each stream would read as many blocks as fill its queue, and the next stream
	 * would read these again. */
	void (*fill)(void *source, struct trc_queue *queue);

	/* The trace grew: add a queue to QUEUES for each of STREAMS, which are new and continue
	 * others, and rename all queues to the current names of their files.  NULL instead of a function: the
	 * reader does not follow traces. */
	void (*grow)(void *source, const GPtrArray *streams, GPtrArray *queues);

	/* Free the source.  The queues still exist; they are freed later. */
	void (*free)(void *source);

	const struct trc_paging_ops *paging; /* reads any event, once the whole trace was read */
};

#endif

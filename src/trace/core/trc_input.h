/* SPDX-License-Identifier: MIT */
/* What a format of traces has to offer.  Who reads its streams is a struct trc_source_ops each
 * (trc_source.h), and trc_inputs.c knows them all. */
#ifndef TRC_INPUT_H
#define TRC_INPUT_H

#include "trace/core/trc_info.h"

#include <stdbool.h>

struct trc_input_ops {
	/* Is the folder, or the file, PATH a trace of this format? */
	bool (*detect)(const char *path);

	/*
	 * Put FOLDERS (of char *, canonical, each once), all of this format, together to recordings: an array
	 * of struct trc_recording * (trc_folders.h), in the order of the first folder of each, for the caller
	 * to unref.
	 */
	GPtrArray *(*join)(const GPtrArray *folders);

	/* Do its readers tell themselves who runs as the events of a CPU begin (MDL_EV_FIRST)? */
	bool tells_first;

	/* As trc_fingerprint(). */
	char *(*fingerprint)(char *const *folders, GError **error);

	/*
	 * The text of /proc/kallsyms that the trace in FOLDERS holds, *LENGTH bytes and a NUL; the caller
	 * frees.  NULL: it holds none; NULL instead of a function: the format has no place for it.
	 */
	char *(*kallsyms)(char *const *folders, gsize *length);

	/* Fill in GUESTS, whose CPUS is there; NULL instead of a function: the format tells nothing of that.
	 */
	void (*guests)(char *const *folders, struct trc_guests *guests);

	/*
	 * Look at the trace in FOLDERS before it is read, for its readers, and fill in what can be told of it
	 * in INFO: times, chunks, warnings.  NULL only when files cannot be read.
	 */
	void *(*survey)(char *const *folders, struct trc_info *info, GError **error);
	void (*survey_free)(void *survey);

	/*
	 * All of the trace was read: tell INFO what only then is known.  NULL: SURVEY's making told all.
	 */
	void (*read_to_end)(const void *survey, struct trc_info *info);

	/*
	 * Look again at the trace of SURVEY, made with INFO->grows, in FOLDERS as they are now; streams that
	 * are new go to ADDED.  NULL: traces of this format are not followed while they are written.
	 */
	enum trc_growth (*grow)(void *survey, char *const *folders, struct trc_info *info, GPtrArray *added);
	/* No more will come: what is wrong with what there is goes to INFO. */
	void (*settle)(void *survey, struct trc_info *info);

	/*
	 * The streams that can be read, for the readers' open(); the caller unrefs.  *KNOWN is false when
	 * nothing is known of them: then all there are are meant, and only the last reader can be asked; so
	 * it is with NULL instead of a function. NULL with BASE_ERROR_REFUSED when nobody may read them.
	 */
	GPtrArray *(*streams)(const void *survey, bool *known, GError **error);

	/*
	 * Fill in offset and size of PACKET of the stream called NAME, by its number, for a reader that does
	 * not tell; later packets of a stream must be asked for later.  Leaves SIZE 0 where that is not
	 * known.  NULL: the readers tell.
	 */
	void (*place)(void *survey, const char *name, struct trc_packet_seen *packet);
};

#endif

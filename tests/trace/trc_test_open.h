/* SPDX-License-Identifier: MIT */
/* Open a recording by its folder or file without a search: for tests that know what it is. */
#ifndef TRC_TEST_OPEN_H
#define TRC_TEST_OPEN_H

#include "trace/trc_inputs.h"
#include "trace/trc_reader.h"

/* FOLDER may be a part of a file. The caller calls trc_folders_recording_free(). Anything that is no trace
 * counts as CTF. */
static inline struct trc_recording *trc_test_recording(const char *folder)
{
	struct trc_recording *r = trc_folders_recording((char *[]){ (char *)(uintptr_t)folder, NULL }, NULL);
	g_autofree char *file = trc_folders_file(folder);

	if (!trc_inputs_detect(file, &r->input) || !r->input)
		r->input = &trc_inputs[0];
	return r;
}

/* Like trc_reader_open(). */
static inline struct trc_reader *trc_test_open(const char *folder, const char *reader, GError **error)
{
	struct trc_recording *r = trc_test_recording(folder);
	struct trc_reader *opened = trc_reader_open(r, reader, error);

	trc_folders_recording_free(r);
	return opened;
}

/* Like trc_fingerprint(). */
static inline char *trc_test_fingerprint(const char *folder, GError **error)
{
	struct trc_recording *r = trc_test_recording(folder);
	char *text = trc_fingerprint(r, error);

	trc_folders_recording_free(r);
	return text;
}

#endif

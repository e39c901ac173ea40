/* SPDX-License-Identifier: MIT */
/* Traces written by the tests, byte for byte as the format is documented. */
#ifndef TRC_MADE_H
#define TRC_MADE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Bytes under construction. */
struct made {
	GByteArray *bytes;
	bool big_endian;
};

void made_init(struct made *m, bool big_endian);
void made_clear(struct made *m);

/* Append a number of SIZE bytes, or LENGTH bytes of TEXT filled up with NULs, or TEXT with its NUL. */
void made_number(struct made *m, uint64_t value, unsigned size);
void made_chars(struct made *m, const char *text, unsigned length);
void made_string(struct made *m, const char *text);

/* Fill with zeros to a multiple of ALIGN bytes. */
void made_align(struct made *m, unsigned align);

/* Overwrite SIZE bytes at AT with a number. */
void made_patch(struct made *m, guint at, uint64_t value, unsigned size);

/* Write the bytes as file NAME in FOLDER. */
void made_write(const struct made *m, const char *folder, const char *name);

/* A new folder for a trace, with TEXT as its metadata; free with g_free() after trc_test_remove(). */
char *made_folder(const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* What libFuzzer's bytes are for targets that read a file of chunks: a byte that chooses (bit 0: checksums
 * are made right), and the file. */
#ifndef FEED_H
#define FEED_H

#include "index/file/map.h"

#include <stddef.h>
#include <stdint.h>

/* Write the seed NAME into FOLDER: CHOICE, and SIZE BYTES behind it. */
void feed_seed(const char *folder, const char *name, uint8_t choice, const char *bytes, size_t size);
/* Call TAKE with the path of a file in memory as DATA, of SIZE bytes (one at least), tells; it is of KIND. */
void feed_file(const uint8_t *data, size_t size, const struct idx_map_kind *kind,
	void (*take)(const char *path));

#endif

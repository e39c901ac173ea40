/* SPDX-License-Identifier: MIT */
/* The input of fuzz targets that read a file of chunks: a byte of choices (bit 0: correct the checksums
 * first), then the file. */
#ifndef FEED_H
#define FEED_H

#include "index/file/map.h"

#include <stddef.h>
#include <stdint.h>

/* Write the seed NAME into FOLDER: CHOICE, then SIZE BYTES. */
void feed_seed(const char *folder, const char *name, uint8_t choice, const char *bytes, size_t size);
/* Call TAKE with the path of a file in memory, of KIND, made from the input DATA of SIZE (at least 1)
 * bytes. */
void feed_file(const uint8_t *data, size_t size, const struct idx_map_kind *kind,
	void (*take)(const char *path));

#endif

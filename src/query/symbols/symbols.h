/* SPDX-License-Identifier: MIT */
/* Names of functions: of the kernel, and of programs by the files that they mapped. */
#ifndef QRY_SYMBOLS_H
#define QRY_SYMBOLS_H

#include "base/base_progress.h"
#include "query/qry.h"

/* ---- the kernel ---- */

/*
 * Names come from a copy of the host's /proc/kallsyms.  In this order:
 * - the file given by the user;
 * - kallsyms or kallsyms.txt, also with .gz, in the session's folder (LTTng makes a folder "kernel" in it);
 * - FOLDER.kallsyms, also with .gz, beside any folder FOLDER of the trace;
 * - what the trace itself holds (trace.dat).
 */

/* Take the names from the file PATH, which may be gzip-compressed.  BASE_ERROR_USAGE if the experiment has
 * several hosts: addresses are those of one kernel since its boot.  BASE_ERROR_IO or BASE_ERROR_DATA if the
 * file cannot be read, names no functions, or hides their addresses. */
bool qry_set_kallsyms(struct qry *q, const char *path, GError **error);

/* True if there are names for HOST.  The first call reads the file beside its trace; qry_warn() reports a
 * useless one. */
bool qry_has_symbols(struct qry *q, uint32_t host);
/* The function at ADDRESS of HOST's kernel: "ext4_sync_file", or with its module "ring_buffer
 * [lttng_ring_buffer]".  NULL if it is in no function or there are no names.  Owned by Q. */
const char *qry_symbol(struct qry *q, uint32_t host, uint64_t address);

/* Address ADDRESS with its highest bit inverted: 64-bit addresses so order as int64_t do. */
static inline int64_t qry_symbols_order(uint64_t address)
{
	return (int64_t)(address ^ (UINT64_C(1) << 63));
}

/* Called by qry_free().  SYMBOLS may be NULL. */
struct qry_symbols;
void qry_symbols_free(struct qry_symbols *symbols);

/* ---- mapped files ---- */

/* Which file an address of a program belongs to, from the recorded system calls that mapped it (mmap() and
 * similar).  They must be recorded since before the start of the program.  No event shows what the kernel
 * itself maps (program, loader, vdso), or what was mapped before the recording. */

struct qry_maps;

/* Read the mappings of all hosts of Q (weak): this walks through the traces.  NULL with an error if one
 * cannot be read or PROGRESS (may be NULL) was cancelled. */
struct qry_maps *qry_maps_new(struct qry *q, struct base_progress *progress, GError **error);
void qry_maps_free(struct qry_maps *maps);

/* A place in a file, and the mapping of the file that contains it.  The maps own the texts. */
struct qry_mapped {
	const char *name; /* "libc.so.6" */
	/* the path that was opened: "/lib/x86_64-linux-gnu/libc.so.6"; NULL: not absolute */
	const char *path;
	uint64_t offset; /* in the file, bytes */
	uint64_t map_offset, map_length;
};

/* Find what is at ADDRESS in thread ROW at TIME.  False if unknown. */
bool qry_maps_find(const struct qry_maps *maps, uint32_t row, int64_t time, uint64_t address,
	struct qry_mapped *place);

/* ---- programs ---- */

/*
 * Names of programs' functions, from the mapped files, below a folder that takes the place of the root of the
 * recorded machine.
 *
 * No event says which build of a file was mapped, so names are inferred. A file that cannot be the mapped one
 * gives no names.
 */

/* Take files from FOLDER; "/": those of this machine.  BASE_ERROR_USAGE if the experiment has several hosts:
 * a folder is of one machine.  BASE_ERROR_IO if it is no folder. */
bool qry_set_symfs(struct qry *q, const char *folder, GError **error);
bool qry_has_symfs(const struct qry *q);

/* The function of HOST's program that contains PLACE ("malloc"); the caller frees.  NULL if unknown.
 * qry_warn() reports, once, a file that is not the mapped one. */
char *qry_program_function(struct qry *q, uint32_t host, const struct qry_mapped *place);

/* Called by qry_free().  PROGRAMS may be NULL. */
struct qry_programs;
void qry_programs_free(struct qry_programs *programs);
/* Copy PROGRAMS (NULL: returns NULL) for another opening.  The copy has read no file yet. */
struct qry_programs *qry_programs_again(const struct qry_programs *programs);

#endif

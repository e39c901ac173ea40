/* SPDX-License-Identifier: MIT */
/*
 * Names of the kernel's functions, from a copy of a host's /proc/kallsyms: the file that was typed, else one
 * that lies beside its trace: kallsyms, kallsyms.txt, also with .gz, in the folder of the session, in which
 * LTTng makes one called "kernel"; or FOLDER.kallsyms beside any folder of a trace, also with .gz; else what
 * the trace holds itself (trace.dat).
 */
#ifndef QRY_SYMBOLS_H
#define QRY_SYMBOLS_H

#include "query/qry.h"

/*
 * Take the names from the file PATH, which may be compressed by gzip.  Addresses are those of one kernel
 * since its boot, so an experiment has to be of one host for that: BASE_ERROR_USAGE.  BASE_ERROR_IO or _DATA:
 * it cannot be read, names no functions, or hides their addresses.
 */
bool qry_set_kallsyms(struct qry *q, const char *path, GError **error);

/* Whether there are names for HOST.  The file beside its trace is read when first asked; one that is worth
 * nothing is warned of (qry_warn()). */
bool qry_has_symbols(struct qry *q, uint32_t host);
/* The function of HOST's kernel at ADDRESS, "ext4_sync_file", and where it is of a module that,
 * "ring_buffer [lttng_ring_buffer]"; NULL: in none, or there are no names.  Owned by Q. */
const char *qry_symbol(struct qry *q, uint32_t host, uint64_t address);

/* For qry_free(); SYMBOLS may be NULL. */
struct qry_symbols;
void qry_symbols_free(struct qry_symbols *symbols);

#endif

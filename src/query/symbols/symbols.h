/* SPDX-License-Identifier: MIT */
/*
 * Names of the kernel's functions, from a copy of the host's /proc/kallsyms.  In this order:
 * - the file given by the user;
 * - kallsyms or kallsyms.txt, also with .gz, in the session's folder (LTTng makes a folder "kernel" in it);
 * - FOLDER.kallsyms, also with .gz, beside any folder FOLDER of the trace;
 * - what the trace itself holds (trace.dat).
 */
#ifndef QRY_SYMBOLS_H
#define QRY_SYMBOLS_H

#include "query/qry.h"

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

/* Called by qry_free().  SYMBOLS may be NULL. */
struct qry_symbols;
void qry_symbols_free(struct qry_symbols *symbols);

#endif

/* SPDX-License-Identifier: MIT */
/* The functions of a program or library: what its ELF file says.  Private to src/query. */
#ifndef QRY_ELF_H
#define QRY_ELF_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct qry_elf;

/* Of the open file FD, which is not closed; at most ROOM bytes of memory.  NULL: it is no such file, or needs
 * more. */
struct qry_elf *qry_elf_new(int fd, size_t room);
void qry_elf_free(struct qry_elf *elf);
size_t qry_elf_bytes(const struct qry_elf *elf); /* of memory */

/* "1f2e…", in hexadecimal digits; NULL: it has none. */
const char *qry_elf_build_id(const struct qry_elf *elf);
/* The name of the file with what was stripped from it (.gnu_debuglink); NULL: none is said. */
const char *qry_elf_debug_name(const struct qry_elf *elf);
/* Was it stripped of functions that others do not call? */
bool qry_elf_is_stripped(const struct qry_elf *elf);
/* Take the functions of DEBUG, of the same build, instead of those of ELF. */
void qry_elf_take(struct qry_elf *elf, struct qry_elf *debug);

/* Would who loads it map LENGTH bytes, in whole pages, from OFFSET on, to run them? */
bool qry_elf_is_mapped(const struct qry_elf *elf, uint64_t offset, uint64_t length);
/* The function with the byte at OFFSET of the file; NULL: none.  Owned by ELF; it may have any bytes. */
const char *qry_elf_function(const struct qry_elf *elf, uint64_t offset);

#endif

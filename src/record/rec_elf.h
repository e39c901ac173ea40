/* SPDX-License-Identifier: MIT */
/* Where a program can be probed: its functions, and the probes that its author put in (USDT, of <sys/sdt.h>). */
#ifndef REC_ELF_H
#define REC_ELF_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct rec_elf;

/* Open the program or library PATH of this machine.  NULL with BASE_ERROR_USAGE. */
struct rec_elf *rec_elf_open(const char *path, GError **error);
void rec_elf_free(struct rec_elf *elf);

/* True if the program is written in Go, whose stacks move: a return probe crashes it. */
bool rec_elf_is_go(const struct rec_elf *elf);
/* Find the function NAME: appends to PLACES (of uint64_t) the place in the file, in bytes, that is OFFSET bytes behind
 * the begin of each function of that name.  False with BASE_ERROR_USAGE, which tells the nearest names, or that OFFSET
 * is in none of them. */
bool rec_elf_function(const struct rec_elf *elf, const char *name, uint64_t offset, GArray *places,
	GError **error);

/* Return the machine (EM_X86_64, …) if programs of it have addresses of 64 bits; EM_NONE: this is none such. */
unsigned rec_elf_machine(const struct rec_elf *elf);
/* Find the ADDRESS of the variable NAME.  False: there is none, or there are several. */
bool rec_elf_variable(const struct rec_elf *elf, const char *name, uint64_t *address);

/* A probe of the program's author.  Places are in the file, in bytes. */
struct rec_elf_usdt {
	char *provider, *name; /* owned; may have any bytes */
	char *arguments; /* owned; as the assembler writes them: "-4@%edi 8@-16(%rbp)"; may have any bytes */
	uint64_t place, address;
	uint64_t counter; /* place of the semaphore, which counts who listens; 0: none */
};
/* Return the probes in the order of the file, a new array of struct rec_elf_usdt *, possibly empty; the caller
 * unrefs.  A damaged note is left out. */
GPtrArray *rec_elf_usdts(const struct rec_elf *elf);

#endif

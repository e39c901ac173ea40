/* SPDX-License-Identifier: MIT */
/* The places where a program can be probed: its functions, and its author's USDT probes (<sys/sdt.h>). */
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
/* Append to PLACES (of uint64_t, file offsets in bytes) the place OFFSET bytes into each function called
 * NAME.  False with BASE_ERROR_USAGE; its message has the nearest names, or says that OFFSET is behind the
 * end of the function. */
bool rec_elf_function(const struct rec_elf *elf, const char *name, uint64_t offset, GArray *places,
	GError **error);

/* Return the machine (EM_X86_64, …) of a program with 64-bit addresses; EM_NONE for any other program. */
unsigned rec_elf_machine(const struct rec_elf *elf);
/* Set *ADDRESS to the address of the variable NAME.  False if there is none, or several. */
bool rec_elf_variable(const struct rec_elf *elf, const char *name, uint64_t *address);

/* A USDT probe.  Places are file offsets in bytes. */
struct rec_elf_usdt {
	char *provider, *name; /* owned; may have any bytes */
	char *arguments;       /* owned; in assembler syntax, "-4@%edi 8@-16(%rbp)"; may have any bytes */
	uint64_t place, address;
	uint64_t counter; /* place of the semaphore, the number of tracers that use the probe; 0: none */
};
/* Return the probes in file order, a new array of struct rec_elf_usdt *, possibly empty; the caller unrefs.
 * Damaged notes are skipped. */
GPtrArray *rec_elf_usdts(const struct rec_elf *elf);

#endif

/* SPDX-License-Identifier: MIT */
/* Arguments of probes, as the kernel fetches them (Documentation/trace/uprobetracer.rst). */
#ifndef REC_ARGS_H
#define REC_ARGS_H

#include "record/rec_elf.h"

struct rec_arg {
	char *operand;    /* owned; as the assembler writes it */
	char *fetch;      /* owned; NULL: the kernel cannot read OPERAND */
	const char *type; /* static: "s32"; NULL: the kernel's choice */
	bool is_constant;
};

/* Return the arguments of USDT, a probe of ELF: a new array of struct rec_arg *; the caller unrefs. */
GPtrArray *rec_args_of_usdt(const struct rec_elf *elf, const struct rec_elf_usdt *usdt);
/* Return the arguments, integers or pointers, that a function of MACHINE has in registers when it begins.  None: MACHINE
 * is not known. */
GPtrArray *rec_args_of_function(unsigned machine);
/* The kernel wants one list of arguments for all places of an event.  Make A and B, of two places, have equal types, and
 * take from both what differs. */
void rec_args_join(GPtrArray *a, GPtrArray *b);
/* Return the end of a line for the kernel: " arg1=%di:s32 …" of all of ARGS that it can read, or, unless WORDS is NULL,
 * those of WORDS: "id=arg1 path=arg2:string field=+8(arg3):u32".  The caller frees.  NULL with BASE_ERROR_USAGE, which
 * calls the probe PROBE. */
char *rec_args_text(const GPtrArray *args, const char *words, const char *probe, GError **error);
/* Split from TEXT the words NAME=VALUE at its end, and return them; NULL: it has none.  The caller frees. */
char *rec_args_split(char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* Arguments of probes, in the kernel's fetch syntax (Documentation/trace/uprobetracer.rst). */
#ifndef REC_ARGS_H
#define REC_ARGS_H

#include "record/rec_elf.h"

struct rec_arg {
	char *operand;    /* owned; in assembler syntax */
	char *fetch;      /* owned; NULL: the kernel cannot read OPERAND */
	const char *type; /* static: "s32"; NULL: the kernel's choice */
	bool is_constant;
};

/* Return the arguments of USDT, a probe of ELF: a new array of struct rec_arg *; the caller unrefs. */
GPtrArray *rec_args_of_usdt(const struct rec_elf *elf, const struct rec_elf_usdt *usdt);
/* Return the integer or pointer arguments that a function of MACHINE has in registers at its entry, a new
 * array of struct rec_arg *; the caller unrefs.  Empty if MACHINE is unknown. */
GPtrArray *rec_args_of_function(unsigned machine);
/* Give the arguments A and B of two places equal types, and drop the arguments that cannot have one: the
 * kernel takes one list of arguments for all places of an event. */
void rec_args_join(GPtrArray *a, GPtrArray *b);
/* Return the arguments for the kernel's line of a probe, " arg1=%di:s32 …".  WORDS lists them, "id=arg1
 * path=arg2:string field=+8(arg3):u32"; NULL: all of ARGS that the kernel can read.  The caller frees.  NULL
 * with BASE_ERROR_USAGE; its message names the probe PROBE. */
char *rec_args_text(const GPtrArray *args, const char *words, const char *probe, GError **error);
/* Cut the words NAME=VALUE off the end of TEXT and return them; NULL if there are none.  The caller frees. */
char *rec_args_split(char *text);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The parts of the machine: rooms of src/model that keep state of their own and receive losses, ends and
 * passing events through the hooks below. The rooms below them (event, kernel, core) do not know the parts.
 * machine.c lists them.
 */
#ifndef MDL_PART_H
#define MDL_PART_H

#include "model/event/event.h"

#include <glib.h>
#include <stddef.h>

struct mdl_cpu;
struct mdl_facts;
struct mdl_level;
struct mdl_machine;
struct mdl_thread;

/* A member of struct mdl_machine or struct mdl_cpu that points to the state of a part. */
struct mdl_kept {
	size_t at, size; /* offset of the pointer; size of the state in bytes, 0: the part has none */
};
#define MDL_KEPT(type, member)                                      \
	{                                                           \
		offsetof(type, member), sizeof *((type *)0)->member \
	}

/* Bits of JUST in struct mdl_cpu: what the last event of the CPU did. Each ends with the next event of the
 * CPU that does not keep it. */
enum mdl_just {
	MDL_JUST_WOKEN = 1,    /* it woke threads */
	MDL_JUST_RAISED = 2,   /* it raised a softirq */
	MDL_JUST_LEAVING = 4,  /* a context ended */
	MDL_JUST_LENT = 8,     /* its thread gave back a lent priority */
	MDL_JUST_QUEUED = 16,  /* it queued a work item */
	MDL_JUST_POSTED = 32,  /* it posted an interrupt to a guest … */
	MDL_JUST_POSTING = 64, /* … or is about to */
	MDL_JUST_ALL = 127
};

/* Events of KIND keep BITS (enum mdl_just). */
struct mdl_keep {
	uint8_t kind, bits;
};

/* A hook that is NULL does nothing. */
struct mdl_part {
	/* Its state: core allocates it zeroed, and frees it. INIT and INIT_CPU set members that are not 0.
	 * CLEAR… free what the state owns. RELEASE is the kernel's. */
	struct mdl_kept machine, cpu;
	void (*init)(struct mdl_machine *m, const char *release);
	void (*init_cpu)(struct mdl_cpu *c);
	void (*clear)(struct mdl_machine *m);
	void (*clear_cpu)(struct mdl_cpu *c);
	void (*clear_thread)(struct mdl_thread *t);
	/* Events of CPU were lost since SINCE. */
	void (*lose)(struct mdl_machine *m, uint32_t cpu, int64_t since);
	/* The state of T is unknown since SINCE, because events were lost, or (MDL_NEVER) since its wait
	 * began. */
	void (*forget)(struct mdl_machine *m, struct mdl_thread *t, int64_t since);
	/* The next event of C came, and ended BITS (enum mdl_just). */
	void (*pass)(struct mdl_machine *m, struct mdl_cpu *c, unsigned bits);
	const struct mdl_keep *keeps; /* events that keep its bits; MDL_EV_NONE ends the list */
	/* The state of T, or of the contexts on top of it, changed. Called only for threads with a virtual
	 * CPU. */
	void (*refresh)(struct mdl_machine *m, struct mdl_thread *t);
	/* PARENT (NULL: unknown) forked CHILD. */
	void (*born)(struct mdl_machine *m, struct mdl_thread *child, const struct mdl_thread *parent);
	/* The life of T ends. */
	void (*over)(struct mdl_machine *m, struct mdl_thread *t);
	/* The trace ends at TO. */
	void (*finish)(struct mdl_machine *m, int64_t to);
	/* Level L of CPU wakes T now. FACTS has what happened in L; add the facts of this part. */
	void (*collect)(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
		const struct mdl_thread *t, struct mdl_facts *facts);
	/* The doubts of this part that the thread on C, which is in no context, is the waker of T. */
	mdl_doubts (*doubt)(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t);
};

/* Allocate and free the state that KEPT describes in OBJECT. */
static inline void mdl_part_keep(void *object, const struct mdl_kept *kept)
{
	if (kept->size > 0)
		*(void **)((char *)object + kept->at) = g_malloc0(kept->size);
}
static inline void mdl_part_drop(void *object, const struct mdl_kept *kept)
{
	if (kept->size > 0)
		g_free(*(void **)((char *)object + kept->at));
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The parts of the machine: rooms of src/model that keep something of their own, and are told what concerns it.
 * The rooms below them, event, kernel and core, know none of them.  machine.c has the list.
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

/* A member of struct mdl_machine, or of struct mdl_cpu, that points to what a part keeps there. */
struct mdl_kept {
	size_t at, size; /* offset of the pointer; bytes that it points to, 0: there is none */
};
#define MDL_KEPT(type, member)                                      \
	{                                                           \
		offsetof(type, member), sizeof *((type *)0)->member \
	}

/* The bits of struct mdl_cpu, JUST: facts that hold by the last event of a CPU alone. */
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

/* Events of KIND leave BITS (enum mdl_just) as they are. */
struct mdl_keep {
	uint8_t kind, bits;
};

/* Hooks that are NULL have nothing to do. */
struct mdl_part {
	/* Its own state: core makes it, zeroed, and frees it.  INIT and INIT_CPU set members that are not 0, CLEAR …
	 * free what these own.  RELEASE is the kernel's. */
	struct mdl_kept machine, cpu;
	void (*init)(struct mdl_machine *m, const char *release);
	void (*init_cpu)(struct mdl_cpu *c);
	void (*clear)(struct mdl_machine *m);
	void (*clear_cpu)(struct mdl_cpu *c);
	void (*clear_thread)(struct mdl_thread *t);
	/* Events of CPU were lost since SINCE. */
	void (*lose)(struct mdl_machine *m, uint32_t cpu, int64_t since);
	/* Nothing is known any more of T's doing: since SINCE, as events were lost; MDL_NEVER: since it waits. */
	void (*forget)(struct mdl_machine *m, struct mdl_thread *t, int64_t since);
	/* BITS (enum mdl_just) are not so any more on C, as its next event came. */
	void (*pass)(struct mdl_machine *m, struct mdl_cpu *c, unsigned bits);
	const struct mdl_keep *keeps; /* events that leave its bits; MDL_EV_NONE ends the list */
	/* The state of T, or of what interrupts it, changed.  Asked for threads with a virtual CPU only. */
	void (*refresh)(struct mdl_machine *m, struct mdl_thread *t);
	/* CHILD was forked by PARENT; NULL: by an unknown thread. */
	void (*born)(struct mdl_machine *m, struct mdl_thread *child, const struct mdl_thread *parent);
	/* The life of T ends. */
	void (*over)(struct mdl_machine *m, struct mdl_thread *t);
	/* The trace ends at TO. */
	void (*finish)(struct mdl_machine *m, int64_t to);
	/* Add to FACTS, which is what happened in level L of CPU: L wakes T now. */
	void (*collect)(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
		const struct mdl_thread *t, struct mdl_facts *facts);
	/* Against that the thread on C, which is in no context, wakes T. */
	mdl_doubts (*doubt)(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t);
};

/* Make, and free, what KEPT says of OBJECT. */
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

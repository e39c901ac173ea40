/* SPDX-License-Identifier: MIT */
/* An interrupt that was posted to a guest, and whose it is: private to src/model, for mdl_virq.c. */
#ifndef MDL_POST_H
#define MDL_POST_H

#include "model/mdl_machine_parts.h"

enum mdl_post_phase {
	MDL_POST_POSTED,
	MDL_POST_INJECTED, /* the next entry is with it */
	MDL_POST_TAKEN,    /* ran_at; it may have to be injected again */
	MDL_POST_DONE
};

struct mdl_post {
	struct mdl_wakeup wakeup;
	struct mdl_cause cause;
	int64_t apic;
	int64_t process;           /* of the thread that posted it; -1 unknown, or an interrupt did */
	struct mdl_thread *target; /* weak; NULL not known yet */
	bool sure;                 /* that it is this one */
	uint8_t phase;             /* enum mdl_post_phase */
	bool direct;               /* nothing will be injected */
	bool arm;                  /* a guest has to be entered anew for it */
	int64_t guess;             /* when it was taken if nothing is; MDL_NEVER not yet */
};

static inline struct mdl_post *mdl_post_at(const struct mdl_machine *m, guint i)
{
	return g_ptr_array_index(m->virqs.posts, i);
}

/* A new one of VECTOR, by nobody known, which E tells. */
struct mdl_post *mdl_post_new(struct mdl_machine *m, const struct mdl_event *e, uint32_t vector);
/* P, which is taken over, is on its way. */
void mdl_post_add(struct mdl_machine *m, struct mdl_post *p);
/* P goes out as it is; the caller removes it. */
void mdl_post_put_out(struct mdl_machine *m, struct mdl_post *p);
/* Those that are done go out, in order of time for each virtual CPU. */
void mdl_post_put_out_done(struct mdl_machine *m);

/* The process of T; -1 unknown. */
int64_t mdl_post_process(const struct mdl_thread *t);
/* Does PROCESS enter guests? */
bool mdl_post_is_machine(const struct mdl_machine *m, int64_t process);
/* May P be for T, which has a virtual CPU? */
bool mdl_post_may_be(const struct mdl_machine *m, const struct mdl_post *p, const struct mdl_thread *t);
/* The thread with the virtual CPU that P is for, as far as its number and who posted it tell; NULL: they do
 * not. */
struct mdl_thread *mdl_post_find_target(const struct mdl_machine *m, const struct mdl_post *p);
/* P is for T. */
void mdl_post_assign(struct mdl_machine *m, struct mdl_post *p, struct mdl_thread *t);
/* T's virtual CPU is APIC of its machine; SURE: it was said, not guessed. */
void mdl_post_learn(struct mdl_thread *t, int64_t apic, bool sure);

#endif

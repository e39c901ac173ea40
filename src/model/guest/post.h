/* SPDX-License-Identifier: MIT */
/* An interrupt that was posted to a guest, and its virtual CPU: private to src/model, for guest/virq.c. */
#ifndef MDL_POST_H
#define MDL_POST_H

#include "model/core/frame.h"
#include "model/event/fact.h"
#include "model/guest/parts.h"

enum mdl_post_phase {
	MDL_POST_POSTED,
	MDL_POST_INJECTED, /* the next entry brings it */
	MDL_POST_TAKEN,    /* taken at RAN_AT of the wake-up; it may need another injection */
	MDL_POST_DONE
};

struct mdl_post {
	struct mdl_wakeup wakeup;
	struct mdl_cause cause;
	int64_t apic;
	int64_t process;           /* of the thread that posted it; -1: unknown, or an interrupt posted it */
	struct mdl_thread *target; /* weak; NULL: not known yet */
	bool sure;                 /* TARGET is certain */
	uint8_t phase;             /* enum mdl_post_phase */
	bool direct;               /* it needs no injection */
	bool arm;                  /* the guest must be entered again to get it */
	/* ns: the time at which it was taken if it is never injected; MDL_NEVER: not yet */
	int64_t guess;
};

static inline struct mdl_post *mdl_post_at(const struct mdl_machine *m, guint i)
{
	return g_ptr_array_index(m->guests->virqs.posts, i);
}

/* A new post of VECTOR, from event E, by an unknown sender. */
struct mdl_post *mdl_post_new(struct mdl_machine *m, const struct mdl_event *e, uint32_t vector);
/* P is on its way; takes P over. */
void mdl_post_add(struct mdl_machine *m, struct mdl_post *p);
/* Hand out P as it is; the caller removes it. */
void mdl_post_put_out(struct mdl_machine *m, struct mdl_post *p);
/* Hand out the posts that are done, in order of time for each virtual CPU. */
void mdl_post_put_out_done(struct mdl_machine *m);

/* The process of T; -1: unknown. */
int64_t mdl_post_process(const struct mdl_thread *t);
/* True if PROCESS enters guests. */
bool mdl_post_is_machine(const struct mdl_machine *m, int64_t process);
/* True if P may be for T, which has a virtual CPU. */
bool mdl_post_may_be(const struct mdl_machine *m, const struct mdl_post *p, const struct mdl_thread *t);
/* The thread whose virtual CPU P is for, by the APIC number and the poster; NULL: they do not show it. */
struct mdl_thread *mdl_post_find_target(const struct mdl_machine *m, const struct mdl_post *p);
/* Make T the target of P. */
void mdl_post_assign(struct mdl_machine *m, struct mdl_post *p, struct mdl_thread *t);
/* T's virtual CPU is number APIC of its machine. SURE: an event showed it, it is no guess. */
void mdl_post_learn(struct mdl_thread *t, int64_t apic, bool sure);

#endif

/* SPDX-License-Identifier: MIT */
/* Suspend of the machine, and CPUs that go off-line and come on-line: private to src/model. */
#ifndef MDL_POWER_H
#define MDL_POWER_H

#include "model/core/part.h"
#include "model/event/event.h"
#include "model/event/fact.h"
#include "model/event/power.h"

struct mdl_machine;
struct mdl_recent;
struct mdl_thread;

/* The phase of the current suspend. */
enum mdl_power_phase { MDL_POWER_AWAKE, MDL_POWER_FREEZES, MDL_POWER_FROZEN, MDL_POWER_THAWS };

/* The step that a thread does. */
struct mdl_power_step {
	struct mdl_hotplug is;
	bool kills; /* it ends with the CPU off-line, if it succeeds */
};

struct mdl_power {
	uint8_t phase; /* enum mdl_power_phase */
	bool goes_on;  /* the clock of the trace runs on while time-keeping is stopped */
	bool reaches;  /* with THAWS: all user threads had been frozen */
	/* ns: when the freezing began and when it was complete; MDL_NEVER: not recorded */
	int64_t begin, frozen;
	/* with FREEZES and THAWS: its begin, by the thread that freezes or thaws the others */
	struct mdl_act act;
	/* ns: time-keeping stops between the first two, and goes on after the third; MDL_NEVER: unknown */
	int64_t stops_from, stopped_by, goes_from;
	int64_t least, most; /* ns for which it was stopped so far, lower and upper bound */
	/* the last suspend that is over, for threads that slept from before until after it */
	struct mdl_suspend last;
	int64_t last_frozen; /* ns: when its freezing was complete; MDL_NEVER: there is none */
	/* TID → struct mdl_power_step: its step in taking a CPU off-line or on-line */
	struct mdl_recent *steps;
	unsigned n_steps; /* steps so far; 0: no thread waits for a CPU */
	/* Owned: of struct mdl_hotplug_seen and struct mdl_suspend_seen, at most MDL_POWER_KEPT each. */
	GArray *hotplugs, *suspends;
};

/* T (NULL: unknown) as the actor of a suspend or hotplug (hotplug.c). */
struct mdl_power_by mdl_power_by(const struct mdl_thread *t);
/* T (NULL: unknown) begins or continues to take CPU off-line, or, UP, to bring it on-line (hotplug.c). */
void mdl_power_plugs(struct mdl_machine *m, const struct mdl_thread *t, int64_t cpu, bool up);
/* suspend_resume. */
void mdl_power_suspend(struct mdl_machine *m, const struct mdl_event *e);
/* cpu_idle. */
void mdl_power_idle(struct mdl_machine *m, const struct mdl_event *e);
/* cpuhp_enter, cpuhp_multi_enter, cpuhp_exit (hotplug.c). */
void mdl_power_hotplug(struct mdl_machine *m, const struct mdl_event *e);
/* The thread on CPU wakes T, in no context. Add to FACTS the step of T that this ends (hotplug.c). */
void mdl_power_step(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t, struct mdl_facts *facts);

extern const struct mdl_part mdl_part_power;

#endif

/* SPDX-License-Identifier: MIT */
/* Virtual CPUs, as the host sees them: private to src/model. */
#ifndef MDL_VCPU_H
#define MDL_VCPU_H

#include "model/event/event.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;
struct mdl_track;

#define MDL_VCPU_NO_APIC (-1)

/* The event that gave a vcpu_id. */
enum mdl_vcpu_from { MDL_VCPU_OF_ENTRY, MDL_VCPU_OF_EXIT, MDL_VCPU_FROM };

#define MDL_VCPU_BAD (MDL_NONE - 1)

/* The virtual CPU that a thread runs. */
struct mdl_vcpu {
	struct mdl_track *track;     /* weak; lives in the machine's tracks */
	bool inside;                 /* the guest's code runs */
	bool halted;                 /* the guest asked to wait for an interrupt */
	uint32_t reason;             /* of the last exit, as mdl_exit_make(); 0: unknown */
	uint32_t ids[MDL_VCPU_FROM]; /* vcpu_id; MDL_NONE: none yet; MDL_VCPU_BAD: no number, or several */
	bool odd;                    /* the two differ, or another virtual CPU has the same number */
	/* About interrupts (guest/virq.c): */
	int64_t apic;   /* number within its machine; MDL_VCPU_NO_APIC: unknown */
	bool apic_sure; /* an event showed APIC, it is no guess */
	bool entered;   /* it entered the guest since the last injection */
	bool ends;      /* the end of that interrupt will be recorded */
	/* the last injected vector whose end is not recorded; MDL_NONE: none */
	uint32_t injected;
};

/* Handlers of kvm_entry, kvm_exit and kvm_write_tsc_offset. */
void mdl_vcpu_entry(struct mdl_machine *m, const struct mdl_event *e);
void mdl_vcpu_exit(struct mdl_machine *m, const struct mdl_event *e);
void mdl_vcpu_tsc(struct mdl_machine *m, const struct mdl_event *e);
/* An event of the host on CPU was recorded: no guest runs there from now on. */
void mdl_vcpu_leave(struct mdl_machine *m, uint32_t cpu);

#endif

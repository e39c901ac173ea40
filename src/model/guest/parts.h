/* SPDX-License-Identifier: MIT */
/* The state of room guest, per machine and per CPU: private to src/model. */
#ifndef MDL_GUEST_PARTS_H
#define MDL_GUEST_PARTS_H

#include "model/core/cpu.h"
#include "model/core/sink.h"
#include "model/event/fact.h"
#include "model/guest/vcpu.h"
#include "model/guest/virq.h"

struct mdl_guests {
	uint32_t n; /* number of CPUs that are inside a guest */
	struct mdl_vcpu_notes notes;
	struct mdl_virqs virqs;
};

struct mdl_cpu_guest {
	/* weak: the thread whose virtual CPU is inside its guest here; NULL: none */
	struct mdl_thread *inside;
	/* Rank of its last event, apart from the rest of a wake-up, if that event posted an interrupt to a
	 * guest; otherwise 0 (virq.c). */
	uint64_t posted;
	struct {
		uint8_t by;      /* enum mdl_virq_by */
		uint32_t vector; /* MDL_NONE: any vector, once */
		uint64_t place;
	} posting; /* how this CPU raises an interrupt of a guest now */
};

extern const struct mdl_part mdl_part_guest;

#endif

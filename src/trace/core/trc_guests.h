/* SPDX-License-Identifier: MIT */
/* What recordings that were made together say of virtual machines and their hosts. */
#ifndef TRC_GUESTS_H
#define TRC_GUESTS_H

#include <glib.h>
#include <stdint.h>

/* CPU of the guest whose recording is GUEST is run by thread TID. */
struct trc_guest_cpu {
	uint64_t guest;
	uint32_t cpu;
	int64_t tid;
};

struct trc_guests {
	uint64_t id;   /* of this recording; 0: not told */
	uint64_t peer; /* of the recording by whose clock its times are; 0: by their own */
	GArray *cpus;  /* owned, of struct trc_guest_cpu */
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Which guest's CPU is which virtual CPU of which host, and what follows for their clocks.
 *
 * What a guest's CPU does happens while its virtual CPU is inside the guest: between the begin and the end of
 * a stay, as the host recorded them.  The begin of a stay is like a message that the host sends before the
 * guest's first event of the stay, the end like one that it receives after the last: so the same lines are
 * fitted as to packets (sync_fit.h), and no packet is needed.
 */
#ifndef SYNC_GUESTS_H
#define SYNC_GUESTS_H

#include "sync/sync_clock.h"
#include "sync/sync_order.h"

/* The rows of all hosts, by the hosts' own clocks. */
struct sync_rows {
	void *data;
	/* From FROM on: of a virtual CPU its stays inside the guest, of a CPU the times when it changed what
	 * it does, *TO meaning nothing.  In order of time. */
	void *(*open)(void *data, unsigned host, uint32_t row, int64_t from);
	/* The same of a CPU, all of its events; NULL: they are not at hand.  Costs a walk over the trace. */
	void *(*open_all)(void *data, unsigned host, uint32_t row, int64_t from);
	bool (*next)(void *cursor, int64_t *from, int64_t *to); /* false at the end */
	/* When the TSC of a virtual CPU that had run was set otherwise: of int64_t, in order; the caller
	 * frees. */
	GArray *(*set)(void *data, unsigned host, uint32_t row);
	void (*close)(void *cursor);
};

struct sync_cpu {
	unsigned host;
	uint32_t row;
};

static inline bool sync_cpu_is(const struct sync_cpu *a, const struct sync_cpu *b)
{
	return a->host == b->host && a->row == b->row;
}

/* A virtual CPU. */
struct sync_vcpu {
	struct sync_cpu self; /* as its host knows it */
	uint32_t machine;     /* what all of one machine, and no others of the host, have in common */
	bool given;          /* the recordings say which CPU it is (cleared where its stays say otherwise): */
	bool same_clock;     /* … and that its times are by the host's clock */
	bool found;          /* the rest is known: */
	struct sync_cpu cpu; /* as the guest knows it */
	int64_t begin;       /* of the guest: the first event that is looked at */
	int pace;            /* ppm that the host seems faster, about; set while it is sought */
	int64_t from, to;    /* ns of the host: stays that begin from FROM on and before TO count */
	/* About the guest's clock in that of the host: a line that is followed, or what bounds it
	 * (sync_bound.h); owned, NULL unknown yet. */
	struct sync_line line;
	GArray *bounds;
	uint64_t inside, outside; /* the guest's events, from BEGIN on, by a line that follows the stays */
};

/* The virtual CPUs of an experiment. */
struct sync_guests {
	struct sync_rows rows;
	GArray *vcpus; /* owned: of struct sync_vcpu, of which SELF is set at first */
	GArray *cpus;  /* owned: of struct sync_cpu, those of all hosts */
};

/* Find what VCPUS are among CPUS.  Where nothing tells, or two tell the same, that stays unknown. */
void sync_guests_find(struct sync_guests *guests);

/* What VCPU, which was found, tells of the clocks, message by message; ALL: by all events of its CPU, where
 * they are at hand. */
struct sync_guest;
struct sync_guest *sync_guest_new(const struct sync_rows *rows, const struct sync_vcpu *vcpu, bool all);
/* In order of the guest's time; HOST of the message is the guest, OTHER the host.  False at the end. */
bool sync_guest_next(struct sync_guest *g, struct sync_message *message);
void sync_guest_free(struct sync_guest *g);
/* What was seen so far, into V. */
void sync_guest_count(const struct sync_guest *g, struct sync_vcpu *v);

#endif

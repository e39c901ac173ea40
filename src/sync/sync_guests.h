/* SPDX-License-Identifier: MIT */
/*
 * Pairs the CPUs of guests with the virtual CPUs of hosts, and gets messages between their clocks from them.
 *
 * A guest's CPU does everything while its virtual CPU is inside the guest: between the begin and the end of a
 * stay, as the host recorded it.  The begin of a stay is like a message that the host sends before the
 * guest's first event of the stay.  The end is like a message that the host receives after the guest's last
 * event.  So the lines of sync_fit.h are fitted to them as to packets, and no packet is needed.
 */
#ifndef SYNC_GUESTS_H
#define SYNC_GUESTS_H

#include "sync/sync_fit.h"

/* Access to the rows of all hosts, by the hosts' own clocks (ns). */
struct sync_rows {
	void *data;
	/* Open a cursor from FROM on, in order of time.  For a virtual CPU it gives the stays inside the
	 * guest; for a CPU the times when its state changed, with no meaning in *TO. */
	void *(*open)(void *data, unsigned host, uint32_t row, int64_t from);
	/* Open a cursor over all events of a CPU from FROM on.  NULL if they are not available.  Costs a walk
	 * over the trace. */
	void *(*open_all)(void *data, unsigned host, uint32_t row, int64_t from);
	bool (*next)(void *cursor, int64_t *from, int64_t *to); /* false at the end */
	/* Times (int64_t, ns, in order) at which the host changed the TSC of a virtual CPU that had run.  The
	 * caller frees. */
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

struct sync_vcpu {
	struct sync_cpu self; /* as its host knows it */
	/* the same for all virtual CPUs of one machine, and different from all other machines of the host */
	uint32_t machine;
	bool given;          /* the recordings say which CPU it is; cleared if its stays contradict that */
	bool same_clock;     /* with GIVEN: its times are by the host's clock */
	bool found;          /* the members below are known */
	struct sync_cpu cpu; /* as the guest knows it */
	int64_t begin;       /* ns of the guest: its first event that is used */
	int pace;            /* ppm by which the host's clock seems faster, roughly; set during the search */
	int64_t from, to;    /* ns of the host: only stays that begin in [FROM, TO) count */
	/* The guest's clock in that of the host: a line to follow, or bounds (sync_bound.h).  BOUNDS is
	 * owned; NULL: not known yet, the line is followed. */
	struct sync_line line;
	GArray *bounds;
	/* number of the guest's events from BEGIN on that lie inside and outside of the stays, by a line that
	 * follows them */
	uint64_t inside, outside;
};

/* The virtual CPUs of an experiment. */
struct sync_guests {
	struct sync_rows rows;
	GArray *vcpus; /* owned: of struct sync_vcpu; at first only SELF is set */
	GArray *cpus;  /* owned: of struct sync_cpu, the CPUs of all hosts */
};

/* Find the CPU of each of VCPUS among CPUS.  It stays unknown if nothing identifies it, or if two virtual
 * CPUs lead to one CPU. */
void sync_guests_find(struct sync_guests *guests);

/* Reads the messages between the two clocks from VCPU, whose CPU was found.  With ALL it uses all events of
 * the CPU if they are available. */
struct sync_guest;
struct sync_guest *sync_guest_new(const struct sync_rows *rows, const struct sync_vcpu *vcpu, bool all);
/* The next message, in order of the guest's time.  In MESSAGE, HOST is the guest and OTHER the host.  False
 * at the end. */
bool sync_guest_next(struct sync_guest *g, struct sync_message *message);
void sync_guest_free(struct sync_guest *g);
/* Store the counts so far in V (INSIDE and OUTSIDE). */
void sync_guest_count(const struct sync_guest *g, struct sync_vcpu *v);

#endif

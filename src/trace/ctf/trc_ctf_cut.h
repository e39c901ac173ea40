/* SPDX-License-Identifier: MIT */
/* Parts of cutting a CTF trace.  Private to src/trace/ctf. */
#ifndef TRC_CTF_CUT_H
#define TRC_CTF_CUT_H

#include "trace/ctf/trc_ctf.h"
#include "trace/ctf/trc_ctf_class.h"

/* A file that is written. */
struct trc_ctf_target {
	int fd;
	char *path; /* owned */
	/* sequence number of the packet written last; 0: there is none, or it was the first of the stream */
	uint64_t sequence;
	uint64_t discarded; /* count of lost events in the packet written last */
	bool any;           /* it has a packet */
	bool hole;          /* events were left out since that packet */
};

/* A trace that is being cut. */
struct trc_ctf_cutter {
	struct trc_cut *cut;             /* weak */
	const struct trc_survey *survey; /* weak */
	GPtrArray *classes;              /* owned, of struct trc_ctf_stream * */
	GHashTable *
		targets; /* owned: struct trc_stream_file * → struct trc_ctf_target *, the latter owned by: */
	GPtrArray *all;        /* owned, of struct trc_ctf_target * */
	char *folder;          /* owned: the unfinished folder */
	struct trc_text *text; /* owned: finds names that are replaced */
	bool any;              /* a packet with events was written */
	bool whole_packets;    /* packets can only be copied whole: alignments prevent new ones */
	uint8_t *packet;       /* owned: room for a packet */
	uint64_t capacity;
};

/* Write to T the packets that are kept of F, whose class is CLASS.  False with an error. */
bool trc_ctf_cut_packets(struct trc_ctf_cutter *c, const struct trc_stream_file *f,
	const struct trc_ctf_stream *class, struct trc_ctf_target *t, GError **error);

#endif

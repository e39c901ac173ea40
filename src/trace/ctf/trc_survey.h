/* SPDX-License-Identifier: MIT */
/* Examines a trace before it is read: its metadata, and the extent of the packets in each stream file.  INFO
 * gets warnings about missing or damaged parts. */
#ifndef TRC_SURVEY_H
#define TRC_SURVEY_H

#include "trace/ctf/trc_packet.h"
#include "trace/core/trc_folders.h"
#include "trace/ctf/trc_metadata.h"

enum trc_file_state {
	TRC_FILE_FINE,
	TRC_FILE_FOREIGN, /* packets without a fixed layout: nothing is known, only babeltrace2 reads them */
	TRC_FILE_CUT,     /* its last packet is incomplete */
	TRC_FILE_TAIL,    /* no further packet after GOOD bytes */
	TRC_FILE_UNUSABLE /* empty, or no stream of this trace: ignored */
};

/* A stream file, or a part of one: if several chunks have the same packets, each packet is read once
 * (trc_parts_once()). */
struct trc_stream_file {
	const struct trc_file *file; /* weak: one of the survey's files */
	enum trc_file_state state;
	const struct trc_stream_class *stream; /* weak: of the metadata; NULL if unusable */
	uint64_t n_packets;                    /* usable packets */
	struct trc_packet first, last;         /* of the usable packets */
	/* weak: the file of the same stream that ends where this one begins; NULL: none */
	const struct trc_stream_file *before;
	bool open;        /* the trace grows, and more packets of the stream may be added here */
	uint64_t certain; /* cycles: no more events before this time will come; 0: unknown */
	bool after_gap;   /* an unknown amount of data between BEFORE and this file was not written */
	uint32_t cpu;     /* of the first packet; TRC_CPU_UNKNOWN if it has none */
	uint64_t good;    /* bytes up to the end of the last complete packet */
	bool index_lies;  /* the tracer's index contradicts the file */
};

/* True if F can be read as it is. */
static inline bool trc_stream_file_is_whole(const struct trc_stream_file *f)
{
	return f->state == TRC_FILE_FINE || f->state == TRC_FILE_FOREIGN;
}

struct trc_survey {
	char **folders;                /* owned */
	char *directory;               /* owned: the folder that contains all FOLDERS */
	GPtrArray *files;              /* of struct trc_file *, owned */
	struct trc_metadata *metadata; /* owned */
	const char *metadata_of;       /* weak: the folder whose metadata describes all packets */
	/* weak: that metadata; NULL if it is not understood: LAYOUT is then NULL, STREAMS empty */
	const struct trc_meta *meta;
	const GError *meta_error;         /* weak: why META is NULL */
	struct trc_packet_layout *layout; /* owned */
	GPtrArray *streams;               /* of struct trc_stream_file *, owned */
	struct trc_bounds bounds;         /* limits for the begins of packets */
	GHashTable *known;                /* for a trace that grows (trc_survey_grow.c); else NULL */
	bool damaged;                     /* some file is incomplete */
	bool index_lies;                  /* true for some file */
};

/* Examine the trace in FOLDERS, whose clock LIKE (NULL: nothing) describes (trc_metadata_set_clock()). Sets
 * the time range, chunks and warnings of INFO. NULL only if files cannot be read; metadata that is not
 * understood is part of the result. */
struct trc_survey *trc_survey_new(char *const *folders, const struct trc_clock *like, struct trc_info *info,
	GError **error);
void trc_survey_free(struct trc_survey *s);

/* Like trc_packet_read(), for the packet at OFFSET (bytes) of F, which is open as FD. */
static inline enum trc_packet_status trc_survey_packet(const struct trc_survey *s,
	const struct trc_stream_file *f, int fd, uint64_t offset, struct trc_packet *packet)
{
	const struct trc_stream_class *stream = f->stream;

	return trc_packet_read_at(s->layout, fd, offset, (uint64_t)f->file->size, packet, &stream);
}

/* Like trc_bounds_of_packet(), and also false if PACKET is far from all others. */
bool trc_survey_bounds(const struct trc_survey *s, const struct trc_clock *clock, struct trc_packet *packet,
	struct trc_bounds *bounds);

/*
 * Update S, which was made with info->grows, to the trace as it is now, in FOLDERS (copied). It finds new
 * packets in known files, and new files that continue a stream; these are added to ADDED (of struct
 * trc_stream_file *, weak). TRC_GROWTH_UNSEEN with an error.
 */
enum trc_growth trc_survey_grow(struct trc_survey *s, char *const *folders, struct trc_info *info,
	GPtrArray *added, GError **error);
/* End the survey of a trace that will not grow any more: INFO gets a warning about each damage.  False with
 * an error if a file cannot be read to its end. */
bool trc_survey_settle(struct trc_survey *s, struct trc_info *info, GError **error);

/* Set the error for metadata that cannot be read: code and reason of S->meta_error, and a remedy. */
void trc_survey_set_metadata_error(const struct trc_survey *s, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A look at a trace before it is read: its metadata, and for each stream file
 * how far its packets go.  What is missing or damaged is said in the warnings.
 */
#ifndef TRC_SURVEY_H
#define TRC_SURVEY_H

#include "trace/core/trc_info.h"
#include "trace/ctf/trc_bounds.h"
#include "trace/core/trc_files.h"
#include "trace/ctf/trc_metadata.h"
#include "trace/ctf/trc_packet.h"

enum trc_file_state {
	TRC_FILE_FINE,
	TRC_FILE_FOREIGN, /* packets of no fixed layout: a file for babeltrace2, of which nothing is known */
	TRC_FILE_CUT,     /* its last packet is not all there */
	TRC_FILE_TAIL,    /* after GOOD bytes there is no further packet */
	TRC_FILE_UNUSABLE /* empty, or no stream of this trace: left out */
};

/* A stream file, or a part of one: of packets that several chunks hold, one is read (trc_parts_once()). */
struct trc_stream_file {
	const struct trc_file *file; /* weak: of the survey's files */
	enum trc_file_state state;
	const struct trc_stream_class *stream; /* weak: of the metadata; NULL when unusable */
	uint64_t n_packets;                    /* that can be used */
	struct trc_packet first, last;         /* of those */
	const struct trc_stream_file *before;  /* weak: the file of the same stream that ends where this one
						  begins; NULL: none */
	bool open;        /* the trace grows, and more packets of the stream may come here */
	uint64_t certain; /* cycles: nothing more of it comes before that; 0: not told */
	bool after_gap;   /* what came between BEFORE and this one nobody wrote down, nor how much it was */
	uint32_t cpu;     /* of the first packet; TRC_CPU_UNKNOWN */
	uint64_t good;    /* bytes up to the end of the last whole packet */
	bool index_lies;  /* the tracer's index says something else */
};

/* True when F can be read as it is. */
static inline bool trc_stream_file_is_whole(const struct trc_stream_file *f)
{
	return f->state == TRC_FILE_FINE || f->state == TRC_FILE_FOREIGN;
}

struct trc_survey {
	char **folders;                /* owned */
	char *directory;               /* owned: the folder that all of them are in */
	GPtrArray *files;              /* of struct trc_file *, owned */
	struct trc_metadata *metadata; /* owned */
	const char *metadata_of;       /* weak: the folder whose metadata describes all */
	/* weak: that one; NULL when it could not be understood: then nothing below. */
	const struct trc_tsdl *tsdl;
	const GError *tsdl_error;         /* weak: why not */
	struct trc_packet_layout *layout; /* owned */
	GPtrArray *streams;               /* of struct trc_stream_file *, owned */
	struct trc_bounds bounds;         /* in which packets begin */
	GHashTable *known;                /* of a trace that grows (trc_survey_grow.c); else NULL */
	bool damaged;                     /* a file is not whole */
	bool index_lies;                  /* of any file */
};

/*
 * Look at the trace in FOLDERS.  Fills in the range of time, chunks and warnings of
 * INFO.  NULL only when files cannot be read; metadata that is not understood
 * is in the result.
 */
struct trc_survey *trc_survey_new(char *const *folders, struct trc_info *info, GError **error);
void trc_survey_free(struct trc_survey *s);

/* Understand the packet at OFFSET of F, whose file is FD, as trc_packet_read(). */
static inline enum trc_packet_status trc_survey_packet(const struct trc_survey *s,
	const struct trc_stream_file *f, int fd, uint64_t offset, struct trc_packet *packet)
{
	const struct trc_stream_class *stream = f->stream;

	return trc_packet_read_at(s->layout, fd, offset, (uint64_t)f->file->size, packet, &stream);
}

/* As trc_bounds_of_packet(); also false when PACKET is far from all the others. */
bool trc_survey_bounds(const struct trc_survey *s, const struct trc_clock *clock, struct trc_packet *packet,
	struct trc_bounds *bounds);

/*
 * S, made with info->grows, as it is now, in FOLDERS (copied): new packets of files that were there, and new
 * files that go on with a stream, which are added to ADDED (of struct trc_stream_file *, weak).
 */
enum trc_growth trc_survey_grow(struct trc_survey *s, char *const *folders, struct trc_info *info,
	GPtrArray *added);
/* All there is has been seen, and what is wrong with it is said. */
void trc_survey_settle(struct trc_survey *s, struct trc_info *info);

/* Say why the metadata of S cannot be read, where S->tsdl_error tells: with the same code, and what to do. */
void trc_survey_set_metadata_error(const struct trc_survey *s, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the readers: the sample traces, and babeltrace2 as a second reader. */
#ifndef TRC_TEST_H
#define TRC_TEST_H

#include "model/event/event.h"
#include "trace/core/trc_info.h"

#include <glib.h>

typedef void (*trc_test_sample_func)(const char *folder, gpointer data);

/* Run ARGV; its standard output, and its standard error in *ERRORS when that is not NULL.  The caller frees.
 */
char *trc_test_run(const char *const *argv, char **errors);

/* Call FUNC with each trace folder at or below PATH.  Returns how many there were. */
unsigned trc_test_each_below(const char *path, trc_test_sample_func func, gpointer data);

/* Like trc_test_each_below() for all samples: those of the project (SAMPLES) and, if present, those beside it
 * (SHARED_TRACES). */
unsigned trc_test_each_sample(trc_test_sample_func func, gpointer data);

/*
 * Read the trace in A by the reader "ctf" and the one in B by "babeltrace2". NULL if all events, counts and
 * gaps are equal, else the first difference; the caller frees it. If streams of the trace begin late, which
 * only the reader "ctf" detects, marks and the gaps before them are not compared.
 */
char *trc_test_compare(const char *a, const char *b);
/* True if GAP, of INFO, is from the begin of the trace to the begin of a stream. */
bool trc_test_is_late(const struct trc_info *info, const struct trc_gap *gap);

/*
 * Return PACKET (NULL: "none") as "10.0.0.1 > 10.0.0.2 protocol 6 id 5 ports 80 > 4000 seq 1 ack 2 flags 0x10
 * check 7 payload 3"; the caller frees it. IPv6 addresses are eight hex numbers. Without ports, "ports" and
 * all that follows is missing.
 */
char *trc_test_packet(const struct mdl_packet *packet);

/* Remove FOLDER and everything in it, like rm -r. */
void trc_test_remove(const char *folder);

#endif

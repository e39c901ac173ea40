/* SPDX-License-Identifier: MIT */
/* What the tests of the readers share: the sample traces, and running babeltrace2 as a witness. */
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

/* The same for all samples: those of the project (SAMPLES) and those beside it (SHARED_TRACES), where they
 * are. */
unsigned trc_test_each_sample(trc_test_sample_func func, gpointer data);

/*
 * Read the trace in A by the reader "ctf" and the one in B by "babeltrace2".
 * NULL when all events, counts and gaps are the same, else what differs first;
 * the caller frees.  Of a trace whose streams begin late, of which the reader
 * "ctf" alone knows, marks and the gaps before them are not compared.
 */
char *trc_test_compare(const char *a, const char *b);
/* Is GAP, of INFO, from the begin of the trace to that of a stream? */
bool trc_test_is_late(const struct trc_info *info, const struct trc_gap *gap);

/*
 * PACKET (may be NULL: "none") as "10.0.0.1 > 10.0.0.2 protocol 6 id 5 ports 80 > 4000 seq 1 ack 2 flags 0x10
 * check 7 payload 3"; the caller frees.  IPv6 addresses are eight hex numbers; "ports" and what follows only
 * where there are any.
 */
char *trc_test_packet(const struct mdl_packet *packet);

/* Remove FOLDER and all in it, like rm -r. */
void trc_test_remove(const char *folder);

#endif

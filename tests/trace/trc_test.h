/* SPDX-License-Identifier: MIT */
/* What the tests of the readers share: the sample traces, and running babeltrace2 as a witness. */
#ifndef TRC_TEST_H
#define TRC_TEST_H

#include <glib.h>

typedef void (*trc_test_sample_func)(const char *folder, gpointer data);

/* Run ARGV; its standard output, and its standard error in *ERRORS when that is not NULL.  The caller frees. */
char *trc_test_run(const char *const *argv, char **errors);

/* Call FUNC with each trace folder at or below PATH.  Returns how many there were. */
unsigned trc_test_each_below(const char *path, trc_test_sample_func func, gpointer data);

/* The same for all samples: those of the project (SAMPLES) and those beside it (SHARED_TRACES), where they are. */
unsigned trc_test_each_sample(trc_test_sample_func func, gpointer data);

/* Remove FOLDER and all in it, like rm -r. */
void trc_test_remove(const char *folder);

#endif

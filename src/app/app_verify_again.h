/* SPDX-License-Identifier: MIT */
/* What is kept beside indexes, held against what is made of them anew. */
#ifndef APP_VERIFY_AGAIN_H
#define APP_VERIFY_AGAIN_H

#include "app/app_args.h"
#include "index/verify/verify.h"

/*
 * Make anew, in a folder for this time only, the latencies and packets that are kept beside the indexes of
 * the experiment of PATHS (NULL-terminated), and tell REPORT, with the path of the file as DATA, of each that
 * is not the same: how many are not, in *FINDINGS.  What is of other clocks, or of a rule of one's own, is
 * passed over.  False with an error as of app_open().
 */
bool app_verify_again(const struct app_args *args, char *const *paths, idx_verify_report report,
	uint64_t *findings, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Make the files that are kept beside indexes again, and compare. */
#ifndef APP_VERIFY_AGAIN_H
#define APP_VERIFY_AGAIN_H

#include "app/app_args.h"
#include "index/verify/verify.h"

/*
 * Make the latencies and packets that are kept beside the indexes of the experiment of PATHS
 * (NULL-terminated) again, in a temporary folder.  Call REPORT, with the path of the file as DATA, for each
 * file that differs, and set *FINDINGS to their number.  Skips files of other clocks and of the user's rules.
 * False with an error as of app_open().
 */
bool app_verify_again(const struct app_args *args, char *const *paths, idx_verify_report report,
	uint64_t *findings, GError **error);

#endif

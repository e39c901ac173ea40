/* SPDX-License-Identifier: MIT */
/* What babeltrace2 says went wrong, as one line. */
#ifndef TRC_BT2_ERROR_H
#define TRC_BT2_ERROR_H

/* Take this thread's error of babeltrace2 away and return its first cause, cleaned and in one line; the
 * caller frees. */
char *trc_bt2_error_take(void);

#endif

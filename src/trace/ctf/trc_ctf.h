/* SPDX-License-Identifier: MIT */
/* The decoder of the project's own. */
#ifndef TRC_CTF_H
#define TRC_CTF_H

#include "trace/ctf/trc_source.h"

extern const struct trc_source_ops trc_ctf_ops;
extern const struct trc_paging_ops trc_ctf_paging;	/* its pages */

#endif

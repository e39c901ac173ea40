/* SPDX-License-Identifier: MIT */
/* What an experiment is called on the screen. */
#ifndef TRACE_NAME_H
#define TRACE_NAME_H

struct qry;

/* "rpc-chain"; "pipeline +2" with traces of hosts in two other folders.  The caller frees. */
char *trace_name_text(const struct qry *q);

#endif

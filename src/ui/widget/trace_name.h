/* SPDX-License-Identifier: MIT */
/* The name of an experiment on the screen. */
#ifndef TRACE_NAME_H
#define TRACE_NAME_H

struct qry;

/* "rpc-chain"; "pipeline +2" if traces of hosts are in two more folders.  The caller frees. */
char *trace_name_text(const struct qry *q);

#endif

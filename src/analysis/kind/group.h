/* SPDX-License-Identifier: MIT */
/* Threads that do the same work under the same name. */
#ifndef ANA_GROUP_H
#define ANA_GROUP_H

/*
 * The name that a thread called NAME shares with the threads that do the same work.  The caller frees.  It is
 * NAME itself, except for kernel threads: a star replaces the CPU number of per-CPU threads ("ksoftirqd/1")
 * and the numbers of workers.  Workers stay separate by kind, as kernel/workqueue.c names them: bound to a
 * CPU ("kworker/1:0"), of high priority ("kworker/1:0H"), unbound ("kworker/u4:2").
 */
char *ana_group_name(const char *name);

#endif

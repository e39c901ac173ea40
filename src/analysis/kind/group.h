/* SPDX-License-Identifier: MIT */
/* Threads that do the same work under the same name. */
#ifndef ANA_GROUP_H
#define ANA_GROUP_H

/*
 * The name that a thread called NAME shares with the others that do its work: its own, but with a star for
 * the number in names of the kernel's threads of each CPU ("ksoftirqd/1") and of the workers of its queues,
 * which stay apart by their kind as kernel/workqueue.c names them: those of a CPU ("kworker/1:0"), of high
 * priority ("kworker/1:0H"), of no CPU
 * ("kworker/u4:2").  The caller frees.
 */
char *ana_group_name(const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Ends of the program that it did not choose.  SIGINT, SIGTERM and SIGHUP ask it to stop; who works looks at
 * base_stop_signal() (or at the progress of the task) and ends in good order.  What does not come to an end
 * within GRACE, because it is inside a library or waits for a disk or the reader of a FIFO, is ended all the
 * same: the terminal is given back, nothing half-made is left.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <glib.h>
#include <stdbool.h>

/*
 * From now on catch these signals, SIGHUP unless it is ignored (nohup).  LEAVE gives the terminal back; it is
 * called from another thread, and may find nothing to do.  Called once, before other threads are made.
 */
void base_stop_catch(void (*leave)(void));

/* The signal that asked the program to stop; 0: none so far. */
int base_stop_signal(void);

/* Stop as if signal NUMBER had come: for a key that means the same. */
void base_stop_ask(int number);

/*
 * From now on such a signal, and SIGUSR1, sets the flag and does no more: who calls this comes to an end that
 * may take its time, and then calls base_stop_resume(), which forgets the signal and returns it (0: none).
 */
void base_stop_hold(void);
int base_stop_resume(void);
/* While held: did a key send the signal, so that all programs of the terminal have it too? */
bool base_stop_is_typed(void);

/* The program is about to end by itself, or ends in good order when it is asked to: nothing ends it all the
 * same. */
void base_stop_finish(void);
/* The same for a program that only has to say how it ended: if it is asked to stop and nobody reads that, it
 * is ended after half a second. */
void base_stop_last_words(void);

/*
 * Write TEXT of LENGTH bytes to FD without waiting for a reader: what a terminal still holds for one that
 * does not read is dropped for it.  Nothing is written while another thread does so.  Async-signal-safe.
 */
void base_stop_put(int fd, const char *text, size_t length);

/* From the handler of a fault: end with STATUS and WORDS (not NULL, one line with its end) on standard error,
 * tidied up.  Does not return. */
_Noreturn void base_stop_fault(int status, const char *words);

/* From the handler of a signal that will end the program: tidy up, but for at most half a second. */
void base_stop_tidy(void);

#endif

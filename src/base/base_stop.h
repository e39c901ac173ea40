/* SPDX-License-Identifier: MIT */
/*
 * Ends of the program that come from outside.  SIGINT, SIGTERM and SIGHUP ask it to stop.  Working code polls
 * base_stop_signal() (or the progress of its task) and ends normally.  If the program has not ended GRACE_MS
 * later, because it is inside a library or waits for a disk or for the reader of a FIFO, a separate thread
 * ends it: it restores the terminal and removes everything unfinished.
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <glib.h>
#include <stdbool.h>

/* Catch these signals from now on, SIGHUP only if it is not ignored (nohup).  LEAVE restores the terminal; it
 * runs in another thread, and there may be nothing to restore.  Call once, before any other thread exists. */
void base_stop_catch(void (*leave)(void));

/* Return the signal that asked the program to stop; 0 if none did. */
int base_stop_signal(void);

/* Stop as if signal NUMBER had arrived: for a key that means the same. */
void base_stop_ask(int number);

/* Between these two calls the signals above, and SIGUSR1, only set the flag that base_stop_signal() returns:
 * for a caller that finishes by itself and may need time.  base_stop_resume() clears the flag and returns the
 * signal (0: none). */
void base_stop_hold(void);
int base_stop_resume(void);
/* While held: true if a key sent the signal, so that every program of the terminal received it. */
bool base_stop_is_typed(void);

/* From now on the program ends by itself: a signal no longer ends it after GRACE_MS. */
void base_stop_finish(void);
/* Like base_stop_finish(), for a program that only prints its result: if a signal asks it to stop and nobody
 * reads the result, it is ended after half a second. */
void base_stop_last_words(void);

/* Write TEXT of LENGTH bytes to FD without waiting for a reader.  If a terminal does not take it, its pending
 * output is dropped to make room.  Writes nothing while another thread is in this function.
 * Async-signal-safe. */
void base_stop_put(int fd, const char *text, size_t length);

/* End at once with STATUS and WORDS (one line with its '\n') on standard error, tidied up. For any thread,
 * but not for the handler of a signal. Asks for no memory. Does not return. */
_Noreturn void base_stop_now(int status, const char *words);
/* End because no thread could be made: status 3. */
_Noreturn void base_stop_no_thread(void);

/* From the handler of a fault: tidy up, print WORDS (not NULL, one line with its '\n') on standard error and
 * exit with STATUS.  Does not return. */
_Noreturn void base_stop_fault(int status, const char *words);

/* From the handler of a signal that will end the program: tidy up, for at most half a second. */
void base_stop_tidy(void);

#endif

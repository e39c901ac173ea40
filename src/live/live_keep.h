/* SPDX-License-Identifier: MIT */
/* Keeps an LTTng live session on disk as it arrives: a folder with a CTF trace that grows. */
#ifndef LIVE_KEEP_H
#define LIVE_KEEP_H

#include <glib.h>
#include <stdbool.h>

struct live_keep;

/* True if TEXT is the URL of a live session and not a path. */
bool live_keep_is_url(const char *text);

/* Connect to URL (as live_relay_open()) and create a new folder for the trace. */
struct live_keep *live_keep_new(const char *url, GError **error);
void live_keep_free(struct live_keep *k);
/* live_keep_folder() returns the folder.  live_keep_ended() returns one line that says why nothing more
 * comes, once the session or the relay has ended, else NULL.  K owns both. */
const char *live_keep_folder(const struct live_keep *k);
const char *live_keep_ended(const struct live_keep *k);

/* Write everything that the relay has: packets, metadata before the packets that need it, and for each stream
 * without packets the time up to which it is silent. */
void live_keep_fetch(struct live_keep *k);

#endif

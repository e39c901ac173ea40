/* SPDX-License-Identifier: MIT */
/* An LTTng live session, kept on disk as it comes: a folder with a CTF trace that grows. */
#ifndef LIVE_KEEP_H
#define LIVE_KEEP_H

#include <glib.h>
#include <stdbool.h>

struct live_keep;

/* Is TEXT the name of a live session, and no folder? */
bool live_keep_is_url(const char *text);

/* Connect to URL as live_relay_open(), and make a new folder for what comes. */
struct live_keep *live_keep_new(const char *url, GError **error);
void live_keep_free(struct live_keep *k);
/* The folder, and once the session, or the relay, has ended why nothing more comes (one line), else NULL;
 * owned by K. */
const char *live_keep_folder(const struct live_keep *k);
const char *live_keep_ended(const struct live_keep *k);

/* Write what the relay has: packets, metadata before those that need it, and up to when streams without
 * packets are silent. */
void live_keep_fetch(struct live_keep *k);

#endif

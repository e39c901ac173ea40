/* SPDX-License-Identifier: MIT */
/* Reading clocks from text: what its parts share; private to src/sync. */
#ifndef SYNC_FILE_PARTS_H
#define SYNC_FILE_PARTS_H

#include "base/base_json.h"
#include "sync/sync_file.h"

/* What is counted of a host's packets, and where it stands in struct sync_host. */
struct sync_file_count {
	const char *key;
	size_t offset;
};
extern const struct sync_file_count sync_file_counts[]; /* ends with a key of NULL */

/* Where the reading is.  Once something was wrong, what comes after it is read no more, or for nothing. */
struct sync_file_place {
	const char *const *names; /* of the hosts of the experiment */
	unsigned n;
	const char *host; /* the one being read; NULL: none yet */
	GError **error;   /* the first one */
	bool failed;      /* there was one */
};

/* Sets *P->ERROR, unless that was done before, to BASE_ERROR_DATA, cleaned for the screen.  Returns false. */
bool sync_file_fail(struct sync_file_place *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same of KEY: "clocks of HOST: "KEY" WHAT". */
bool sync_file_bad(struct sync_file_place *p, const char *key, const char *what);

/* The number of the host called NAME; P->n when there is none. */
unsigned sync_file_host_named(const struct sync_file_place *p, const char *name);

/* Each of these sets *VALUE where KEY is there and not null, else leaves it; it fails where it is something
 * else.
 */
void sync_file_get_int(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	int64_t *value);
void sync_file_get_count(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	uint64_t *value);
/* The same as a result: NULL where it is not there, too. */
const char *sync_file_get_text(struct sync_file_place *p, const struct base_json_value *o, const char *key);
const struct base_json_value *sync_file_get_list(struct sync_file_place *p, const struct base_json_value *o,
	const char *key);
/* Element I of LIST, which is called KEY. */
const struct base_json_value *sync_file_get_object(struct sync_file_place *p,
	const struct base_json_value *list, unsigned i, const char *key);

/* Fill HOST in from O: all but its name and errors. */
void sync_file_host(struct sync_file_place *p, const struct base_json_value *o, struct sync_host *host);

#endif

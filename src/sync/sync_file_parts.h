/* SPDX-License-Identifier: MIT */
/* Reading clocks from text, shared parts: private to src/sync. */
#ifndef SYNC_FILE_PARTS_H
#define SYNC_FILE_PARTS_H

#include "base/base_json.h"
#include "sync/sync_hosts.h"

/* A count of a host's packets: its JSON key and its offset in struct sync_host. */
struct sync_file_count {
	const char *key;
	size_t offset;
};
extern const struct sync_file_count sync_file_counts[]; /* ends with a key of NULL */

/* State of the reader.  After the first error, later values are skipped or ignored. */
struct sync_file_place {
	const char *const *names; /* of the hosts of the experiment */
	unsigned n;
	const char *host; /* the host that is being read; NULL: none yet */
	GError **error;   /* where the first error goes */
	bool failed;      /* an error occurred */
};

/* Set *P->ERROR to BASE_ERROR_DATA, with the text cleaned for the screen, unless an error is set already.
 * Returns false. */
bool sync_file_fail(struct sync_file_place *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Like sync_file_fail(), for the value of KEY: "clock of HOST: "KEY" WHAT". */
bool sync_file_bad(struct sync_file_place *p, const char *key, const char *what);

/* Index of the host with NAME; P->n if there is none. */
unsigned sync_file_host_named(const struct sync_file_place *p, const char *name);

/* Each of these two sets *VALUE if O has KEY and it is not null, and leaves *VALUE alone otherwise.  A value
 * of another type is an error. */
void sync_file_get_int(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	int64_t *value);
void sync_file_get_count(struct sync_file_place *p, const struct base_json_value *o, const char *key,
	uint64_t *value);
/* Each of these two returns the value of KEY.  NULL if it is missing or null, and on an error. */
const char *sync_file_get_text(struct sync_file_place *p, const struct base_json_value *o, const char *key);
const struct base_json_value *sync_file_get_list(struct sync_file_place *p, const struct base_json_value *o,
	const char *key);
/* Element I of LIST, the value of KEY.  NULL, and an error, if it is not an object. */
const struct base_json_value *sync_file_get_object(struct sync_file_place *p,
	const struct base_json_value *list, unsigned i, const char *key);

/* Fill in HOST from O, except its name and errors. */
void sync_file_host(struct sync_file_place *p, const struct base_json_value *o, struct sync_host *host);

#endif

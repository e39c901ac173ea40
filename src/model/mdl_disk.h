/* SPDX-License-Identifier: MIT */
/* Names of block devices: private to src/model. */
#ifndef MDL_DISK_H
#define MDL_DISK_H

#include "model/mdl_event.h"

#include <glib.h>

struct mdl_machine;

struct mdl_disks {
	GArray *devices;     /* of struct mdl_device, by number */
	GHashTable *by_name; /* name (owned) → number of the same */
};

void mdl_disk_init(struct mdl_disks *disks);
void mdl_disk_clear(struct mdl_disks *disks);

/* State dump of a block device: adds to the devices; of one that is dumped twice the first name stays. */
void mdl_disk_dumped(struct mdl_machine *m, const struct mdl_event *e);
/* The string id of the name of DEV; "8:16" where the state dump has none. */
uint32_t mdl_disk_name(struct mdl_machine *m, uint32_t dev);
/* The number of the disk that DEV is a partition of; DEV itself if it is none as far as is known. */
uint32_t mdl_disk_of(const struct mdl_machine *m, uint32_t dev);

#endif

/* SPDX-License-Identifier: MIT */
/* Names of block devices: private to src/model. */
#ifndef MDL_DISK_H
#define MDL_DISK_H

#include "model/event/event.h"

#include <glib.h>

struct mdl_machine;

struct mdl_disks {
	GArray *devices;     /* owned: of struct mdl_device, by number */
	GHashTable *by_name; /* name (owned) → number of the device */
};

void mdl_disk_init(struct mdl_disks *disks);
void mdl_disk_clear(struct mdl_disks *disks);

/* State dump of a block device: add it to the devices.  If a device is dumped twice, its first name stays. */
void mdl_disk_dumped(struct mdl_machine *m, const struct mdl_event *e);
/* String id of the name of DEV; "8:16" if the state dump has no name. */
uint32_t mdl_disk_name(struct mdl_machine *m, uint32_t dev);
/* Number of the disk of which DEV is a partition; DEV itself if it is not known to be one. */
uint32_t mdl_disk_of(const struct mdl_machine *m, uint32_t dev);

#endif

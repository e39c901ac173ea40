/* SPDX-License-Identifier: MIT */
/*
 * How it works: the state dump names disks and their partitions. The name of a partition is that of its disk
 * with a number after it, and with a "p" in between if the disk's name ends with a digit (bdevname() and
 * add_partition() in block/partitions/core.c). Without a dump the numbers of SCSI disks show it: each disk
 * has 16 (Documentation/admin-guide/devices.txt).
 */
#include "model/block/block.h"

#include "base/base_search.h"
#include "model/core/frame.h"

#include <string.h>

#define DEVICES_MAX 65536 /* no machine has more block devices */
#define DISK_NAME_MAX 32  /* DISK_NAME_LEN of the kernel */
#define MINOR_BITS 20     /* include/linux/kdev_t.h */
#define SCSI_MINORS 16

void mdl_disk_init(struct mdl_disks *disks)
{
	disks->devices = g_array_new(FALSE, FALSE, sizeof(struct mdl_device));
	disks->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void mdl_disk_clear(struct mdl_disks *disks)
{
	g_array_unref(disks->devices);
	g_hash_table_unref(disks->by_name);
}

struct sought {
	const GArray *devices;
	uint32_t dev;
};

static bool is_below(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return g_array_index(s->devices, struct mdl_device, i).dev < s->dev;
}

/* The index of the first device whose number is not below DEV. */
static guint seek(const struct mdl_machine *m, uint32_t dev)
{
	return (guint)base_search(0, m->blocks->disks.devices->len, is_below,
		&(struct sought){ m->blocks->disks.devices, dev });
}

static const struct mdl_device *disk_find(const struct mdl_machine *m, uint32_t dev)
{
	guint i = seek(m, dev);
	const struct mdl_device *device = i < m->blocks->disks.devices->len
		? &g_array_index(m->blocks->disks.devices, struct mdl_device, i)
		: NULL;

	return device && device->dev == dev ? device : NULL;
}

/* True if NAME is that of a partition. Sets DISK to the name of its disk. */
static bool disk_name(const char *name, char disk[static DISK_NAME_MAX])
{
	size_t length = strlen(name), end = length;

	while (end > 0 && g_ascii_isdigit(name[end - 1]))
		end--;
	if (end > 1 && end < length && name[end - 1] == 'p' && g_ascii_isdigit(name[end - 2]))
		end--;
	if (end == 0 || end == length || end >= DISK_NAME_MAX)
		return false;
	memcpy(disk, name, end);
	disk[end] = '\0';
	return true;
}

void mdl_disk_dumped(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_device device = { .dev = (uint32_t)e->arg[MDL_DUMP_BLOCK_DEV] };

	if (e->arg[MDL_DUMP_BLOCK_DEV] == MDL_ARG_ABSENT || !e->text[0] ||
		m->blocks->disks.devices->len == DEVICES_MAX || disk_find(m, device.dev))
		return;
	device.name = base_strings_add_hostile(m->strings, e->text[0], -1);
	g_array_insert_val(m->blocks->disks.devices, seek(m, device.dev), device);
	g_hash_table_insert(m->blocks->disks.by_name, g_strdup(base_strings_get(m->strings, device.name)),
		GUINT_TO_POINTER(device.dev));
}

uint32_t mdl_disk_name(struct mdl_machine *m, uint32_t dev)
{
	const struct mdl_device *device = disk_find(m, dev);
	char text[32];

	g_snprintf(text, sizeof text, "%u:%u", dev >> MINOR_BITS, dev & ((1u << MINOR_BITS) - 1));
	return device && device->name != 0 ? device->name : base_strings_add(m->strings, text);
}

static bool is_scsi(uint32_t major)
{
	return major == 8 || (major >= 65 && major <= 71) || (major >= 128 && major <= 135);
}

uint32_t mdl_disk_of(const struct mdl_machine *m, uint32_t dev)
{
	const struct mdl_device *device = disk_find(m, dev);
	char name[DISK_NAME_MAX];
	gpointer disk;

	if (device && disk_name(base_strings_get(m->strings, device->name), name) &&
		g_hash_table_lookup_extended(m->blocks->disks.by_name, name, NULL, &disk))
		return GPOINTER_TO_UINT(disk);
	return m->blocks->disks.devices->len == 0 && is_scsi(dev >> MINOR_BITS)
		? dev & ~(uint32_t)(SCSI_MINORS - 1)
		: dev;
}

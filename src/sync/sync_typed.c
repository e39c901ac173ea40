/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts.h"

#include "base/base_error.h"
#include "base/base_time.h"

#include <string.h>

/* ---- hosts without clocks ---- */

static GArray *copy_bounds(const GArray *bounds)
{
	GArray *copy = sync_bounds_new();

	for (guint i = 0; i < bounds->len; i++)
		sync_bounds_add(copy, &g_array_index(bounds, struct sync_bound, i));
	return copy;
}

struct sync_hosts *sync_typed_copy(const struct sync_hosts *hosts)
{
	struct sync_hosts *copy = g_new(struct sync_hosts, 1);

	g_atomic_ref_count_init(&copy->references);
	copy->n = hosts->n;
	copy->vcpus = g_array_copy(hosts->vcpus);
	copy->hosts = g_memdup2(hosts->hosts, hosts->n * sizeof *hosts->hosts);
	for (unsigned i = 0; i < copy->n; i++) {
		struct sync_host *h = &copy->hosts[i];

		h->clock = h->clock ? sync_clock_new(g_array_copy(h->clock->lines)) : NULL;
		h->placed = NULL; /* the clocks may be about to change */
		h->errors = h->errors ? g_array_copy(h->errors) : NULL;
		h->bounds = h->bounds ? copy_bounds(h->bounds) : NULL;
	}
	return copy;
}

static void forget_clock(struct sync_host *h, enum sync_quality quality)
{
	g_clear_pointer(&h->clock, sync_clock_free);
	g_clear_pointer(&h->bounds, g_array_unref);
	g_clear_pointer(&h->errors, g_array_unref);
	h->quality = quality;
	h->error_max = INT64_MAX;
	h->violations_after = 0;
}

void sync_typed_take_out(struct sync_hosts *hosts)
{
	for (unsigned i = 1; i < hosts->n; i++) {
		forget_clock(&hosts->hosts[i], SYNC_NONE);
		hosts->hosts[i].by = i;
	}
	hosts->hosts[0].violations_after = 0;
}

struct sync_hosts *sync_typed_none(unsigned n)
{
	struct sync_hosts *hosts = sync_hosts_new_empty(n);

	hosts->hosts[0] = (struct sync_host){ .quality = SYNC_ACCURATE,
		.clock = sync_clock_new_shifted(0),
		.errors = g_array_new(FALSE, TRUE, sizeof(int64_t)) };
	g_array_set_size(hosts->hosts[0].errors, 1);
	sync_typed_take_out(hosts);
	return hosts;
}

void sync_typed_count_as(struct sync_hosts *hosts, const struct sync_hosts *counted)
{
	for (unsigned i = 0; i < hosts->n; i++) {
		hosts->hosts[i].counts = counted->hosts[i].counts;
		hosts->hosts[i].exchanged = counted->hosts[i].exchanged;
		hosts->hosts[i].violations_before = counted->hosts[i].violations_before;
	}
}

/* ---- offsets ---- */

/* Nothing bounds the error of H any more. */
static void forget_error(struct sync_host *h)
{
	h->error_max = INT64_MAX;
	for (guint i = 0; i < h->errors->len; i++)
		g_array_index(h->errors, int64_t, i) = INT64_MAX;
}

/* Is the clock of HOST, or one on its way to the reference, a typed one? */
static bool is_by_typed(const struct sync_hosts *hosts, unsigned host)
{
	while (hosts->hosts[host].quality != SYNC_TYPED && hosts->hosts[host].by != host)
		host = hosts->hosts[host].by;
	return hosts->hosts[host].quality == SYNC_TYPED;
}

static void set_offset(struct sync_host *h, int64_t offset)
{
	forget_clock(h, SYNC_TYPED);
	h->clock = sync_clock_new_shifted(offset);
	h->by = 0;
	h->errors = g_array_new(FALSE, TRUE, sizeof(int64_t));
	g_array_set_size(h->errors, 1);
	forget_error(h);
}

/* Which of NAMES is the LENGTH bytes at NAME; N: none. */
static unsigned find_host(const char *const *names, unsigned n, const char *name, size_t length)
{
	unsigned i = 0;

	while (i < n && (strlen(names[i]) != length || strncmp(names[i], name, length) != 0))
		i++;
	return i;
}

static bool refuse_host(const char *const *names, unsigned n, const char *item, GError **error)
{
	g_autoptr(GString) hosts = g_string_new(NULL);

	for (unsigned i = 1; i < n; i++)
		g_string_append_printf(hosts, "%s%s", i > 1 ? ", " : "", names[i]);
	return base_error_false(error, BASE_ERROR_USAGE,
		"\"%s\": no such host; those whose clock can be set are: %s", item,
		n > 1 ? hosts->str : "none");
}

/* "+2.5ms", "-100s", "3us". */
static bool read_offset(const char *text, int64_t *offset, GError **error)
{
	bool negative = *text == '-';

	if (!base_time_parse_duration(negative || *text == '+' ? text + 1 : text, offset, error))
		return false;
	if (negative)
		*offset = -*offset;
	return true;
}

/* ITEM is "HOST=OFFSET". */
static bool read_item(const char *const *names, unsigned n, const char *item, unsigned *host, int64_t *offset,
	GError **error)
{
	const char *equals = strrchr(item, '=');

	if (!equals)
		return base_error_false(error, BASE_ERROR_USAGE,
			"\"%s\" is no HOST=OFFSET, such as db=-2.5ms", item);
	*host = find_host(names, n, item, (size_t)(equals - item));
	if (*host == n)
		return refuse_host(names, n, item, error);
	if (*host == 0)
		return base_error_false(error, BASE_ERROR_USAGE,
			"\"%s\": the clock of %s is the one shown; set those of the other hosts", item,
			names[0]);
	return read_offset(equals + 1, offset, error);
}

/* SET[i] and OFFSETS[i] for each host that TEXT names. */
static bool typed_read_all(const char *const *names, unsigned n, const char *text, bool *set,
	int64_t *offsets, GError **error)
{
	g_auto(GStrv) items = g_strsplit(text, ",", -1);
	bool fine = true;

	for (char **item = items; fine && *item; item++) {
		unsigned host;
		int64_t offset;

		fine = read_item(names, n, *item, &host, &offset, error);
		if (fine && set[host]) {
			fine = base_error_false(error, BASE_ERROR_USAGE,
				"\"%s\": the clock of that host is set twice", *item);
		} else if (fine) {
			set[host] = true;
			offsets[host] = offset;
		}
	}
	return fine;
}

bool sync_typed_set(struct sync_hosts *hosts, const char *const *names, const char *text, GError **error)
{
	int64_t *offsets = g_new0(int64_t, hosts->n);
	bool *set = g_new0(bool, hosts->n);
	bool fine = typed_read_all(names, hosts->n, text, set, offsets, error);

	for (unsigned i = 0; fine && i < hosts->n; i++)
		if (set[i])
			set_offset(&hosts->hosts[i], offsets[i]);
	for (unsigned i = 0; fine && i < hosts->n; i++)
		if (hosts->hosts[i].clock && is_by_typed(hosts, i))
			forget_error(&hosts->hosts[i]);
	g_free(offsets);
	g_free(set);
	return fine;
}

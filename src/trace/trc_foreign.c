/* SPDX-License-Identifier: MIT */
#include "trace/trc_foreign.h"

#include "base/base_io.h"

#include <glib.h>
#include <string.h>
#include <sys/stat.h>

#define BEGIN_BYTES 4096 /* bytes of a file that are examined */

/* True if BYTES begin a packed file: gzip, bzip2, xz, zstd, zip, or tar (after its first name). */
static bool is_packed(const char *bytes, size_t size)
{
	static const struct {
		size_t at, size;
		const char *bytes;
	} begins[] = {
		{ 0, 2, "\x1f\x8b" },
		{ 0, 3, "BZh" },
		{ 0, 5, "\3757zXZ" },
		{ 0, 4, "\x28\xb5\x2f\xfd" },
		{ 0, 4, "PK\3\4" },
		{ 257, 5, "ustar" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(begins); i++)
		if (begins[i].at + begins[i].size <= size &&
			!memcmp(bytes + begins[i].at, begins[i].bytes, begins[i].size))
			return true;
	return false;
}

/* True if BYTES are text, in any encoding with ASCII. */
static bool foreign_is_text(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (g_ascii_iscntrl(bytes[i]) && !g_ascii_isspace(bytes[i]) && bytes[i] != '\x1b' &&
			bytes[i] != '\b')
			return false;
	return size > 0;
}

static bool begins(const char *bytes, size_t size, const char *with)
{
	return size >= strlen(with) && !memcmp(bytes, with, strlen(with));
}

/* ---- kinds of foreign files ---- */

/* Return a name for a recording that wakepath does not read, by its first BYTES; NULL: none. */
static const char *recording_of(const char *bytes, size_t size)
{
	/* This magic is text, so it is equal in both byte orders (is_perf_magic(),
	 * tools/perf/util/header.c). */
	if (begins(bytes, size, "PERFFILE"))
		return "is a perf.data of version 1, as perf of old kernels wrote it (Linux 2.6, 3.0), which "
		       "wakepath does not read: record again with a newer perf";
	if (begins(bytes, size, "WKPSUMMY"))
		return "is the summary of a host, without its trace: give it, or its folder, to wakepath fleet";
	return NULL;
}

const char *trc_foreign_what(const char *path)
{
	char bytes[BEGIN_BYTES];
	ssize_t size = base_io_begin(path, bytes, sizeof bytes);
	const char *what = size > 0 ? recording_of(bytes, (size_t)size) : NULL;

	if (what)
		return what;
	if (size > 0 && is_packed(bytes, (size_t)size))
		return "is packed: unpack it first (tar -xf, zstd -d, gunzip), and give what comes out";
	if (size > 0 && foreign_is_text(bytes, (size_t)size))
		return "is text: give the recording "
		       "(trace.dat of trace-cmd, perf.data of perf, .pftrace of Perfetto, the folder that LTTng wrote), "
		       "or what "
		       "/sys/kernel/tracing/trace, trace-cmd report or perf script printed of one";
	return "is not a recording that wakepath can read: give a trace.dat, a perf.data, a .pftrace, "
	       "or the folder that LTTng wrote";
}

const char *trc_foreign_recording(const char *path)
{
	char bytes[BEGIN_BYTES];
	struct stat st;
	ssize_t size;

	if (BASE_IO_AGAIN(lstat(path, &st)) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	size = base_io_begin(path, bytes, sizeof bytes);
	return size > 0 ? recording_of(bytes, (size_t)size) : NULL;
}

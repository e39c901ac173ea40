/* SPDX-License-Identifier: MIT */
#include "ingest/ing_place.h"

#include "base/base_error.h"
#include "base/base_place.h"
#include "trace/core/trc_folders.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

char *ing_place_folder(const char *index_dir)
{
	const char *env = g_getenv("WAKEPATH_INDEX_DIR");

	if (index_dir)
		return g_strdup(index_dir);
	if (env && *env != '\0')
		return g_strdup(env);
	return g_build_filename(g_get_user_cache_dir(), "wakepath", NULL);
}

static void keep_plain(char *name)
{
	for (char *p = name; *p != '\0'; p++)
		if (!g_ascii_isalnum(*p) && *p != '-' && *p != '_')
			*p = '_';
}

/* "pipeline-kernel": the last two folders of the path. */
static char *readable_part(const char *directory)
{
	g_autofree char *above = g_path_get_dirname(directory);
	g_autofree char *last = g_path_get_basename(directory), *before = g_path_get_basename(above);
	char *name = g_strdup_printf("%.40s-%.40s", before, last);

	keep_plain(name);
	return name;
}

char *ing_place_file(const char *folder, char *const *folders)
{
	g_autofree char *root = trc_folders_root(folders), *readable = readable_part(root),
			*all = g_strjoinv("\n", (char **)folders);

	return g_strdup_printf("%s/%s-%016" G_GINT64_MODIFIER "x.wpi", folder, readable,
		(guint64)XXH3_64bits_withSeed(all, strlen(all), geteuid()));
}

/* Is the first LENGTH bytes of PATH a link that neither root nor this user has made? */
static bool is_planted(const char *path, gsize length)
{
	g_autofree char *part = g_strndup(path, length);
	struct stat st;

	return lstat(part, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != 0 && st.st_uid != geteuid();
}

/* A link of somebody else could lead the files into any folder of this user. */
static bool no_link_planted(const char *folder, GError **error)
{
	gsize length = 0;

	do {
		length += strspn(folder + length, "/");
		length += strcspn(folder + length, "/");
		if (!is_planted(folder, length))
			continue;
		return base_error_false(error, BASE_ERROR_DATA,
			"the index folder %s is not used: %.*s is a symbolic link of another user; name the folder itself with --index-dir DIR",
			folder, (int)length, folder);
	} while (folder[length] != '\0');
	return true;
}

bool ing_place_make(const char *folder, GError **error)
{
	if (!no_link_planted(folder, error))
		return false;
	if (base_place_make(folder) == 0 && access(folder, W_OK | X_OK) == 0)
		return true;
	return base_error_false(error, BASE_ERROR_IO,
		"cannot write to the index folder %s: %s; name another with --index-dir DIR", folder,
		g_strerror(errno));
}

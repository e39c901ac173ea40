/* SPDX-License-Identifier: MIT */
#include "base/base_error.h"

#include "base/base_stop.h"
#include "base/base_text.h"

#include <errno.h>
#include <signal.h>

/* (G_DEFINE_QUARK makes a function that several threads cannot share.) */
GQuark base_error_quark(void)
{
	static gsize quark;

	if (g_once_init_enter(&quark))
		g_once_init_leave(&quark, g_quark_from_static_string("wakepath-error"));
	return (GQuark)quark;
}

int base_error_exit_status(const GError *error)
{
	if (error->domain == G_OPTION_ERROR)
		return 2;
	if (error->domain != BASE_ERROR)
		return 3;
	switch ((enum base_error)error->code) {
	case BASE_ERROR_NO_ANSWER: return 1;
	case BASE_ERROR_USAGE: return 2;
	case BASE_ERROR_CANCELLED: return 128 + (base_stop_signal() ? base_stop_signal() : SIGINT);
	case BASE_ERROR_DATA:
	case BASE_ERROR_REFUSED:
	case BASE_ERROR_FOREIGN:
	case BASE_ERROR_IO:
	case BASE_ERROR_STALE: break;
	}
	return 3;
}

/* Advice for the user about SAVED_ERRNO; NULL if its text says all. */
static const char *remedy_of(int saved_errno)
{
	switch (saved_errno) {
	case ENOSPC:
	case EDQUOT: return "free some space there or choose another folder";
	case EACCES:
	case EPERM: return "check the permissions there";
	case EROFS: return "choose another folder";
	case ELOOP: return "wakepath follows no link that another user could have made";
	case ENOENT: return "check the name";
	case EMFILE:
	case ENFILE: return "raise the limit of open files (ulimit -n)";
	default: return NULL;
	}
}

void base_error_set_errno(GError **error, int saved_errno, const char *doing, const char *path)
{
	const char *remedy = remedy_of(saved_errno);
	g_autofree char *shown = base_text_clean(path, -1);

	g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "%s %s: %s%s%s", doing, shown, g_strerror(saved_errno),
		remedy ? ": " : "", remedy ? remedy : "");
}

bool base_error_is_io(GError *failure, GError **error)
{
	bool is = g_error_matches(failure, BASE_ERROR, BASE_ERROR_IO);

	if (is)
		g_propagate_error(error, failure);
	else
		g_clear_error(&failure);
	return is;
}

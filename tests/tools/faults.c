/* SPDX-License-Identifier: MIT */
/*
 * Makes one system call on a file fail; loaded into the program by LD_PRELOAD (tests/app/faults.t).
 *
 *   FAULT_CALL    the kind of call, one of KINDS below
 *   FAULT_AT      the number of the call of that kind that fails, 1 the first; 0: none
 *   FAULT_LAST    the number of the last call that fails, if more than one fails
 *   FAULT_ERRNO   the errno of the failure
 *   FAULT_WHERE   paths, with ":" between; calls count only on files at or below these
 *   FAULT_COUNT   a file of 8 bytes that gets the number of such calls (64 bits)
 *
 * A process may be a copy of one with another environment (starter.c), so each process reads its own
 * environment.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { OPEN, STAT, FSTAT, READ, WRITE, MAP, SYNC, RENAME, TRUNCATE, LIST, KINDS };

static const char *const kinds[KINDS] = { "open", "stat", "fstat", "read", "write", "mmap", "sync", "rename",
	"truncate", "list" };

static struct {
	pid_t of; /* the process that called look() */
	enum kind kind;
	uint64_t at, last;
	int error;
	const char *where;
	_Atomic uint64_t *count, own;
} fault;

static uint64_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* Read the environment.  Uses syscall(), because the C library's functions are replaced below. */
static void look(void)
{
	const char *kind = getenv("FAULT_CALL"), *count = getenv("FAULT_COUNT");
	long fd, map;

	fault.of = getpid();
	fault.kind = 0;
	while (kind && fault.kind < KINDS && strcmp(kinds[fault.kind], kind) != 0)
		fault.kind++;
	fault.kind = kind ? fault.kind : KINDS;
	fault.at = number("FAULT_AT");
	fault.last = number("FAULT_LAST");
	fault.error = (int)number("FAULT_ERRNO");
	fault.where = getenv("FAULT_WHERE");
	fault.count = &fault.own;
	fd = count ? syscall(SYS_openat, AT_FDCWD, count, O_RDWR) : -1;
	if (fd < 0)
		return;
	map = syscall(SYS_mmap, NULL, sizeof *fault.count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
	if (map != -1)
		fault.count = (_Atomic uint64_t *)map;
}

static bool is_there(const char *path)
{
	for (const char *where = fault.where, *end; where; where = *end ? end + 1 : NULL) {
		size_t length;

		end = strchrnul(where, ':');
		length = (size_t)(end - where);
		if (strncmp(path, where, length) == 0 && strchr("/ ", path[length])) /* "PATH (deleted)", or
											\0 */
			return true;
	}
	return false;
}

/* True if this call of KIND on PATH must fail; sets errno. */
static bool fails(enum kind kind, const char *path)
{
	uint64_t n;

	if (fault.of != getpid())
		look();
	if (kind != fault.kind || !path || !is_there(path))
		return false;
	n = atomic_fetch_add(fault.count, 1) + 1;
	if (n < fault.at || fault.at == 0 || (n > fault.at && n > fault.last))
		return false;
	errno = fault.error;
	return true;
}

static bool fails_on(enum kind kind, int fd)
{
	char link[64], path[4096];
	ssize_t length;

	if (fault.of != getpid())
		look();
	if (kind != fault.kind)
		return false;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof path - 1);
	path[length > 0 ? length : 0] = '\0';
	return fails(kind, path);
}

/* Declares REAL, the function NAME that this library replaces. */
#define REAL(name)                     \
	static __typeof__(&name) real; \
	if (!real)                     \
	*(void **)&real = dlsym(RTLD_NEXT, #name)

#define OPENS(name)                                                              \
	int name(const char *path, int flags, ...)                               \
	{                                                                        \
		va_list args;                                                    \
		mode_t mode;                                                     \
		REAL(name);                                                      \
		va_start(args, flags);                                           \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; \
		va_end(args);                                                    \
		return fails(OPEN, path) ? -1 : real(path, flags, mode);         \
	}
OPENS(open)
OPENS(open64)

/* Defines RESULT NAME(PARAMETERS): returns FAILED if TEST is true, else calls the real function with
 * ARGUMENTS. */
#define CALL(result, name, parameters, arguments, test, failed) \
	result name parameters                                  \
	{                                                       \
		REAL(name);                                     \
		return test ? failed : real arguments;          \
	}

CALL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), fails_on(READ, fd), -1)
CALL(ssize_t, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), fails_on(READ, fd), -1)
CALL(ssize_t, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), fails_on(READ, fd), -1)
CALL(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), fails_on(WRITE, fd), -1)
CALL(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at), fails_on(WRITE, fd),
	-1)
CALL(ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at),
	fails_on(WRITE, fd), -1)
CALL(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t from),
	(at, n, prot, flags, fd, from), fd >= 0 && fails_on(MAP, fd), MAP_FAILED)
CALL(void *, mmap64, (void *at, size_t n, int prot, int flags, int fd, off64_t from),
	(at, n, prot, flags, fd, from), fd >= 0 && fails_on(MAP, fd), MAP_FAILED)
CALL(int, fsync, (int fd), (fd), fails_on(SYNC, fd), -1)
CALL(int, fdatasync, (int fd), (fd), fails_on(SYNC, fd), -1)
CALL(int, ftruncate, (int fd, off_t n), (fd, n), fails_on(TRUNCATE, fd), -1)
CALL(int, ftruncate64, (int fd, off64_t n), (fd, n), fails_on(TRUNCATE, fd), -1)
CALL(int, rename, (const char *from, const char *to), (from, to), fails(RENAME, to), -1)
CALL(int, fstat, (int fd, struct stat *st), (fd, st), fails_on(FSTAT, fd), -1)
CALL(int, fstat64, (int fd, struct stat64 *st), (fd, st), fails_on(FSTAT, fd), -1)
CALL(int, stat, (const char *path, struct stat *st), (path, st), fails(STAT, path), -1)
CALL(int, stat64, (const char *path, struct stat64 *st), (path, st), fails(STAT, path), -1)
CALL(int, lstat, (const char *path, struct stat *st), (path, st), fails(STAT, path), -1)
CALL(int, lstat64, (const char *path, struct stat64 *st), (path, st), fails(STAT, path), -1)
CALL(int, access, (const char *path, int mode), (path, mode), fails(STAT, path), -1)
CALL(DIR *, opendir, (const char *path), (path), fails(OPEN, path), NULL)
CALL(struct dirent *, readdir, (DIR * dir), (dir), fails_on(LIST, dirfd(dir)), NULL)
CALL(struct dirent64 *, readdir64, (DIR * dir), (dir), fails_on(LIST, dirfd(dir)), NULL)

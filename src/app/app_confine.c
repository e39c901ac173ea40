/* SPDX-License-Identifier: MIT */
/*
 * How it works: three locks of the kernel, because each leaves gaps that another closes.  Landlock limits
 * where files can be written, and forbids executing files.  Of the capabilities only those to read and write
 * the files of others stay.  A filter of system calls refuses what root can do without a capability: change
 * the mode of its own files, ask a daemon over a socket, type into the terminal.
 */
#include "app/app_open.h"

#include "base/base_error.h"
#include "base/base_place.h"
#include "ingest/ing.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock rights that the oldest supported headers lack. */
#define TRUNCATE (UINT64_C(1) << 14)
#define IOCTL_DEV (UINT64_C(1) << 15)
#define SCOPE_ALL UINT64_C(3) /* abstract sockets, signals */

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE_FILE (LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | IOCTL_DEV)
#define WRITE_FOLDER                                                                                         \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                          \
		LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | \
		LANDLOCK_ACCESS_FS_MAKE_SYM)

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0 /* no filter for this machine */
#endif
#define X32_BIT 0x40000000u

/* struct landlock_ruleset_attr of Linux 6.12; its size tells the kernel which members are there. */
struct ruleset {
	uint64_t fs, net, scoped;
};

static bool is_foreign(const struct app_args *args)
{
	struct stat st;

	for (char *const *t = args->traces; t && *t; t++)
		if (app_stdin_is(*t) || (stat(*t, &st) == 0 && st.st_uid != 0))
			return true;
	return false;
}

/* ---- files ---- */

/* Let RULES write to PLACE, an O_PATH descriptor that is closed here; -1: do nothing. */
static void allow(int rules, const struct ruleset *all, int place)
{
	struct landlock_path_beneath_attr rule = { .parent_fd = place };
	struct stat st;

	if (place < 0 || fstat(place, &st) != 0)
		return;
	rule.allowed_access = all->fs & (S_ISDIR(st.st_mode) ? WRITE_FOLDER : WRITE_FILE);
	/* This fails for pipes, which Landlock does not restrict (get_path_from_fd(),
	 * security/landlock/syscalls.c).  After any other failure, writing fails. */
	syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(place);
}

/* Let RULES write the file PATH (NULL: none), and the temporary file beside it. */
static void allow_output(int rules, const struct ruleset *all, const char *path)
{
	int output = path ? base_place_open(path, NULL, NULL) : -1;
	struct stat st;

	if (output >= 0 && fstat(output, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		allow(rules, all, output);
		return;
	}
	if (output >= 0)
		close(output);
	if (path)
		allow(rules, all, base_place_folder(path));
}

static void allow_all(int rules, const struct ruleset *all, const struct app_args *args)
{
	g_autofree char *index = ing_place_folder(args->index_dir),
			*state = g_build_filename(g_get_user_state_dir(), "wakepath", NULL);
	const char *const places[] = { index, state, g_get_tmp_dir(), "/var/tmp", "/dev/tty", "/dev/null" };

	/* If one cannot be made, its first use is an error. */
	(void)!ing_place_make(index, NULL);
	(void)!base_place_make(state);
	for (gsize i = 0; i < G_N_ELEMENTS(places); i++)
		allow(rules, all, base_place_open(places[i], NULL, NULL));
	allow_output(rules, all, args->output);
	allow_output(rules, all, args->summary_as);
}

/* Restrict writing by Landlock.  False with errno. */
static bool confine_files(const struct app_args *args, long version)
{
	/* Number of access rights, by version of Landlock. */
	static const unsigned rights[] = { 0, 13, 14, 15, 15, 16 };
	unsigned n = rights[MIN((gsize)version, G_N_ELEMENTS(rights) - 1)];
	struct ruleset all = { ((UINT64_C(1) << n) - 1) & ~(uint64_t)READ, 0, version >= 6 ? SCOPE_ALL : 0 };
	int rules = (int)syscall(SYS_landlock_create_ruleset, &all, version < 6 ? sizeof all.fs : sizeof all,
		0);
	bool ok;
	int saved_errno;

	if (rules < 0)
		return false;
	allow_all(rules, &all, args);
	ok = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
	saved_errno = errno;
	close(rules);
	errno = saved_errno;
	return ok;
}

/* ---- capabilities ---- */

/* Keep only the capabilities to read and write the files of others.  False with errno. */
static bool drop_capabilities(void)
{
	static const uint32_t kept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) != 0)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		data[i].permitted &= i == 0 ? kept : 0;
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, data) == 0;
}

/* ---- system calls ---- */

static const unsigned refused[] = {
#ifdef SYS_chmod
	SYS_chmod, SYS_chown, SYS_lchown,
#endif
	/* modes, owners and attributes of files; 452 is fchmodat2(), 463 setxattrat(), 466 removexattrat(),
	 * 469 file_setattr(): from 424 on, system calls have the same number on all machines */
	SYS_fchmod, SYS_fchmodat, 452, SYS_fchown, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
	SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, 463, 466, 469, SYS_open_by_handle_at,
	/* other programs and processes */
	SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
	SYS_process_madvise, SYS_pidfd_getfd, SYS_pidfd_send_signal,
	/* sockets, and large parts of the kernel */
	SYS_socket, SYS_socketpair, SYS_io_uring_setup, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
	SYS_add_key, SYS_request_key, SYS_keyctl,
	/* name spaces and mounts */
	SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_move_mount, SYS_open_tree, SYS_fsopen,
	/* memory and queues shared with other processes */
	SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgctl, SYS_semget, SYS_semop,
	SYS_semctl, SYS_mq_open, SYS_mq_unlink
};

static const unsigned terminal[] = { TIOCSTI, TIOCLINUX };

/* Append to FILTER, after a load: return EPERM if the value is WORD. */
static void add_refusal(GArray *filter, unsigned word)
{
	const struct sock_filter code[] = { BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, word, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM) };

	g_array_append_vals(filter, code, G_N_ELEMENTS(code));
}

/* Refuse the system calls above.  False with errno. */
static bool filter_calls(void)
{
	g_autoptr(GArray) filter = g_array_new(FALSE, FALSE, sizeof(struct sock_filter));
	const struct sock_filter begin[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_filter ioctls[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, args[1]) + (G_BYTE_ORDER == G_BIG_ENDIAN ? 4 : 0)),
	};
	const struct sock_filter end = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program;

	g_array_append_vals(filter, begin, G_N_ELEMENTS(begin));
	for (gsize i = 0; i < G_N_ELEMENTS(refused); i++)
		add_refusal(filter, refused[i]);
	g_array_append_vals(filter, ioctls, G_N_ELEMENTS(ioctls));
	for (gsize i = 0; i < G_N_ELEMENTS(terminal); i++)
		add_refusal(filter, terminal[i]);
	g_array_append_val(filter, end);
	program = (struct sock_fprog){ (unsigned short)filter->len, (struct sock_filter *)filter->data };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool app_confine(const struct app_args *args, GError **error)
{
	long version;

	if (geteuid() != 0 || !ARCH || !is_foreign(args))
		return true;
	version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (version < 1)
		return true;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confine_files(args, version) &&
		drop_capabilities() && filter_calls())
		return true;
	return base_error_false_errno(error, errno, "cannot give up root's rights to read", args->traces[0]);
}

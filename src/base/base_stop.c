/* SPDX-License-Identifier: MIT */
/*
 * How it works: handlers only set flags and wake a thread that sleeps all the time. That thread ends the
 * program, and does not allocate: a fault may have come inside an allocator that holds its locks. A copy of
 * the process has no such thread, so there the handler of a fault ends it. A blocking call of the main thread
 * (the open() of a FIFO, the wait for a key) returns with EINTR only if the signal is handled in that thread.
 * So a signal that comes to another thread is sent on.
 */
#include "base/base_stop.h"

#include "base/base_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define GRACE_MS 70
#define TIDY_MS 500
#define LAST_MS 500 /* for the last words of a program that was asked to stop */

static sem_t woken, asleep; /* the thread is woken by WOKEN, and posts ASLEEP once it sleeps */
static pthread_t main_thread;
/* the process that has the thread: a copy (fork()) does not; 0: nothing is caught yet */
static pid_t process;
static void (*leave_terminal)(void);
static GMutex ending;          /* its holder ends the program */
static gint caught;            /* signal; 0 none */
static gint held, typed;       /* flags */
static gint fault;             /* exit status; 0 none */
static const char *last_words; /* of the fault; set before FAULT */
static gint tidy_wanted, tidied;
static gint in_last_words; /* flag */
static gint putting;       /* flag: base_stop_put() goes on */
static gint finishing;     /* flag: base_stop_finish() holds ENDING */

static void sleep_1_ms(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	nanosleep(&moment, NULL);
}

/* The bytes of TEXT that FD takes at once. */
static size_t put_some(int fd, const char *text, size_t length)
{
	size_t done = 0;
	ssize_t n = 1;

	while (done < length && (n > 0 || (n < 0 && errno == EINTR))) {
		n = write(fd, text + done, length - done);
		done += n > 0 ? (size_t)n : 0;
	}
	return done;
}

/* O_NONBLOCK belongs to the open file, which other processes may share. So it is set only during the write,
 * and by one thread at a time: a second thread would save the flags of the first as the original ones. */
void base_stop_put(int fd, const char *text, size_t length)
{
	int flags, saved_errno = errno;
	size_t done;

	if (!g_atomic_int_compare_and_exchange(&putting, 0, 1))
		return;
	flags = fcntl(fd, F_GETFL);
	if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0) {
		done = put_some(fd, text, length);
		if (done < length && tcflush(fd, TCOFLUSH) == 0)
			put_some(fd, text + done, length - done);
		fcntl(fd, F_SETFL, flags);
	}
	g_atomic_int_set(&putting, 0);
	errno = saved_errno;
}

/* True in a copy of the process (fork()), which has neither the terminal nor the thread. */
static bool is_copy(void)
{
	return process != 0 && getpid() != process;
}

static void tidy(void)
{
	if (leave_terminal && !is_copy())
		leave_terminal();
	base_scratch_end();
}

/* The main thread may be inside an allocation, so this function does not allocate, and takes no lock that is
 * held during one. */
static _Noreturn void stop_end(int status, const char *words)
{
	tidy();
	/* A copy leaves the terminal to the first process, which reports the end of the copy. */
	if (is_copy() && isatty(STDERR_FILENO))
		_exit(status);
	if (isatty(STDERR_FILENO))
		base_stop_put(STDERR_FILENO, "\r\033[K", 4); /* erases a line of progress */
	base_stop_put(STDERR_FILENO, words, strlen(words));
	_exit(status);
}

/* End the program unless the main thread holds ENDING (base_stop_finish()): then that thread ends by itself.
 * After base_stop_last_words() it has LAST_MS for that, because nobody may read its output. */
static _Noreturn void end_once(int status, const char *words)
{
	for (int left = LAST_MS; left > 0; left -= g_atomic_int_get(&in_last_words)) {
		if (g_mutex_trylock(&ending))
			stop_end(status, words);
		sleep_1_ms();
	}
	_exit(status);
}

/* Let the program end by itself for GRACE_MS, or until another signal comes: a user who asks twice does not
 * want to wait. */
static void give_grace(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (until.tv_nsec / 1000000 + GRACE_MS) / 1000;
	until.tv_nsec = (until.tv_nsec + GRACE_MS * 1000000) % 1000000000;
	while (sem_timedwait(&woken, &until) != 0 && errno == EINTR)
		;
}

static void *watch(G_GNUC_UNUSED void *unused)
{
	sem_post(&asleep);
	for (;;) {
		while (sem_wait(&woken) != 0)
			;
		if (g_atomic_int_get(&tidy_wanted)) {
			tidy();
			g_atomic_int_set(&tidied, 1);
			continue;
		}
		if (g_atomic_int_get(&held) && !g_atomic_int_get(&fault))
			continue;
		if (!g_atomic_int_get(&fault))
			give_grace();
		if (g_atomic_int_get(&fault))
			end_once(g_atomic_int_get(&fault), last_words);
		end_once(128 + g_atomic_int_get(&caught), "wakepath: interrupted\n");
	}
	return NULL;
}

void base_stop_ask(int number)
{
	g_atomic_int_compare_and_exchange(&caught, 0, number);
	sem_post(&woken);
}

static void on_signal(int number, siginfo_t *info, G_GNUC_UNUSED void *context)
{
	int saved_errno = errno;

	if (info->si_code == SI_KERNEL)
		g_atomic_int_set(&typed, 1);
	if (pthread_equal(pthread_self(), main_thread))
		base_stop_ask(number);
	else
		pthread_kill(main_thread, number);
	errno = saved_errno;
}

int base_stop_signal(void)
{
	return g_atomic_int_get(&caught);
}

static void catch_one(int number)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void base_stop_hold(void)
{
	g_atomic_int_set(&held, 1);
	catch_one(SIGUSR1);
}

int base_stop_resume(void)
{
	int number;

	signal(SIGUSR1, SIG_DFL);
	number = g_atomic_int_get(&caught);
	g_atomic_int_set(&caught, 0);
	g_atomic_int_set(&typed, 0);
	g_atomic_int_set(&held, 0);
	return number;
}

bool base_stop_is_typed(void)
{
	return g_atomic_int_get(&typed);
}

void base_stop_finish(void)
{
	if (!g_atomic_int_get(&finishing))
		g_mutex_lock(&ending);
	g_atomic_int_set(&finishing, 1);
}

_Noreturn void base_stop_now(int status, const char *words)
{
	if (g_atomic_int_get(&finishing) || is_copy())
		stop_end(status, words);
	end_once(status, words);
}

_Noreturn void base_stop_no_thread(void)
{
	base_stop_now(3,
		"wakepath: out of memory or processes, so no thread can be started: close other programs or raise the limits (ulimit -v, ulimit -u)\n");
}

void base_stop_last_words(void)
{
	base_stop_finish();
	g_atomic_int_set(&in_last_words, 1);
}

_Noreturn void base_stop_fault(int status, const char *words)
{
	if (is_copy())
		stop_end(status, words);
	last_words = words;
	g_atomic_int_set(&fault, status);
	sem_post(&woken);
	for (;;)
		pause();
}

void base_stop_tidy(void)
{
	if (is_copy()) {
		tidy();
		return;
	}
	g_atomic_int_set(&tidy_wanted, 1);
	sem_post(&woken);
	for (int i = 0; i < TIDY_MS && !g_atomic_int_get(&tidied); i++)
		sleep_1_ms();
}

/* The thread takes no signals itself. This function waits until the thread sleeps. The sanitizers' allocator
 * holds a lock while a thread begins, and the child of a fork() at that moment (app_follower.c) would find it
 * locked. */
static void start_watch(void)
{
	sigset_t all, before;
	pthread_t thread;
	int problem;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	problem = pthread_create(&thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (problem)
		base_stop_no_thread();
	pthread_detach(thread);
	while (sem_wait(&asleep) != 0)
		;
}

void base_stop_catch(void (*leave)(void))
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction before;

	leave_terminal = leave;
	main_thread = pthread_self();
	process = getpid();
	sem_init(&woken, 0, 0);
	sem_init(&asleep, 0, 0);
	start_watch();
	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (sigaction(numbers[i], NULL, &before) == 0 &&
			(before.sa_handler != SIG_IGN || numbers[i] != SIGHUP))
			catch_one(numbers[i]);
}

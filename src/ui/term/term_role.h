/* SPDX-License-Identifier: MIT */
/*
 * Roles: the meaning of a cell, never its look.  A theme gives each role its look.
 *
 * TERM_ROLES(R) is the list of all roles: R(ID, "name", letter, AS).  The letter, a character of Latin-1,
 * stands for the role in the map that "attrs" writes in a script.  A role that a theme does not name looks
 * like role AS; if AS is the role itself, it has no colour and no attribute.
 */
#ifndef TERM_ROLE_H
#define TERM_ROLE_H

#include <glib.h>
#include <stdbool.h>

#define TERM_ROLES(R)                                                            \
	R(TEXT, "text", '.', TEXT)                                               \
	R(DIM, "dim", 'd', TEXT)                                                 \
	R(STRONG, "strong", 's', TEXT)                                           \
	R(HEADER, "header", 'h', TEXT)                                           \
	R(HEADER_STRONG, "header.strong", 'H', HEADER)                           \
	R(HEADER_DIM, "header.dim", 'g', HEADER)                                 \
	R(TITLE, "title", 't', HEADER)                                           \
	R(TITLE_FOCUS, "title.focus", 'T', TITLE)                                \
	R(TITLE_FOLLOWED, "title.followed", '&', TITLE)                          \
	R(BORDER, "border", 'b', DIM)                                            \
	R(RULER, "ruler", 'r', DIM)                                              \
	R(RULER_CURSOR, "ruler.cursor", 'R', STRONG)                             \
	R(NAME_HOST, "name.host", 'n', STRONG)                                   \
	R(NAME_GROUP, "name.group", 'G', TEXT)                                   \
	R(NAME_PROCESS, "name.process", 'p', TEXT)                               \
	R(NAME_THREAD, "name.thread", 'q', NAME_GROUP)                           \
	R(NAME_KERNEL, "name.kernel", 'k', NAME_THREAD)                          \
	R(HOST_1, "host.1", 'f', STRONG)                                         \
	R(HOST_2, "host.2", 'j', HOST_1)                                         \
	R(HOST_3, "host.3", 'l', HOST_1)                                         \
	R(HOST_4, "host.4", 'o', HOST_1)                                         \
	R(HOST_5, "host.5", 'v', HOST_1)                                         \
	R(HOST_6, "host.6", 'z', HOST_1)                                         \
	R(ARROW, "arrow", 'a', TEXT)                                             \
	R(ARROW_NEAR, "arrow.near", 'A', STRONG)                                 \
	R(KEY, "key", 'K', STRONG)                                               \
	R(MESSAGE, "message", 'm', ARROW)                                        \
	R(ERROR, "error", 'e', STRONG)                                           \
	R(PROMPT, "prompt", 'P', STRONG)                                         \
	R(BAR, "bar", 'B', TEXT)                                                 \
	R(BAR_EMPTY, "bar.empty", 'E', DIM)                                      \
	R(SLICE, "slice", '%', STATE_USERMODE)                                   \
	R(SLICE_SYSCALL, "slice.syscall", '$', SLICE)                            \
	R(SLICE_RUNNING, "slice.running", '#', SLICE)                            \
	R(SPAN_1, "span.1", '"', SLICE)                                          \
	R(SPAN_2, "span.2", ']', SPAN_1)                                         \
	R(SPAN_3, "span.3", '{', SPAN_1)                                         \
	R(SPAN_4, "span.4", '}', SPAN_1)                                         \
	R(SPAN_5, "span.5", '`', SPAN_1)                                         \
	R(SPAN_6, "span.6", '\'', SPAN_1)                                        \
	R(OVER_ROW, "row", 'w', OVER_ROW)                                        \
	R(OVER_ROW_TIME, "row.time", 'W', OVER_ROW_TIME)                         \
	R(OVER_CURSOR, "cursor", 'c', OVER_CURSOR)                               \
	R(OVER_CURSOR_CELL, "cursor.cell", 'C', OVER_CURSOR_CELL)                \
	R(OVER_SELECTION, "selection", 'S', OVER_ROW)                            \
	R(OVER_PREEMPTED, "mixed.preempted", '|', OVER_PREEMPTED)                \
	R(OVER_STOLEN, "mixed.vcpu-preempted", '/', OVER_STOLEN)                 \
	R(OVER_THROTTLED, "mixed.throttled", ' ', OVER_THROTTLED)                \
	R(OVER_RAN, "mixed.running", '[', OVER_RAN)                              \
	R(OVER_FOUND, "found", 'F', OVER_CURSOR_CELL)                            \
	R(OVER_LATE, "late", '^', ERROR)                                         \
	R(STATE_UNKNOWN, "state.unknown", '?', DIM)                              \
	R(STATE_USERMODE, "state.usermode", 'u', BAR)                            \
	R(STATE_SYSCALL, "state.syscall", 'y', TEXT)                             \
	R(STATE_RUNNING, "state.running", 'x', STATE_USERMODE)                   \
	R(STATE_INTERRUPTED, "state.interrupted", 'i', TEXT)                     \
	R(STATE_WAIT_CPU, "state.wait-cpu", '1', TEXT)                           \
	R(STATE_PREEMPTED, "state.preempted", '2', STATE_WAIT_CPU)               \
	R(STATE_BLOCKED, "state.blocked", '-', DIM)                              \
	R(STATE_NEW, "state.new", '+', TEXT)                                     \
	R(STATE_EXITED, "state.exited", ',', STATE_UNKNOWN)                      \
	R(STATE_VCPU_PREEMPTED, "state.vcpu-preempted", '3', STATE_PREEMPTED)    \
	R(STATE_VCPU_EXIT, "state.vcpu-exit", '4', STATE_INTERRUPTED)            \
	R(STATE_IDLE, "state.idle", '_', STATE_UNKNOWN)                          \
	R(STATE_QUEUED, "state.queued", '<', STATE_WAIT_CPU)                     \
	R(STATE_IN_FLIGHT, "state.in-flight", '>', PATH_BLOCK)                   \
	R(STATE_WAITING, "state.waiting", 0xe0, PATH_TIMER)                      \
	R(STATE_THROTTLED, "state.throttled", '\\', STATE_PREEMPTED)             \
	R(PATH_RUNNING, "path.running", 'X', STATE_RUNNING)                      \
	R(PATH_SYSCALL, "path.syscall", 'Y', STATE_SYSCALL)                      \
	R(PATH_INTERRUPTED, "path.interrupted", 'I', STATE_INTERRUPTED)          \
	R(PATH_WAIT_CPU, "path.wait-cpu", '5', STATE_WAIT_CPU)                   \
	R(PATH_PREEMPTED, "path.preempted", '6', STATE_PREEMPTED)                \
	R(PATH_THROTTLED, "path.throttled", '(', STATE_THROTTLED)                \
	R(PATH_BLOCK, "path.block", 'D', TEXT)                                   \
	R(PATH_FLUSH, "path.flush", 'O', PATH_BLOCK)                             \
	R(PATH_NETWORK, "path.network", 'N', STATE_NEW)                          \
	R(PATH_TIMER, "path.timer", 'M', TEXT)                                   \
	R(PATH_TIMER_LATE, "path.timer-late", 'L', PATH_TIMER)                   \
	R(PATH_IPI, "path.ipi", 'J', PATH_IRQ)                                   \
	R(PATH_IPI_WAIT, "path.ipi-wait", ')', PATH_IPI)                         \
	R(PATH_WAITING, "path.waiting", 0xe1, STATE_WAITING)                     \
	R(PATH_IRQ, "path.irq", 'Q', PATH_INTERRUPTED)                           \
	R(PATH_USER_INPUT, "path.user-input", 'U', TEXT)                         \
	R(PATH_VCPU_PREEMPTED, "path.vcpu-preempted", '7', STATE_VCPU_PREEMPTED) \
	R(PATH_VCPU_EXIT, "path.vcpu-exit", '0', STATE_VCPU_EXIT)                \
	R(PATH_VM_INTERRUPT, "path.vm-interrupt", '@', PATH_IPI)                 \
	R(PATH_SUSPEND, "path.suspended", ';', PATH_VCPU_PREEMPTED)              \
	R(PATH_BLOCKED, "path.blocked", '=', STATE_BLOCKED)                      \
	R(PATH_UNKNOWN, "path.unknown", '!', STATE_UNKNOWN)                      \
	R(PATH_USERMODE, "path.usermode", ':', STATE_USERMODE)                   \
	R(PATH_VIRTIO, "path.virtio", 'V', PATH_BLOCK)                           \
	R(PATH_DEEPER, "path.deeper", 'Z', DIM)                                  \
	R(PATH_SHORT, "path.short", '~', DIM)                                    \
	R(GRADE_PROVED, "grade.proved", '*', BAR)                                \
	R(GRADE_INFERRED, "grade.inferred", '8', TEXT)                           \
	R(GRADE_UNKNOWN, "grade.unknown", '9', STATE_PREEMPTED)                  \
	R(GRADE_DECLARED, "grade.declared", 0xe2, STATE_WAITING)

/*
 * Panes add a state, a grade or a kind of segment to the first role of the group, so the order of the roles
 * is fixed (tests/ui/test_state_look.c): the STATE_ roles as in enum mdl_state, then QRY_CELL_THROTTLED; the
 * GRADE_ roles as in enum mdl_grade; the PATH_ roles as in enum ana_segment_kind, then as in enum path_look.
 */
enum term_role {
#define TERM_ROLE_ENUM(id, name, letter, as) TERM_ROLE_##id,
	TERM_ROLES(TERM_ROLE_ENUM)
#undef TERM_ROLE_ENUM
		TERM_ROLE_N
};

/* The name of ROLE in themes; static. */
const char *term_role_name(enum term_role role);
/* The letter of ROLE in the map of "attrs". */
gunichar term_role_letter(enum term_role role);
/* The role whose look ROLE has if a theme does not name ROLE; ROLE itself if there is none. */
enum term_role term_role_as(enum term_role role);
/* *ROLE becomes the role called NAME; false if there is none. */
bool term_role_find(const char *name, enum term_role *role);

#endif

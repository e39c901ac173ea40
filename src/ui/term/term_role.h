/* SPDX-License-Identifier: MIT */
/*
 * Roles: what a cell is, never how it looks.  A theme says how each role looks;
 * the letter stands for the role in the map that a script's "attrs" writes.
 *
 * TERM_ROLES(R) is the one list: R(ID, "name", 'letter').
 */
#ifndef TERM_ROLE_H
#define TERM_ROLE_H

#include <stdbool.h>

#define TERM_ROLES(R)                                        \
	R(TEXT, "text", '.')                                 \
	R(DIM, "dim", 'd')                                   \
	R(STRONG, "strong", 's')                             \
	R(HEADER, "header", 'h')                             \
	R(HEADER_STRONG, "header.strong", 'H')               \
	R(HEADER_DIM, "header.dim", 'g')                     \
	R(TITLE, "title", 't')                               \
	R(TITLE_FOCUS, "title.focus", 'T')                   \
	R(BORDER, "border", 'b')                             \
	R(RULER, "ruler", 'r')                               \
	R(RULER_CURSOR, "ruler.cursor", 'R')                 \
	R(NAME_HOST, "name.host", 'n')                       \
	R(NAME_GROUP, "name.group", 'G')                     \
	R(NAME_PROCESS, "name.process", 'p')                 \
	R(NAME_THREAD, "name.thread", 'q')                   \
	R(NAME_KERNEL, "name.kernel", 'k')                   \
	R(HOST_1, "host.1", 'f')                             \
	R(HOST_2, "host.2", 'j')                             \
	R(HOST_3, "host.3", 'l')                             \
	R(HOST_4, "host.4", 'o')                             \
	R(HOST_5, "host.5", 'v')                             \
	R(HOST_6, "host.6", 'z')                             \
	R(ARROW, "arrow", 'a')                               \
	R(ARROW_NEAR, "arrow.near", 'A')                     \
	R(KEY, "key", 'K')                                   \
	R(MESSAGE, "message", 'm')                           \
	R(ERROR, "error", 'e')                               \
	R(PROMPT, "prompt", 'P')                             \
	R(BAR, "bar", 'B')                                   \
	R(BAR_EMPTY, "bar.empty", 'E')                       \
	R(OVER_ROW, "row", 'w')                              \
	R(OVER_ROW_TIME, "row.time", 'W')                    \
	R(OVER_CURSOR, "cursor", 'c')                        \
	R(OVER_CURSOR_CELL, "cursor.cell", 'C')              \
	R(OVER_SELECTION, "selection", 'S')                  \
	R(OVER_FOUND, "found", 'F')                          \
	R(STATE_UNKNOWN, "state.unknown", '?')               \
	R(STATE_USERMODE, "state.usermode", 'u')             \
	R(STATE_SYSCALL, "state.syscall", 'y')               \
	R(STATE_RUNNING, "state.running", 'x')               \
	R(STATE_INTERRUPTED, "state.interrupted", 'i')       \
	R(STATE_WAIT_CPU, "state.wait-cpu", '1')             \
	R(STATE_PREEMPTED, "state.preempted", '2')           \
	R(STATE_BLOCKED, "state.blocked", '-')               \
	R(STATE_NEW, "state.new", '+')                       \
	R(STATE_EXITED, "state.exited", ',')                 \
	R(STATE_VCPU_PREEMPTED, "state.vcpu-preempted", '3') \
	R(STATE_VCPU_EXIT, "state.vcpu-exit", '4')           \
	R(STATE_IDLE, "state.idle", '_')                     \
	R(PATH_RUNNING, "path.running", 'X')                 \
	R(PATH_SYSCALL, "path.syscall", 'Y')                 \
	R(PATH_INTERRUPTED, "path.interrupted", 'I')         \
	R(PATH_WAIT_CPU, "path.wait-cpu", '5')               \
	R(PATH_PREEMPTED, "path.preempted", '6')             \
	R(PATH_BLOCK, "path.block", 'D')                     \
	R(PATH_FLUSH, "path.flush", 'O')                     \
	R(PATH_NETWORK, "path.network", 'N')                 \
	R(PATH_TIMER, "path.timer", 'M')                     \
	R(PATH_TIMER_LATE, "path.timer-late", 'L')           \
	R(PATH_IPI, "path.ipi", 'J')                         \
	R(PATH_IRQ, "path.irq", 'Q')                         \
	R(PATH_USER_INPUT, "path.user-input", 'U')           \
	R(PATH_VCPU_PREEMPTED, "path.vcpu-preempted", '7')   \
	R(PATH_BLOCKED, "path.blocked", '=')                 \
	R(PATH_UNKNOWN, "path.unknown", '!')                 \
	R(PATH_VIRTIO, "path.virtio", 'V')                   \
	R(PATH_DEEPER, "path.deeper", 'Z')                   \
	R(PATH_SHORT, "path.short", '~')                     \
	R(GRADE_PROVED, "grade.proved", '*')                 \
	R(GRADE_INFERRED, "grade.inferred", '8')             \
	R(GRADE_UNKNOWN, "grade.unknown", '9')

/*
 * The STATE_ roles stand in the order of enum mdl_state and the PATH_ roles in
 * the order of enum ana_segment_kind, followed by those that only the screen knows; the
 * GRADE_ roles in the order of enum ana_grade: a pane adds the state, kind or grade to the first.
 */
enum term_role {
#define TERM_ROLE_ENUM(id, name, letter) TERM_ROLE_##id,
	TERM_ROLES(TERM_ROLE_ENUM)
#undef TERM_ROLE_ENUM
		TERM_ROLE_N
};

/* Name of ROLE as themes write it, static. */
const char *term_role_name(enum term_role role);
/* The letter that stands for ROLE. */
char term_role_letter(enum term_role role);
/* The role called NAME; false when there is none. */
bool term_role_find(const char *name, enum term_role *role);

#endif

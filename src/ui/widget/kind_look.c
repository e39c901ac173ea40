/* SPDX-License-Identifier: MIT */
#include "ui/widget/kind_look.h"

static const struct {
	char letter;
	enum term_role role;
} looks[ANA_KIND_N] = {
	[ANA_KIND_THREAD] = { 'x', TERM_ROLE_PATH_RUNNING },
	[ANA_KIND_BLOCK] = { 'd', TERM_ROLE_PATH_BLOCK },
	[ANA_KIND_NETWORK] = { 'n', TERM_ROLE_PATH_NETWORK },
	[ANA_KIND_TIMER] = { 't', TERM_ROLE_PATH_TIMER },
	[ANA_KIND_IPI] = { 'i', TERM_ROLE_PATH_IPI },
	[ANA_KIND_IRQ] = { 'q', TERM_ROLE_PATH_IRQ },
	[ANA_KIND_SOFTIRQ] = { 's', TERM_ROLE_PATH_INTERRUPTED },
	[ANA_KIND_USER_INPUT] = { 'k', TERM_ROLE_PATH_USER_INPUT },
	[ANA_KIND_WORKQUEUE] = { 'w', TERM_ROLE_PATH_RUNNING },
	[ANA_KIND_SIGNAL] = { 'g', TERM_ROLE_PATH_SYSCALL },
	[ANA_KIND_FORK] = { 'f', TERM_ROLE_PATH_RUNNING },
	[ANA_KIND_UNKNOWN] = { '?', TERM_ROLE_PATH_UNKNOWN },
	[ANA_KIND_PREEMPTED] = { 'p', TERM_ROLE_PATH_PREEMPTED },
	[ANA_KIND_WAIT_CPU] = { 'c', TERM_ROLE_PATH_WAIT_CPU },
};

enum term_role kind_look_role(enum ana_kind kind)
{
	return looks[kind].role;
}

char kind_look_letter(enum ana_kind kind)
{
	return looks[kind].letter;
}

enum term_role kind_look_grade(enum ana_grade grade)
{
	return TERM_ROLE_GRADE_PROVED + grade;
}

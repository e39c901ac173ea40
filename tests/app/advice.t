#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Advice names only events that the recorded kernel can have, according to the machine and the release that the file gives.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my @vectors = qw(local_timer reschedule call_function call_function_single irq_work);
my @formats = ([ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	map { my $name = $_; map { [ irq_vectors => "${name}_$_", [ [ int => 'vector' ] ] ] } qw(entry exit) } @vectors);

# The facts of a trace.dat NAME of the machine UNAME in which the vectors CAME occurred.
sub info {
	my ($name, $uname, @came) = @_;
	my ($now, @events) = 1_000_000;
	for my $pid (10, 0, 10, 0) {
		push @events, [ $now += 1000, 0, 'sched_switch', $pid, 1, prev_comm => "t$pid", prev_pid => $pid, prev_prio => 120, prev_state => 1, next_comm => 't' . (10 - $pid), next_pid => 10 - $pid, next_prio => 120 ];
		push @events, map { my $vector = $_; map { [ $now += 100, 0, "${vector}_$_", $pid, 1, vector => 3 ] } qw(entry exit) } @came;
	}
	spew("$ENV{TMPDIR}/$name.dat", trace_dat(formats => [ @came ? @formats : $formats[0] ], events => \@events, uname => $uname));
	return json_of(wakepath('info', "$ENV{TMPDIR}/$name.dat", '--format', 'json'))->{traces}[0];
}

# The commands and the missing events that PATTERN matches.
sub about { my ($info, $pattern) = @_; return join ' ', (grep { $_ =~ $pattern } @{$info->{missing_events}}), map { (split / /, $_->{command})[-1] } grep { $_->{command} =~ $pattern } @{$info->{advice}} }

my $all = qr/vectors|ipi|sched_waking/;
is(about(info('arm', 'Linux board 4.14.15 #1 armv6l'), $all), 'sched_waking ipi_* sched:sched_waking \'ipi:*\'', 'ARM has no vectors, but events of IPIs');
is(about(info('x86', 'Linux pc 6.1.0-50-amd64 #1 SMP x86_64'), $all), 'sched_waking x86_irq_vectors_* sched:sched_waking \'irq_vectors:*\'', 'x86-64 before 6.4 has no event for the sender of an IPI');
is(about(info('old', 'Linux pc 3.10.0 #1 SMP x86_64'), $all), '', 'Linux 3.10 has none of these');
my $none = wakepath('threads', "$ENV{TMPDIR}/old.dat");
is($none->{status}, 0, 'the file is read');
my @but = @vectors[1, 2, 3];
is(about(info('but', 'Linux pc 6.12.0 #1 SMP x86_64', @but), qr/vectors/), q(x86_irq_vectors_local_timer_* 'irq_vectors:local_timer_*'), 'only the vector that never occurred is missing, where the others did');
is(about(info('rare', 'Linux pc 6.12.0 #1 SMP x86_64', @vectors[0 .. 3]), qr/vectors/), '', 'a rare vector that never occurred is not missing');

# LTTng declares the events that were enabled.
my $t = copy_trace('pipeline', 'rare');
patch("$t/kernel/metadata", sub { s/x86_irq_vectors_irq_work_/x86_irq_vectors_xrq_work_/g });
my $rare = json_of(wakepath('info', $t, '--format', 'json'))->{traces}[0];
is(about($rare, qr/vectors/), q(x86_irq_vectors_irq_work_* 'x86_irq_vectors_irq_work_*'), 'only the one rare vector that was not enabled is missing');

done_testing();

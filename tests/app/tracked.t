#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# lttng track: an event is recorded where a chosen process is current, so of the switches only those away from it.  The thread that these switch in
# leaves the CPU again, unseen, before the next event.  The test makes such a recording from a sample: a copy in which no thread that is switched in is
# ever switched out.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

# All sched_switch of TRACE: [prev_comm, prev_tid, prev_prio, prev_state, next_comm, next_tid, next_prio]
sub switches {
	my ($trace) = @_;
	my @found;
	open my $f, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>/dev/null" or die;
	while (<$f>) {
		push @found, [$1, $2, $3, $4, $5, $6, $7]
			if /sched_switch: .*prev_comm = "(.*?)", prev_tid = (\d+), prev_prio = (-?\d+), prev_state = .*?(\d+)\D*?, next_comm = "(.*?)", next_tid = (\d+), next_prio = (-?\d+)/;
	}
	close $f;
	return @found;
}

# A copy of the sample FOLDER in which one in EVERY threads that are switched in is OTHER; 0: also those switched in where the CPU became idle.
sub tracked {
	my ($folder, $name, $every, $other) = @_;
	my $copy = "$ENV{TMPDIR}/$name";
	my %of = map { pack('a16 l< l<', @$_[0 .. 2]) => 1 } switches($folder);
	my $n = 0;
	mkdir $copy or die;
	spew("$copy/metadata", slurp("$folder/metadata"));
	for my $file (grep { m{/k_\d+$} } files_below($folder)) {
		my $bytes = slurp($file);
		for (my $at = 0; $at + 60 <= length $bytes; $at++) {
			next if !$of{ substr $bytes, $at, 24 } || substr($bytes, $at + 32, 16) !~ /^[\w\/:.-]+\0*$/;
			substr $bytes, $at + 48, 4, pack 'l<', $other if (!$other || unpack('l<', substr $bytes, $at + 48, 4) > 0) && $n++ % $every == 0;
			$at += 55;
		}
		spew("$copy/" . (split m{/}, $file)[-1], $bytes);
	}
	return ($copy, $n);
}

sub warned { return grep { /only switches away from some threads were recorded \(lttng track\)/ } @{ $_[0]{warnings} } }

my $sample = sample('lockfight') . '/kernel';
is(scalar(warned(json_of(wakepath('info', $sample, '--format', 'json'))->{traces}[0])), 0, 'all threads were recorded');
for my $other (77777, 0) {
	my ($trace, $n) = tracked($sample, "tracked-$other", 1, $other);
	is(scalar(grep { $_->[5] == $other } switches($trace)), $n, 'the copy has the changed switches');
	cmp_ok($n, '>', 100, '… of many switches');
	my $info = json_of(wakepath('info', $trace, '--format', 'json'))->{traces}[0];
	is(scalar(warned($info)), 1, 'a warning says that the running thread is unknown');
	is(wakepath('verify', $trace)->{status}, 0, 'its index is sound');

	# The running thread is unknown, and so is the waker of a thread.
	my (%states, %wakers, %grades);
	for my $thread (grep { !defined $_->{cpu} } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} }) {
		$states{$_} += $thread->{states}{$_} for keys %{ $thread->{states} };
		next if !$thread->{wakeups};
		for my $w (@{ json_of(wakepath('wakeups', $trace, '--thread', "$thread->{tid}\@$thread->{first}", '--format', 'json'))->{wakeups} }) {
			$wakers{ $w->{tid} }++ if defined $w->{tid} && $w->{kind} eq 'thread';
			$grades{ $w->{kind} }{ $w->{grade} }++;
		}
	}
	is(join(' ', grep { $states{$_} } sort keys %states), 'unknown', 'states of threads are unknown');
	is(join(' ', sort keys %wakers), '', 'no thread is a waker');
	cmp_ok(scalar keys %grades, '>', 0, '… though there are wake-ups');
}

# A few inconsistent switches do not make such a recording.
my ($trace) = tracked($sample, 'few', 100, 77777);
is(scalar(warned(json_of(wakepath('info', $trace, '--format', 'json'))->{traces}[0])), 0, 'with few inconsistent switches, all threads were recorded');

done_testing();

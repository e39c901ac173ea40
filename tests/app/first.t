#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The threads that run as a trace begins, against babeltrace2's text: the thread that the first sched_switch of a CPU switches out ran there all the
# time before; threads that the state dump found asleep, and that have no earlier event, sleep from then on.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Proved;
use Wake;
use File::Find ();
use List::Util "min";
use Test::More;

my $asleep = 5;		# LTTNG_WAIT of lttng-modules src/lttng-statedump-impl.c
my $sample = 12;	# threads of a trace looked at

sub traces {
	my ($root) = @_;
	my @found;
	File::Find::find({ no_chdir => 1, follow => 1, wanted => sub { push @found, $File::Find::dir if m{/metadata$} } }, $root) if -d $root;
	return sort @found;
}

# For TRACE: its first time; for each CPU its first event, its first switch [time, TID switched out] and the TIDs that sched_stat_runtime names before
# it; for each TID the time and state of its dump, and its first scheduler event.
sub witness {
	my ($trace) = @_;
	my %w = (cpus => {}, dumped => {}, seen => {});
	open my $f, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>&1" or die;
	while (<$f>) {
		$w{lost} = 1 if /discarded/;
		my ($s, $ns, $name, $cpu, $rest) = /^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+)(.*)/ or next;
		my $time = "$s$ns";
		my $c = $w{cpus}{$cpu} //= { first => $time, runtime => {} };
		$w{from} //= $time;
		$w{to} = $c->{last} = $time;
		if ($name eq 'sched_switch') {
			my ($prev, $next) = $rest =~ /prev_tid = (\d+).*next_tid = (\d+)/ or next;
			$c->{switch} //= [$time, $prev];
			$w{seen}{$_} //= $time for $prev, $next;
		} elsif ($name =~ /^sched_(?:waking|wakeup|wakeup_new|migrate_task)$/) {
			$w{seen}{$1} //= $time if $rest =~ / tid = (\d+)/;
		} elsif ($name eq 'sched_process_fork') {
			$w{seen}{$1} //= $time if $rest =~ / child_tid = (\d+)/;
		} elsif ($name eq 'sched_stat_runtime') {
			$c->{runtime}{$1} = 1 if !$c->{switch} && $rest =~ / tid = (\d+)/;
		} elsif ($name eq 'lttng_statedump_process_state') {
			$w{dumped}{$1} //= [$time, $2] if $rest =~ /\{ tid = (\d+),.* status = (\d+)/;
		}
	}
	close $f;
	return \%w;
}

sub states { return json_of(wakepath('states', @_, '--format', 'json'))->{intervals} // [] }

sub check_cpu {
	my ($trace, $name, $w, $cpu) = @_;
	my $c = $w->{cpus}{$cpu};
	my ($switch, $prev) = @{ $c->{switch} // return };
	# A flight recorder, and a chunk of a recording, have packets of each CPU from a different time on.
	my $since = $name =~ /snapshots|rotated/ ? $c->{first} : $w->{from};
	is_deeply([grep { $_ != $prev } keys %{ $c->{runtime} }], [], "$name: CPU $cpu: sched_stat_runtime names no other");
	return if $since >= $switch;
	my @wrong = grep { $_->{state} eq 'unknown' || !defined $_->{tid} || $_->{tid} != $prev } @{ states($trace, '--cpu', $cpu, '--from', $since, '--to', $switch) };
	is_deeply(\@wrong, [], "$name: CPU $cpu: $prev up to the first switch");
}

# Threads asleep at the dump, with nothing known before, that no CPU ran at first.
sub check_sleepers {
	my ($trace, $name, $w) = @_;
	# The streams of a snapshot end one after the other: where one has ended, any thread may run.
	my $end = $name =~ /snapshots/ ? min(map { $_->{last} } values %{ $w->{cpus} }) : $w->{to};
	my %ran = map { $_->{switch} ? ($_->{switch}[1] => 1) : () } values %{ $w->{cpus} };
	my @found = grep { my $d = $w->{dumped}{$_}; $d->[1] == $asleep && !$ran{$_} && ($w->{seen}{$_} // $w->{to}) > $d->[0] } keys %{ $w->{dumped} };
	@found = (sort { $a <=> $b } @found)[map { int($_ * @found / $sample) } 0 .. $sample - 1] if @found > $sample;
	my @wrong;
	for my $tid (@found) {
		my ($from, $to) = ($w->{dumped}{$tid}[0], min($w->{seen}{$tid} // $end, $end));
		next if $to - $from < 2;
		push @wrong, $tid if grep { $_->{state} ne 'blocked' } @{ states($trace, '--thread', "$tid\@$from", '--from', $from + 1, '--to', $to) };
	}
	is("@wrong", '', "$name: " . @found . ' threads sleep from the dump on');
}

sub check {
	my ($trace, $name) = @_;
	# The sample traces with sanitizers, the others with the installed build.
	local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST} && $trace !~ m{sample-traces/};
	my $w = witness($trace);
	# Where events were lost the running thread is unknown, and the program says so.
	return cmp_ok(json_of(wakepath('info', $trace, '--format', 'json'))->{traces}[0]{discarded}, '>', 0, "$name: events were lost") if $w->{lost};
	check_cpu($trace, $name, $w, $_) for sort { $a <=> $b } keys %{ $w->{cpus} };
	check_sleepers($trace, $name, $w);
}

my %seen;
for my $root (grep { defined } @ENV{qw(SAMPLES SHARED_TRACES)}) {
	for my $trace (traces($root)) {
		(my $name = $trace) =~ s{^\Q$root\E/|/kernel$}{}g;
		next if $seen{$name}++;
		Proved::holds("app/first/$name", { $name => $trace }, '', sub { check($trace, $name) });
	}
}

done_testing();

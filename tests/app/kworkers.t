#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What a kworker was woken for, in traces without sched_waking: real ones that have it, in which the event's class gets a name that nobody knows.
# Who queued the work is counted from the original: sched_waking comes right after the queueing, on the same CPU (__queue_work(), kernel/workqueue.c).
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use File::Find;
use File::Temp;
use JSON::PP ();
use Wake;
use Test::More;

my $scratch = File::Temp->newdir;

# A copy of TRACE whose events NAMES are called something else.
sub without {
	my ($trace, $copy, @names) = @_;
	system('cp', '-r', '--no-preserve=mode', $trace, $copy) == 0 or die "cp $trace: $?";
	find({ no_chdir => 1, wanted => sub {
		return if !m{/metadata$};
		open my $in, '<:raw', $_ or die "$_: $!";
		my $text = do { local $/; <$in> };
		for my $name (@names) {
			(my $other = $name) =~ s/^./-/;
			$text =~ s/"\Q$name\E/"$other/g;
		}
		open my $out, '>:raw', $_ or die "$_: $!";
		print $out $text;
		close $out or die "$_: $!";
	} }, $copy);
	return $copy;
}

# By TID, then by the beginning of the wait: what was queued right before the sched_waking that ended it.
sub queued_before {
	my ($trace) = @_;
	my (%before, %asleep, %found);
	open my $text, '-|', 'babeltrace2', '--clock-seconds', '--no-delta', $trace or die "babeltrace2: $!";
	while (<$text>) {
		my ($s, $ns, $name, $cpu, $rest) = /^\[(\d+)\.(\d{9})\] (?:\S+ )?([\w:]+): \{ cpu_id = (\d+) \}, (.*)/ or next;
		my $time = "$s$ns";
		if ($name eq 'sched_switch' && $rest =~ m{prev_comm = "kworker/.*?", prev_tid = (\d+), .*?prev_state = (\d+)}) {
			$asleep{$1} = $2 && !($2 & 0x100) ? $time : undef;
		} elsif ($name eq 'sched_waking' && $rest =~ m{comm = "kworker/.*", tid = (\d+)}) {
			my $since = delete $asleep{$1};
			$found{$1}{$since} = $before{$cpu} if $since && $before{$cpu};
		}
		if ($name eq 'workqueue_queue_work' && $rest =~ /function = 0x(\w+)/) {
			$before{$cpu} = { at => $time, function => '0x' . lc $1 };
		} elsif ($name ne 'workqueue_activate_work') {
			delete $before{$cpu};
		}
	}
	close $text or die "babeltrace2 $trace: $?";
	return \%found;
}

sub queued_by_wakepath {
	my ($trace, $tid) = @_;
	my $run = wakepath('wakeups', $trace, '--thread', $tid, '--format', 'json');
	die "wakepath wakeups: $run->{err}" if $run->{status} != 0;
	return grep { defined $_->{since} } @{JSON::PP::decode_json($run->{out})->{wakeups}};
}

my %traces = (lockfight => 90, 'pipeline' => 30, 'rpc-chain/db' => 150);
my %shared = ('inputs/nvme-ioburst/lttng' => 450, 'apt-install' => 170);	# what a worker executes is queued on another CPU in every third
my @traces = map { [ "$ENV{SAMPLES}/$_", $_, $traces{$_} ] } sort keys %traces;
push @traces, map { [ "$ENV{SHARED_TRACES}/$_", $_, $shared{$_} ] } grep { -d ($ENV{SHARED_TRACES} // '/nonexistent') . "/$_" } sort keys %shared;
for my $each (@traces) {
	my ($path, $name, $least) = @$each;
	my $truth = queued_before($path);
	for my $vectors (1, 0) {
		my $copy = without($path, "$scratch/" . $name =~ tr{/}{-}r . $vectors, 'sched_waking', $vectors ? () : 'x86_irq_vectors_');
		my ($n, @wrong) = 0;
		for my $tid (sort { $a <=> $b } keys %$truth) {
			for my $w (queued_by_wakepath($copy, $tid)) {
				my $is = $truth->{$tid}{$w->{since}} or next;
				my $said = $w->{source}{work} // {};
				$n++;
				push @wrong, "TID $tid since $w->{since}: $w->{source}{text}, is work of $is->{at}" if $w->{kind} ne 'workqueue' || $said->{queued_at} ne $is->{at} ||
					$said->{function} ne $is->{function};
			}
		}
		my $how = $vectors ? 'sched_waking' : 'sched_waking and IPIs';
		cmp_ok($n, '>', $least, "$name without $how: $n kworkers were woken for what was just queued");
		is(scalar @wrong, 0, '... and this is said') or diag(join "\n", @wrong[0 .. ($#wrong > 9 ? 9 : $#wrong)]);
	}
}

done_testing;

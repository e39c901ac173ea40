#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Answers where events are not recorded: from real traces that have them, with the event classes renamed to unknown ones.  The truth is counted from
# the original.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use File::Find;
use File::Temp;
use JSON::PP ();
use Wake;
use Test::More;

my $scratch = File::Temp->newdir;

# A copy of TRACE whose events NAMES have other names.
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

# Kworkers without sched_waking, which comes right after the queueing, on the same CPU (__queue_work(), kernel/workqueue.c).

# By TID, then by the beginning of the wait: the work queued right before the sched_waking that ended it.
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

sub waits {
	my ($trace, $tid) = @_;
	my $run = wakepath('wakeups', $trace, '--thread', $tid, '--format', 'json');
	die "wakepath wakeups: $run->{err}" if $run->{status} != 0;
	return @{JSON::PP::decode_json($run->{out})->{wakeups}};
}

my %traces = (lockfight => 90, 'pipeline' => 30, 'rpc-chain/db' => 150);
my %shared = ('inputs/nvme-ioburst/lttng' => 450, 'apt-install' => 170);	# every third item that a worker executes was queued on another CPU
my @traces = map { [ "$ENV{SAMPLES}/$_", $_, $traces{$_} ] } sort keys %traces;
push @traces, map { [ "$ENV{SHARED_TRACES}/$_", $_, $shared{$_} ] } grep { -d ($ENV{SHARED_TRACES} // '/nonexistent') . "/$_" } sort keys %shared;
for my $each (@traces) {
	my ($path, $name, $least) = @$each;
	my $truth = queued_before($path);
	for my $vectors (1, 0) {
		my $copy = without($path, "$scratch/" . $name =~ tr{/}{-}r . $vectors, 'sched_waking', $vectors ? () : 'x86_irq_vectors_');
		my ($n, @wrong) = 0;
		for my $tid (sort { $a <=> $b } keys %$truth) {
			for my $w (waits($copy, $tid)) {
				my $is = $truth->{$tid}{$w->{since} // '-'} or next;
				my $said = $w->{source}{work} // {};
				$n++;
				push @wrong, "TID $tid since $w->{since}: $w->{source}{text}, is work of $is->{at}" if $w->{kind} ne 'workqueue' || $said->{queued_at} ne $is->{at} ||
					$said->{function} ne $is->{function};
			}
		}
		my $how = $vectors ? 'sched_waking' : 'sched_waking and IPIs';
		cmp_ok($n, '>', $least, "$name without $how: $n kworkers were woken for an item just queued");
		is(scalar @wrong, 0, '... and wakepath shows that item') or diag(join "\n", @wrong[0 .. ($#wrong > 9 ? 9 : $#wrong)]);
	}
}

# Softirqs without the vectors of IPIs: a thread woken by an irq_work that interrupted a softirq is not woken by the softirq.
sub woken_upon_softirqs {
	my ($trace) = @_;
	my (%open, @found);
	open my $text, '-|', 'babeltrace2', '--clock-seconds', '--no-delta', $trace or die "babeltrace2: $!";
	while (<$text>) {
		my ($s, $ns, $name, $cpu, $rest) = /^\[(\d+)\.(\d{9})\] (?:\S+ )?([\w:]+): \{ cpu_id = (\d+) \}, (.*)/ or next;
		my $stack = $open{$cpu} //= [];
		if ($name eq 'sched_switch') {
			@$stack = ();
		} elsif ($name =~ /(irq_work|softirq)_(entry|exit)$/) {
			$2 eq 'entry' ? push @$stack, $1 : pop @$stack;
		} elsif ($name eq 'sched_waking' && "@$stack" eq 'softirq irq_work' && $rest =~ /tid = (\d+)/) {
			push @found, [ $1, "$s$ns" ];
		}
	}
	close $text or die "babeltrace2 $trace: $?";
	return @found;
}

SKIP: {
	my $trace = ($ENV{SHARED_TRACES} // '/nonexistent') . '/inputs/lockfight/lttng';
	skip 'a trace with irq_work upon softirqs is not at hand', 2 if !-d $trace;
	my @woken = woken_upon_softirqs($trace);
	my $copy = without($trace, "$scratch/irq-work", 'x86_irq_vectors_');
	my %said = map { my $tid = $_; $tid => { map { $_->{time} => $_->{source} } waits($copy, $tid) } } map { $_->[0] } @woken;
	cmp_ok(scalar @woken, '>=', 3, scalar @woken . ' threads were woken by irq_work that came upon a softirq');
	is(join(', ', map { $said{$_->[0]}{$_->[1]}{grade} // 'not said' } @woken), join(', ', ('inferred') x @woken), '... and the softirq is not a proved waker without those events');
}

# The threads that queued the work that a thread waited for, and that armed its timer: an unrecorded interrupt may have interrupted either, but arms no
# thread's own timer.
for my $vectors (1, 0) {
	my $copy = without("$ENV{SAMPLES}/lockfight", "$scratch/acts$vectors", $vectors ? () : 'x86_irq_vectors_');
	my (%work, %timer);
	for my $tid (map { $_->{tid} } grep { $_->{tid} } @{JSON::PP::decode_json(wakepath('threads', $copy, '--format', 'json')->{out})->{threads}}) {
		for my $source (map { $_->{source} // {} } waits($copy, $tid)) {
			my ($work, $timer) = @$source{qw(work timer)};
			$work{$work->{queued_by_grade} // 'null'}++ if $work && $work->{started} && $work->{queued_by};
			$timer{$timer->{armed_by_grade} // 'null'}++ if $timer && $timer->{armed_by} && $timer->{armed_by}{tid} == $tid;
		}
	}
	my $grade = $vectors ? 'proved' : 'inferred';
	is(join(' ', sort keys %work), $grade, "who queued work that was executed is $grade " . ($vectors ? 'with' : 'without') . ' vectors');
	is(join(' ', sort keys %timer), 'proved', '... the thread that armed a timer of its own is proved');
}

# sched_wakeup alone, in a hard interrupt of the CPU on which the thread will run: the IPI by which another CPU sent the wake-up, or an interrupt that
# wakes (proofs.md R12.7). The kernel writes 'h' or 'H' with such an event.
SKIP: {
	my $typed = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/a64-typed-min/trace.dat';
	skip 'the recording or trace-cmd is not there', 2 if !-e $typed || system('command -v trace-cmd >/dev/null') != 0;
	my %hard = map { /^\s*\S+\s+(\d+)\S{2}[hH]\S*\s+(\d+)\.(\d{9}): sched_wakeup: .* CPU:0*(\d+)\b/ && $1 == $4 ? ("$2$3" => 1) : () } `trace-cmd report -l -t '$typed' 2>/dev/null`;
	my %kinds;
	for my $thread (grep { $_->{tid} > 0 } @{ json_of(wakepath('threads', $typed, '--format', 'json'))->{threads} }) {
		for my $w (@{ json_of(wakepath('wakeups', $typed, '--thread', $thread->{tid}, '--format', 'json'))->{wakeups} }) {
			$kinds{"$w->{kind} $w->{grade}"}++ if $hard{$w->{time}};
		}
	}
	cmp_ok(scalar keys %hard, '>', 20, 'wake-ups that arrive in a hard interrupt');
	is(join(', ', sort keys %kinds), 'unknown unknown', '... whose waker is not known');
}

done_testing;

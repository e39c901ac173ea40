#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Recorders recognised by their behaviour: trace-cmd under another name in copies of real recordings, by the threads that an irq_work wakes in
# babeltrace2's text; and programs that only resemble one, made as ftrace's text.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use File::Find;
use Test::More;

sub threads_of { return @{ json_of(wakepath('threads', $_[0], '--format', 'json'))->{threads} } }
sub by_deeds { return map { $_->{tid} => $_->{tracer_by} } grep { ($_->{tracer_by} // '') =~ /by its deeds/ } threads_of($_[0]) }
sub answers_of { return map { $_->{text} =~ s/recordr-x/trace-cmd/gr } @{ json_of(wakepath('info', $_[0], '--top', '--format', 'json'))->{answers} } }
sub tids { return join ' ', sort { $a <=> $b } @_ }

# ---- trace-cmd by another name ----

# The threads called NAME in babeltrace2's text, and those of them that an irq_work wakes.
sub read_text {
	my ($name, $trace) = @_;
	my (%all, %woken, %inside);
	open my $f, '-|', 'babeltrace2', $trace or die "babeltrace2: $!";
	while (<$f>) {
		my ($event, $cpu) = /(\w+): \{ cpu_id = (\d+)/ or next;
		$inside{$cpu} = 1 if $event =~ /irq_work_entry/;
		delete $inside{$cpu} if $event =~ /irq_work_exit/;
		$all{$_} = 1 for /comm = "\Q$name\E", (?:\w+_)?tid = (\d+)/g;
		$woken{$1} = 1 if $event eq 'sched_waking' && $inside{$cpu} && /comm = "\Q$name\E", tid = (\d+)/;
	}
	close $f;
	return (\%all, \%woken);
}

my $inputs = ($ENV{SHARED_TRACES} // '') . '/inputs';
SKIP: {
	skip 'the recordings are not at hand', 4 * 4 if !-d $inputs;
	for my $name (qw(preempt lockfight throttled nvme-ioburst)) {
		my $copy = "$ENV{TMPDIR}/$name";
		system('cp', '-r', "$inputs/$name/lttng", $copy) == 0 && system("chmod -R u+w '$copy'") == 0 or die $name;
		find({ no_chdir => 1, wanted => sub { -f && spew($_, slurp($_) =~ s/trace-cmd/recordr-x/gr) } }, $copy);
		my ($all, $woken) = read_text('recordr-x', $copy);
		my %said = by_deeds($copy);
		# The workload has that name, too, from its fork to its exec, and in a recording without the exec it is its last name.
		my %last = map { $_->{tid} => $_->{name} } threads_of($copy);
		is(tids(keys %said), tids(grep { $last{$_} eq 'recordr-x' } keys %$all), "$name: the readers and the thread that started them");
		is(tids(grep { $said{$_} =~ /woken \d+ times? by irq_work/ } keys %said), tids(keys %$woken), '… an irq_work wakes the readers');
		is_deeply([ answers_of($copy) ], [ answers_of("$inputs/$name/lttng") ], '… the answers are those of the recording');
		like(wakepath('info', $copy)->{out}, qr/^  recorder  recordr-x\[\d+\]: recorder, by its deeds: /m, '… info gives the reason');
	}
}

# ---- made: recorders, and threads that only resemble them ----

my $t;
sub event { my ($thread, $cpu, $flags, $text) = @_; $t += 10; return sprintf "%16s-%-7d [%03d] %s %d.%06d: %s\n", $thread->[0], $thread->[1], $cpu, $flags, $t / 1e6, $t % 1e6, $text }
sub switch { my ($cpu, $from, $state, $to) = @_; return event($from, $cpu, 'd..2.', "sched_switch: prev_comm=$from->[0] prev_pid=$from->[1] prev_prio=120 prev_state=$state ==> next_comm=$to->[0] next_pid=$to->[1] next_prio=120") }
sub waking { my ($by, $cpu, $flags, $whom) = @_; return event($by, $cpu, $flags, sprintf 'sched_waking: comm=%s pid=%d prio=120 target_cpu=%03d', @$whom, $cpu) . event($by, $cpu, $flags, sprintf 'sched_wakeup: comm=%s pid=%d prio=120 target_cpu=%03d', @$whom, $cpu) }
sub irq_work { my ($by, $cpu, $whom) = @_; return event($by, $cpu, 'd.h1.', 'irq_work_entry: vector=246') . waking($by, $cpu, 'd.h2.', $whom) . event($by, $cpu, 'd.h1.', 'irq_work_exit: vector=246') }
sub timer { my ($by, $cpu, $whom) = @_; return event($by, $cpu, 'd.h1.', 'local_timer_entry: vector=236') . event($by, $cpu, 'd.h1.', 'hrtimer_expire_entry: hrtimer=00000000abcdef01 function=hrtimer_wakeup now=1')
	. waking($by, $cpu, 'd.h2.', $whom) . event($by, $cpu, 'd.h1.', 'hrtimer_expire_exit: hrtimer=00000000abcdef01') . event($by, $cpu, 'd.h1.', 'local_timer_exit: vector=236') }

my @idle = (['<idle>', 0], ['<idle>', 0]);
my @swapper = (['swapper/0', 0], ['swapper/1', 0]);
my ($one, $two, $boss, $app) = (['same', 201], ['same', 202], ['same', 200], ['app', 300]);
# One round of each thread: it sleeps, WAKE wakes it, it runs on CPU.
sub rounds {
	my ($n, @of) = @_;
	my $text = '';
	for (1 .. $n) {
		for (@of) {
			my ($thread, $cpu, $wake) = @$_;
			$text .= $wake->($thread, $cpu) . switch($cpu, $swapper[$cpu], 'R', $thread) . switch($cpu, $thread, 'S', $swapper[$cpu]);
		}
	}
	return $text;
}
my $work = sub { my ($thread, $cpu) = @_; return irq_work($idle[$cpu], $cpu, $thread) };
my $sleep = sub { my ($thread, $cpu) = @_; return timer($idle[$cpu], $cpu, $thread) };
sub given { my ($by) = @_; return sub { my ($thread, $cpu) = @_; return switch($cpu, $swapper[$cpu], 'R', $by) . waking($by, $cpu, 'd..2.', $thread) . switch($cpu, $by, 'S', $swapper[$cpu]) } }

sub made {
	my ($name, $text) = @_;
	my $file = "$ENV{TMPDIR}/$name.txt";
	spew($file, "# tracer: nop\n#\n$text");
	return $file;
}
$t = 100_000_000;
my %cases = (
	'two readers' => [ rounds(3, [$one, 0, $work], [$two, 1, $work], [$app, 0, $sleep]), '201 202' ],
	'two readers and their parent' => [ rounds(3, [$one, 0, $work], [$two, 1, $work], [$boss, 0, given($app)], [$app, 0, $sleep]), '200 201 202' ],
	'a reader of the kernel\'s log' => [ rounds(5, [$one, 0, $work], [$app, 1, $sleep]), '' ],
	'workers that an irq_work wakes once each' => [ rounds(1, [$one, 0, $work], [$two, 1, $work]) . rounds(3, [$one, 0, given($app)], [$two, 1, given($app)]), '' ],
	'sleepers that an irq_work wakes once each' => [ rounds(1, [$one, 0, $work], [$two, 1, $work]) . rounds(3, [$one, 0, $sleep], [$two, 1, $sleep]), '' ],
	'one reader, and one thread that is woken for other work' => [ rounds(3, [$one, 0, $work], [$two, 1, given($app)], [$app, 0, $sleep]), '' ],
	'readers with three more of their name' => [ rounds(3, [$one, 0, $work], [$two, 1, $work], map { [['same', 210 + $_], 0, given($app)] } 1 .. 3), '201 202' ],
);
for my $name (sort keys %cases) {
	my ($text, $tids) = @{$cases{$name}};
	my %said = by_deeds(made($name =~ s/\W/-/gr, $text));
	is(tids(keys %said), $tids, $name);
}

# ---- recordings without such a recorder ----

SKIP: {
	skip 'the recordings are not at hand', 1 if !-d $inputs;
	my @all = map { "$ENV{SHARED_TRACES}/$_" } qw(apt-install django hackbench many-threads mpi-busywait rpc-loopback vm-preempt), map { "inputs/$_/lttng" } qw(rt-ioburst rt-timerlat throttled lockfight pipeline threadirqs-rpc);
	is_deeply({ map { my %said = by_deeds($_); %said ? ($_ => \%said) : () } @all }, {}, 'in the recordings no other thread is a recorder');
}

done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# wakepath record, for real: a workload of known waits, recorded by ftrace, reads the same in trace-cmd; nothing is left in tracefs, however it ends.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fcntl qw(LOCK_EX);
use List::Util qw(min);
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);

my ($tracefs) = grep { -d "$_/instances" } '/sys/kernel/tracing', '/sys/kernel/debug/tracing';
plan skip_all => 'recording needs root' if !is_root();
plan skip_all => 'this kernel has no tracefs with instances' if !$tracefs || !-w "$tracefs/instances";
my $dir = $ENV{TMPDIR};
# --clean of another test would remove the instances checked here.
open my $lock, '<', "$tracefs/README" or die;
flock $lock, LOCK_EX or die;

sub instances { return join ' ', sort map { m{([^/]+)$} } glob "$tracefs/instances/wakepath-*" }
sub of_us { return grep { -e } map { "$tracefs/instances/$_" } grep { /^wakepath-\Q$_[0]\E-/ } split / /, instances() }
my $foreign = instances();	# another test's on this machine
# Synthetic events are shared by all instances.
sub synthetic { return join ' ', sort grep { /^wakepath_/ } map { /^(\S+)/ ? $1 : () } -e "$tracefs/synthetic_events" ? split /\n/, slurp("$tracefs/synthetic_events") : () }
my $foreign_events = synthetic();
sub is_clean { is(instances() . '|' . synthetic(), "$foreign|$foreign_events", "$_[0]: nothing is left in tracefs") }
# The kernel can end a recording by itself; without that, wakepath polls.
my $triggers = -e "$tracefs/synthetic_events" && slurp("$tracefs/README") =~ /onmatch\(/;

# Start it with ARGS; returns its PID.  Its messages go to $dir/err.
sub begin {
	my (@args) = @_;
	my $pid = fork() // die;
	if (!$pid) {
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$dir/out";
		open STDERR, '>', "$dir/err";
		{ exec $ENV{WAKEPATH}, 'record', @args }
		POSIX::_exit(127);
	}
	return $pid;
}
# Wait until it records, according to its instance.
sub recording {
	my ($pid) = @_;
	my $limit = time + 60;
	while (time < $limit) {
		# A new instance is on, but has no events yet; then it is off until it has them.
		for (grep { !/-(?:watch|try)$/ } of_us($pid)) { return $_ if (eval { slurp("$_/set_event") } // '') ne '' && (eval { slurp("$_/tracing_on") } // '') =~ /^1/ }
		return undef if waitpid($pid, WNOHANG) != 0;
		sleep 0.01;
	}
	return undef;
}
sub ended {
	my ($pid) = @_;
	waitpid $pid, 0;
	return { status => $? >> 8, signal => $? & 127, err => slurp("$dir/err") };
}
sub record { return ended(begin(@_)) }

# [CPU, ns, event, fields, who] of each event, as trace-cmd reads FILE.
sub reported {
	my ($file) = @_;
	my @events;
	open my $in, '-|', "trace-cmd report -t '$file' 2>$dir/trace-cmd.err" or die;
	while (<$in>) {
		push @events, [$2 + 0, "$3$4", $5, $6, $1] if /^\s*(\S.*?-\d+)\s+\[(\d{3,})\]\s+(\d+)\.(\d{9}):\s+(\S+):\s*(.*)/;
	}
	close $in;
	is($?, 0, 'trace-cmd reads it');
	is(slurp("$dir/trace-cmd.err") =~ s/^CPU\d+ data.*\n|^ .*bytes in size\n//mgr, '', '… without an error');
	return @events;
}

# wk-ping asks wk-pong twenty times over a pipe; wk-pong sleeps 3 ms before each answer.
my $work = "$dir/work.pl";
spew($work, <<'END');
use Time::HiRes qw(sleep);
pipe my $ask, my $asks; pipe my $answer, my $answers;
if (!fork) { $0 = 'wk-pong'; for (1 .. 20) { sysread $ask, my $c, 1; sleep 0.003; syswrite $answers, 'x' } exit 0 }
$0 = 'wk-ping'; for (1 .. 20) { syswrite $asks, 'x'; sysread $answer, my $c, 1 } wait; exit 3;
END

# ---- a recording of known waits ----

my $before = join '|', map { slurp("$tracefs/$_") } qw(set_event tracing_on trace_clock);
my $other = "$tracefs/instances/other-$$";
mkdir $other or die;
END { if ($other && -d $other) { my $s = $?; spew("$other/set_event", ''); rmdir $other; $? = $s } }
spew("$other/set_event", "sched:sched_switch\n");

my $file = "$dir/a.dat";
my $r = record('-o', $file, '--', 'sh', '-c', "echo mark of the test >$tracefs/trace_marker; exec perl $work");
is($r->{status}, 0, 'a program is recorded') or diag($r->{err});
like($r->{err}, qr/recording with ftrace for "all", clock mono, .* MiB for each of \d+ CPUs: about .* MB\/s .*overhead/, 'the message says what it does, and the cost');
like($r->{err}, qr/^wakepath: sh ended with status 3$/m, 'and how the program ended');
my ($told, $lost) = $r->{err} =~ /(\d+) events, (\d+) lost/;
# Events that the recording lacks, in the words of the explorer.
my @lacks = $r->{err} =~ /^wakepath: \Q$file\E: (?!\d+ events)(.*)$/mg;
spew("$dir/script", "size 600 50\n!\ndump $dir/screen\nQ\n");	# wide: a list shows a text in one line
wakepath('view', $file, '--script', "$dir/script");
my $shown = slurp("$dir/screen") =~ s/\s+/ /gr;
is(join("\n", grep { index($shown, $_) < 0 } @lacks), '', 'the message names what is missing as the explorer does') or diag($r->{err});
ok((grep { /of the tracer (?:is|are) hidden/ } @lacks), '… also that its own threads are hidden') or diag($r->{err});
is_clean('a program');
is(join('|', map { slurp("$tracefs/$_") } qw(set_event tracing_on trace_clock)), $before, 'the top instance is unchanged');
is(slurp("$other/tracing_on") . slurp("$other/set_event"), "1\nsched:sched_switch\n", 'another recording goes on');

my @events = reported($file);
my $info = json_of(wakepath('info', $file, '--format', 'json'));
is(scalar @events, $info->{traces}[0]{events}, 'wakepath has as many events as trace-cmd');
is($told, scalar @events, '… and as its message');
is($lost, $info->{traces}[0]{discarded}, 'none was lost, or as many as its message');
is_deeply($info->{warnings}, [], 'no warnings');
is_deeply([grep { !/statedump|block|^ipi/ } @{$info->{traces}[0]{missing_events}}], [], 'no event that could be recorded is missing');

SKIP: {
	skip 'this kernel has marks in the top instance only', 1 if !-e "$other/options/copy_trace_marker";
	ok((grep { $_->[3] =~ /mark of the test/ } @events), 'a mark is there');
}

# The wakers and times of wk-ping's wake-ups, by trace-cmd's lines: the thread that each event is of.
my %woken = map { $_->[1] => $_->[4] } grep { $_->[2] eq 'sched_waking' && $_->[3] =~ /comm=wk-ping / } @events;
my @wakeups = @{json_of(wakepath('wakeups', $file, '--thread', 'wk-ping', '--format', 'json'))->{wakeups}};
my @by_pong = grep { ($_->{source}{thread}{name} // '') eq 'wk-pong' } @wakeups;
# On a busy machine an answer may be there before wk-ping waits for it.
cmp_ok(scalar @by_pong, '>=', 10, 'wk-pong woke wk-ping');
cmp_ok(scalar @by_pong, '<=', scalar(grep { /^wk-pong-/ } values %woken), '… no more often than in trace-cmd');
is(join(' ', grep { ($woken{$_->{time}} // '') !~ /^wk-pong-/ } @by_pong), '', '… at the times of trace-cmd');
my $path = json_of(wakepath('path', $file, '--thread', 'wk-ping', '--format', 'json'));
my ($timer) = map { $_->{time} } grep { $_->{kind} eq 'timer' } @{$path->{summary}};
cmp_ok($timer // 0, '>', 10 * 2.5e6, 'on its path are the timers for which wk-pong slept');
ok((grep { $_->{kind} eq 'running' && $_->{actor}{name} eq 'wk-pong' } @{$path->{summary}}), '… and wk-pong itself');

# ---- the place at which it opens ----

spew("$dir/script", "dump $dir/screen\nquit\n");
$r = record('-o', "$dir/open.dat", '--script', "$dir/script", '--', 'perl', $work);
is($r->{status}, 0, 'the explorer opens') or diag($r->{err});
# A kernel that hides switches leaves a thread without latencies: then the cursor is at the worst of any.
my ($worst) = map { @{json_of(wakepath('latency', "$dir/open.dat", '--kind', 'wakeup', @$_, '--top', 1, '--format', 'json'))->{worst}} } ['--thread', 'wk-ping'], [];
my $since = sprintf '%.9f', ($worst->{start} - json_of(wakepath('info', "$dir/open.dat", '--format', 'json'))->{from}) / 1e9;
like(slurp("$dir/screen"), qr/^ open\.dat +\Q$since\E s/, '… with the cursor at the worst latency of the program') or diag(slurp("$dir/screen"));
like(slurp("$dir/screen"), qr/wk-ping/, '… and its thread');

# ---- which events, at what cost ----

for my $question ([cpu => 'sched_switch irq_handler_entry hrtimer_start', 'sys_enter block_rq_issue net_dev_queue kvm'], [disk => 'sched_switch block_rq_issue', 'sys_enter net_dev_queue'],
	[net => 'sched_switch net_dev_queue', 'sys_enter block_rq_issue'], [locks => 'sched_switch sys_enter', 'block_rq_issue net_dev_queue'], [spans => 'sched_switch block_rq_issue net_dev_queue', 'sys_enter kvm'], [all => 'sched_switch sys_enter block_rq_issue net_dev_queue kvm', '']) {
	my ($line) = wakepath('record', '--dry-run', '--with', 'ftrace', '--for-question', $question->[0], '-o', "$dir/x.dat")->{out} =~ /^(for e in .*)$/m;
	is(join(' ', grep { $line !~ /:$_\b|\b$_:/ } split / /, $question->[1]), '', "for $question->[0] it records what it needs");
	is(join(' ', grep { $line =~ /:$_\b|\b$_:/ } split / /, $question->[2]), '', '… and no more');
}
for my $with (['lttng', qr/^lttng enable-event .* lttng_logger$/m], ['ftrace', qr/^echo 1 \S* > \$I\/options\/copy_trace_marker$/m]) {
	like(wakepath('record', '--dry-run', '--with', $with->[0], '--for-question', 'spans', '-o', "$dir/x")->{out}, $with->[1], "for spans $with->[0] records the programs\' marks");
}
says(wakepath('record', '--dry-run', '--with', 'perf', '--for-question', 'spans', '-o', "$dir/x"), 2, qr/--with perf records only spans of --probe and --usdt: name some, or type --with ftrace/, '… perf does not');
for my $question (['counters', [], qr/-e '?\{sched:sched_switch,[^}]+\}:S/, qr/ -g /], ['counters', ['--counters', 'context-switches'], qr/sched_switch,context-switches\S*\}:S/, qr/cycles/], ['on-cpu', [], qr/ -g -e '?(?:cycles|cpu-clock)\/freq=999/, qr/:S/]) {
	my ($line) = wakepath('record', '--dry-run', '--for-question', $question->[0], @{$question->[1]}, '-o', "$dir/x.data")->{out} =~ /^(perf record .*)$/m;
	like($line, $question->[2], "for $question->[0] perf is chosen");
	unlike($line, qr/$question->[3]|sys_enter|block_rq/, '… for no more');
}
for my $name (qw(counters on-cpu x)) { says(wakepath('watch', '--for-question', $name, '--until', 'wakeup > 1s', '-o', "$dir/w"), 2, qr/--for-question "$name" is not known: type cpu, disk, net, locks, spans or all/, "watch does not record for $name") }
# A program that marks its work.
SKIP: {
	skip 'this kernel has trace_marker in the top instance alone', 2 if !-e '/sys/kernel/tracing/options/copy_trace_marker';
	spew("$dir/marks.pl", 'open my $o, ">", "/sys/kernel/tracing/trace_marker" or die; for (1 .. 3) { syswrite $o, "B|$$|piece $_"; select undef, undef, undef, 0.01 * $_; syswrite $o, "E|$$" }');
	$r = record('-o', "$dir/marks.dat", '--with', 'ftrace', '--for-question', 'spans', '--no-open', '--', 'perl', "$dir/marks.pl");
	is($r->{status}, 0, 'a program that marks its work') or diag($r->{err});
	my @spans = @{json_of(wakepath('spans', "$dir/marks.dat", '--format', 'json'))->{spans}};
	is(join(' ', map { "$_->{name}=$_->{key}" . ($_->{duration} >= $_->{key} * 1e7 ? '' : ' too short') } grep { $_->{source} eq 'marker' } @spans), 'piece=1 piece=2 piece=3', '… has its spans');
}
# Facts that a recording does not cover.
my $open = wakepath('info', $file)->{out};
like($open, qr/^ +to see what threads counted, such as cycles: wakepath record --for-question counters$/m, 'info says how to record counters');
$r = record('-o', "$dir/cpu.dat", '--for-question', 'cpu', '--with', 'ftrace', '--no-open', '--for', '0.05s');
is(join(' ', wakepath('info', "$dir/cpu.dat")->{out} =~ /: wakepath record --for-question (\S+)$/mg), 'disk net locks counters', '… and the others that a question left open');
my $load = fork() // die;
exec 'sh', '-c', 'while :; do dd if=/dev/zero of=/dev/null bs=1 count=10000 status=none || exit; done' if !$load;
$r = record('-o', "$dir/cost.dat", '--for', '1s');
kill 'TERM', $load;
waitpid $load, 0;
my ($guess) = $r->{err} =~ /\((\d+) events\/s\)/;
my ($was) = $r->{err} =~ /: (\d+) events,/;
cmp_ok($guess, '>', $was / 4, 'the estimated cost is about right');
cmp_ok($guess, '<', $was * 4, '… not too much');

# ---- refusals ----

$r = record('-o', $file, '--for', '1s');
is($r->{status}, 2, 'a file is not replaced');
like($r->{err}, qr/\Q$file\E exists already: .*-o.*--force/, '… with the command to type');
$r = record('-o', $file, '--force', '--no-open', '--for', '0.1s', '--for-question', 'cpu');
is($r->{status}, 0, '--force replaces it');
is(scalar(grep { $_->[2] =~ /^sys_/ } reported($file)), 0, '… and system calls are not for the question "cpu"');
for my $bad (['--for-question', 'x'], ['--until', 'x > 5ms'], ['--until', 'wakeup'], ['--flight', '64X'], ['--with', 'x'], ['--until', 'command > 1s'], ['--', '/nonexistent']) {
	$r = record('-o', "$dir/bad.dat", @$bad);
	is($r->{status}, 2, "@$bad: bad usage") or diag($r->{err});
	is(scalar(split /\n/, $r->{err} =~ s/^wakepath: recording with.*\n//r), 1, '… in one line');
}
ok(!-e "$dir/bad.dat", '… and no file');
$r = wakepath_as_nobody('record', '-o', "$dir/nobody.dat", '--for', '1s');
is($r->{status}, 3, 'without root');
like($r->{err}, qr/\Awakepath: recording needs root: .*\n\z/, '… one line says what is needed');
is_clean('refusals');

# ---- ends ----

$r = record('-o', "$dir/for.dat", '--for', '0.3s', '--', 'sleep', 2);
is($r->{status}, 0, '--for ends it');
like($r->{err}, qr/sleep goes on, as process (\d+)/, '… and leaves the program alone');
kill 'TERM', $1 if $r->{err} =~ /process (\d+)/;
for my $end (['INT', 0], ['TERM', 143], ['HUP', 129], ['USR1', 0]) {
	my $pid = begin('-o', "$dir/$end->[0].dat", '--flight', '4M');
	ok(recording($pid), "SIG$end->[0]: it records");
	sleep 0.2;
	kill $end->[0], $pid;
	$r = ended($pid);
	is("$r->{status} $r->{signal}", "$end->[1] 0", "… and ends with status $end->[1]") or diag($r->{err});
	cmp_ok(scalar(reported("$dir/$end->[0].dat")), '>', 0, '… the data so far is kept');
}
spew("$dir/trap.sh", "trap 'echo got it; exit 7' INT\necho ready > $dir/ready\nwhile :; do sleep 0.1; done\n");
my $pid = begin('-o', "$dir/trap.dat", '--', 'sh', "$dir/trap.sh");
for (1 .. 500) { last if -e "$dir/ready"; sleep 0.02 }
kill 'INT', $pid;
$r = ended($pid);
like($r->{err}, qr/sh ended with status 7/, 'SIGINT goes to the program');
is(slurp("$dir/out"), "got it\n", '… once');
is_clean('signals');

# ---- lost events ----

$pid = begin('-o', "$dir/lost.dat");
my $instance = recording($pid) // die slurp("$dir/err");
kill 'STOP', $pid;
spew("$instance/buffer_size_kb", "64\n");
system('dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1', 'count=20000', 'status=none');
kill 'CONT', $pid;
sleep 0.3;
kill 'INT', $pid;
$r = ended($pid);
($lost) = $r->{err} =~ /(\d+) lost/;
my ($overrun, $dropped) = (0, 0);
$overrun += $_ for `trace-cmd report --stat '$dir/lost.dat' 2>/dev/null` =~ /^(?:commit )?overrun: (\d+)/mg;
cmp_ok($overrun, '>', 1000, 'a small buffer loses events');
is($lost, $overrun, '… as many as the kernel counts');
my $pages = `trace-cmd report '$dir/lost.dat' 2>/dev/null`;
$dropped += $_ for $pages =~ /\[(\d+) EVENTS DROPPED\]/g;
$info = json_of(wakepath('info', "$dir/lost.dat", '--format', 'json'))->{traces}[0];
is($info->{discarded}, $dropped, '… and as many as its pages record are reported');
# A full page has no room for the number lost before it: then the kernel only records that some were.
cmp_ok($dropped, $pages =~ /\[EVENTS DROPPED\]/ ? '<' : '==', $overrun, '… which are all losses that have a number');

# ---- flight recorder ----

my $all = begin('-o', "$dir/all.dat", '--for-question', 'cpu');
ok(recording($all), 'all is recorded');
system('cp', "$dir/err", "$dir/err.all");
my $flight = begin('-o', "$dir/flight.dat", '--for-question', 'cpu', '--flight', '256K');
ok(recording($flight), '… and a flight recorder beside it');
system('perl', $work) for 1 .. 15;
kill 'USR1', $flight;
my $f = ended($flight);
kill 'INT', $all;
waitpid $all, 0;
is($f->{status}, 0, 'the flight recorder ends');
my (%all, %kept, $first);
for my $e (reported("$dir/flight.dat")) {
	$first = $e->[1] if !defined $first || $e->[1] < $first;
	push @{$kept{$e->[0]}}, [@$e[3, 1]] if $e->[2] eq 'sched_switch';
}
push @{$all{$_->[0]}}, [$_->[1], $_->[3]] for grep { $_->[2] eq 'sched_switch' } reported("$dir/all.dat");
$info = json_of(wakepath('info', "$dir/flight.dat", '--format', 'json'));
cmp_ok($first, '>', $all{0}[0][0] + 1e7, 'its begin was overwritten');
is($info->{traces}[0]{discarded}, 0, '… which is not a loss');
is(json_of(wakepath('info', "$dir/all.dat", '--format', 'json'))->{traces}[0]{discarded}, 0, 'and the other recording lost none');
for my $cpu (sort keys %kept) {
	# Each ring reads the clock for itself, and the host may take the CPU away between the two reads: compare with the switch of equal text
	# that is nearest in time.
	my ($text, $at) = @{$kept{$cpu}[0]};
	my ($begin) = sort { abs($all{$cpu}[$a][0] - $at) <=> abs($all{$cpu}[$b][0] - $at) } grep { $all{$cpu}[$_][1] eq $text } 0 .. $#{$all{$cpu}};
	my @same = @{$all{$cpu}}[$begin .. min($begin + $#{$kept{$cpu}}, $#{$all{$cpu}})];
	# The state is read twice as well: a zombie may be reaped in between (release_task(), kernel/exit.c).
	is_deeply([map { $_->[0] =~ s/ Z ==>/ X ==>/r } @{$kept{$cpu}}], [map { $_->[1] =~ s/ Z ==>/ X ==>/r } @same], "CPU $cpu: all switches since then are there");
	cmp_ok(scalar(grep { $_->[0] > $first + 5000 } @{$all{$cpu}}[0 .. $begin - 1]), '<=', 1, '… from the first instant of all CPUs on');
}

# ---- until a latency ----

my $started = time;
$r = record('-o', "$dir/until.dat", '--until', 'syscall > 250ms', '--', 'sh', '-c', 'sleep 0.4; sleep 200');
is($r->{status}, 0, 'a latency ends it') or diag($r->{err});
kill 'TERM', $1 if $r->{err} =~ /process (\d+)/;
cmp_ok(time - $started, '<', 180, '… soon, not with the command');
like($r->{err}, qr/^wakepath: syscall took \d/m, '… and is reported');
is(wakepath('latency', "$dir/until.dat", '--kind', 'syscall', '--fail-over', '250ms')->{status}, 1, '… and is in the recording');
$r = record('-o', "$dir/never.dat", '--flight', '1M', '--until', 'irq > 30s', '--for', '0.2s');
is($r->{status}, 1, 'no latency ends it');
like($r->{err}, qr/no irq took longer than the limit; the recording is in/, '… with a message');
$r = record('-o', "$dir/command.dat", '--flight', '4M', '--until', 'command > 200ms', '--', 'sleep', 1);
is($r->{status}, 0, 'a program that takes too long ends it');
is_clean('latencies');

# ---- the kernel itself ends it at a latency ----

# The lines for each kind: the set-up is removed in the reverse order, by lines that begin with '!' or are "0".
my %ends = (wakeup => 8, 'wait-cpu' => 8, preempted => 3, 'off-cpu' => 3, blocked => 4, syscall => 3, irq => 2, softirq => 2, 'block-device' => 0, command => 0);
for my $kind (sort keys %ends) {
	my @lines = split /\n/, wakepath('record', '--dry-run', '--with', 'ftrace', '--until', "$kind > 5ms", '-o', "$dir/x.dat", '--', 'true')->{out};
	my @set = map { /^echo '(.*)' >> (\$T\S+)$/ ? [$1, $2] : () } @lines;
	my @away = reverse splice @set, @set / 2;
	is(scalar(grep { $_->[0] =~ /^hist:/ } @set), $ends{$kind}, "$kind: its histograms");
	is_deeply([map { "$_->[1] " . ($_->[0] =~ s/^!//r) } @away],
		[map { my ($text, $file) = @$_; "$file " . ($file =~ /synthetic_events$/ ? $text =~ s/ .*//r : $file =~ /trigger$/ ? $text : '0') } @set], '… and the lines that remove them');
	is(scalar(grep { /^while kill -0 / } @lines), $ends{$kind} ? 1 : 0, '… and whether it ends before the program does');
}
my ($reads, $sets) = (0, 0);
for my $line (split /\n/, wakepath('record', '--dry-run', '--with', 'ftrace', '--until', 'wait-cpu > 5ms', '-o', "$dir/x.dat")->{out}) {
	$sets |= 1 << $1 if $line =~ /^echo 'hist:\S*[:,]v(\d)=/;
	$reads += ($sets >> $_) & 1 for $line =~ /^echo 'hist:.*-\$v(\d)/;
}
is($reads, 6, 'each variable is read by all steps except its own, after it was set');
# Both kinds of `latency` are from the wake-up, or the creation, to running; a preempted thread has `preempted`.
is(wakepath('record', '--dry-run', '--with', 'ftrace', '--until', 'wait-cpu > 5ms', '-o', "$dir/x.dat")->{out},
	wakepath('record', '--dry-run', '--with', 'ftrace', '--until', 'wakeup > 5ms', '-o', "$dir/x.dat")->{out}, 'wait-cpu ends a recording where latency has a case of it');

# wk-hog keeps CPU 0 by real-time priority while wk-victim, which may run only there, is woken; on other CPUs there are floods of events.
my $hog = "$dir/hog.pl";
spew($hog, <<'END');
use Time::HiRes qw(sleep time);
$0 = 'wk-victim'; system "taskset -pc 0 $$ >/dev/null";
if (!fork) { sleep 0.5; $0 = 'wk-hog'; system "chrt -f -p 50 $$"; my $end = time + 0.4; 1 while time < $end; exit 0 }
if (!fork) { $0 = 'wk-flood'; system "taskset -pc 1-1023 $$ >/dev/null 2>&1"; open my $in, '<', '/dev/zero'; my $end = time + 20; sysread $in, my $b, 1 while time < $end; exit 0 }
for (1 .. 200) { sleep 0.05 }
END
# From trace-cmd's text of FILE: the last wait of more than 200 ms after a wake-up, events of its CPU after it, and the time from its end to the last
# event of all (ns).
sub goes_on {
	my ($file) = @_;
	my (%woken, $last, $end, $wait, $cpu, $more);
	for my $e (sort { $a->[1] <=> $b->[1] } reported($file)) {
		$last = $e->[1];
		$more++ if defined $cpu && $e->[0] == $cpu;
		$woken{$1} = $e->[1] if $e->[2] =~ /^sched_(?:waking|wakeup_new)$/ && $e->[3] =~ /(?:pid=|:)(\d+)/;
		next if $e->[2] ne 'sched_switch' || $e->[3] !~ /(\d+) \[.*==> .*:(\d+) \[/;
		delete $woken{$1};
		my $woken = delete $woken{$2} // next;
		($cpu, $end, $wait, $more) = (@$e[0, 1], $e->[1] - $woken, 0) if $e->[1] - $woken > 2e8;
	}
	return defined $end ? ($wait, $more, $last - $end) : ();
}
SKIP: {
	skip 'this kernel has no histogram triggers, or one CPU', 1 if !$triggers || `nproc` < 2;
	my @until = ('--flight', '32M', '--for-question', 'locks', '--with', 'ftrace', '--until', 'wakeup > 200ms', '--no-open');
	my $busy = "$tracefs/instances/other-$$/events/synthetic/other_$$";
	open my $events, '>>', "$tracefs/synthetic_events" or die;
	syswrite $events, "other_$$ u64 x\n" or die;
	my $pid = begin('-o', "$dir/hist.dat", @until, '--', 'perl', $hog);
	my ($limit, $seen) = (time + 60, '');
	while (time < $limit && !$seen && waitpid($pid, WNOHANG) == 0) { $seen = synthetic(); sleep 0.01 }
	like($seen, qr/^wakepath_${pid}_\d+$/, 'the kernel has a synthetic event of the recording');
	my $h = ended($pid);
	like($h->{err}, qr/^wakepath: wakeup took \d/m, '… which ends it') or diag($h->{err});
	kill 'TERM', $1 if $h->{err} =~ /process (\d+)/;
	my ($wait, $more, $after) = goes_on("$dir/hist.dat");
	my ($took, $unit) = $h->{err} =~ /wakeup took ([\d.]+) (m?s)\n/;
	cmp_ok(abs(($wait // 0) - ($took // 1e9) * (($unit // '') eq 's' ? 1e9 : 1e6)), '<', 1e-2 * ($wait // 0), '… and the latency is in the recording, with the length of the message');
	# (Other CPUs may go on for as long as an emulator makes the one wait.)
	is($more, 0, '… and the last event of its CPU: none comes in between');
	note("it goes on for $after ns");
	is(wakepath('latency', "$dir/hist.dat", '--kind', 'wakeup', '--fail-over', '200ms')->{status}, 1, '… where wakepath finds it');
	is(slurp("$other/tracing_on") . slurp("$tracefs/tracing_on"), "1\n1\n", '… and no other recording is switched off') if $before =~ /\|1\n\|/;
	ok(-d $busy, "another's synthetic event is left alone");
	is_clean('a latency that the kernel reported');

	# One of its lines cannot be written: the others are removed, and polling finds the latency.
	my $poll = fork() // die;
	if (!$poll) {
		open STDERR, '>', "$dir/err";
		exec 'unshare', '-m', 'sh', '-c', 'mount --bind /dev/null $0 && exec "$@"', "$tracefs/synthetic_events", $ENV{WAKEPATH}, 'record', '-o', "$dir/poll.dat", @until, '--', 'perl', $hog;
	}
	$h = ended($poll);
	like($h->{err}, qr/^wakepath: wakeup took \d/m, 'without the event polling finds it') or diag($h->{err});
	kill 'TERM', $1 if $h->{err} =~ /process (\d+)/;
	is_clean('a latency found by polling');
	for my $kind (grep { $ends{$_} } sort keys %ends) {
		$pid = begin('-o', "$dir/kind.dat", '--force', '--with', 'ftrace', '--for-question', 'cpu', '--no-open', '--until', "$kind > 300s");
		($limit, $seen) = (time + 60, '');
		while (time < $limit && !$seen && waitpid($pid, WNOHANG) == 0) {
			sleep 0.05;
			my @have = map { my $f = $_; grep { /^hist:/ } split /\n/, (eval { slurp($f) } // '') } map { glob "$_/events/{sched,irq,raw_syscalls}/*/trigger" } grep { /-watch$/ } of_us($pid);
			$seen = @have == $ends{$kind} ? 'all' : '';
		}
		is($seen, 'all', "$kind: the kernel takes its histograms");
		kill 'INT', $pid;
		$h = ended($pid);
		is_clean($kind);
	}
	syswrite $events, "!other_$$\n";
	close $events;
}

# ---- a full disk ----

SKIP: {
	my $disk = small_disk('24m');
	skip 'needs the right to mount a tmpfs', 1 if !defined $disk;
	$r = record('-o', "$disk/full.dat", '--', 'sh', '-c', 'while :; do dd if=/dev/zero of=/dev/null bs=1 count=10000 status=none || exit; done');
	kill 'TERM', $1 if $r->{err} =~ /process (\d+)/;
	is($r->{status}, 3, 'a full disk ends it');
	like($r->{err}, qr/the recording ended early and is kept: cannot write .*full.dat: No space left/, '… with a message');
	cmp_ok(scalar(reported("$disk/full.dat")), '>', 1000, '… the data so far can be read');
	is(wakepath('info', "$disk/full.dat")->{status}, 0, '… by wakepath too');
	is_deeply([files_below($disk)], ["$disk/full.dat"], '… and there is no other file');
	my $small = small_disk('1m');
	$r = record('-o', "$small/none.dat", '--for', '1s');
	is($r->{status}, 3, 'no room at all');
	is_deeply([files_below($small)], [], '… leaves nothing');
	is_clean('full disks');
}

# ---- killed ----

srand 14;
for my $n (1 .. 10) {
	my $pid = begin('-o', "$dir/killed.dat", $n % 3 ? () : ('--flight', '1M', '--until', 'wakeup > 9s'));
	sleep(rand(0.8));
	kill 'KILL', $pid;
	waitpid $pid, 0;
	my @left = of_us($pid);
	if (@left && $n < 9) {
		$r = record('-o', "$dir/next.dat", '--force', '--for', '0.05s');
		like($r->{err}, qr/a recording that was killed left the tracefs instance wakepath-$pid-\d+.*--clean/, "killed ($n): the next run reports its instance");
		is_deeply([of_us($pid)], \@left, '… and does not remove it without --clean');
	}
	$r = wakepath('record', '--clean');
	is($r->{status}, 0, "killed ($n): cleaned up") or diag($r->{err});
	is(scalar(of_us($pid)), 0, '… nothing is left');
	ok(!-e "$dir/killed.dat", '… and no file');
	$r = record('-o', "$dir/next.dat", '--force', '--for', '0.05s');
	is("$r->{status} " . ($r->{err} =~ /killed/ ? 'left' : ''), '0 ', '… and the next start works') or diag($r->{err});
}
is_deeply([grep { !/\.(dat|pl|sh|err|out)$|script|screen|ready|user-|wakepath$|\/(err|out|cache)/ } files_below($dir)], [], 'no file is left');

# ---- by hand ----

my $hand = "$dir/hand";
mkdir $hand;
$r = wakepath('record', '--dry-run', '--for', '0.5s', '--with', 'ftrace', '-o', 'by-hand.dat');
is($r->{status}, 0, '--dry-run');
spew("$hand/commands.sh", $r->{out});
SKIP: {
	skip 'unshare is not permitted', 1 if system('unshare -m true 2>/dev/null') != 0;
	is(system("cd $hand && timeout 60 sh commands.sh >log 2>&1"), 0, 'its commands run') or diag(slurp("$hand/log"));
	is_deeply([files_below($hand)], [sort map { "$hand/$_" } qw(by-hand.dat commands.sh log)], '… and leave the file alone');
	cmp_ok(scalar(reported("$hand/by-hand.dat")), '>', 100, '… which has events');
	# Reading the rings must not fill them: a cat that waited for events once took most of a CPU, and wrote pages of a few events each.
	my ($busiest) = sort { $b->{cpu_time} <=> $a->{cpu_time} } grep { $_->{name} =~ /^(?:cat|trace\.dd)$/ } @{json_of(wakepath('threads', "$hand/by-hand.dat", '--format', 'json'))->{threads}};
	cmp_ok($busiest ? $busiest->{cpu_time} : 0, '<', 100_000_000, '… and hardly any of the readers');
	unlike(wakepath('events', "$hand/by-hand.dat", '--name', 'sys_*', '--top', 0)->{out}, qr/trace\.dd/, '… nor of the programs they run');
	$r = wakepath('info', "$hand/by-hand.dat");
	is($r->{status}, 0, '… and wakepath reads it');
	unlike($r->{out} . $r->{err}, qr/warning.*clock/, '… with the recorded clock');
}
is_clean('at the end');

done_testing();

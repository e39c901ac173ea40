#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Text of ftrace, trace-cmd report and perf script: the answers equal those of the recording that it was printed from; counts from its lines; damage;
# standard input.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use POSIX ();
use Pty;
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/text";
mkdir $dir;
my $inputs = ($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") . '/inputs';

# ---- the recording and its text give the same answers ----

sub first_time { my ($file) = @_; return csv_rows('events', $file, '--top', 1)->[0]{time} }

# The answer of the program as CSV: its rows by column.
sub csv_rows {
	my ($what, @args) = @_;
	my ($header, @lines) = split /\n/, wakepath($what, @args, '--format', 'csv')->{out};
	my @names = split /,/, $header // '';
	return [ map { my %row; my @cells; push @cells, $1 // $2 while /\G(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g && @cells < @names; @row{@names} = @cells; \%row } @lines ];
}

# Rows of WHAT of thread TID as text, COLUMNS of each, times by the clock that is SHIFT behind.
sub told {
	my ($what, $file, $tid, $shift, @columns) = @_;
	my @rows = @{csv_rows($what, $file, '--thread', $tid)};
	return map { my $row = $_; join ' ', map { my $cell = $row->{$_} // ''; /^(?:from|to|since|ran_at)$/ && $cell ne '' ? $cell - $shift : $cell } @columns } @rows;
}

sub same_story {
	my ($what, $recording, $text, %columns) = @_;
	my $shift = first_time($recording) - first_time($text);
	my %known = map { $_->{tid} => 1 } @{csv_rows('threads', $text)};
	my @tids = grep { $_ > 0 && $known{$_} } map { $_->{tid} } @{csv_rows('threads', $recording)};
	my ($n, @wrong) = (0);
	for my $tid (@tids) {
		for my $kind (sort keys %columns) {
			my @is = told($kind, $recording, $tid, $shift, @{$columns{$kind}});
			my @got = told($kind, $text, $tid, 0, @{$columns{$kind}});
			$n += @is;
			push @wrong, "$kind of $tid: " . @got . ' rows, are ' . @is if @got != @is;
			push @wrong, map { "$kind of $tid: $got[$_], is $is[$_]" } grep { $got[$_] ne $is[$_] } 0 .. ($#is < $#got ? $#is : $#got);
		}
	}
	is(join("\n", splice @wrong, 0, 10), '', "$what: states and wake-ups of each thread");
	cmp_ok($n, '>', 50, "… $n of them");
}

# Events in the order of the lines, and their number: by lines, "CPU name", against the answer.
sub lines_of_text {
	my ($text) = @_;
	open my $in, '<', $text or die;
	return map { s/: tracing_mark_write:/: print:/; /^.{0,60}?\[(\d+)\]\s+(?:\S*[a-zA-Z.]\S*\s+)?\d+\.\d+:\s+(?:\d+ )?(\S+?):(?: |$)/ ? ($1 + 0) . ' ' . ($2 =~ s/.*://r) : () } <$in>;
}
sub same_order {
	my ($what, $text) = @_;
	my @is = lines_of_text($text);
	my @events = @{csv_rows('events', $text, '--top', 0)};
	my @got = map { "$_->{cpu} " . $_->{name} =~ s/.*://r } @events;
	my @wrong = grep { ($got[$_] // 'nothing') ne ($is[$_] // 'nothing') } 0 .. ($#is > $#got ? $#is : $#got);
	is(@wrong ? "line $wrong[0]: $got[$wrong[0]], is $is[$wrong[0]]" : '', '', "$what: " . @is . ' events in the order of the lines');
	# An event has the same number if only its CPU is listed.
	for my $cpu (0, 1) {
		my %rank = map { $_->{rank} => "$_->{time} $_->{name}" } @events;
		my @of_cpu = @{csv_rows('events', $text, '--cpu', $cpu, '--top', 200)};
		is(scalar(grep { ($rank{$_->{rank}} // '') ne "$_->{time} $_->{name}" } @of_cpu), 0, "… and by these numbers on CPU $cpu");
	}
}

# The time on a CPU of each thread that was neither running before the CPU's first switch nor after its last one, by the lines alone.
sub on_cpu {
	my ($text) = @_;
	my (%since, %sum, %open);
	open my $in, '<', $text or die;
	while (<$in>) {
		my ($cpu, $s, $us, $prev, $next) = /\[(\d+)\].*?(\d+)\.(\d+): +(?:sched:)?sched_switch: .*?prev_pid=(\d+) .*next_pid=(\d+) / or next;
		my $now = $s * 1_000_000_000 + $us * 10 ** (9 - length $us);
		exists $since{$cpu} ? ($sum{$prev} += $now - $since{$cpu}[1]) : $open{$prev}++;
		$since{$cpu} = [ $next, $now ];
	}
	delete @sum{0, keys %open, map { $_->[0] } values %since};
	return \%sum;
}
sub same_sums {
	my ($what, $text) = @_;
	my $is = on_cpu($text);
	my %got = map { $_->{tid} => $_->{cpu_time} } @{json_of(wakepath('threads', $text, '--format', 'json'))->{threads}};
	my @wrong = grep { $got{$_} != $is->{$_} } sort keys %$is;
	is(join("\n", map { "$_: $got{$_}, is $is->{$_}" } @wrong), '', "$what: time on CPUs of " . keys(%$is) . ' threads');
}

my %strict = (states => [qw(from to state detail cpu interrupted_by)], wakeups => [qw(since cpu target_cpu kind grade tid name context ran_at latency doubts)]);
# (perf has a record of its own for a fork, which is earlier.)
my %loose = (states => [qw(to state detail cpu)], wakeups => [qw(target_cpu ran_at latency)]);

sub of_trace_cmd {
	my ($run) = @_;
	my $file = $run =~ /typed/ ? "$inputs/typed/$run.dat" : "$inputs/$run/trace.dat";
	my %text = map { $_->[0] => "$dir/$run-$_->[0].txt" } [ 'full' ], [ 'short' ], [ 'us' ];
	system("trace-cmd report -t -l -N '$file' >'$text{full}' 2>/dev/null && trace-cmd report -t '$file' >'$text{short}' 2>/dev/null && trace-cmd report -N '$file' >'$text{us}' 2>/dev/null") == 0 or die;
	same_story("$run, report -t -l -N", $file, $text{full}, %strict);
	same_story("$run, report -t", $file, $text{short}, %loose);
	same_order("$run, report -N", $text{us});
	same_sums("$run, report -N", $text{us}) if $run !~ /lost/;	# (the number lost is unknown)
	unlink values %text;
}
sub of_perf {
	my ($run) = @_;
	my $text = "$dir/$run-perf.txt";
	system("zstdcat '$inputs/$run/perf-script.txt.zst' >'$text'") == 0 or die;
	same_story("$run, perf script", "$inputs/$run/perf.data", $text, %loose);
	same_order("$run, perf script", $text);
	unlink $text;
}
SKIP: {
	skip 'the recordings are not there', 1 if !-d "$inputs/typed";
	local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};	# long answers
	for my $run (qw(pipeline lockfight ioburst-ipi rt-ioburst typed-lost)) {
		of_trace_cmd($run);
	}
	of_perf($_) for qw(lockfight preempt);
}

my $machines = ($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") . '/../recordings/machines';
SKIP: {
	skip 'no recordings of machines', 1 if !-d "$machines/x64-text";
	same_order('tracefs of Linux 7.2', "$machines/x64-text/tracefs-trace.txt");
	same_sums('tracefs of Linux 7.2', "$machines/x64-text/tracefs-trace.txt");
	same_order('perf sched script of Linux 7.2', "$machines/x64-perf-sched/perf-script.txt");
	# Each mark of a thread comes while it runs, and its time on a CPU between the marks of its work is that of truth.log.
	my (%mark, @wrong);
	for (@{csv_rows('events', "$machines/x64-text/tracefs-trace.txt", '--name', '*print', '--top', 0)}) {
		my ($what) = $_->{fields} =~ /buf = ""?(.*?)""? / or next;
		push @wrong, "$what at $_->{time}: of $_->{tid}" if $_->{fields} !~ /common_pid = $_->{tid} /;
		$mark{$what} = $_->{time};
	}
	is(join("\n", @wrong), '', 'marks belong to the thread that runs');
	my %truth = map { /^(\d+) tid=\d+ (.*)/ ? ($2 => $1) : () } split /\n/, slurp("$machines/x64-text/truth.log");
	my @pairs = map { "rt begin $_" } grep { $mark{"rt begin $_"} && $mark{"rt end $_"} } 0 .. 5;
	cmp_ok(scalar @pairs, '>', 3, '… there are pairs');
	is(join(' ', grep { my $end = s/begin/end/r; abs(($mark{$end} - $mark{$_}) - ($truth{$end} - $truth{$_})) > 300_000 } @pairs), '', '… as far apart as the program printed');
}

# ---- lines made by hand ----

sub text { my ($name, $text) = @_; spew("$dir/$name", $text); return "$dir/$name" }
sub switch { my ($cpu, $time, $prev, $state, $next, $flags) = @_; return sprintf "%16s-%-5d [%03d] %s %12s: sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120\n", $prev->[0], $prev->[1], $cpu, $flags // 'd..2.', $time, $prev->[0], $prev->[1], $state, @$next }
my ($idle, $a, $b) = ([ 'swapper/0', 0 ], [ 'A', 100 ], [ 'B', 200 ]);
my $wake = "          <idle>-0       [000] d.h2.  1000.005000: sched_waking: comm=A pid=100 prio=120 target_cpu=000\n";
my $phone = "# tracer: nop\n#\n" . switch(0, '1000.001000', $idle, 'R', $a) . switch(0, '1000.003000', $a, 'S', $idle) . $wake . switch(0, '1000.005020', $idle, 'R', $a);

# The sums of a thread's states in µs, as "state µs".
sub sums { my ($file, $tid) = @_; my %sum; $sum{$_->{state}} += 0 for @{csv_rows('states', $file, '--thread', $tid)}; my ($t) = grep { $_->{tid} == $tid } @{json_of(wakepath('threads', $file, '--format', 'json'))->{threads}}; return join ' ', map { "$_ " . $t->{states}{$_} / 1000 } grep { $t->{states}{$_} } sort keys %{$t->{states}} }

my $plain = text('trace.txt', $phone);
is(sums($plain, 100), 'blocked 2000 running 2000 wait-cpu 20', 'a trace of tracefs');
is(sums(text('atrace', "TRACE:\n$phone"), 100), 'blocked 2000 running 2000 wait-cpu 20', '… of atrace, whatever its name');
my $page = "<!DOCTYPE html>\n<html><head><title>Android System Trace</title><script>\nvar x = 'a-1 [000] .... 1.0: x: y';\n" . ('x' x 300_000) . "\n</script>\n<script class=\"trace-data\" type=\"application/text\">\n$phone</script>\nB-1 [001] .... 2000.0: y: z\n</html>\n";
my $html = text('systrace.html', $page);
is(sums($html, 100), 'blocked 2000 running 2000 wait-cpu 20', '… and of systrace, within its page');
is(json_of(wakepath('info', $html, '--format', 'json'))->{traces}[0]{events}, 4, '… and ignores the rest of the page');
is("@{json_of(wakepath('info', $html, '--format', 'json'))->{traces}[0]{warnings}}", "@{json_of(wakepath('info', $plain, '--format', 'json'))->{traces}[0]{warnings}}", '… and there is no warning');
my $info = json_of(wakepath('info', $plain, '--format', 'json'))->{traces}[0];
is("$info->{tracer} $info->{reader} $info->{cpus}", 'ftrace text 1', 'its format');
like("@{$info->{warnings}}", qr/^times have only \S+s: .*in the order of the text; trace-cmd record keeps ns$/, '… and that its times are in µs');

# Events of one µs: B was woken and switched in on CPU 1 while A goes on on CPU 0; the lines' order decides, not the CPU's number.
my $tie = text('tie', "# tracer: nop\n" . switch(1, '1.000001', [ 'x', 7 ], 'S', [ 'swapper/1', 0 ]) . switch(0, '1.000002', $a, 'S', $idle) . switch(1, '1.000005', [ 'swapper/1', 0 ], 'R', $b)
	. "               B-200   [001] d..2.     1.000005: sched_waking: comm=A pid=100 prio=120 target_cpu=000\n" . switch(0, '1.000005', $idle, 'R', $a) . switch(1, '1.000005', $b, 'S', [ 'x', 7 ]));
same_order('events of one µs', $tie);
my ($woken) = @{csv_rows('wakeups', $tie, '--thread', 100)};
is("$woken->{tid} $woken->{latency} $woken->{grade}", '200 0 proved', '… so the waker is known');

# Lost events of one CPU: its states are unknown there, those of others are not.
my $lost = text('lost', "# tracer: nop\n" . switch(0, '1.0', $idle, 'R', $a) . switch(1, '1.1', [ 'swapper/1', 0 ], 'R', $b) . switch(0, '1.2', $a, 'S', $idle) . switch(0, '1.3', $idle, 'R', $a)
	. switch(1, '1.4', $b, 'S', [ 'swapper/1', 0 ]) . "CPU:0 [LOST 12 EVENTS]\n" . switch(0, '1.6', [ 'x', 9 ], 'S', $a) . switch(0, '1.7', $a, 'S', $idle));
is_deeply([ map { "$_->{cpu} $_->{from} $_->{to} $_->{count}" } @{json_of(wakepath('info', $lost, '--format', 'json'))->{traces}[0]{gaps}} ], [ '0 1300000000 1600000000 12' ], 'lost events are a gap');
is(sums($lost, 100), 'blocked 100000 running 300000 unknown 300000', '… in which the running thread is unknown');
is(sums($lost, 200), 'running 300000 unknown 400000', '… and so are threads that left a CPU meanwhile, and may have run there');
my $started = text('started', "# tracer: nop\n" . switch(0, '1.0', $idle, 'R', $a) . switch(0, '1.2', $a, 'S', $idle) . "##### CPU 1 buffer started ####\n" . switch(1, '1.5', $b, 'S', [ 'swapper/1', 0 ]));
is_deeply([ map { "$_->{cpu} $_->{to} " . ($_->{count} // 0) } @{json_of(wakepath('info', $started, '--format', 'json'))->{traces}[0]{gaps}} ], [ '1 1500000000 0' ], 'overwritten events before a CPU begins are a gap, too');

# Times of a CPU that step back, and lines that are not in the order of time.
my $back = wakepath('info', text('back', "# tracer: nop\n" . switch(0, '1.0', $idle, 'R', $a) . switch(0, '0.5', $a, 'S', $idle) . switch(0, '1.5', $idle, 'R', $a)));
is($back->{status}, 0, 'times of a CPU that step back');
like($back->{out}, qr/warning .*step.*back/, '… give a warning');
same_order('a CPU whose time steps back, and another', text('back2', "# tracer: nop\n" . switch(0, '1.000005', $idle, 'R', $a) . switch(1, '1.000005', $b, 'S', [ 'swapper/1', 0 ]) . switch(0, '1.000003', $a, 'S', $idle)));
my $each = text('each', "# tracer: nop\n" . switch(0, '1.0', $idle, 'R', $a) . switch(0, '1.4', $a, 'S', $idle) . switch(1, '1.1', [ 'swapper/1', 0 ], 'R', $b) . switch(1, '1.2', $b, 'S', [ 'swapper/1', 0 ]));
is_deeply([ map { $_->{time} } @{csv_rows('events', $each, '--top', 0)} ], [ 1000000000, 1100000000, 1200000000, 1400000000 ], 'one CPU after the other: merged by time');
like(wakepath('info', $each)->{out}, qr/warning .*not in the order of time/, '… with a warning');

# Contexts by the flags, as in trace.dat: without them an interrupt may have acted.
my @told = map { my $flags = $_; my $file = text("flags-$flags", "# tracer: nop\n" . switch(0, '1.0', [ 'x', 7 ], 'R', $b, $flags eq 'none' ? '' : 'd..2.') . switch(1, '1.1', $a, 'S', [ 'swapper/1', 0 ], $flags eq 'none' ? '' : 'd..2.')
	. sprintf("               B-200   [000] %s  1.200000: sched_waking: comm=A pid=100 prio=120 target_cpu=001\n", $flags eq 'none' ? '' : $flags) . switch(1, '1.3', [ 'swapper/1', 0 ], 'R', $a, $flags eq 'none' ? '' : 'd..2.'));
	my ($w) = @{csv_rows('wakeups', $file, '--thread', 100)}; "$w->{kind} $w->{grade}" } 'd..2.', 'd.h2.', 'none';
is($told[0], 'thread proved', 'a wake-up by a thread');
unlike($told[1], qr/thread/, '… and one in an interrupt');
is($told[2], 'thread inferred', '… and one without flags');

# Without a release: the events that show whether the kernel is PREEMPT_RT, where a softirq is a thread's and may hand over a lock.
sub of_ksoftirqd { my ($time, $flags, $event) = @_; return "     ksoftirqd/0-16    [000] $flags $time: $event\n" }
my $unlocks = switch(0, '1.0', [ 'x', 7 ], 'S', [ 'ksoftirqd/0', 16 ]) . switch(1, '1.1', $a, 'D', [ 'swapper/1', 0 ]) . of_ksoftirqd('1.20', '..s1.', 'softirq_entry: vec=4 [action=BLOCK]')
	. of_ksoftirqd('1.21', 'd.s2.', 'sched_waking: comm=A pid=100 prio=120 target_cpu=001') . of_ksoftirqd('1.22', '..s1.', 'softirq_exit: vec=4 [action=BLOCK]');
my %kernel = (
	'nothing' => [ $unlocks, 1 ],
	'an hrtimer in the softirq' => [ $unlocks =~ s/^(?=.*1\.21:)/of_ksoftirqd('1.20', '..s1.', 'hrtimer_expire_entry: hrtimer=0xff now=5 function=f')/mer, 1 ],
	'a softirq of the idle thread' => [ "$unlocks          <idle>-0       [000] ..s1.     1.300000: softirq_entry: vec=9 [action=RCU]\n", 0 ],
	'a wake-up in one' => [ "$unlocks          <idle>-0       [000] d.s2.     1.300000: sched_waking: comm=B pid=200 prio=120 target_cpu=001\n", 0 ],
	'a wake-up by the idle thread in an interrupt' => [ "$unlocks$wake", 1 ],
	'a softirq of another thread' => [ $unlocks . switch(1, '1.25', [ 'swapper/1', 0 ], 'R', $b) . "               B-200     [001] ..s1.     1.300000: softirq_entry: vec=9 [action=RCU]\n", 1 ],
	'a thread of PREEMPT_RT' => [ "$unlocks      irq_work/0-20      [000] d..2.     1.300000: sched_waking: comm=B pid=200 prio=120 target_cpu=001\n", 1 ],
	'the interrupt on top of the softirq' => [ $unlocks =~ s/ d\.s2\. / d.H2. /r, 0 ],
	'the release' => [ "# hostname : h\n# os release : 6.1.0-50-amd64\n$unlocks", 0 ],
	'the release of PREEMPT_RT' => [ "# hostname : h\n# os release : 6.1.0-50-rt-amd64\n$unlocks", 1 ],
);
for my $what (sort keys %kernel) {
	my ($w) = @{csv_rows('wakeups', text('kernel', $kernel{$what}[0]), '--thread', 100)};
	is("$w->{time} " . ($w->{doubts} =~ /\brt_lock\b/ ? 1 : 0), "1210000000 $kernel{$what}[1]", "$what: whether a lock may have been handed over");
}

# Names: "<...>" has the name of other lines, and processes come from their column.
my $names = text('names', "# tracer: nop\n           <...>-300   (  250) [000] .....     1.000000: x: y\n" . switch(0, '1.0', [ 'x', 7 ], 'S', [ 'late', 300 ]) . "            late-300   (  250) [000] .....     1.100000: x: y\n");
my ($late) = grep { $_->{tid} == 300 } @{json_of(wakepath('threads', $names, '--format', 'json'))->{threads}};
is("$late->{name} $late->{pid}", 'late 250', 'names and processes of threads');
my $unnamed = text('unnamed', "            lock     652 [000]     1.000000: x:y: z\n            :652     652 [000]     1.100000: syscalls:sys_exit_read: 0x0\n");
is(join(' ', map { $_->{name} // '' } grep { $_->{tid} == 652 } @{json_of(wakepath('threads', $unnamed, '--format', 'json'))->{threads}}), 'lock', 'perf\'s placeholder for an unknown name is not a name');

# Functions and stacks have names.
my $stack = text('stack', "# tracer: nop\n" . switch(0, '1.0', $idle, 'R', $a) . switch(0, '1.2', $a, 'S', $idle) . "               A-100   [000] d..2.     1.200001: <stack trace>\n => __schedule\n => do_wait\n" . switch(0, '1.3', $idle, 'R', $a));
like(wakepath('stacks', $stack)->{out}, qr/100(?:\.0)? ms .*__schedule < do_wait/, 'a stack of tracefs, which has no addresses');
# perf writes one event per CPU after the other: before its first switch a CPU had other threads, which each system call shows.
my $early = text('early', join('', map { my ($at, $name, $tid) = @$_; map { sprintf "%8s %5d/%-5d [000] %12.9f: raw_syscalls:%s\n", $name, $tid, $tid, $at + $_->[0], $_->[1] } [0, 'sys_enter: NR 1 (1, 2, 3, 4, 5, 6)'], [.001, 'sys_exit: NR 1 = 5'] } [1, 'aa', 11], [2, 'bb', 22], [3, 'cc', 33], [4, 'aa', 11], [5, 'bb', 22])
	. "      aa    11/11    [000]  6.000000000: sched:sched_switch: prev_comm=aa prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=bb next_pid=22 next_prio=120\n");
for ([11, '1000000000 4000000000'], [22, '2000000000 5000000000'], [33, '3000000000']) {
	my ($tid, $expected) = @$_;
	is(join(' ', map { $_->{from} } grep { $_->{state} eq 'syscall' } @{csv_rows('states', $early, '--thread', $tid)}), $expected, "before the first switch the system calls of thread $tid are its own");
}
my $calls = text('calls', "          <idle>-0     [000]     1.000000: hrtimer_expire_entry: hrtimer=0xff now=5 function=my_timer/0x0\n            perf   5 [000]     1.100000: sched:sched_waking: comm=a pid=7 prio=120 target_cpu=000\n\tffffffff81c07b1e my_waker+0x2ae ([kernel.kallsyms])\n\t    7f1234567890 write+0x4f (/usr/lib/libc.so.6)\n\n");
like(wakepath('events', $calls)->{out}, qr/perf_callchain = \[ \[0\] = 0xFFFFFFFF81C07B1E, \[1\] = 0xFFFFFFFFFFFFFE00, \[2\] = 0x7F1234567890 \]/, 'a stack of perf is a field of its event');

# ---- damage ----

my $all = switch(0, '1.0', $idle, 'R', $a) . switch(0, '1.2', $a, 'S', $idle);
my %damaged = (
	'cut' => [ "# tracer: nop\n$all" . substr(switch(0, '1.3', $idle, 'R', $a), 0, 30), 2, qr/the file is cut off or damaged: only its readable part is shown; copy it again/ ],
	'HTML without end' => [ "<html>\n<script class=\"trace-data\" type=\"application/text\">\n$all", 2, qr/cut off or damaged/ ],
	'garbage' => [ "# tracer: nop\n$all" . "what is this\n\0\xff\xfe\n" . switch(0, '1.3', $idle, 'R', $a), 3, qr/2 lines left out: no event can be read there; the first is line 4/ ],
	'a CPU of 4 billion' => [ "# tracer: nop\n$all" . switch(4000000000, '1.3', $idle, 'R', $a), 2, qr/1 event left out: no machine has so many CPUs/ ],
	'the last CPU' => [ "# tracer: nop\n$all" . switch(65535, '1.3', $idle, 'R', $a), 3, undef ],
	'a line of 1 MB' => [ "# tracer: nop\n$all" . ('y' x 1_000_000) . "\n" . switch(0, '1.3', $idle, 'R', $a), 3, qr/1 line left out/ ],
	'an event of 1 MB' => [ "# tracer: nop\n$all" . "a-1 [000] ..... 1.3: print: x: " . ('y' x 1_000_000) . "\n", 3, undef ],
	'numbers beyond 64 bits' => [ "# tracer: nop\n$all" . switch(0, '1.3', [ 'x', 1 ], 'S', [ 'y', 2 ]) =~ s/_pid=\d+/_pid=99999999999999999999999/gr, 3, qr/2 events name an impossible thread and were left out/ ],
	'NUL and no UTF-8 in names' => [ "# tracer: nop\n$all" . switch(0, '1.3', [ "x\0\xff", 1 ], 'S', [ "\xc3\x28", 2 ]), 3, undef ],
	'a time beyond all' => [ "# tracer: nop\n$all" . switch(0, '99999999999999999999.5', $idle, 'S', $a), 3, undef ],
);
for my $what (sort keys %damaged) {
	my ($bytes, $events, $warning) = @{$damaged{$what}};
	my $file = text('damaged', $bytes);
	my $r = wakepath('info', $file, '--format', 'json');
	is($r->{status}, 0, "$what: read");
	my $told = json_of($r)->{traces}[0];
	is($told->{events}, $events, '… as far as possible');
	like("@{$told->{warnings}}", $warning // qr/^(?!.*(?:left out|damaged))/, $warning ? '… and a warning says so' : '… all of it');
	my $shown = wakepath('events', $file, '--top', 0);
	is("$shown->{status} $shown->{signal}", '0 0', '… and its events again');
}
says(wakepath('info', text('none', "# tracer: nop\n#\n")), 3, qr/no events in this text: record it again/, 'a text without events');
says(wakepath('info', text('no-cpu', "  perf  647   183.890966: sched:sched_switch: a:1 [120] S ==> b:2 [120]\n" x 3)), 3, qr/lack the CPU or the time of events: print it again with perf script -F/, 'events without their CPUs');
mkdir "$dir/folder";
spew("$dir/folder/trace.txt", $phone);
says(wakepath('info', "$dir/folder"), 3, qr/no trace in .*trace\.txt is text of a trace: give the file itself/, 'a folder with a text');
# More CPUs and names than the size has room for.
my $most = wakepath('info', text('cpus', "# tracer: nop\n" . join '', map { "a-1 [$_] ..... 1.0: x: y\n" } 1000 .. 40000));
says($most, 3, qr/it has events of more CPUs than its size has room for: it is damaged or made to do harm/, 'more CPUs than its size has room for');
is(wakepath('info', text('cpus', "# tracer: nop\n" . join '', map { "a-1 [$_] ..... 1.0: x: y\n" } 1000 .. 1500))->{status}, 0, '… and some that have');
says(wakepath('info', text('classes', "# tracer: nop\n" . join '', map { "a-1 [000] ..... 1.0: x$_: y\n" } 1 .. 100_000)), 3, qr/more names of events than its size has room for/, 'more names of events than its size has room for');

# ---- standard input ----

# The program reads FILE as standard input.  Nobody knows whose trace that is, so root gives up its rights, and LeakSanitizer can no longer look.
$ENV{ASAN_OPTIONS} = join ':', grep { defined } $ENV{ASAN_OPTIONS}, 'detect_leaks=0';
sub piped { my ($file, @args) = @_; return Wake::run('sh', '-c', 'f=$1; shift; cat "$f" | "$@"', 'sh', $file, $ENV{WAKEPATH}, @args) }
sub leftovers { return grep { !/wakepath-runs/ } glob "$ENV{TMPDIR}/wakepath-*" }
my $cache = join ' ', sort(files_below($ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache"));
my $in = piped($plain, 'states', '-', '--thread', 'A');
is($in->{out}, wakepath('states', $plain, '--thread', 'A')->{out}, 'standard input gives the answer of the file');
is(join(' ', sort(files_below($ENV{XDG_CACHE_HOME} // "$ENV{HOME}/.cache"))), $cache, '… and no index is left');
is(join(' ', leftovers()), '', '… nor a copy');
like(piped(sample('pipeline') . '/kernel/metadata', 'info', '-')->{err}, qr/wakepath: .*stdin/, 'a text that is no trace is refused');
says(piped('/dev/null', 'info', '-'), 3, qr/standard input is empty/, 'so is an empty one');
POSIX::mkfifo("$dir/pipe", 0600) or die;
says(wakepath('info', "$dir/pipe"), 2, qr/pipe is a pipe, and a trace is read several times: give the file, or - to read standard input\n\z/, 'another pipe is not read at all');
says(piped($plain, 'info', '-', '-'), 2, qr/standard input \(-\) is named 2 times/, 'it can be read only once');
says(piped($plain, 'info', '--index-dir', $dir, '-'), 2, qr/--index-dir: the index of standard input \(-\) is not kept/, 'it cannot have an index');
like(piped($plain, '-')->{out}, qr/The explorer needs a terminal/, 'without a terminal the story is printed');

# With a terminal the keys come from it.
my $p = pty_start(100, 30, { TERM => 'xterm-256color', LC_ALL => 'C.UTF-8' }, {}, 'sh', '-c', 'cat "$1" | "$2" -', 'sh', $plain, $ENV{WAKEPATH});
like(pty_read($p, qr{swapper|stdin}, 30), qr{swapper|stdin}, 'the explorer shows standard input');
pty_type($p, 'Q');
is(pty_ends($p, 30), 0, '… and q, typed at the terminal, ends it');
is(join(' ', leftovers()), '', '… and no file is left');

done_testing;

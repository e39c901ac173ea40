#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A user's rules for latencies: against a walk over babeltrace2's text; errors in a file of rules; the results for a script.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0 max);
use Test::More;

my $file = "$ENV{TMPDIR}/test.rules";
sub measure { my ($rules, $trace, @more) = @_; spew($file, $rules); return wakepath('latency', $trace, '--rules', $file, @more) }
sub ask { return json_of(measure(@_, '--format', 'json')) }

# ---- the witness ----

# The events of TRACE in order: { time, host, event, cpu_id, and the fields that are numbers or texts }.
my %events;
sub events_of {
	my ($trace) = @_;
	return $events{$trace} if $events{$trace};
	my @all;
	open my $f, '-|', "babeltrace2 --clock-seconds '$trace' 2>/dev/null" or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($s, $ns, $host, $name, $rest) = $line =~ /^\[(\d+)\.(\d{9})\] \(\S+\) (\S+) ([\w:]+): (.*)/ or next;
		my %e = (time => "$s$ns", host => $host, event => $name);
		$e{$1} = $2 // $3 while $rest =~ /\b(\w+) = (?:\(\s*(?:"[^"]*"|<unknown>) : container = (-?\w+)\s*\)|("[^"]*"|-?\w+))/g;
		s/^"(.*)"$/$1/s for values %e;
		push @all, \%e;
	}
	close $f;
	return $events{$trace} = \@all;
}

# The cases from an event for which ENTRY returns a key to one for which EXIT returns the same key; OPEN as in a rule.  Lost events end all: LOST,
# [from, to] of gaps.
sub witness {
	my ($trace, $entry, $exit, $open, $timeout, $lost) = @_;
	my (%open, @cases);
	my %n = map { $_ => 0 } qw(unfinished dropped repeated timed_out unmatched);
	my $gone = sub { my ($since, $until) = @_; return grep { $since <= $_->[1] && $until > $_->[0] } @{ $lost // [] } };
	my $late = sub { my ($since, $now) = @_; return $timeout && $now - $since > $timeout };
	my $count = sub { my ($what, $since, $now) = @_; $n{ $gone->($since, $now) ? 'dropped' : $what }++ };
	my $now;
	for my $e (@{ events_of($trace) }) {
		$now = $e->{time};
		for my $key (keys %open) {
			last if !$timeout;
			my $all = $open{$key};
			$count->('timed_out', shift @$all, $now) while @$all && $late->($all->[0], $now);
		}
		if (defined(my $key = $exit->($e))) {
			my $all = $open{$key} // [];
			$n{unmatched}++ if !@$all;
			my @ended = $open eq 'all' ? splice @$all : $open eq 'stack' ? (@$all ? pop @$all : ()) : splice @$all, 0, @$all ? 1 : 0;
			for my $since (@ended) {
				if ($gone->($since, $now)) { $n{dropped}++ } else { push @cases, $now - $since }
			}
		}
		defined(my $key = $entry->($e)) or next;
		my $all = $open{$key} //= [];
		if ($open eq 'oldest' && @$all) { $count->('repeated', $now, $now); next }
		$count->('repeated', shift @$all, $now) if $open eq 'newest' && @$all;
		push @$all, $now;
	}
	for my $since (map { @$_ } values %open) { $count->($late->($since, $now) ? 'timed_out' : 'unfinished', $since, 1e19) }
	return { %n, count => scalar @cases, sum => sum0(@cases), max => max(@cases) };
}

sub same {
	my ($got, $want, $what) = @_;
	is_deeply({ map { $_ => $got->{$_} } keys %$want }, $want, $what);
}

sub on { my ($name, @fields) = @_; return sub { my ($e) = @_; return $e->{event} eq $name ? join(':', map { $e->{$_} } @fields) : undef } }

my @rules = (
	['irq', "entry = irq_handler_entry\nexit = irq_handler_exit\nkey = irq, \$cpu\n", on('irq_handler_entry', 'irq', 'cpu_id'), on('irq_handler_exit', 'irq', 'cpu_id'), 'newest'],
	['disk', "entry=block_rq_issue\nexit=block_rq_complete\nkey=dev,sector\n", on('block_rq_issue', 'dev', 'sector'), on('block_rq_complete', 'dev', 'sector'), 'newest'],
	['wake up', "entry = sched_wakeup\nexit = sched_switch\nkey = tid = next_tid\nthread = tid\n", on('sched_wakeup', 'tid'), on('sched_switch', 'next_tid'), 'newest'],
);
my $all = join "\n", map { "[$_->[0]]\n$_->[1]" } @rules;
for my $name (qw(ioburst-ipi pipeline preempt lockfight)) {
	my $trace = sample($name);
	my $got = ask("# three of them\n$all", $trace);
	is_deeply([map { $_->{kind} } @{ $got->{rules} }], [map { $_->[0] } @rules], "$name: all rules of the file, in its order");
	same($got->{rules}[$_], witness($trace, @{ $rules[$_] }[2 .. 4]), "$name: $rules[$_][0]") for 0 .. $#rules;
	same(ask($all, $trace, '--kind', 'disk'), witness($trace, @{ $rules[1] }[2 .. 4]), "$name: one of them");
}

# ---- several open at once: sectors of a disk without a sector in the key; the period of a timer ----

my $disk = sample('ioburst-ipi');
for my $open (qw(newest oldest all queue stack)) {
	same(ask("[x]\nentry = block_rq_issue\nexit = block_rq_complete\nkey = dev\nopen = $open\n", $disk, '--kind', 'x'),
		witness($disk, on('block_rq_issue', 'dev'), on('block_rq_complete', 'dev'), $open), "open = $open");
}
my $sound = sample('pipeline');
same(ask("[period]\nentry = sched_switch\nexit = sched_switch\nkey = \$cpu\n", $sound, '--kind', 'period'), witness($sound, (on('sched_switch', 'cpu_id')) x 2, 'newest'),
	'one event ends an interval and begins the next');
same(ask("[t]\nentry = sched_wakeup\nexit = sched_switch\nkey = tid = next_tid\ntimeout = 20us\n", $disk, '--kind', 't'),
	witness($disk, on('sched_wakeup', 'tid'), on('sched_switch', 'next_tid'), 'newest', 20000), 'intervals longer than the time-out are counted apart');
cmp_ok(ask("[t]\nentry = sched_wakeup\nexit = sched_switch\nkey = tid = next_tid\ntimeout = 20us\n", $disk, '--kind', 't')->{timed_out}, '>', 10, '… there are some');

# ---- conditions ----

for (['nr_sector>8', sub { $_[0]{nr_sector} > 8 }], ['nr_sector <= 8, rwbs != 1', sub { $_[0]{nr_sector} <= 8 && $_[0]{rwbs} != 1 }], ['comm=wk-*', sub { $_[0]{comm} =~ /^wk-/ }],
	['comm!=wk-*', sub { $_[0]{comm} !~ /^wk-/ }], ['dev=0xFE00000', sub { $_[0]{dev} == 0xFE00000 }], ['$cpu=1', sub { $_[0]{cpu_id} == 1 }]) {
	my ($text, $meets) = @$_;
	my $plain = on('block_rq_issue', 'dev', 'sector');
	same(ask("[x]\nentry = block_rq_issue[$text]\nexit = block_rq_complete\nkey = dev, sector\n", $disk, '--kind', 'x'),
		witness($disk, sub { return $_[0]{event} eq 'block_rq_issue' && $meets->($_[0]) ? $plain->($_[0]) : undef }, on('block_rq_complete', 'dev', 'sector'), 'newest'), "[$text]");
}
my ($timer) = map { $_->{hrtimer} } grep { $_->{event} eq 'timer_hrtimer_start' } @{ events_of($disk) };
for (['', on('timer_hrtimer_start', 'hrtimer')], [$timer, sub { my ($e) = @_; return $e->{event} eq 'timer_hrtimer_start' && $e->{hrtimer} eq $timer ? $timer : undef }],
	[sprintf('0x%X', do { no warnings 'portable'; hex($timer) + 1 }), sub { return undef }]) {
	my ($value, $entry) = @$_;
	my $condition = $value ? "[hrtimer=$value]" : '';
	same(ask("[x]\nentry = timer_hrtimer_start$condition\nexit = timer_hrtimer_expire_entry\nkey = hrtimer\n", $disk, '--kind', 'x'),
		witness($disk, $entry, on('timer_hrtimer_expire_entry', 'hrtimer'), 'newest'), "numbers of 64 bits are compared exactly: $value");
}
same(ask("[x]\nentry = irq_softirq_r*\nexit = IRQ_SOFTIRQ_ENTRY\nkey = vec, \$cpu\nopen = oldest\n", $disk, '--kind', 'x'),
	witness($disk, on('irq_softirq_raise', 'vec', 'cpu_id'), on('irq_softirq_entry', 'vec', 'cpu_id'), 'oldest'), 'a pattern for the name; upper and lower case');

# ---- threads of cases, groups, windows ----

my $woken = "[w]\nentry = sched_wakeup\nexit = sched_switch\nkey = tid = next_tid\nthread = exit.next_tid\n";
my $worst = ask($woken, $disk, '--kind', 'w', '--top', 5)->{worst};
is_deeply([map { $_->{tid} } @$worst], [map { $_->{key} } @$worst], 'thread = exit.FIELD');
my $by = ask($woken, $disk, '--kind', 'w', '--by', 'key')->{groups};
my %times;
my %since;
for my $e (@{ events_of($disk) }) {
	$since{ $e->{tid} } = $e->{time} if $e->{event} eq 'sched_wakeup';
	push @{ $times{ $e->{next_tid} } }, $e->{time} - delete $since{ $e->{next_tid} } if $e->{event} eq 'sched_switch' && $since{ $e->{next_tid} };
}
is_deeply({ map { $_->{name} => "$_->{count} $_->{sum}" } grep { $_->{count} } @$by }, { map { $_ => @{ $times{$_} } . ' ' . sum0(@{ $times{$_} }) } keys %times }, '--by key');
my ($first) = @{ events_of($disk) };
my ($from, $to) = map { $first->{time} + $_ } 50_000_000, 150_000_000;
my @inside = grep { $_->{start} >= $from && $_->{start} < $to } @{ ask($woken, $disk, '--kind', 'w', '--top', 100000)->{worst} };
is(ask($woken, $disk, '--kind', 'w', '--from', $from, '--to', $to)->{count}, scalar @inside, 'a case belongs to the window in which it begins');
cmp_ok(scalar @inside, '>', 3, '… there are some');

# ---- several hosts ----

my $chain = sample('rpc-chain');
my @own = ('--sync', 'none', '--kind', 'x');
my $rule = "[x]\nentry = sched_wakeup\nexit = sched_switch\n";
my @tids = (on('sched_wakeup', 'tid'), on('sched_switch', 'next_tid'));
my @with_host = (on('sched_wakeup', 'host', 'tid'), on('sched_switch', 'host', 'next_tid'));
same(ask("${rule}key = tid = next_tid\n", $chain, @own), witness($chain, @with_host, 'newest'), 'each host for itself');
same(ask("${rule}key = tid = next_tid\nhosts = any\n", $chain, @own), witness($chain, @tids, 'newest'), 'hosts = any: from one to another');
same(ask("${rule}key = \$host, tid = next_tid\nhosts = any\n", $chain, @own), witness($chain, @with_host, 'newest'), '$host in the key');

# ---- lost events: no interval spans a gap ----

my $lossy = sample('lost-events');
my (@lost, %of_cpu);
my $second = substr $first->{time}, 0, 10;
for (`LC_ALL=C babeltrace2 --clock-seconds '$lossy' 2>&1 >/dev/null`) {
	my ($a, $an, $b, $bn, $cpu) = /between \[(\d+)\.(\d+)\] and \[(\d+)\.(\d+)\].*k_(\d)"/ or next;
	push @lost, ["$a$an", "$b$bn"];
	push @{ $of_cpu{$cpu} }, $lost[-1];
}
cmp_ok(scalar @lost, '>', 2, 'there are gaps');
my $got = ask("[w]\nentry = sched_wakeup\nexit = sched_switch\nkey = tid = next_tid\n", $lossy, '--kind', 'w');
same($got, witness($lossy, on('sched_wakeup', 'tid'), on('sched_switch', 'next_tid'), 'newest', 0, \@lost), 'an interval that spans a gap of any CPU is dropped');
cmp_ok($got->{dropped}, '>', 0, '… there are some');
my ($of_all, %sum) = ask("[v]\nentry = irq_softirq_entry\nexit = irq_softirq_exit\nkey = vec, \$cpu\n", $lossy, '--kind', 'v');
for my $cpu (keys %of_cpu) {
	my ($in, $out) = map { my $name = $_; sub { my ($e) = @_; return $e->{event} eq $name && $e->{cpu_id} == $cpu ? $e->{vec} : undef } } qw(irq_softirq_entry irq_softirq_exit);
	my $w = witness($lossy, $in, $out, 'newest', 0, $of_cpu{$cpu});
	$sum{$_} += $w->{$_} for qw(count sum unfinished dropped repeated unmatched);
}
same($of_all, \%sum, 'with $cpu in the key only gaps of that CPU count');

# ---- a stream that only babeltrace2 reads has the same values ----

my $foreign = "$ENV{TMPDIR}/foreign";
system("mkdir '$foreign' && cp '$disk'/kernel/k_* '$foreign' && { echo '/* CTF 1.8 */'; babeltrace2 -o ctf-metadata '$disk/kernel'; } >'$foreign/metadata'") == 0 or die;
open my $metadata, '>>', "$foreign/metadata" or die;
print $metadata 'event { name = "other"; id = 2000000; stream_id = 0; fields := struct { integer { size = 8; align = 8; } a; }; };';
close $metadata or die;
my $conditions = "$all\n[c]\nentry = block_rq_issue[comm=wk-*]\nexit = block_rq_complete\nkey = dev, sector\n";
my @both = map { my $r = ask($conditions, $_); [map { my %l = %$_; delete @l{qw(worst)}; \%l } @{ $r->{rules} }] } $disk, $foreign;
is_deeply($both[1], $both[0], 'by babeltrace2');

# ---- errors are reported in one line ----

my $good = "entry = sched_wakeup\nexit = sched_switch\n";
for (['', qr/no rules/], ["entry = x\n", qr/does not start with a group/], ["[a]\nentry\n", qr/not a key-value pair/], ["[a]\nentry = sched_wakeup\n", qr/rule "a", exit: missing/],
	["[a]\n$good\nexi = x\n", qr/line 5: rule "a", exi: not known: a rule has entry/], ["[a]\n$good\[a]\n$good", qr/line 4: \[a\] is defined twice/], ["[a]\nentry = e[x\nexit = y\n", qr/"\]" is missing/],
	["[a]\nentry = e[x]\nexit = y\n", qr/"x" is not a condition/], ["[a]\nentry = e[x>y]\nexit = y\n", qr/"y" is not a number/], ["[a]\n${good}key = a=b=c\n", qr/more than two fields/],
	["[a]\n${good}key = a,,b\n", qr/a field has no name/], ["[a]\n${good}key = \$mem\n", qr/"\$mem" is not known/], ["[a]\n${good}open = some\n", qr/use newest, oldest/],
	["[a]\n${good}timeout = 5\n", qr/"5" is not a duration/], ["[a]\n${good}threshold = -1ms\n", qr/is not a duration/], ["[a]\n${good}hosts = two\n", qr/use one/],
	["[a]\n${good}thread = exit.\n", qr/names no thread/], ["[\e[31m]\nentry = \e]0;\a\n", qr/\Awakepath: /], ["\0\1\2", qr/not UTF-8 text/], ["[\xff]\n", qr/not UTF-8 text/], ['#' x 1100000, qr/1.0 MiB/]) {
	my ($text, $message) = @$_;
	my $r = measure($text, $sound);
	says($r, 2, $message, substr($text, 0, 40) =~ s/\n/ /gr);
	no_raw_controls($r->{err}, '… its message');
	is($r->{out}, '', '… no answer');
}
says(wakepath('latency', $sound, '--rules', "$file.not"), 2, qr/test\.rules\.not/, 'no such file');
says(measure($all, $sound, '--kind', 'disc'), 2, qr/no rule is called "disc": the file has "irq", "disk", "wake up"/, 'no such rule');
says(measure($all, $sound, '--format', 'csv'), 2, qr/--kind/, 'CSV is one table');
says(measure($all, $sound, '--against', $disk), 2, qr/--against/, 'rules are not compared');
says(measure("[a]\n$good", $sound, '--kind', 'a', '--by', 'key'), 2, qr/a latencies have no key/, '--by key without a key');

# ---- events and fields that no trace has ----

my $misspelt = "[a]\nentry = sched_wakup\nexit = sched_switch\n";
my $r = measure($misspelt, $sound);
is($r->{status}, 1, 'an unknown event: exit status 1');
like($r->{err}, qr/rule "a": no trace here has an event "sched_wakup": correct its name, or record it; the nearest: sched_wakeup/, '… its message gives the name, and similar ones');
$r = measure("$misspelt\[b]\nentry = sched_wakeup\nexit = sched_switch\nkey = tid = next_tid\n", $sound, '--format', 'json');
is($r->{status}, 0, 'another rule still works');
like($r->{err}, qr/\Awakepath: warning: rule "a": no trace here has an event "sched_wakup"[^\n]*\n\z/, '… with a warning for the first');
is(scalar @{ json_of($r)->{rules} }, 1, '… and is measured');
$r = measure("[a]\nentry = sched_wakeup\nexit = sched_switch\nkey = tid\n", $sound);
is($r->{status}, 1, 'an unknown field: exit status 1');
like($r->{err}, qr/rule "a": no event sched_switch has a field "tid": it has prev_comm, prev_tid/, '… its message gives the name, and the existing ones');

# Unbalanced: keys that are never closed, exits without an entry.
same(ask("[a]\nentry = sched_wakeup\nexit = irq_handler_exit\nkey = tid = irq\n", $disk, '--kind', 'a'),
	witness($disk, on('sched_wakeup', 'tid'), on('irq_handler_exit', 'irq'), 'newest'), 'keys that are never closed');
same(ask("[a]\nentry = sched_wakeup\nexit = irq_handler_exit\nopen = all\nkey = tid = irq\n", $disk, '--kind', 'a'),
	witness($disk, on('sched_wakeup', 'tid'), on('irq_handler_exit', 'irq'), 'all'), '… however many are open');

# ---- hostile texts ----

my $hostile = copy_trace('ioburst-ipi', 'hostile');
patch($_, sub { s/wk-ioburst/\e[31m\xff\xe2\x80\xae/g }) for glob "$hostile/kernel/k_*";
for my $format (qw(text json csv)) {
	$r = measure("[a]\nentry = block_rq_issue[comm!=nobody?]\nexit = block_rq_complete\nkey = dev, sector\n[b]\nentry = sched_waking\nexit = sched_wakeup\nkey = comm\n", $hostile,
		'--kind', 'b', '--by', 'key', '--format', $format);
	is($r->{status}, 0, "hostile texts as $format");
	no_raw_controls($r->{out}, '… the answer');
}

# ---- for scripts ----

my $longest = ask($all, $disk, '--kind', 'disk')->{max};
for ([0, '5s'], [0, $longest . 'ns'], [1, ($longest - 1) . 'ns'], [1, '1us']) {
	my ($status, $limit) = @$_;
	is(measure($all, $disk, '--kind', 'disk', '--fail-over', $limit)->{status}, $status, "--fail-over $limit: $status");
	is(measure($all, $disk, '--kind', 'disk', "--fail-over=$limit")->{status}, $status, "--fail-over=$limit: $status");
}
$r = measure($all, $disk, '--fail-over', '1ms', '--format', 'json');
is($r->{status}, 1, '--fail-over of all rules');
like($r->{err}, qr/disk latency is over 1\.00 ms: the longest takes 5\.49 ms/, '… names the rule');
is(scalar @{ json_of($r)->{rules} }, 3, '… the answer is written');
is(measure("[t]\nentry = block_rq_issue\nexit = block_rq_complete\nkey = dev, sector\ntimeout = 1ms\n", $disk, '--fail-over', '1ms')->{status}, 1, 'timed-out intervals are over the limit, too');
is(measure("[t]\nentry = block_rq_issue\nexit = block_rq_complete\nkey = dev, sector\nthreshold = 4ms\n", $disk, '--kind', 't', '--format', 'csv')->{out} =~ tr/\n//, 3,
	"the rule's threshold: two cases");
is(measure("[t]\nentry = block_rq_issue\nexit = block_rq_complete\nkey = dev, sector\nthreshold = 4s\n", $disk, '--fail-over')->{status}, 1, '… --fail-over alone: none reaches it');
is(wakepath('latency', '--fail-over', '1s', '--kind', 'wakeup', $disk)->{status}, 0, '--fail-over of a built-in kind');
is(wakepath('--fail-over', '1us', 'latency', '--kind', 'wakeup', $disk)->{status}, 1, '… at any place');
says(measure($all, $disk, '--fail-over=soon'), 2, qr/soon/, 'a value that is not a duration is an error');

done_testing;

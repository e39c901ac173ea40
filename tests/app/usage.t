#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Wrong usage and queries without an answer: exit status, one clear line, and no index is built.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $trace = sample('pipeline');

my $r = wakepath('--help');
is($r->{status}, 0, '--help');
like($r->{out}, qr/wakepath $_ /, "--help names $_") for qw(view index info threads states wakeups path requests latency events verify);
is(wakepath('--version')->{out}, "wakepath 0.3.0\n", '--version');
for my $command (qw(view index info threads states wakeups path requests latency events verify)) {
	$r = wakepath($command, '--help');
	is($r->{status}, 0, "$command --help");
	like($r->{out}, qr/TRACE/, "$command --help names its operands");
}

my @usage = (
	[[], qr/no trace is named/],
	[['bogus'], qr/"bogus" is neither a command nor a folder/],
	[['info'], qr/no trace is named/],
	[['info', '--bogus', $trace], qr/--bogus.*info --help/],
	[['info', '--format', 'xml', $trace], qr/"xml".*text, json, csv or markdown/],
	[['info', '--thread', '1', $trace], qr/--thread/],
	[['index', '--jobs', '-1', $trace], qr/--jobs/],
	[['index', '--jobs', 'x', $trace], qr/x/],
	[['states', $trace], qr/--thread T, --cpu N, --irq N/],
	[['states', '--thread', '1', '--cpu', '0', $trace], qr/--thread T, --cpu N, --irq N/],
	[['wakeups', $trace], qr/--thread/],
	[['path', $trace], qr/--thread/],
	[['wakeupps', $trace], qr/"wakeupps" is neither a command nor a folder; the nearest: wakeups; type "wakepath --help"/],
	[['help', 'paht'], qr/"paht" is no command; the nearest: path; type/],
	[['help', 'xyzzy'], qr/"xyzzy" is no command; type/],
	[['latency', '--kind', 'bogus', $trace], qr/no such kind of latency: "bogus"; type --kind and one of: wakeup/],
	[['latency', '--kind', 'wait-cup', $trace], qr/no such kind of latency: "wait-cup"; the nearest: wait-cpu; type/],
	[['requests', '--top', '-1', $trace], qr/--top/],
	[['record', '--dry-run', '--flight', '8'], qr/--flight: 8 bytes are too few for \d+ CPUs?: type at least \d+K/],
	[['record', '--dry-run', '--flight', '8K'], qr/--flight: 8192 bytes are too few/],
	[['latency', '--kind', 'wakeup', '--threshold', '5', $trace], qr/"5" is not a duration.*2\.5ms/],
	[['latency', '--kind', 'wakeup', '--top', '-1', $trace], qr/--top/],
	[['--bogus', 'info', $trace], qr/--bogus.*info --help/],
	[['--thread', '1', 'info', $trace], qr/--thread.*info --help/],
	[['--index-dir', 'info'], qr/no trace is named.*view --help/],
	[['latency', '--thread', '--help'], qr/no trace is named/],
);
for (@usage) {
	my ($args, $pattern) = @$_;
	$r = wakepath(@$args);
	says($r, 2, $pattern, "@$args[0 .. ($#$args > 2 ? 2 : $#$args)]");
	is($r->{out}, '', '… and nothing on standard output');
}
is_deeply([files_below($ENV{XDG_CACHE_HOME})], [], 'no index was built for any of these');

my @later = (
	[2, ['states', '--thread', 'wk-pipe-main', '--from', 'x', $trace], qr/"x" is not a time/],
	[2, ['states', '--thread', 'wk-pipe-main', '--from', '+200ms', '--to', '+100ms', $trace], qr/--from must be before --to/],
	[1, ['states', '--thread', 'wk-pipe-main', '--from', '-1ms', $trace], qr/wk-pipe-main\[434\] does not exist in that window; it exists from \d{4}-/],
	[1, ['latency', '--from', '5', $trace], qr/"5" is outside the recording, which is from \d{4}-\S+ \S+ to \d{4}-\S+ \S+ \(901 ms\): type ns since the Epoch \(\d{19} is its start\), \[YYYY-MM-DD \]HH:MM:SS/],
	[1, ['latency', '--kind', 'wakeup', '--from', '1', '--to', '2', $trace], qr/"1" is outside the recording/],
	[1, ['causes', '--from', '+9000s', $trace], qr/"\+9000s" is outside the recording/],
	[1, ['causes', '--to', '+9000s', $trace], qr/"\+9000s" is outside the recording/],
	[1, ['events', '--at', '5', $trace], qr/"5" is outside the recording/],
	[1, ['why', '--thread', 'wk-pipe-main', '--at', '5', $trace], qr/"5" is outside the recording/],
	[1, ['states', '--thread', 'no-such-thread', $trace], qr/no thread "no-such-thread" in the trace; list them with/],
	[1, ['states', '--thread', 'wk-pipe-mian', $trace], qr/no thread "wk-pipe-mian" in the trace; the nearest: wk-pipe-main; list them with/],
	[1, ['path', '--thread', '999999', $trace], qr/999999/],
	[1, ['states', '--cpu', '77', $trace], qr/77/],
	[1, ['states', '--irq', '7777', $trace], qr/7777/],
	[1, ['wakeups', '--thread', "\033[31mred", $trace], qr/\[31mred/],
);
for (@later) {
	my ($status, $args, $pattern) = @$_;
	$r = wakepath(@$args);
	says($r, $status, $pattern, "@$args[0 .. 2]");
	is($r->{out}, '', '… and nothing on standard output');
	no_raw_controls($r->{err}, '… the message');
}

# The span of info, as ns since the Epoch, is a window, also of half-open intervals.
my $whole = json_of(wakepath('info', '--format', 'json', $trace));
is(wakepath('causes', '--from', $whole->{from}, '--to', $whole->{to} + 1, $trace)->{status}, 0, 'the whole span is inside');
is(wakepath('causes', '--to', $whole->{to} + 2, $trace)->{status}, 1, '… and one more ns is outside');

is(wakepath('latency', $trace)->{out}, wakepath('latency', '--kind', 'wakeup', $trace)->{out}, 'latency is that of wake-ups');
is(wakepath('help', 'path')->{out}, wakepath('path', '--help')->{out}, 'help COMMAND');
is(wakepath('help')->{out}, wakepath('--help')->{out}, 'help');
like(wakepath('path', '--thread', 'wk-pipe-main', $trace)->{out}, qr/\ACritical path .*\n +TIME +SHARE.*\n(?:.*%.*\n)+\n +AT +FOR /, 'path begins with the shares');

# Several matches: an error that lists them all, each in a form that can be typed.
$r = wakepath('threads', '--format', 'json', $trace);
my %count;
$count{$_->{name} // ''}++ for @{ json_of($r)->{threads} };
my ($twice) = sort grep { $count{$_} > 1 && length } keys %count;
SKIP: {
	skip 'no name twice in this trace', 1 if !defined $twice;
	my @tids = map { $_->{tid} } grep { ($_->{name} // '') eq $twice } @{ json_of($r)->{threads} };
	$r = wakepath('states', '--thread', $twice, $trace);
	is($r->{status}, 2, 'a name that several threads have: exit status 2');
	like($r->{err}, qr/\Awakepath: [^\n]*\Q$twice\E[^\n]*type one of these:\n/, '… with a hint');
	is(scalar(() = $r->{err} =~ /\n/g), 1 + @tids, '… a line for each');
	like($r->{err}, qr/^\s*$_\s/m, "… in the form $_") for @tids;
}

$r = wakepath('latency', '--kind', 'wakeup', '--threshold', '1s', '--fail-over', '--format', 'json', $trace);
is($r->{status}, 1, '--fail-over with nothing over the threshold');
is_deeply(json_of($r)->{worst}, [], '… and the answer is still printed');
is(wakepath('latency', '--kind', 'wakeup', '--threshold', '1us', '--fail-over', $trace)->{status}, 0, '--fail-over with something');
is(wakepath('latency', '--kind', 'wakeup', '--threshold', '1s', $trace)->{status}, 0, 'a threshold alone is no failure');

# Options may come before the command; the word after an option with a value is that value, even if it is the name of a command.
my $info = wakepath('info', '--format', 'json', '--index-dir', "$ENV{TMPDIR}/info", $trace);
for (['--index-dir', "$ENV{TMPDIR}/info", 'info', '--format', 'json', $trace], ['--format', 'json', "--index-dir=$ENV{TMPDIR}/info", 'info', $trace],
     ['--index-dir', "$ENV{TMPDIR}/info", '--format', 'json', 'info', $trace]) {
	$r = wakepath(@$_);
	is($r->{status}, 0, "@$_[0 .. 4]");
	is($r->{out}, $info->{out}, '… the same answer');
}
chdir $ENV{TMPDIR} or die;
$r = wakepath('--index-dir', 'info', 'threads', $trace);
is($r->{status}, 0, 'a folder called like a command');
ok(-d 'info', '… holds the index');

# A former name means the thread that has it now: each child of a shell had the shell's name until its exec.
my $inception = sample('inception');
my ($threads) = json_of(wakepath('threads', '--format', 'json', $inception))->{threads};
my %last;
$last{$_->{name}}++ for @$threads;
my @formerly = grep { my $n = $_; $last{$n} && $last{$n} == 1 && 1 < grep { grep { $_ eq $n } @{ $_->{names} } } @$threads } sort keys %last;
ok(@formerly > 0, "inception has such names: @formerly");
is(wakepath('wakeups', '--thread', $_, $inception)->{status}, 0, "… --thread $_ finds one thread") for @formerly;

done_testing();

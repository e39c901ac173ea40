#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# perf.data: the events are those of perf script, losses are found, and runs that LTTng recorded at the same time have the same answers.
use strict;
use warnings;
no warnings 'portable';	# numbers of 64 bits
use lib "$ENV{TOP}/tests/tools";
use Proved;
use Wake;
use Recorded;
use Test::More;

my $inputs = ($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") . '/inputs';
plan skip_all => 'the recordings of perf are not there' if !-d "$inputs/typed";

# The offset of the wall clock from the recording's clock, by HEADER_CLOCK_DATA (29) of the features, which follow the data.
sub ahead {
	my ($file) = @_;
	my $bytes = slurp($file);
	my ($data, $size, $bits) = (unpack 'x40 Q<2 x16 Q<', $bytes);
	my $at = $data + $size;
	for my $feature (0 .. 63) {
		next if !($bits >> $feature & 1);
		my ($clock, $wall, $then) = unpack 'x4 V Q<2', substr $bytes, unpack('Q<', substr $bytes, $at, 8), 24;
		return $wall - $then if $feature == 29;
		$at += 16;
	}
	return 0;
}

# CPU → [time, name, text of its fields, tid]… according to perf script; perf has no TID of a thread that is gone.
sub scripted {
	my ($command) = @_;
	my %cpus;
	open my $in, '-|', $command or die;
	while (<$in>) {
		my ($tid, $cpu, $s, $ns, $name, $fields) = m{/(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+(\S+):\s*(.*)} or next;
		push @{$cpus{$cpu + 0}}, [ "$s$ns", $name, $fields, $tid < 0 ? undef : $tid ];
	}
	return \%cpus;
}

my $compared = 0;
# Numbers that perf's text gives under the names of the fields; those that it prints in another form.
sub values_differ {
	my ($g, $e) = @_;
	my (undef, $name, $text) = @$e;
	my @pairs = $text =~ /\b(\w+)=(0x[0-9a-f]+|-?\d+)(?![\w.:])/g;
	@pairs = (prev_pid => $1, prev_prio => $2, next_pid => $4, next_prio => $5) if $name eq 'sched:sched_switch' && $text =~ /:(\d+) \[(\d+)\] (\S+) ==> .*:(\d+) \[(\d+)\]$/;
	@pairs = (sector => $1, nr_sector => $2) if $name =~ /^block:/ && $text =~ /(\d+) \+ (\d+)/;
	my @wrong;
	while (my ($field, $is) = splice @pairs, 0, 2) {
		my ($got) = $g->{fields} =~ /.*[{,] \Q$field\E = (-?\w+)/ or next;
		$compared++;
		$_ = /^-?0x/i ? hex : $_ + 0 for $got, $is;
		push @wrong, "$field $got, is $is" if $got != $is;
	}
	return @wrong;
}

sub same_events {
	my ($file, $short, $command) = @_;
	my ($is, $got) = (scripted($command), told($file));
	is(join(' ', sort keys %$got), join(' ', sort keys %$is), "$short: the CPUs");
	my @wrong = event_differences($got, $is, ahead($file), \&values_differ);
	is(join("\n", splice @wrong, 0, 10), '', "$short: each event, at its time, of its thread, with its numbers");
	return $got;
}

# ---- event by event ----

my @runs = qw(pipeline lockfight preempt rpc-loopback);
my %recordings = map { $_ => "$inputs/$_" } @runs, 'typed';
sub all_events {
	for my $run (@runs) {
		my $got = same_events("$inputs/$run/perf.data", $run, "zstdcat '$inputs/$run/perf-script.txt.zst'");
		cmp_ok(scalar(grep { $_->{tid} eq '' } map { @$_ } values %$got), '<', 5, '… nearly all threads are known');
	}
	for my $typed (qw(sched g)) { same_events("$inputs/typed/typed-perf-$typed.data", "typed-perf-$typed", "zstdcat '$inputs/typed/typed-perf-$typed.script.txt.zst'") }
	cmp_ok($compared, '>', 100_000, 'numbers were compared');
}
Proved::holds('app/perf_data/events', \%recordings, '', \&all_events);

# ---- known and unknown facts ----

my $info = json_of(wakepath('info', "$inputs/pipeline/perf.data", '--format', 'json'))->{traces}[0];
is("$info->{host} $info->{tracer} $info->{release} $info->{cpus} $info->{discarded}", 'solo perf 6.12.107 6.12.107+deb13-amd64 2 0', 'the recorder');
is("@{$info->{warnings}}", '', '… and no warning');
is(scalar(grep { $_->{command} !~ /^perf record -a -k mono -e / } @{$info->{advice}}), 0, '… advice is for perf');
my $default = wakepath('info', "$inputs/typed/typed-perf-sched.data")->{out};
like($default, qr/perf's own clock.*-k mono/, 'the clock of each CPU its own is warned of');
like($default, qr/times are since boot/, '… and that the wall-clock time is unknown');

# perf's records of threads that existed before: the parent of a kernel thread.
my ($rcu) = grep { ($_->{name} // '') eq 'rcu_preempt' } @{json_of(wakepath('threads', "$inputs/pipeline/perf.data", '--format', 'json'))->{threads}};
is("$rcu->{tid} $rcu->{pid} $rcu->{ppid}", '18 18 2', 'threads from before the recording have names and processes');

# A process that began during the recording: its threads' processes, by FORK of perf, each one life.
my $threads = json_of(wakepath('threads', "$inputs/lockfight/perf.data", '--format', 'json'))->{threads};
my @fighters = grep { $_->{name} =~ /^wk-/ } @$threads;
is(scalar(grep { !$_->{pid} } @fighters), 0, 'threads that began belong to a process');
my %lives;
$lives{$_->{tid}}++ for grep { $_->{tid} > 0 } @$threads;
is(join(' ', grep { $lives{$_} > 1 } keys %lives), '', '… and were born once, though perf and a tracepoint report it');

# ---- LTTng's story: many runs, of files that the sanitizers have read above ----

sub story {
	local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};
	for my $run (@runs) {
		my $file = "$inputs/$run/perf.data";
		my ($n, @wrong) = wakeup_differences($file, ahead($file), "$inputs/$run/lttng/kernel");
		cmp_ok($n, '>', 10, "$run: wake-ups");
		is(join("\n", @wrong), '', '… and they equal those of LTTng');
		($n, @wrong) = window_differences($file, ahead($file), "$inputs/$run/lttng", "$inputs/$run/truth.log");
		cmp_ok($n, '>', 10, '… states and critical paths of marked windows');
		is(join("\n", @wrong), '', '… equal those of LTTng');
	}
}
Proved::holds('app/perf_data/story', \%recordings, '', \&story);

# ---- the calls of -g ----

like(wakepath('stacks', "$inputs/typed/typed-perf-g.data")->{out}, qr/^blocked for .*: [1-9]\d* waits, 0 without a stack$/m, 'each wait has its calls');

# ---- recordings of the installed perf ----

SKIP: {
	my $dir = $ENV{TMPDIR};
	my $ran = grep { system("perf record -a -k mono -e 'sched:*' $_->[1] -- sh -c 'for i in 1 2 3 4 5 6 7 8; do /bin/true; done' >$_->[2] 2>/dev/null") == 0 }
		['a file', "-o $dir/file.data", '/dev/null'], ['compressed', "-z -o $dir/packed.data", '/dev/null'], ['a pipe', '-o -', "$dir/pipe.data"], ['little room', "-m 1 -o $dir/little.data", '/dev/null'];
	skip 'perf does not record here', 1 if $ran < 4;
	for my $kind (qw(file packed pipe little)) {
		my $script = scripted("perf script -i - --ns -F comm,pid,tid,cpu,time,event,trace <$dir/$kind.data 2>/dev/null");
		$script = scripted("perf script -i $dir/$kind.data --ns -F comm,pid,tid,cpu,time,event,trace 2>/dev/null") if $kind ne 'pipe';
		# The thread of an event follows from switches, which this kernel may hide (of other namespaces): then states are unknown
		# only from the first event that shows it.
		$_->[3] = undef for map { @$_ } values %$script;
		my $got = told("$dir/$kind.data");
		my ($ahead) = map { my ($cpu) = sort keys %$script; $got->{$cpu}[0]{time} - $script->{$cpu}[0][0] } 1;
		cmp_ok(scalar(map { @$_ } values %$script), '>', 50, "perf here, $kind: events");
		my @wrong = event_differences($got, $script, $ahead, \&values_differ);
		is(join("\n", splice @wrong, 0, 10), '', '… each as in perf script');
	}
}

# ---- damage: reported, survived, nothing invented ----

srand($ENV{PERF_SEED} // 7);
my ($crashed, $read, $refused) = harm(60, map { "$inputs/typed/typed-perf-$_.data" } qw(sched g));
is($crashed, 0, 'damaged files are read as far as they go, or refused');
cmp_ok($read, '>', 10, '… some are read');
cmp_ok($refused, '>', 5, '… and some refused');
done_testing;

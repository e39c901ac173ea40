#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Spans of programs: the phases that a program marks in the trace, in the forms of docs/cli.md, and those that a file declares.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my $dir = "$ENV{TMPDIR}/spans.$$";
my $found_zero;
mkdir $dir;

sub spans { return json_of(wakepath('spans', @_, '--format', 'json'))->{spans} }
# "name/key depth source from+duration", times in ms since FROM (ns).
sub told { my ($s, $from) = @_; return sprintf '%s/%s %d %s %d+%d', $s->{name}, $s->{key} // '', $s->{depth}, $s->{source}, ($s->{from} - $from) / 1e6, $s->{duration} / 1e6 }

# ---- every shape of a text, in a trace of ftrace as text ----

my $ms = 0;
our @lines = ('# tracer: nop', '#');
sub event {
	my ($task, $cpu, $text) = @_;
	push @lines, sprintf '%16s-%-7d [%03d] ..... %10.6f: %s', @$task, $cpu, 100 + $ms++ / 1000, $text;
}
my ($idle, $one, $two) = (['<idle>', 0], ['app', 50], ['worker', 51]);
event($idle, 0, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120');
event($one, 0, "tracing_mark_write: $_") for 'B|50|outer', 'B|50|inner 1', 'S|50|io|7', 'E|50', 'C|50|queue|3', 'B|50|inner 2', 'E', 'E|50', 'G|50|net|get|9', 'S|50|io|11';
event($idle, 1, 'sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=51 next_prio=120');
event($two, 1, "tracing_mark_write: $_") for 'load begin id=5', 'B|51|other', 'load end id=5', 'E|51', 'E|51', 'begin never', 'F|50|io|7';
event($one, 0, "tracing_mark_write: $_") for 'F|50|io|7', 'H|50|net|9';
event($one, 0, 'sched_switch: prev_comm=app prev_pid=50 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120');
event($two, 1, 'sched_switch: prev_comm=worker prev_pid=51 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120');
spew("$dir/marks.txt", join "\n", @lines, '');
my @found = @{ spans("$dir/marks.txt") };
is_deeply([map { told($_, 100e9) } @found], [
	'outer/ 0 marker 1+7',
	'inner/1 1 marker 2+2',
	'io/7 2 marker 3+15',
	'inner/2 2 marker 6+1',
	'net get/9 1 marker 9+11' =~ s/net //r,
	'load/id=5 0 marker 12+2',
	'other/ 1 marker 13+2',
], 'ATRACE and words: an end ends the newest span of its thread; one with a name and a key ends the span with these') or diag(join "\n", map { told($_, 100e9) } @found);
is($found[2]{subject}{tid}, 50, 'an asynchronous span belongs to the thread that began it');
my $latency = json_of(wakepath('latency', "$dir/marks.txt", '--kind', 'span', '--by', 'key', '--unfinished', '--format', 'json'));
is($latency->{count} // $latency->{all}{count}, 7, 'all of them are a kind of latency');
is(scalar @{ spans("$dir/marks.txt", '--name', 'inner') }, 2, '--name');
is_deeply([map { $_->{depth} } @{ spans("$dir/marks.txt", '--name', 'inner') }], [1, 2], '… the depth is that among all spans');
is(scalar @{ spans("$dir/marks.txt", '--thread', 'worker') }, 2, '--thread');
is(scalar @{ spans("$dir/marks.txt", '--from', '+5ms', '--to', '+10ms') }, 2, '--from, --to: those that begin there');

for ([ 'io', 7, 3, 18 ], [ 'inner', 2, 6, 7 ]) {
	my ($name, $key, @ms) = @$_;
	my $why = json_of(wakepath('why', "$dir/marks.txt", '--thread', 'app', '--from', "span:$name=$key", '--to', "span:$name=$key", '--format', 'json'));
	is("$why->{from} $why->{to}", join(' ', map { 100_000_000_000 + $_ * 1_000_000 } @ms), "the time of $name $key as a window");
}
like(wakepath('why', "$dir/marks.txt", '--thread', 'app', '--from', 'span:io=99', '--to', 'span:io=7')->{err}, qr/no span "io" has the key "99"/, 'an unknown key is an error');

# ---- texts in words that overlap: ids pair begins and ends ----

{
	local @lines = ('# tracer: nop', '#');
	$ms = 0;
	event($idle, 0, 'sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=50 next_prio=120');
	event($one, 0, "tracing_mark_write: $_") for 'begin req 17', 'begin req 18', 'end req 17', 'end req 18 slow';	# 1 to 4
	event($one, 0, "tracing_mark_write: $_") for 'begin plain', 'end plain 3 files', 'compute begin rank 1', 'compute end', 'load begin size 100', 'load end took 5';	# 5 to 10
	event($one, 0, "tracing_mark_write: $_") for 'begin x 1', 'end x 2', 'request_begin id=7', 'request_end id=7';	# 11 to 14
	event($one, 0, 'tracing_mark_write: begin k 1');	# 15
	event($idle, 1, 'sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=51 next_prio=120');
	event($two, 1, 'tracing_mark_write: begin k 1');	# 17
	event($one, 0, 'tracing_mark_write: end k 1');
	event($two, 1, "tracing_mark_write: $_") for 'end k 1', 'begin job 5';	# 19, 20
	event($one, 0, 'tracing_mark_write: end job 5');
	spew("$dir/words.txt", join "\n", @lines, '');
	my @words = map { told($_, 100e9) . " $_->{subject}{tid}" } @{ spans("$dir/words.txt") };
	is_deeply(\@words, [ 'req/17 0 marker 1+2 50', 'req/18 1 marker 2+2 50', 'plain/ 0 marker 5+1 50', 'compute/rank 1 0 marker 7+1 50', 'load/size 100 0 marker 9+1 50', 'request/id=7 0 marker 13+1 50', 'k/1 0 marker 15+3 50', 'k/1 0 marker 17+2 51', 'job/5 0 marker 20+1 51' ],
		'words: equal ids, in the same thread if possible; without an id the last one of the thread; different ids are no pair') or diag(join "\n", @words);
}

# ---- names that are not there ----

for ([ 'iner', qr/no span is called "iner"; the nearest: inner; wakepath spans lists them all/ ], [ 'zzzzzzz', qr/no span is called "zzzzzzz"; wakepath spans lists them all/ ]) {
	my $r = wakepath('latency', "$dir/marks.txt", '--kind', "span:$_->[0]");
	is($r->{status}, 2, "span:$_->[0]");
	like($r->{err}, $_->[1], '… and the message gives similar ones');
}
my $none = wakepath('latency', sample('pulse'), '--kind', 'span:x');
is($none->{status}, 1, 'a trace without spans has no answer');
like($none->{err}, qr/no span was recorded: have the program write/, '… but a hint how to mark them');

# ---- declared ----

spew("$dir/spans.conf", "[span quiet]\nbegin = sched:sched_switch[next_pid=50]\nend = sched:sched_switch[prev_pid=50]\nkey = next_comm = prev_comm\nthread = next_pid\n\n[span named]\nbegin = sched:sched_switch[next_pid!=0]\nend = sched:sched_switch[prev_pid!=0]\nkey = next_pid = prev_pid\nname = next_comm\nthread = next_pid\n");
@found = grep { $_->{source} eq 'declared' } @{ spans("$dir/marks.txt", '--spans', "$dir/spans.conf") };
is_deeply([map { told($_, 100e9) } @found], [ 'quiet/app 0 declared 0+21', 'app/50 1 declared 0+21', 'worker/51 0 declared 11+11' ], 'declared spans have their name, or that of a field') or diag(join "\n", map { told($_, 100e9) } @found);
is(json_of(wakepath('latency', "$dir/marks.txt", '--spans', "$dir/spans.conf", '--kind', 'span:quiet', '--format', 'json'))->{count}, 1, '… and are kinds of latency');
spew("$dir/spans.odd", "[span gone]\nbegin = sched_switsh\nend = sched:sched_switch\n");
like(wakepath('spans', "$dir/marks.txt", '--spans', "$dir/spans.odd")->{err}, qr{warning: \Q$dir\E/spans.odd: line \d+: rule "span:gone": no trace here has an event "sched_switsh"}, '… one without events is a warning');
for ([ "[span a]\nbegin = x\n", qr/spans\.bad: line 1: span "a", end: missing/ ], [ "\n[span a]\nbegin = x[\nend = y\n", qr/spans\.bad: line 3: span "a", begin: a "\]" is missing/ ], [ "[span a]\nbegin = x\nend = y\nfoo = z\n", qr/spans\.bad: line 4: span "a", foo: not known: a span has begin, end, / ]) {
	spew("$dir/spans.bad", $_->[0]);
	my $r = wakepath('spans', "$dir/marks.txt", '--spans', "$dir/spans.bad");
	is($r->{status}, 2, 'a mistake in a declaration');
	like($r->{err}, $_->[1], '… and the message gives file and line');
}

# ---- words of lttng-logger, counted in babeltrace2's text ----

for my $name ('pipeline', 'rpc-chain', 'preempt') {
	my (%open, %n);
	open my $f, '-|', 'babeltrace2', sample($name) or die "babeltrace2: $!";
	while (<$f>) {
		my ($words) = /lttng_logger: .*msg = "([^"]*)"/ or next;
		my ($host) = /^\[\S+\] \(\S+\) (\S+)/;
		next if $words !~ /^(.*?)\s*\b(begin|start|end|done)\b\s*(.*)$/;
		my $of = "$host " . ($1 ne '' ? $1 : $3) =~ s/\s+\d.*//r;
		$2 =~ /begin|start/ ? $open{$of} = 1 : $open{$of} && delete $open{$of} && $n{$of}++;
	}
	close $f;
	my $n = 0;
	$n += $_ for values %n;
	is(scalar @{ spans(sample($name)) }, $n, "$name: as many as begins with an end in babeltrace2's text");
}

# An end without the id of its begin: the thread shows which belong together.
SKIP: {
	my $both = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/x64-lttng-both/trace';
	skip 'the recording is not at hand', 2 if !-d $both;
	system('cp', '-r', $both, "$dir/without") == 0 or die;
	system('chmod', '-R', 'u+w', "$dir/without") == 0 or die;
	my $metadata = "$dir/without/ust/uid/0/64-bit/metadata";
	my $is = slurp($metadata);
	$is =~ s/(name = "wx:req_end";.*?\} )id;/$1xd;/s or die;
	spew($metadata, $is);
	my (%open, @is);
	for (`babeltrace2 --clock-seconds $dir/without/ust 2>/dev/null`) {
		my ($s, $ns, $name, $tid, $id) = /^\[(\d+)\.(\d{9})\] \S+ \S+ wx:req_(begin|end): .*vtid = (\d+), .* x?i?d = (\d+) / or next;
		$open{$tid} = [ $id, "$s$ns" ] if $name eq 'begin';
		push @is, "$open{$tid}[0] " . ("$s$ns" - $open{$tid}[1]) if $name eq 'end';
	}
	cmp_ok(scalar @is, '==', 100, 'LTTng-UST: ends without an id');
	is_deeply([ map { "$_->{key} $_->{duration}" } @{ spans("$dir/without") } ], \@is, '… belong to the spans of their threads');
}

# ---- a program that marks its requests by trace_marker, USDT and uprobes ----

my $requests = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines/x64-requests';
SKIP: {
	skip 'the recording is not at hand', 6 if !-d $requests;
	@found = @{ spans("$requests/trace.dat") };
	my %by;
	push @{ $by{"$_->{source} $_->{name}"} }, $_ for @found;
	is_deeply([map { "$_ " . @{ $by{$_} } } sort keys %by], [ 'marker request 100', 'uprobe wxu:req 100', 'usdt sdt_wx:req 100' ], 'x64-requests: 100 of each source');
	my %wanted = map { /^\S+ (\d+) (\d+) r(\d+)$/ ? ($3 => "$1 $2") : () } split /\n/, slurp("$requests/intervals.txt");
	is_deeply({ map { ($_->{key} => "$_->{from} $_->{to}") } grep { $wanted{ $_->{key} } } @{ $by{'usdt sdt_wx:req'} } }, \%wanted, '… USDT: as in the list of intervals');
	my %slow = (7 => 'wx-holder', 37 => 'wx-holder', 67 => 'wx-holder', 97 => 'wx-holder', 17 => 'fsync', 47 => 'fsync',
		77 => 'fsync', 27 => 'wx-rtburst', 57 => 'wx-rtburst', 87 => 'wx-rtburst');
	my %cause = map { ($_->{key} => $_->{cause}) } grep { $_->{source} eq 'usdt' } @found;
	is_deeply([grep { $cause{$_} !~ /$slow{$_}/ } sort keys %slow], [], '… the cause of each slow one, as its program made it')
		or diag(map { "$_: $cause{$_}\n" } sort keys %slow);
	my $rows = wakepath('compare', "$requests/trace.dat", '--set', 'span:request', '--slow', 'top 10%', '--format', 'csv')->{out};
	like($rows, $_, "compare --set span:request names $_") for qr/fsync/, qr/wx-holder/, qr/preempted/;
}

# ---- probes of functions and of their returns, paired by their names alone: those of the kernel, perf and trace-cmd ----

{
	my @in = ([ 'unsigned long' => '__probe_ip' ]);
	my @out = ([ 'unsigned long' => '__probe_func' ], [ 'unsigned long' => '__probe_ret_ip' ]);
	my @formats = (
		[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
		[ probe_app => 'work', \@in ], [ probe_app => 'work__return', \@out ],
		[ probes => 'leaf', \@in ], [ probes => 'leaf_ret', \@out ],
		[ kprobes => 'p_vfs_read_0', \@in ], [ kprobes => 'r_vfs_read_0', \@out ],
		[ probes => 'alone', \@in ], [ probes => 'r_alone_0', \@out ],
		[ probes => 'both', \@in ], [ probes => 'both_entry', \@in ], [ probes => 'both_exit', \@out ],
		[ app => 'stage', [ [ int => 'n' ] ] ], [ app => 'stage_exit', [ [ int => 'n' ] ] ],
	);
	my ($now, @events) = (1_000_000);
	my $at = sub { my ($pid, $name, @fields) = @_; push @events, [ $now += 1000, $pid - 10, $name, $pid, 0, @fields ] };
	my $in = sub { $at->($_[0], $_[1], __probe_ip => 0x1000) };
	my $out = sub { $at->($_[0], $_[1], __probe_func => 0x1000, __probe_ret_ip => 0x2000) };
	for (10, 11) { push @events, [ $now += 1000, $_ - 10, 'sched_switch', 0, 0, prev_comm => 'swapper', prev_pid => 0, prev_prio => 120, prev_state => 0, next_comm => "t$_", next_pid => $_, next_prio => 120 ] }
	my $zero = $now;
	$in->(10, 'work'); $in->(10, 'work'); $in->(11, 'work'); $out->(10, 'work__return'); $out->(11, 'work__return'); $out->(10, 'work__return');
	$in->(10, 'leaf'); $in->(10, 'p_vfs_read_0'); $out->(10, 'r_vfs_read_0'); $out->(10, 'leaf_ret');
	$in->(11, 'alone'); $out->(11, 'r_alone_0'); $in->(11, 'both'); $in->(11, 'both_entry'); $out->(11, 'both_exit'); $out->(11, 'both_exit');
	$at->(10, 'stage', n => 1); $at->(10, 'stage_exit', n => 1);
	spew("$dir/probes.dat", Ftrace::trace_dat(formats => \@formats, events => \@events));
	# By hand, in µs since ZERO.
	my $told = join "\n", map { sprintf '%s %d %d+%d %s', $_->{name}, $_->{subject}{tid}, ($_->{from} - $found_zero) / 1000, $_->{duration} / 1000, $_->{source} } map { $found_zero //= $_->{from} - 1000; $_ } @{ spans("$dir/probes.dat") };
	is($told, join("\n", 'probe_app:work 10 1+5 uprobe', 'probe_app:work 10 2+2 uprobe', 'probe_app:work 11 3+2 uprobe', 'probes:leaf 10 7+3 uprobe', 'vfs_read_0 10 8+1 uprobe', 'probes:both 11 14+1 uprobe'),
		'probes and their returns: a span each, also nested; no probe without a return, and no tracepoint of the kernel');
}

# ---- LTTng-UST beside the kernel: events by babeltrace2, each trace by its own reading of the clock ----

for my $name ('x64-lttng-both', 'x64-lttng-both-ctf2', 'x64-lttng-mpi') {
	my $folder = ($ENV{SHARED_TRACES} // '') . "/../recordings/machines/$name/trace";
	SKIP: {
		skip 'the recording is not at hand', 6 if !-d $folder;
		my (@told, %zero);
		if ($name !~ /ctf2/) {	# babeltrace2 2.0 does not read it
			for my $of ('kernel', 'ust/uid/0/64-bit') {
				($zero{$of}) = slurp("$folder/$of/metadata") =~ /offset = (\d+)/;
			}
			open my $f, '-|', "babeltrace2 --clock-seconds $folder/ust/uid/0/64-bit 2>/dev/null" or die;
			while (<$f>) {
				my ($s, $ns, $event, $cpu, $tid) = /^\[(\d+)\.(\d+)\] .* (wx:\w+): \{ cpu_id = (\d+) \}, \{ vtid = (\d+)/ or next;
				push @told, join ' ', $s * 1_000_000_000 + $ns + $zero{kernel} - $zero{'ust/uid/0/64-bit'}, $event, $cpu, $tid;
			}
			close $f;
		}
		my $events = json_of(wakepath('events', $folder, '--name', 'wx:', '--top', 0, '--format', 'json'))->{events};
		is_deeply([sort map { "$_->{time} $_->{name} $_->{cpu} $_->{tid}" } @$events], [sort @told], "$name: events of programs, with their threads and CPUs") if @told;
		cmp_ok(scalar @$events, '>=', 40, '… there are some');
		my $ust = [ grep { $_->{source} eq 'ust' } @{ spans($folder) } ];
		is(scalar @$ust, scalar grep({ $_->{name} eq 'wx:req_end' } @$events), "$name: a span for each end");
		is(scalar(grep { $_->{subject}{tid} != { map { ($_->{time} => $_->{tid}) } @$events }->{ $_->{from} } } @$ust), 0, '… of the thread of its begin');
		my $info = wakepath('info', $folder);
		unlike($info->{err}, qr/left out/, '… and nothing is left out');
		like($info->{out}, qr{^  note +traces of user programs are read with it: \S+/ust/uid/0/64-bit$}m, '… info names their traces');
		like(wakepath('cut', $folder, '--from', '+1ms', '-o', "$dir/$name")->{err}, qr/^wakepath: warning: 1 trace of user programs is left out: a cut has only events of the kernel$/m, '… a cut warns that it has none of them') if $name !~ /ctf2/;
	}
}

done_testing();

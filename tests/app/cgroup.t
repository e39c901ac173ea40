#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Control groups of threads, from samples of perf (--all-cgroups) and from cgroup_attach_task, in files made for this test: where they are shown, and
# which options use them.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use PerfData;
use Ftrace;
use Test::More;

sub threads { my ($file) = @_; my $r = wakepath('threads', $file, '--format', 'json'); is($r->{status}, 0, "$file is read") or diag($r->{err}); return grep { $_->{tid} } @{json_of($r)->{threads}} }
sub cgroups { my ($file) = @_; return join ', ', map { "$_->{name} " . ($_->{cgroup} // 'null') } sort { $a->{tid} <=> $b->{tid} } threads($file) }
my $n = 0;
sub file_of { my ($bytes) = @_; my $file = "$ENV{TMPDIR}/cgroup" . $n++; spew($file, $bytes); return $file }

# ---- perf: by hand, main is in /a all the time, worker moves from /b to /c, other has an id without a path ----

my $start = 5_000_000_000;
my @names = (swapper => 0, main => 700, worker => 701, other => 702);
my %tid = @names;
sub switch_of {
	my ($p, $time, $prev, $next) = @_;
	$p->event('sched:sched_switch', $start + $time, 0, $tid{$prev}, $tid{$prev}, { prev_comm => $prev, prev_pid => $tid{$prev}, prev_prio => 120, prev_state => 1, next_comm => $next, next_pid => $tid{$next}, next_prio => 120 });
}
sub waking { my ($p, $time, $by, $who) = @_; $p->event('sched:sched_waking', $start + $time, 0, $tid{$by}, $tid{$by}, { comm => $who, pid => $tid{$who}, prio => 120, target_cpu => 0 }) }
my @sample = qw(identifier ip tid time cpu period raw cgroup);
sub recorded {
	my (%how) = @_;
	my $p = PerfData->new(sample => \@sample, %how);
	$p->{cgroups} //= { 700 => 11, 701 => 12, 702 => 99 };
	$p->cgroup(1, '/');
	$p->cgroup(11, '/a');
	$p->cgroup(12, '/b');
	$p->cgroup(11, '/wrong: an id has one path');
	for my $round (0 .. 9) {
		my $t = $round * 1000_000;
		if ($round == 5) { $p->cgroup(13, '/c'); $p->{cgroups}{701} = 13 }
		switch_of($p, $t + 1000, 'swapper', 'main');
		waking($p, $t + 20_000, 'main', 'worker');
		switch_of($p, $t + 100_000, 'main', 'worker');
		switch_of($p, $t + 250_000, 'worker', 'other');
		waking($p, $t + 300_000, 'other', 'main');
		switch_of($p, $t + 400_000, 'other', 'swapper');
		$p->round;
	}
	return file_of($p->bytes);
}

my $made = recorded();
my $wanted = 'main /a, worker /c, other null';
is(cgroups($made), $wanted, 'cgroups of samples');
my %forms = ('the other order of bytes' => { big => 1 }, 'a pipe' => { pipe => 1 }, 'compressed' => { packed => PerfData::COMPRESSED }, 'with sizes of pages behind' => { sample => [ @sample, 'data_page', 'code_page' ] },
	'stacks before' => { sample => [ @sample, 'chain' ] });
is(cgroups(recorded(%{$forms{$_}})), $wanted, $_) for sort keys %forms;
is(cgroups(recorded(sample => [ grep { $_ ne 'cgroup' } @sample ])), 'main null, worker null, other null', 'samples without cgroups have none');
is(wakepath('verify', $made)->{status}, 0, 'the index is sound');

# ---- where they are shown ----

like(wakepath('threads', $made)->{out}, qr/ CGROUP .*\n(?:.*\n)*.*\bworker\b.* \/c /, 'in text');
my ($head, @rows) = split /\n/, wakepath('threads', $made, '--format', 'csv')->{out};
my @columns = split /,/, $head;
my ($at) = grep { $columns[$_] eq 'cgroup' } 0 .. $#columns;
is($columns[$at - 1], 'tracer_by', 'in CSV, after the columns of the tracer');
unlike(wakepath('threads', sample('pulse'))->{out}, qr/CGROUP/, 'text has no column where nothing is known');
is(json_of(wakepath('threads', sample('pulse'), '--format', 'json'))->{threads}[0]{cgroup}, undef, '… and JSON null');

# ---- groups.  By hand: main runs 701 µs after it was woken, except the last time; worker 80 µs. ----

sub groups { my (@more) = @_; return { map { $_->{name} => "$_->{count} $_->{max}" } @{json_of(wakepath('latency', $made, '--kind', 'wakeup', '--format', 'json', @more))->{groups}} } }
is_deeply(groups('--by', 'cgroup'), { '/a' => '9 701000', '/c' => '10 80000' }, 'latency --by cgroup');
is((wakepath('latency', $made, '--kind', 'wakeup', '--by', 'cgroups'))->{status}, 2, '… and by no other word');
is_deeply([keys %{{ map { $_->{name} => 1 } @{json_of(wakepath('latency', sample('pulse'), '--kind', 'wakeup', '--by', 'cgroup', '--format', 'json'))->{groups}} }}], ['no cgroup known'], '… where none is known');
sub causes { my ($file, @more) = @_; return map { "$_->{kind} $_->{cause} $_->{count} $_->{time}" } @{json_of(wakepath('causes', $file, '--format', 'json', '--top', 0, @more))->{causes}} }
my @by_cgroup = causes($made, '--by', 'cgroup');
my %cause = map { /(.*) \d+ (\d+)$/ ? ($1 => $2) : () } @by_cgroup;
# By hand: worker runs for 150 µs in each round, main for 80 µs after it woke it.
is($cause{'preempted /c (1 thread)'}, 9 * 150_000, 'causes --by cgroup');
is($cause{'wait-cpu /a (1 thread)'}, 10 * 80_000, '… of another one');
my $together = recorded(cgroups => { 700 => 11, 701 => 12, 702 => 11 });
like(join("\n", causes($together, '--by', 'cgroup')), qr{^wait-cpu /a \(2 threads\) \d+ 1800000$}m, '… threads of one cgroup together');
my $sum = sub { my $all = 0; $all += (split / /)[-1] for @_; return $all };
is($sum->(@by_cgroup), $sum->(causes($made)), '… with the time that they have by name');
like(wakepath('causes', $made, '--by', 'host')->{err}, qr/^wakepath: causes cannot be grouped by "host": type --by name, --by thread or --by cgroup\n$/, '… and by no other word');

# ---- the filter of the explorer ----

sub shown {
	my ($file, $filter) = @_;
	spew("$ENV{TMPDIR}/script", qq{size 120 30\n&\n"$filter"\nEnter\ndump $ENV{TMPDIR}/screen\n});
	is(wakepath($file, '--script', "$ENV{TMPDIR}/script")->{status}, 0, "filter $filter");
	return slurp("$ENV{TMPDIR}/screen");
}
my $screen = shown($made, 'cgroup:/C');
like($screen, qr/^ +worker +\d+│/m, 'the filter shows the threads of this cgroup');
unlike($screen, qr/^ +(?:main|other) +\d+│/m, '… and no others');
$screen = shown($made, '!cgroup:^/[ac]$');
like($screen, qr/^ +other +\d+│/m, 'the threads without such a cgroup');
unlike($screen, qr/^ +(?:main|worker) +\d+│/m, '… alone');
like(shown(sample('pulse'), 'cgroup:x'), qr/no control groups were recorded; to record them: perf record --all-cgroups/, 'no cgroups are known');

# ---- cgroup_attach_task: trace.dat of both widths and orders, and as tracefs prints it ----

my @formats = (
	[ sched => 'sched_switch', [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ] ],
	[ sched => 'sched_process_fork', [ [ char => 'parent_comm[16]' ], [ pid_t => 'parent_pid' ], [ char => 'child_comm[16]' ], [ pid_t => 'child_pid' ] ] ],
	map { [ cgroup => $_, [ [ int => 'dst_root' ], [ int => 'dst_level' ], [ u64 => 'dst_id' ], [ int => 'pid' ], [ '__data_loc char', 'dst_path' ], [ '__data_loc char', 'comm' ] ] ] } qw(cgroup_attach_task cgroup_transfer_tasks));
sub on { my ($us, $name, $tid, @fields) = @_; return [ $start + $us * 1000, 0, $name, $tid, 0, @fields ] }
sub moved { my ($us, $tid, $root, $path, $event) = @_; return on($us, $event // 'cgroup_attach_task', 50, dst_root => $root, dst_level => 1, dst_id => 7, pid => $tid, dst_path => $path, comm => 'x') }
my @events = (
	on(1, 'sched_switch', 0, prev_comm => 'swapper/0', prev_pid => 0, prev_prio => 120, prev_state => 0, next_comm => 'shell', next_pid => 50, next_prio => 120),
	moved(5, 60, 0, '/first'), moved(6, 60, 3, '/of v1'), on(7, 'sched_process_fork', 50, parent_comm => 'server', parent_pid => 60, child_comm => 'child', child_pid => 61),
	moved(8, 60, 0, '/second/' . 'x' x 200), moved(9, 62, 5, '/moved', 'cgroup_transfer_tasks'), moved(10, 63, 0, "/\e[31m"),
	on(20, 'sched_switch', 50, prev_comm => 'shell', prev_pid => 50, prev_prio => 120, prev_state => 1, next_comm => 'server', next_pid => 60, next_prio => 120),
	on(30, 'sched_switch', 60, prev_comm => 'server', prev_pid => 60, prev_prio => 120, prev_state => 1, next_comm => 'swapper/0', next_pid => 0, next_prio => 120));
my $paths = sub { my ($file) = @_; return join ', ', map { "$_->{tid} " . ($_->{cgroup} // 'null') } sort { $a->{tid} <=> $b->{tid} } threads($file) };
my $told = '50 null, 60 /second/' . 'x' x 200 . ", 61 /first, 62 /moved, 63 /\x{fffd}[31m";
for my $form ([], [ big => 1 ], [ long => 4 ]) {
	is($paths->(file_of(trace_dat(cpus => 1, formats => \@formats, events => \@events, @$form))), $told, "trace.dat @$form");
}
my $text = join '', "# tracer: nop\n#\n", map {
	my ($time, undef, $name, $tid, undef, %f) = @$_;
	sprintf "%16s-%-7d [000] .....     %d.%06d: %s: %s\n", $tid ? 'shell' : '<idle>', $tid, $time / 1e9, $time / 1000 % 1e6, $name,
		$name eq 'sched_switch' ? "prev_comm=$f{prev_comm} prev_pid=$f{prev_pid} prev_prio=120 prev_state=S ==> next_comm=$f{next_comm} next_pid=$f{next_pid} next_prio=120"
		: $name eq 'sched_process_fork' ? "comm=$f{parent_comm} pid=$f{parent_pid} child_comm=$f{child_comm} child_pid=$f{child_pid}"
		: "dst_root=$f{dst_root} dst_id=$f{dst_id} dst_level=$f{dst_level} dst_path=$f{dst_path} pid=$f{pid} comm=$f{comm}";
} @events;
is($paths->(file_of($text)), $told, 'the text of tracefs gives the same cgroups');

done_testing;

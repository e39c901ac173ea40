#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# wakepath record by the clients of other tracers: LTTng's as a stub that logs its arguments, perf for real.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fcntl qw(LOCK_EX);
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'recording needs root' if !is_root();
my $dir = $ENV{TMPDIR};
# The lock of record.t: only one of the tests that record runs at a time.
my $lock;
if (open $lock, '<', '/sys/kernel/tracing/README') { flock $lock, LOCK_EX or die }
my $bin = "$dir/bin";
mkdir $bin;
$ENV{PATH} = "$bin:$ENV{PATH}";

# A client that logs its words, prints the content of LIST, and fails where FAIL matches.
spew("$bin/lttng", <<'END');
#!/bin/sh
echo "$@" >> "$LTTNG_LOG"
echo "$LTTNG_HOME" >> "$LTTNG_LOG.home"
case "$*" in
*"$LTTNG_FAIL"*) [ -z "$LTTNG_FAIL" ] || { echo "Error: first line" >&2; echo "Error: $LTTNG_FAIL refused" >&2; exit 1; } ;;
esac
case "$1$2" in
create*) mkdir -p "${3#--output=}" ;;
stop*) [ "$(grep -c "^stop $2\$" "$LTTNG_LOG")" -eq 1 ] || { echo "Warning: Tracing already stopped for session $2" >&2; exit 1; } ;;
--no-sessiondlist) cat "$LTTNG_LIST" ;;
esac
exit 0
END
chmod 0755, "$bin/lttng";
@ENV{qw(LTTNG_LOG LTTNG_LIST LTTNG_FAIL)} = ("$dir/log", "$dir/list", '');
spew($ENV{LTTNG_LIST}, "Currently no available tracing session\n");

sub said { my @lines = -e "$dir/log" ? split /\n/, slurp("$dir/log") : (); unlink "$dir/log"; return map { s/wakepath-\d+-\d+/ME/gr } grep { !/list/ } @lines }

# ---- LTTng ----

my @begin = ("create ME --output=$dir/lttng", 'enable-channel -s ME -k --discard', 'enable-event -s ME -c wakepath -k sched_switch');
my $r = wakepath('record', '--with', 'lttng', '-o', "$dir/lttng", '--for', '0.1s', '--no-open');
is($r->{status}, 0, 'LTTng records') or diag($r->{err});
my @lines = said();
is($lines[0], $begin[0], 'a session of its own');
like($lines[1], qr/^enable-channel -s ME -k wakepath --subbuf-size=\d+ --num-subbuf=8 --discard$/, '… a channel');
is($lines[2], $begin[2], '… switches first');
ok((grep { $_ eq 'enable-event -s ME -c wakepath -k --syscall --all' } @lines), '… system calls');
ok((grep { $_ eq 'enable-event -s ME -c wakepath -k --probe=send_call_function_single_ipi ipi_send_cpu' } @lines), '… a probe');
is($lines[-4], 'add-context -s ME -c wakepath -k -t need_reschedule', '… whether a switch away from the thread was due');
is(join('|', map { s/ --subbuf-size=\d+//r } grep { / -u\b/ } @lines), 'enable-channel -s ME -u wakepath-user --num-subbuf=8 --discard|enable-event -s ME -c wakepath-user -u --all|add-context -s ME -c wakepath-user -u -t vpid -t vtid', '… tracepoints of LTTng-UST, with their threads');
my %enabled;
$enabled{$_}++ for map { / -k ([\w,*]+)$/ ? split(/,/, $1) : () } @lines;
is(join(' ', grep { $enabled{$_} > 1 } sort keys %enabled), '', '… no event twice, which the client refuses');
is(join('|', grep { !/^(create|enable|add)/ } @lines), 'start ME|stop ME|destroy ME', '… start and end');
my %homes = map { $_ => 1 } grep { length } split /\n/, slurp("$dir/log.home");
is(scalar(keys %homes), 1, "the user's current session is left alone");
ok(!-e (keys %homes)[0], '… and no session of ours is left');

$r = wakepath('record', '--with', 'lttng', '-o', "$dir/flight", '--flight', '64M', '--for', '0.1s', '--for-question', 'cpu');
is($r->{status}, 0, 'a flight recorder');
@lines = said();
is($lines[0], "create ME --output=$dir/flight --snapshot", '… is a session of snapshots');
like($lines[1], qr/--overwrite$/, '… that overwrites');
is(join('|', grep { !/^(create|enable|add)/ } @lines), 'start ME|stop ME|snapshot record -s ME|destroy ME', '… and writes one at the end');
is(scalar(grep { /--syscall|block_/ } @lines), 0, '… with the events for "cpu"');
is(join('|', map { s/ --subbuf-size=\d+//r } grep { /-channel .* -u\b|--all/ } @lines), 'enable-channel -s ME -u wakepath-user --num-subbuf=8 --overwrite|enable-event -s ME -c wakepath-user -u --all', '… and of programs');

# One of its commands fails.
for my $case (['create', '', ''], ['enable-channel', 'destroy'], ['sched_switch', 'destroy'], ['start wakepath', 'destroy']) {
	$ENV{LTTNG_FAIL} = $case->[0];
	$r = wakepath('record', '--with', 'lttng', '-o', "$dir/fails", '--for', '0.1s', '--quiet');
	is($r->{status}, 3, "$case->[0] fails");
	like($r->{err}, qr/\Awakepath: env LTTNG_HOME=\S+ lttng .*failed: Error: $case->[0] refused\n\z/, '… the message gives the reason') or diag($r->{err});
	my $last = (said())[-1];
	$case->[1] ? like($last, qr/^$case->[1] ME/, '… and takes away what is there') : unlike($last, qr/destroy/, '… and there is nothing to remove');
	rmdir "$dir/fails";
}
$ENV{LTTNG_FAIL} = 'wakepath-user';
is(wakepath('record', '--with', 'lttng', '-o', "$dir/no-ust", '--for', '0.1s', '--quiet')->{status}, 0, 'a missing LTTng-UST is not an error');
said();
$ENV{LTTNG_FAIL} = '--probe=';
is(wakepath('record', '--with', 'lttng', '-o', "$dir/probe", '--for', '0.1s', '--quiet')->{status}, 0, 'a missing event is not an error');
said();

# Sessions left by another process.
$ENV{LTTNG_FAIL} = '';
my ($start) = slurp("/proc/$$/stat") =~ /\) (?:\S+ ){19}(\d+)/;
spew($ENV{LTTNG_LIST}, "Available recording sessions:\n  1) mine [active]\n  2) wakepath-$$-$start [active]\n  3) wakepath-$$-1 [active]\n");
$r = wakepath('record', '--with', 'lttng', '-o', "$dir/next", '--for', '0.1s');
like($r->{err}, qr/killed left the LTTng session wakepath-$$-1 .*--clean/, 'a session of a dead process is reported');
unlike($r->{err}, qr/session (mine|wakepath-$$-$start)/, '… and no other');
is(scalar(grep { /wakepath-$$-1/ } split /\n/, slurp("$dir/log")), 0, '… it is not destroyed without --clean');
unlink "$dir/log";
$r = wakepath('record', '--clean');
is(join('|', grep { /destroy/ } split /\n/, slurp("$dir/log")), "destroy wakepath-$$-1", '… and destroyed with it');
unlink "$dir/log";
spew($ENV{LTTNG_LIST}, '');

# The daemon opens files by name: where another user can write, it writes to a folder of root's, which is moved to its place at the end.
chmod 0755, $dir;
mkdir "$dir/bobs";
chown 65534, 65534, "$dir/bobs";
for my $case (['', 0], ['start wakepath', 3]) {
	my ($fail, $status) = @$case;
	$ENV{LTTNG_FAIL} = $fail;
	$r = wakepath('record', '--with', 'lttng', '-o', "$dir/bobs/x", '--for', '0.1s', '--quiet', '--no-open');
	is($r->{status}, $status, 'LTTng in a folder of another user' . ($fail && ', which fails')) or diag($r->{err});
	like((said())[0], qr{^create ME --output=\Q$dir\E/\.ME\.\w{6}$}, '… is recorded elsewhere');
	is(-d "$dir/bobs/x" ? join(' ', (stat _)[4], sprintf('%o', (stat _)[2] & 07777)) : 'nothing', $fail ? 'nothing' : '0 700', '… the result is for root alone');
	is_deeply([glob "$dir/.wakepath-*"], [], '… and no other file is left');
	rmdir "$dir/bobs/x";
}
$ENV{LTTNG_FAIL} = '';
mkdir "$dir/bobs/x";
$r = wakepath('record', '--with', 'lttng', '-o', "$dir/bobs/x", '--for', '0.1s', '--quiet', '--force');
says($r, 2, qr{bobs/x exists already, where other users can write}, 'a folder of another user is not written to');
is_deeply([said()], [], '… and LTTng was not called');
SKIP: {
	my $disk = small_disk('1m');
	skip 'needs the right to mount a tmpfs', 2 if !defined $disk;
	chown 65534, 65534, $disk;
	$r = wakepath('record', '--with', 'lttng', '-o', "$disk/x", '--for', '0.1s', '--quiet');
	says($r, 3, qr{LTTng cannot record safely in \Q$disk\E}, 'a disk of another user');
	is_deeply([files_below($disk)], [], '… stays empty');
	said();
}

$r = wakepath('record', '--with', 'lttng', '--dry-run', '-o', "$dir/x", '--', 'my program', 'a b');
like($r->{out}, qr{^lttng create wakepath-\S+ --output=\Q$dir\E/x\n}, '--dry-run');
like($r->{out}, qr/^lttng start wakepath-\S+\n'my program' 'a b'\nlttng stop /m, '… with the program');
is(scalar(said()), 0, '… runs none of it');

# ---- perf ----

SKIP: {
	skip 'perf does not run here', 1 if system("perf record -a -o $dir/try.data -e sched:sched_switch -- true >/dev/null 2>&1") != 0;
	$r = wakepath('record', '--with', 'perf', '-o', "$dir/p.data", '--no-open', '--', 'sh', '-c', 'sleep 0.2; exit 4');
	is($r->{status}, 0, 'perf records') or diag($r->{err});
	{
		local @ENV{qw(SUDO_UID SUDO_GID)} = (65534, 65534);
		is(wakepath('record', '--with', 'perf', '-o', "$dir/s.data", '--no-open', '--', 'true')->{status}, 0, '… behind sudo');
		is((stat "$dir/s.data")[4], 65534, '… a file of the user who typed that');
	}
	like($r->{err}, qr/^wakepath: sh ended with status 4$/m, '… a program');
	my @sleeps = grep { /sched_switch: .*\bsleep\b/ } split /\n/, `perf script -i $dir/p.data -F comm,tid,time,event,trace 2>/dev/null`;
	cmp_ok(scalar @sleeps, '>=', 2, '… all of it');
	is(wakepath('info', "$dir/p.data")->{status}, 0, '… which wakepath reads');
	unlike(wakepath('info', "$dir/p.data")->{out}, qr/sched_waking|irq_handler|irq_vectors|hrtimer/, '… with all that it needs');
	$r = wakepath('record', '--with', 'perf', '-o', "$dir/f.data", '--flight', '4M', '--until', 'command > 300ms', '--', 'sleep', 1);
	is($r->{status}, 0, '… also as a flight recorder') or diag($r->{err});
	cmp_ok(-s "$dir/f.data", '>', 1000, '… with events');
	is(wakepath('record', '--with', 'perf', '-o', "$dir/f.data", '--for', '1s')->{status}, 2, '… and replaces no file');
	# Killed: perf ends with it, and no file is left.
	my $pid = fork() // die;
	if (!$pid) { open STDERR, '>', '/dev/null'; exec $ENV{WAKEPATH}, 'record', '--with', 'perf', '-o', "$dir/k.data" }
	my $limit = time + 30;
	my $perf = sub { return scalar(() = `ps -eo ppid,args` =~ /^\s*$_[0] perf record /mg) };
	sleep 0.05 while time < $limit && !$perf->($pid);
	my ($child) = `ps -eo pid,ppid,args` =~ /^\s*(\d+)\s+$pid perf record /m;
	sleep 0.3;
	kill 'KILL', $pid;
	waitpid $pid, 0;
	sleep 0.1 while time < $limit && kill 0, $child;
	ok(!kill(0, $child), 'killed: perf ends');
	is_deeply([glob("$dir/.wakepath-*"), glob("$dir/k.data*")], [], '… and no file is left');
	$r = wakepath('record', '--with', 'perf', '--dry-run', '-o', "$dir/d.data", '--for', '0.2s');
	is(system("cd $dir && sh -c '" . ($r->{out} =~ s/'/'\\''/gr) . "' >/dev/null 2>&1"), 0, 'the line of --dry-run runs');
	cmp_ok(-s "$dir/d.data", '>', 1000, '… and records');
	# Counters: a group with the switches; the counts of each thread are those of perf script.
	$r = wakepath('record', '--counters', 'page-faults', '-o', "$dir/n.data", '--no-open', '--', 'perl', '-e', 'my @a = map { "x" x 5000 } 1 .. 2000; select undef, undef, undef, 0.01; @a = map { "y" x 9000 } 1 .. 2000');
	is($r->{status}, 0, 'counters') or diag($r->{err});
	# (A sample of page-faults itself prints part of what the next switch would.)
	my (%counted, %last, %at, %part);
	for (split /\n/, `perf script -i $dir/n.data -F comm,tid,cpu,time,event,period,trace 2>/dev/null`) {
		my ($on, $time, $value, $event, $rest) = /^.*? -?\d+ \[(\d+)\] +([\d.]+): +(\d+) +([\w:-]+): *(.*)$/ or next;
		if ($event eq 'sched:sched_switch') {
			my ($prev, $next) = $rest =~ /prev_pid=(\d+) .*next_pid=(\d+)/ or next;
			$at{$on} = [ $time, ($last{$on} // '') eq $prev && $prev ];
			$counted{$prev} += $part{$on} if $at{$on}[1] && $part{$on};
			$part{$on} = 0;
			$last{$on} = $next;
		} elsif ($event eq 'page-faults' && $at{$on} && $at{$on}[0] eq $time) {
			$counted{$at{$on}[1]} += $value if $at{$on}[1];
		} elsif ($event eq 'page-faults') {
			$part{$on} += $value;
		}
	}
	my %told = map { @$_ } @{json_of(wakepath('sql', "$dir/n.data", 'SELECT tid, sum(value) FROM thread_counter JOIN thread USING (utid) WHERE tid > 0 GROUP BY 1 HAVING sum(value) > 0', '--format', 'json'))->{rows}};
	cmp_ok(scalar(keys %told), '>', 0, '… threads have page faults');
	# If the kernel hides switches, other events show it: the count that several threads share is then not attributed.
	my $warned = join ' ', @{json_of(wakepath('info', "$dir/n.data", '--format', 'json'))->{traces}[0]{warnings}};
	for my $tid ($warned =~ /switches are missing/ ? keys %counted : ()) {
		$told{$tid} = $counted{$tid} if ($told{$tid} // 0) < $counted{$tid};
	}
	is_deeply(\%told, \%counted, '… as many as in perf script');
	my @counters = split /\n/, wakepath('record', '--counters', 'cycles,page-faults', '--stacks', '--dry-run', '-o', "$dir/x.data", '--', 'true')->{out};
	like($counters[0], qr/^perf record .* -g -e (?:cycles|cpu-clock)\/freq=999\/ -e '\{sched:sched_switch,(?:cycles,page-faults|page-faults|cpu-clock).*\}:S' /, '… cycles, if the machine has them');
	for my $bad ([ '--counters', '' ], [ '--counters', 'a}b' ], [ '--counters', '-x' ], [ '--counters', join(',', map { "e$_" } 1 .. 16) ], [ '--counters', 'cycles', '--with', 'ftrace' ], [ '--stacks', '--with', 'lttng' ]) {
		$r = wakepath('record', @$bad, '--dry-run', '-o', "$dir/x.data", '--', 'true');
		is($r->{status}, 2, "@$bad: refused") or diag($r->{err});
		is(() = $r->{err} =~ /\n/g, 1, '… in one line');
	}
}

# perf opens all its events on all CPUs before it prints anything: wakepath waits for it, unless the user interrupts.
sub with_perf {
	my ($does, $ask) = @_;
	spew("$bin/perf", "#!/bin/sh\ntouch $dir/began\n$does\n");
	chmod 0755, "$bin/perf";
	my $pid = fork() // die;
	if (!$pid) { open STDERR, '>', "$dir/err"; exec $ENV{WAKEPATH}, 'record', '--with', 'perf', '-o', "$dir/w.data", '--for', '1s', '--no-open' }
	if ($ask) {
		my $limit = time + 30;
		sleep 0.05 while time < $limit && !-e "$dir/began";
		sleep 0.3;
		kill 'INT', $pid;
	}
	waitpid $pid, 0;
	unlink "$bin/perf", "$dir/began";
	return ($? >> 8, slurp("$dir/err"));
}
my ($status, $err) = with_perf('exec sleep 60', 1);
is($status, 130, 'perf without output so far: Ctrl-C ends it') or diag($err);
like($err, qr/interrupted/, '… and it is no error of perf');
($status, $err) = with_perf('echo no more events >&2; exit 1', 0);
is($status, 3, 'perf gives up') or diag($err);
like($err, qr/^wakepath: perf record failed: no more events$/m, '… with a message');

done_testing();

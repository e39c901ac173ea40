#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The first sentences of all traces at hand: each fits two rows of a terminal of 80 columns, and has the figures of the lists below; the known cause
# comes first.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

my $shared = $ENV{SHARED_TRACES} // '/none';
my $machines = "$shared/../recordings/machines";
my @traces = grep { -e } sort(glob "$ENV{SAMPLES}/*"), sort(glob "$shared/*/kernel"), map({ "$shared/$_" } qw(django rpc-chain vm-preempt inputs/rotated inputs/snapshots)),
	map { sort(glob $_) } "$shared/inputs/*/lttng", "$shared/inputs/*/*.dat", "$shared/inputs/*/*.data", "$machines/*/*.dat", "$machines/*/perf.data", "$machines/*/trace", "$machines/*/*.pftrace", "$machines/x64-text/tracefs-trace.txt";
@traces = grep { !m{README|hackbench-6M} } @traces;

# The rows of TEXT, as a terminal of 80 columns shows it: 78, then 75; a number stays with its unit.
sub rows_of {
	my ($text) = @_;
	my @words = split / (?!(?:s|ms|µs|ns|%|times?)(?:[ ,;:)]|\z))/, $text;
	my @rows = (shift @words);
	for my $word (@words) {
		if (length("$rows[-1] $word") <= (@rows == 1 ? 78 : 75)) { $rows[-1] .= " $word" }
		else { push @rows, $word }
	}
	return @rows;
}

my ($sentences, $same) = (0, 0);
for my $trace (@traces) {
	my $name = $trace =~ s{^.*/(?=(?:[^/]+/){1,2}[^/]+$)}{}r;
	my $info = json_of(wakepath('info', '--top', $trace, '--format', 'json'));
	my @wrong;
	for my $a (@{ $info->{answers} }) {
		my @rows = rows_of($a->{text});
		$sentences++;
		push @wrong, @rows . " rows: $a->{text}" if @rows > 2 || length $rows[0] > 78 || (@rows > 1 && length $rows[1] > 75);
		my $is = sub { my ($part, $what, $list, $answer) = @_; $same++; push @wrong, "$part: $what $list, the sentence says $answer: $a->{text}" if $list ne $answer };
		for my $line (@{ $info->{top} }) {
			my $of = ($line->{host} // '') eq $a->{subject}{host} && ($line->{nr} // -1) == ($a->{subject}{tid} // -2);
			if (defined $a->{p50} && !defined $a->{span}) {
				my $pair = $line->{part} eq 'requests' && $a->{text} =~ /^\Q$line->{name}\E asked / && $line->{what} =~ /^asked \Q$a->{cause}\E,/ or next;
				$is->($line->{part}, @$_) for ['time', $line->{time}, $a->{longest}], ['count', $line->{count}, $a->{count}], ['p50', $line->{what}, "asked $a->{cause}, p50 " . duration($a->{p50})];
			} elsif ($of && defined $a->{ran}) {
				$is->('cpu', 'time', $line->{time}, $a->{ran}) if $line->{part} eq 'cpu';
				# If hardly any time was lost, the sentence names waits that are no losses, too.
				$is->('waiting', 'time', $line->{time}, $a->{lost}) if $line->{part} eq 'waiting' && $line->{time} > $a->{lost} / 2;
			}
		}
	}
	is(join("\n", @wrong), '', "$name: two rows at most, the figures of the lists");
	my @requests = grep { $_->{part} eq 'requests' } @{ $info->{top} };
	is_deeply([map { $_->{time} } @requests], [sort { $b <=> $a } map { $_->{time} } @requests], '… requests, the slowest first');
	is(join(' ', grep { m{(?:^|/)sshd?\b} } map { ($_->{name}, $_->{what} =~ /^asked (\S+),/) } @requests), '', '… none of a remote shell');
}
cmp_ok($sentences, '>', 2 * @traces, "$sentences sentences of " . @traces . ' traces');
cmp_ok($same, '>', @traces, "$same figures were checked twice");

# ---- the known cause comes first ----

my @known = (
	# The rounds of wk-rank0 in the guest took 14 to 16 ms instead of 2 while wk-pulse had its CPU of the host.
	[sample('vm-preempt'), qr{^guest1/wk-rank0\[583\]: 275 ms, of which 58 % ran, 33 % was stolen, mostly by host/wk-pulse\[679\] \(real-time\): \d+ times, worst 12\.8 ms}],
	# wk-level3 forks wk-level2, which forks wk-level1; each waits for the next one.
	[sample('inception'), qr/^wk-level3\[453\]: .* waited for threads, mostly for wk-level1\[455\]: .*, and wk-level2\[454\]/],
	# wk-rank2 computes longest, 6 ms.
	[sample('imbalance'), qr/^wk-rank0\[488\]: .* waited for threads, mostly for wk-rank2\[490\]: 3 times, worst 12\.1 ms/],
	["$shared/django", qr{^client/python3\[641\] asked httpd/apache2\[434\] 9 times: p50 267 ms, worst 555 ms, of which 69 % httpd/apache2\[441\], 22 % db/postgres\[730\]}],
	# In truth.log the rank that computes 12 ms begins its barrier last; in the texts of babeltrace2 and trace-cmd rank 2 begins last three
	# times.
	["$machines/x64-mpi-marks/trace.dat", qr/^mpi-rank2\[588\] came last to wxu:mpi 3 of 5 times: 3 threads waited 127 ms for it, mpi-rank1\[587\] 50\.7 ms, mpi-rank0\[586\] 49\.0 ms, mpi-rank3\[589\] 27\.1 ms$/],
	["$machines/x64-lttng-mpi/trace", qr/^mpi-rank2\[550\] came last to wx:req 3 of 5 times: 3 threads waited 142 ms for it, mpi-rank3\[551\] 56\.2 ms, mpi-rank0\[548\] 53\.0 ms, mpi-rank1\[549\] 33\.1 ms$/],
	["$machines/a64-lockfight/trace.dat", qr/^wk-fighter0\[311\] was waited for most: 2 threads waited 493 ms for it, wk-fighter1\[312\] 254 ms, wk-fighter2\[313\] 239 ms$/],
);
for (@known) {
	my ($trace, $sentence) = @$_;
	SKIP: {
		skip "$trace is not here", 1 unless -e $trace;
		like(json_of(wakepath('info', $trace, '--format', 'json'))->{answers}[0]{text}, $sentence, ($trace =~ s{^.*/(?=[^/]+/[^/]+$)}{}r) . ': the first sentence');
	}
}
# Shells and ssh of the guest only wait: no sentence names one, or places it before a thread of the workload.
unlike(json_of(wakepath('info', sample('vm-preempt'), '--format', 'json'))->{answers}[$_]{text}, qr{^\S*(?:sh|sshd?|bash|qemu-system-x86|CPU 0/KVM)\[}, "vm-preempt: sentence $_ is about work") for 0 .. 1;

done_testing;

# SPDX-License-Identifier: MIT
#
# Measures several hosts together: clocks, packets, opening.
package Hosts;
use strict;
use utf8;
use warnings;
use Bench;
use Exporter qw(import);
use File::Basename qw(dirname);
use JSON::PP qw(decode_json);

our @EXPORT_OK = qw(measure_sync measure_hosts measure_packets);

my $hosts = 100;
my $sync_rounds = 3;
my $copies = 380;	# of rpc-chain: 2·10⁶ packets
my $questions = 20_000;

# ---- clocks ----

# A hundred hosts whose packets are made while they are read; one run does not keep matched packets; runs with half as many packets alternate.
sub measure_sync {
	my $file = "$tmp/sync.wpx";
	my (%time, %last);
	my $alone = values_of('bench_sync', 10_000_000);
	for my $round (1 .. $sync_rounds) {
		for my $packets (5_000_000, 10_000_000) {
			$last{$packets} = values_of('bench_sync', $packets, $file);
			push @{ $time{$packets} }, $last{$packets}{processor};
		}
	}
	unlink $file;
	my $s = $last{10_000_000};
	my $took = median(@{ $time{10_000_000} });
	my $kept = "$hosts hosts, 10⁷ packets: clocks found and packets kept";
	add('sync', $kept, $took / 1e9, 's', [10, 5]);
	add('sync', "$kept / of 5·10⁶", $took / median(@{ $time{5_000_000} }), '', [2.2, 2]);
	add('sync', "$kept / not kept", $took / $alone->{processor}, '');
	add('sync', "$kept, peak memory", $s->{peak_kib} / 1024, 'MB', [192, 96]);
	add('sync', "$kept, peak memory / of 5·10⁶", $s->{peak_kib} / $last{5_000_000}{peak_kib}, '', [1.1, 1.0]);
	add('sync', 'bytes of a packet kept', $s->{bytes} / $s->{pairs}, '');
	add('sync', "$hosts hosts: open what is kept, clocks included", $s->{open} / 1e6, 'ms', [50, 10]);
	add('sync', "$hosts hosts: look a packet up", $s->{look_up} / 1e3, 'µs', [50, 10]);
}

# ---- a large trace among small ones ----

# Copies of sample traces, each of its own host.  The first are those of rpc-chain, which have packets in common.
sub make_hosts {
	my ($n) = @_;
	my @traces = map { dirname($_) } glob("$top/sample-traces/*/kernel/metadata");
	my @sources = map { "$top/sample-traces/rpc-chain/$_" } qw(client httpd db);
	push @sources, $traces[@sources % @traces] while @sources < $n;
	my @made = map { "$tmp/hosts/h$_" } 1 .. $n;
	mkdir "$tmp/hosts" or die "$tmp/hosts: $!\n";
	for my $i (0 .. $#made) {
		must_run("$top/tests/tools/set_clock", $sources[$i], $made[$i], '--host', "h$i",
			'--uuid', sprintf('00000000-0000-4000-8000-%012x', $i));
	}
	return @made;
}

# Measure TRACE alone and with 99 small ones, alternating, ROUNDS times.
sub measure_hosts {
	my ($trace, $rounds) = @_;
	my @small = make_hosts($hosts - 1);
	my @all = (@small, $trace);
	my (%built, %opened);
	for my $round (0 .. $rounds) {
		my %took = (alone => build_all('one', $trace), all => build_all('hundred', @all));
		next if !$round;	# the first fills caches
		push @{ $built{$_} }, $took{$_} for keys %took;
	}
	for my $round (0 .. 2 * $rounds) {
		my %took = (alone => first_frame("$tmp/one", $trace), all => first_frame("$tmp/hundred", @all));
		next if !$round;
		push @{ $opened{$_} }, $took{$_} for keys %took;
	}
	my ($built_alone, $built_all, $opened_alone, $opened_all) = map { median(@$_) } @built{qw(alone all)}, @opened{qw(alone all)};
	add('wakepath index', "$hosts hosts, 99 of them small: build", $built_all / 1e9, 's', undef, $built_all / $built_alone);
	add('wakepath index', "$hosts hosts, 99 of them small: build / the largest alone", $built_all / $built_alone, '', [1.6, 1.2]);
	add('wakepath view', "$hosts hosts, 99 of them small: open to the first frame", $opened_all / 1e6, 'ms', [50, 15], $opened_all / $opened_alone);
	must_run('rm', '-rf', "$tmp/hosts", "$tmp/one", "$tmp/hundred");
}

sub build_all {
	my ($folder, @traces) = @_;
	return measure($wakepath, 'index', '--quiet', '--force', '--index-dir', "$tmp/$folder", @traces)->{wall};
}

# ---- recorded packets ----

# rpc-chain's HOST with its client renamed to a tracer's process, repeated until the three hosts have 2·10⁶ packets.
sub make_observed {
	my ($host) = @_;
	my $copy = "$tmp/observed/$host";
	must_run('cp', '-rL', "$top/sample-traces/rpc-chain/$host", "$tmp/plain");
	for my $file (grep { !/metadata$|\.idx$/ } files_below("$tmp/plain")) {
		local $_ = slurp($file);
		s/wk-client\0/lttng\0\0\0\0\0/g or next;
		open my $out, '>:raw', $file or die "$file: $!\n";
		print $out $_;
		close $out or die "$file: $!\n";
	}
	my $events = `'$tools/scale_trace' '$tmp/plain' '$copy' $copies`;
	die "bench: scale_trace failed\n" if $? || !$events;
	must_run('rm', '-rf', "$tmp/plain");
	return $copy;
}

# The number of packets that wakepath counts, and the number of the tracer's packets among them.
sub count_packets {
	my (@command) = @_;
	my ($all, $tracers) = (0, 0);
	open my $p, '-|', $wakepath, 'info', '--format', 'json', @command or die "$wakepath: $!\n";
	local $/;
	for my $host (@{ decode_json(<$p>)->{traces} }) {
		$all += $host->{observing}{"all_packets_$_"} for qw(sent received);
		$tracers += $host->{observing}{"packets_$_"} for qw(sent received);
	}
	close $p or die "bench: failed: info @command\n";
	return ($all, $tracers);
}

sub measure_packets {
	mkdir "$tmp/observed" or die "$tmp/observed: $!\n";
	my @traces = map { make_observed($_) } qw(client httpd db);
	my @command = ('--index-dir', "$tmp/packets", @traces);
	build_all('packets', @traces);
	my @kept = glob("$tmp/packets/*.wpx");
	my (@sync, @info, @again);
	for my $round (1 .. $sync_rounds) {
		unlink @kept;
		push @sync, measure($wakepath, 'sync', @command)->{wall};
		push @info, measure($wakepath, 'info', @command)->{wall};
		push @again, measure($wakepath, 'info', @command)->{wall};
	}
	my ($packets, $tracers) = count_packets(@command);
	die "bench: $packets packets, of which $tracers of the tracer\n" if $packets < 2e6 || !$tracers;
	my $p = values_of('bench_passage', $questions, map { glob("$tmp/packets/*-$_-*.wpi") } qw(client httpd db));
	die "bench: of $p->{asked} packets $p->{answered} have a known sender\n" if $p->{answered} < $p->{asked} / 4;	# copies of client are too short to keep pace
	add('wakepath sync', '3 hosts, 2·10⁶ recorded packets: open, clocks found', median(@sync) / 1e9, 's', [10, 5]);
	add('wakepath info', '3 hosts, 2·10⁶ recorded packets, the tracer\'s among them: the first time', median(@info) / 1e9, 's');
	add('wakepath info', 'the same, once it is kept', median(@again) / 1e9, 's', [2, 1]);
	add('query', 'the same: open the packets kept', $p->{kept} / 1e6, 'ms', [50, 10]);
	add('query', "the same: who sent a packet, $_", $p->{$_} / 1e3, 'µs', [50, 10]) for 'p50', 'p99';
	must_run('rm', '-rf', "$tmp/observed", "$tmp/packets");
}

1;

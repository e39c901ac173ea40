#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Evidence is an event of the trace: babeltrace2 prints it with that name, time and CPU, and where the answer says it lies in the file there
# is the header of such an event.  All evidence of all threads of all traces.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use File::Find ();
use Test::More;

my $runs_of_a_trace = 150;	# of a trace with more threads only some are asked for
my $sanitized = 8;		# of the threads of a sample trace every so many-th is asked for with the sanitizers, which are many times slower

# Folders with metadata below ROOT.
sub traces {
	my ($root) = @_;
	my @found;
	File::Find::find({ no_chdir => 1, follow => 1, wanted => sub { push @found, $File::Find::dir if m{/metadata$} } }, $root) if -d $root;
	return sort @found;
}

# "TIME NAME CPU" of all events.
sub witness {
	my ($trace) = @_;
	my %events;
	open my $f, '-|', "babeltrace2 --clock-seconds --no-delta '$trace' 2>/dev/null" or die;
	while (<$f>) {
		$events{"$1$2 $3 $4"} = 1 if /^\[(\d+)\.(\d{9})\] (?:\S+ )?(\S+): \{ cpu_id = (\d+)/;
	}
	close $f;
	return \%events;
}

# What is needed to read the header of an event: kind of header, offset of the clock, names by number.
sub layout {
	my ($trace) = @_;
	my $text = `babeltrace2 -o ctf-metadata '$trace' 2>/dev/null`;
	my ($clock) = $text =~ /^clock \{(.*?)^\};/ms or die "$trace: no clock";
	my %names;
	for ($text =~ /^event \{(.*?)^\};/msg) {
		my ($name) = /\bname = "([^"]+)"/;
		$names{$1} = $name if /\bid = (\d+);/;
	}
	my ($seconds) = $clock =~ /offset_s = (-?\d+);/;
	my ($cycles) = $clock =~ /offset = (-?\d+);/;
	die "$trace: a clock of $1 Hz" if $clock =~ /freq = (\d+);/ && $1 != 1000000000;
	return { compact => scalar($text =~ /event\.header := struct event_header_compact/), names => \%names,
		zero => ($seconds // 0) * 1000000000 + ($cycles // 0), bytes => {} };
}

# The name of the event at byte AT of FILE, and the low 27 or 32 bits of its clock.
sub header {
	my ($layout, $file, $at) = @_;
	my $bytes = $layout->{bytes}{$file} //= slurp($file);
	my ($id, $clock);
	if ($layout->{compact}) {
		my $word = unpack 'V', substr $bytes, $at, 4;
		($id, $clock) = ($word & 31, $word >> 5);
		($id, $clock) = unpack 'VV', substr $bytes, $at + 1, 8 if $id == 31;
	} else {
		($id, $clock) = unpack 'vV', substr $bytes, $at, 6;
		($id, $clock) = unpack 'VV', substr $bytes, $at + 2, 8 if $id == 65535;
	}
	return ($layout->{names}{$id} // '', $clock & 0x7ffffff);
}

# All evidence in the JSON text of the wake-ups, or the path, of a thread: lists of [event, time, cpu, stream, packet, offset].
sub evidence {
	my ($r) = @_;
	my @found;
	while ($r->{out} =~ /\{"event":"([^"]+)","time":(\d+),"host":"[^"]*","cpu":(\d+),"stream":"([^"]+)","packet":(\d+),"offset":(\d+)\}/g) {
		push @found, [$1, $2, $3, $4, $5, $6];
	}
	my $all = () = $r->{out} =~ /"event":/g;
	is(scalar @found, $all, 'all evidence has all keys') if @found != $all;
	return @found;
}

sub check {
	my ($trace, $name) = @_;
	my ($events, $layout) = (witness($trace), layout($trace));
	my ($slow, $fast) = ($ENV{WAKEPATH}, $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH});
	local $ENV{WAKEPATH} = $trace =~ m{sample-traces/} ? $slow : $fast;
	my $threads = json_of(wakepath('threads', $trace, '--format', 'json'))->{threads};
	my @asked = grep { $_->{wakeups} } @$threads;
	my $step = 1 + int(@asked / $runs_of_a_trace);
	my ($n, @wrong) = (0);
	for my $i (0 .. $#asked / $step) {
		my $t = $asked[$i * $step];
		$ENV{WAKEPATH} = $trace =~ m{sample-traces/} && $i % $sanitized == 0 ? $slow : $fast;
		for my $e (map { evidence(wakepath($_, $trace, '--thread', "$t->{tid}\@$t->{first}", '--format', 'json')) } 'wakeups') {
			my ($event, $time, $cpu, $stream, $packet, $offset) = @$e;
			$n++;
			push @wrong, "not printed: @$e" if !$events->{"$time $event $cpu"};
			my ($there, $clock) = header($layout, "$trace/$stream", $packet + $offset);
			push @wrong, "another event there: @$e ($there)" if $there ne $event || $clock != (($time - $layout->{zero}) & 0x7ffffff);
		}
	}
	is(scalar @wrong, 0, "$name: $n events of evidence are in the trace") or diag(@wrong > 5 ? (map { "$_\n" } @wrong[0 .. 4]) : map { "$_\n" } @wrong);
	return $n;
}

my %seen;
for my $root (grep { defined } @ENV{qw(SAMPLES SHARED_TRACES)}) {
	for my $trace (traces($root)) {
		(my $name = $trace) =~ s{^\Q$root\E/|/kernel$}{}g;
		next if $seen{$name}++;
		my $n = check($trace, $name);
		cmp_ok($n, '>', 50, "$name: that is many");
	}
}

# A path shows the same events.
my @path = evidence(wakepath('path', sample('ioburst-ipi'), '--thread', 'wk-ioburst', '--format', 'json'));
my %of_wakeups = map { ("@$_" => 1) } evidence(wakepath('wakeups', sample('ioburst-ipi'), '--thread', 'wk-ioburst', '--format', 'json'));
cmp_ok(scalar(grep { $of_wakeups{"@$_"} } @path), '>', 50, 'the path has evidence');

done_testing();

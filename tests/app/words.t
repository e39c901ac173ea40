#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every cause, device and actor has words, in JSON and in text, on every trace at hand: no text is empty, or ends before a name.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Encode ();
use JSON::PP ();
use Wake;
use Test::More;

local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};	# long answers
my $threads_max = 4;	# threads of a trace that are checked: those with the most wake-ups of each name

# The texts in JSON that are not words.  (The file is not parsed: paths are long.)
sub blanks {
	my ($json) = @_;
	my %seen;
	$seen{$1}++ while $json =~ m{("\w+":"(?:|\s[^"]*|[^"]*(?:\s|/|:\s*|  [^"]*))")}g;
	return sort keys %seen;
}

# The lines of TEXT, a table with a heading, that are blank in one of the columns NAMES.
sub blank_cells {
	my ($text, @names) = @_;
	my ($header, @lines) = grep { /\S/ } split /\n/, $text;
	my @wrong;
	for my $name (@names) {
		my $at = index(Encode::decode('UTF-8', $header // ''), $name);
		die "no column $name in: $header" if $at < 0;
		push @wrong, map { "$name: $_" } grep { substr($_, $at, 1) =~ /^[\s-]?$/ }
			grep { !/^and \d+ more/ && length > $at } map { Encode::decode('UTF-8', $_) } @lines;
	}
	return @wrong;
}

sub json { return wakepath(@_, '--format', 'json')->{out} }

sub busiest {
	my ($trace) = @_;
	my (%of, @all);
	for my $t (sort { $b->{wakeups} <=> $a->{wakeups} } grep { $_->{tid} && $_->{wakeups} } @{ JSON::PP->new->utf8->decode(json('threads', $trace))->{threads} }) {
		push @all, "$t->{host}/$t->{tid}\@$t->{first}" unless $of{ ($t->{name} // '') =~ s/\d+//gr }++;
	}
	return splice @all, 0, $threads_max;
}

my @traces = map { sample($_) } qw(imbalance ioburst-ipi lockfight pipeline-nowaking preempt pulse rpc-chain);
push @traces, grep { -d } map { "$ENV{SHARED_TRACES}/$_" } qw(django many-threads vm-preempt inputs/rt-ioburst/lttng
	inputs/threadirqs-rpc/lttng inputs/throttled/lttng inputs/nvme-ioburst/lttng) if $ENV{SHARED_TRACES};

for my $trace (@traces) {
	my ($name) = $trace =~ m{([^/]+(?:/lttng)?)$};
	my (%wrong, $n);
	my $causes = json('causes', $trace, '--top', 100000);
	$wrong{"causes $_"} = 1 for blanks($causes);
	$wrong{"latency $_"} = 1 for blanks(json('latency', $trace, '--kind', 'wakeup', '--top', 1000));
	$wrong{"text of causes $_"} = 1 for blank_cells(wakepath('causes', $trace, '--top', 100000)->{out}, 'KIND', 'CAUSE');
	cmp_ok(scalar(() = $causes =~ /"cause":/g), '>', 3, "$name: there are causes");
	for my $thread (busiest($trace)) {
		my $path = json('path', $trace, '--thread', $thread);
		$wrong{"wakeups $_"} = 1 for blanks(json('wakeups', $trace, '--thread', $thread));
		$wrong{"path $_"} = 1 for blanks($path);
		$n += () = $path =~ /"on_path_because":/g;
	}
	is_deeply([sort keys %wrong], [], "$name: all have words");
	cmp_ok($n, '>', 10, "$name: and so do $n segments");
}
done_testing();

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# CTF 2: each sample trace with the metadata that LTTng 2.15 would write for the same stream files gives the same answers; and recordings of LTTng 2.16.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Ctf2;
use Wake;
use Test::More;

$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};	# long answers

# What `info` says of TRACE, apart from what must differ.
sub info_of {
	my ($trace) = @_;
	my $info = perl_of(wakepath('info', $trace, '--format', 'json')->{out});
	for my $t (@{ $info->{traces} }, $info) { delete @$t{qw(path index)} }
	my %formats;
	for my $t (@{ $info->{traces} }) {
		$formats{ delete $t->{format} }++;
		delete $_->{path} for @{ $t->{chunks} // [] };
	}
	return ($info, join ' ', sort keys %formats);
}

# The answers of TRACE, as text.
sub answers {
	my ($trace, $thread) = @_;
	return map { my @c = @$_; my $r = wakepath($c[0], $trace, @c[1 .. $#c]); ("@c" => "$r->{status} $r->{out}" =~ s/\Q$trace\E/TRACE/gr) }
		[qw(threads --format csv)], [qw(events --top 0 --format csv)], [qw(states --format csv --thread), $thread], [qw(wakeups --format csv --thread), $thread],
		[qw(path --format csv --thread), $thread], [qw(latency wakeup --format csv)], [qw(latency block --format csv)], [qw(requests --format csv)], [qw(causes --format csv)];
}

# Both must be CTF 1.8 and CTF 2, and otherwise alike.
sub alike {
	my ($one, $two, $name) = @_;
	my ($info, $format) = info_of($one);
	my ($other, $other_format) = info_of($two);
	is_deeply([$format, $other_format], ['CTF 1.8', 'CTF 2'], "$name: info tells the format");
	is_deeply($other, $info, "$name: info");
	my ($most) = sort { $b->{states}{running} <=> $a->{states}{running} } grep { $_->{tid} } @{ perl_of(wakepath('threads', $one, '--format', 'json')->{out})->{threads} };
	my (%one, %two);
	%one = answers($one, "$most->{host}/$most->{tid}");
	%two = answers($two, "$most->{host}/$most->{tid}");
	is(scalar(grep { /^0 / } values %one) >= 5, 1, "$name: there are answers");
	for my $what (sort keys %one) {
		my ($n, @lines) = (0, split /\n/, $one{$what});
		my ($other) = grep { $_->[0] ne $_->[1] } map { [$_, $lines[$n++] // ''] } split /\n/, $two{$what};
		ok($two{$what} eq $one{$what}, "$name: $what") or diag($other ? "$other->[0]\ninstead of\n$other->[1]" : 'fewer lines');
	}
}

my @samples = @ARGV ? @ARGV : map { m{([^/]+)/\z} } glob "$ENV{SAMPLES}/*/";
for my $sample (@samples) {
	ctf2_copy(sample($sample), "$ENV{TMPDIR}/ctf2/$sample");
	alike(sample($sample), "$ENV{TMPDIR}/ctf2/$sample", $sample);
}
done_testing;

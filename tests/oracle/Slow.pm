# SPDX-License-Identifier: MIT
package Slow;

# Runs `wakepath compare`, and checks what every answer must fulfil.

use strict;
use warnings;
use List::Util qw(sum0);
use Test::More;
use Wake;

sub compare {
	my (@args) = @_;
	my $r = wakepath('compare', @args, '--format', 'json');
	is($r->{status}, 0, "compare answers: @args[1 .. $#args]") or diag $r->{err};
	return json_of($r);
}

# The thread of a step: "host/name" of the last of its actors, as text.
sub actor { my ($a) = @_; return ref $a ? join '/', grep { defined && length } @$a{qw(host name)} : $a }

# The rows, in order: { who, kind, difference, share, in, p, class, text: all of its step }.
sub rows {
	my ($j) = @_;
	return map { my @step = map { actor($_) } @{ $_->{step} }; +{ %$_, who => $step[-1] // '', text => join('; ', @step), p => $_->{p_value} } } @{ $j->{rows} };
}

sub near { my ($got, $expected, $off, $name) = @_; ok(defined $got && abs($got - $expected) <= $off, $name) or diag('got ', $got // 'null', ", expected $expected") }

# Checks for each answer.
sub sound {
	my ($j, $name) = @_;
	my @sets = @{ $j->{sets} };
	is(scalar @sets, 2, "$name: two sets");
	my @rows = @{ $j->{rows} };
	is(sum0(map { $_->{difference} } @rows), $j->{difference}, "$name: rows sum to the difference");
	near($j->{difference}, $sets[0]{mean} - $sets[1]{mean}, 1, "$name: the difference is that of the means");
	my ($wrong_share, $wrong_in, $wrong_p, $wrong_class) = (0) x 4;
	for (@rows) {
		$wrong_share++ if $j->{difference} && abs($_->{share} - $_->{difference} / $j->{difference}) > 1e-3 + 1e-3 * abs $_->{share};
		my ($s, $f) = @{ $_->{in} }{qw(slow fast)};
		$wrong_in++ if $s < 0 || $s > $sets[0]{count} || $f < 0 || $f > $sets[1]{count} || !($s + $f);
		$wrong_p++ if defined $_->{p_value} && ($_->{p_value} < 0 || $_->{p_value} > 1);
		$wrong_class++ if $_->{class} !~ /^(?:structure|timing|noise)$/;
	}
	is("$wrong_share $wrong_in $wrong_p $wrong_class", '0 0 0 0', "$name: shares, counts, p and classes of " . @rows . ' rows are consistent');
}

# The sets of J against the durations SLOW and FAST.
sub sets {
	my ($j, $name, @durations) = @_;
	for my $i (0, 1) {
		my @sorted = sort { $a <=> $b } @{ $durations[$i] };
		my $set = $j->{sets}[$i];
		my $which = $i ? 'fast' : 'slow';
		is($set->{count}, scalar @sorted, "$name: the number of the $which is right") or next;
		near($set->{mean}, sum0(@sorted) / @sorted, 0.51, "$name: the mean of the $which is right");
		is($set->{"p$_"}, $sorted[nearest($_, scalar @sorted)], "$name: the percentile $_ of the $which is right") for 50, 99;
	}
}

# The position of the value not exceeded by P % of N values.
sub nearest { my ($p, $n) = @_; my $at = int($p * $n / 100); return $at - ($at * 100 == $p * $n ? 1 : 0) }

1;

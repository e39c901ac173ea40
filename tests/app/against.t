#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Latencies against those of another recording, or time: means, pooled error, ranks and sums counted from the lists of cases; ministat where it is.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use List::Util qw(sum0);
use Wake;
use Test::More;

# The latencies of all cases, by group, from the list of them.
sub cases {
	my ($trace, @window) = @_;
	my %by;
	my ($header, @rows) = @{ csv_of(wakepath('latency', $trace, '--kind', 'wakeup', '--top', 1000000, '--format', 'csv', @window)) };
	my %at = map { $header->[$_] => $_ } 0 .. $#$header;
	for my $row (@rows) {
		push @{ $by{$_} }, $row->[$at{latency}] for '', $row->[$at{name}];
	}
	return \%by;
}
sub against { return json_of(wakepath('latency', @_, '--kind', 'wakeup', '--format', 'json', '--top', 1000)) }
sub moments {
	my @x = @_;
	my $mean = sum0(@x) / @x;
	return ($mean, @x > 1 ? sum0(map { ($_ - $mean)**2 } @x) / (@x - 1) : 0);
}
sub near { my ($x, $y, $off) = @_; return abs($x - $y) <= ($off // 1e-6) * (abs($y) + 1) }

# Mann and Whitney's p by counting pairs: of all of A and B which is larger.
sub p_of_ranks {
	my ($x, $y) = @_;
	my ($n, $m) = (scalar @$x, scalar @$y);
	my ($u, %same) = (0);
	for my $v (@$x) { $u += $v > $_ ? 1 : $v == $_ ? 0.5 : 0 for @$y }
	$same{$_}++ for @$x, @$y;
	my $ties = sum0(map { $_**3 - $_ } values %same);
	my $variance = $n * $m / 12 * ($n + $m + 1 - $ties / (($n + $m) * ($n + $m - 1)));
	my $z = abs($u - $n * $m / 2) - 0.5;
	return 1 if $z <= 0;
	# erfc by its series and continued fraction is not perl's: the tail of the normal distribution by Simpson's rule.
	my ($from, $to, $steps, $sum) = ($z / sqrt $variance, $z / sqrt($variance) + 12, 20000, 0);
	my $f = sub { exp(-$_[0]**2 / 2) / sqrt(2 * 3.14159265358979) };
	my $h = ($to - $from) / $steps;
	$sum += ($_ == 0 || $_ == $steps ? 1 : $_ % 2 ? 4 : 2) * $f->($from + $_ * $h) for 0 .. $steps;
	return 2 * $sum * $h / 3;
}

my ($now, $before) = (sample('pipeline'), sample('preempt'));
my ($new, $old) = (cases($now), cases($before));
my $r = against($now, '--against', $before, '--by', 'name');
is($r->{kind}, 'wakeup', 'the kind');
is($r->{compared}, scalar @{ $r->{groups} }, 'how many were compared');

my ($all) = @{ $r->{all} };
is($all->{count_before}, scalar @{ $old->{''} }, 'cases before');
is($all->{count}, scalar @{ $new->{''} }, 'cases now');
my ($m1, $v1) = moments(@{ $old->{''} });
my ($m2, $v2) = moments(@{ $new->{''} });
ok(near($all->{difference}, $m2 - $m1, 1e-5), 'the difference of the means');
my ($n1, $n2) = map { scalar @{ $_->{''} } } $old, $new;
my $scale = sqrt((($n1 - 1) * $v1 + ($n2 - 1) * $v2) / ($n1 + $n2 - 2)) * sqrt(1 / $n1 + 1 / $n2);
cmp_ok(abs($all->{error} / $scale - 1.969), '<', 0.001, 'its error: t of 275 degrees of freedom at 95 % is 1.969');
is($all->{test}, 'ranks', 'latencies are not normal');
ok(near($all->{p}, p_of_ranks($old->{''}, $new->{''}), 1e-4), 'p of the ranks') or diag("$all->{p} ", p_of_ranks($old->{''}, $new->{''}));

my %groups = map { $_->{name} => $_ } @{ $r->{groups} };
is(join(',', sort keys %groups), join(',', sort grep { length } keys %{ { %$old, %$new } }), 'all groups of both');
my $wrong = 0;
for my $name (keys %groups) {
	my $g = $groups{$name};
	$wrong++ if $g->{count} != @{ $new->{$name} // [] } || $g->{count_before} != @{ $old->{$name} // [] };
	$wrong++ if $old->{$name} && $new->{$name} && !near($g->{difference}, (moments(@{ $new->{$name} }))[0] - (moments(@{ $old->{$name} }))[0], 1e-4);
}
is($wrong, 0, 'with their cases and differences');
ok(abs(sum0(map { $_->{more} } @{ $r->{groups} }) - $all->{more}) <= @{ $r->{groups} }, 'groups sum to the whole');
is(join(',', map { abs $_->{more} } @{ $r->{groups} }), join(',', sort { $b <=> $a } map { abs $_->{more} } @{ $r->{groups} }), 'what explains most is first');
is(scalar(grep { defined $_->{p} && ($_->{p} < 0 || $_->{p} > 1) } @{ $r->{groups} }), 0, 'p is a share');

# The same against itself.
my ($same) = @{ against($before, '--against', $before)->{all} };
is($same->{difference}, 0, 'nothing differs from itself');
is($same->{p}, 1, 'for sure');
like(wakepath('latency', $before, '--kind', 'wakeup', '--against', $before)->{out}, qr/^wakeup latency, before and now: no difference is proven\n/, 'and it says so');

# Two times of one trace.
my $window = against($before, '--from', '+0ms', '--to', '+100ms', '--against-from', '+100ms')->{all}[0];
is($window->{count}, scalar @{ cases($before, '--from', '+0ms', '--to', '+100ms')->{''} }, 'a window now');
is($window->{count_before}, scalar @{ cases($before, '--from', '+100ms')->{''} }, 'and one before');

# What is larger by far is found so: wake-ups of a busy trace against those of an idle one, of one kind of thread.
SKIP: {
	chomp(my $ministat = `sh -c "command -v ministat"`);
	skip 'ministat is not there', 1 if !length $ministat;
	spew("$ENV{TMPDIR}/a", join "\n", @{ $old->{''} }, '');
	spew("$ENV{TMPDIR}/b", join "\n", @{ $new->{''} }, '');
	my $said = `ministat -c 95 $ENV{TMPDIR}/a $ENV{TMPDIR}/b`;
	my $proven = abs($all->{difference}) > $all->{error};
	is($said =~ /Difference at 95/ ? 1 : 0, $proven ? 1 : 0, 'ministat says the same of the means');
}

is(wakepath('latency', $now, '--kind', 'wakeup', '--against', '/nowhere')->{status}, 3, 'no such trace');
says(wakepath('latency', $now, '--kind', 'wakeup', '--against', $before, '--thread', 'wk-pipe-main'), 1, qr/no thread "wk-pipe-main"/, 'a thread that one of them has not');

done_testing();

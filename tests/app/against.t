#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Latencies compared with those of another recording or time: means, pooled error, ranks and sums counted from the lists of cases, and by ministat
# where it is installed.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools", "$ENV{TOP}/tests/oracle";
use Encode qw(decode);
use List::Util qw(sum0);
use Account;
use Wake;
use Test::More;

# The latencies of all cases by group, from the list of cases.
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

# Mann and Whitney's p, by counting in how many pairs of A and B each is larger.
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
	# erfc by its series and continued fraction would only repeat perl's: this is the tail of the normal distribution by Simpson's rule.
	my ($from, $to, $steps, $sum) = ($z / sqrt $variance, $z / sqrt($variance) + 12, 20000, 0);
	my $f = sub { exp(-$_[0]**2 / 2) / sqrt(2 * 3.14159265358979) };
	my $h = ($to - $from) / $steps;
	$sum += ($_ == 0 || $_ == $steps ? 1 : $_ % 2 ? 4 : 2) * $f->($from + $_ * $h) for 0 .. $steps;
	return 2 * $sum * $h / 3;
}

# How much of each preemption of LIFE within [FROM, TO) each holder of the CPU had, by name.
sub preempted_in {
	my ($o, $life, $from, $to) = @_;
	my (%by, @waits);
	for my $i (grep { $_->{state} eq 'preempted' } @{ $life->{intervals} }) {
		push @waits, { %$i, parts => {} } if !@waits || $waits[-1]{to} != $i->{from};
		$waits[-1]{to} = $i->{to};
		my ($a, $b) = ($i->{from} < $from ? $from : $i->{from}, $i->{to} > $to ? $to : $i->{to});
		$o->add_holders($waits[-1]{parts}, $i->{cpu}, $a, $b) if $a < $b;
	}
	for my $parts (map { $_->{parts} } @waits) {
		my %sum;
		for my $holder (keys %$parts) {
			my ($name) = $holder =~ /^thread (\d+)/ ? map { $_->{name} } $o->lives_of_tid($1) : ();
			$name =~ s{/\d+$}{/*} if defined $name;
			$name = $holder eq 'timer' ? 'hrtimer' : $holder =~ /^irq local_timer/ ? 'IRQ 236 local_timer' : $holder if !defined $name;
			$sum{$name} += $parts->{$holder};
		}
		push @{ $by{$_} }, $sum{$_} for keys %sum;
	}
	return \%by;
}

my ($now, $before) = (sample('pipeline'), sample('preempt'));
my ($new, $old) = (cases($now), cases($before));
my $r = against($now, '--against', $before, '--by', 'name');
is($r->{kind}, 'wakeup', 'the kind');
is($r->{compared}, scalar @{ $r->{groups} }, 'the number of compared cases');

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
ok(near($all->{p}, p_of_ranks($old->{''}, $new->{''}), 1e-4), 'p of the ranks is right') or diag("$all->{p} ", p_of_ranks($old->{''}, $new->{''}));

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
is(join(',', map { abs $_->{more} } @{ $r->{groups} }), join(',', sort { $b <=> $a } map { abs $_->{more} } @{ $r->{groups} }), 'the group that explains most is first');
is(scalar(grep { defined $_->{p} && ($_->{p} < 0 || $_->{p} > 1) } @{ $r->{groups} }), 0, 'p is a share');

# A recording against itself.
my ($same) = @{ against($before, '--against', $before)->{all} };
is($same->{difference}, 0, 'nothing differs from itself');
is($same->{p}, 1, 'for sure');
like(wakepath('latency', $before, '--kind', 'wakeup', '--against', $before)->{out}, qr/^wakeup latency, before and now: no difference is proven\n/, 'and the text says so');

# Two windows of one trace.
my $window = against($before, '--from', '+0ms', '--to', '+100ms', '--against-from', '+100ms')->{all}[0];
is($window->{count}, scalar @{ cases($before, '--from', '+0ms', '--to', '+100ms')->{''} }, 'a window now');
is($window->{count_before}, scalar @{ cases($before, '--from', '+100ms')->{''} }, 'and one before');

# A much larger latency is found: wake-ups of a busy trace against those of an idle one, of one kind of thread.
SKIP: {
	chomp(my $ministat = `sh -c "command -v ministat"`);
	skip 'ministat is not installed', 1 if !length $ministat;
	spew("$ENV{TMPDIR}/a", join "\n", @{ $old->{''} }, '');
	spew("$ENV{TMPDIR}/b", join "\n", @{ $new->{''} }, '');
	my $said = `ministat -c 95 $ENV{TMPDIR}/a $ENV{TMPDIR}/b`;
	my $proven = abs($all->{difference}) > $all->{error};
	is($said =~ /Difference at 95/ ? 1 : 0, $proven ? 1 : 0, 'ministat says the same of the means');
}

# All kinds in one table: each row is that of the kind alone; p is corrected for the number of kinds.
my $kinds = json_of(wakepath('latency', $now, '--against', $before, '--format', 'json'))->{kinds};
my %kind = map { $_->{kind} => $_ } @$kinds;
my $n = grep { defined $_->{p} } @$kinds;
cmp_ok($n, '>', 10, 'kinds are compared');
is(join(' ', map { $kind{wakeup}{$_} } qw(count_before count)), "$n1 $n2", 'wake-ups among them');
ok(near($kind{wakeup}{difference}, $m2 - $m1, 1e-5), 'with their difference');
my $alone = p_of_ranks($old->{''}, $new->{''}) * $n;
ok(near($kind{wakeup}{p}, $alone > 1 ? 1 : $alone, 1e-3), 'and its p');
my $most = (sort { $b->{more} <=> $a->{more} } map { +{ %$_, more => $_->{more} * ($all->{more} <=> 0) } } @{ $r->{groups} })[0];
is($kind{wakeup}{most}, $most->{name}, 'and the group that explains most of it');
is(join(' ', map { $_->{kind} } @$kinds), join(' ', map { $_->{kind} } sort { defined $b->{change} <=> defined $a->{change} || abs $b->{more} <=> abs $a->{more} } @$kinds),
	'rows that are sure come first, then those that explain most');
is(scalar(grep { defined $_->{change} != (defined $_->{p} && $_->{p} < 0.05) } @$kinds), 0, 'a row below 5 % is sure');
is(scalar(grep { defined $_->{change} && $_->{change} ne ($_->{difference} > 0 ? 'longer' : 'shorter') } @$kinds), 0, 'and how');
for my $way ([$now, $before, $kinds], [$before, $now, json_of(wakepath('latency', $before, '--against', $now, '--format', 'json'))->{kinds}]) {
	my ($one, $other, $of) = @$way;
	my $text = decode('UTF-8', wakepath('latency', $one, '--against', $other)->{out});
	my ($told, @lines) = split /\n/, $text;
	my %n = map { my $which = $_; $which => scalar grep { ($_->{change} // '') eq $which } @$of } qw(longer shorter);
	is($told, ($n{longer} + $n{shorter} ? "$n{longer} longer now, $n{shorter} shorter" : 'no difference is proven') . ', of ' . @$of . ' kinds of latency', 'the number of rows comes first');
	is(scalar @lines, 1 + @$of, 'then one line for each');
	unshift @lines, $told;
	is_deeply([scalar @lines <= 23, grep { length > 80 } @lines], [1], 'the table fits a screen of 80x24');
}
like(wakepath('latency', $before, '--against', $before)->{out}, qr/^no difference is proven, of \d+ kinds of latency\n/, 'a recording has nothing to explain against itself');

# Causes: the preemptions of wk-victim in two windows of one trace, by the events of its CPU.
{
	my $o = Account->load("$before/kernel");
	my ($life) = $o->lives_of_tid(546);
	my ($begin, $cut, $end) = ($life->{birth}, $life->{birth} + 40_000_000, $life->{exited});
	my @sides = ([ $begin, $cut ], [ $cut, $end ]);
	my @is = map { preempted_in($o, $life, @$_) } @sides;
	my $answer = wakepath('causes', $before, '--thread', 546, '--from', $cut, '--to', $end, '--against-from', $begin, '--against-to', $cut, '--top', 1000, '--format', 'json');
	my $said = json_of($answer);
	unlike($answer->{err}, qr/CRITICAL/, 'closing an answer frees only what was made');
	is("$said->{kind} $said->{by}", 'causes cause', 'causes are compared');
	my %said = map { $_->{name} =~ /^preempted: (.*)/ ? ($1 => $_) : () } @{ $said->{groups} };
	is(join(' ', sort keys %said), join(' ', sort keys %{ { map { %$_ } @is } }), 'by the thread that had the CPU');
	for my $name (sort keys %said) {
		my ($x, $y) = map { $_->{$name} // [] } @is;
		is(join(' ', map { $said{$name}{$_} } qw(count_before count)), join(' ', scalar @$x, scalar @$y), "$name: parts of waits");
		my $more = sum0(@$y) / (($end - $cut) / 1e9) - sum0(@$x) / (($cut - $begin) / 1e9);
		ok(abs($said{$name}{more} - $more) <= 2, "$name: more each second") or diag "$said{$name}{more} $more";
		next if !@$x || !@$y;
		ok(near($said{$name}{difference}, (moments(@$y))[0] - (moments(@$x))[0], 1e-4), "$name: the difference of the means");
	}
	ok(abs(sum0(map { $_->{more} } @{ $said->{groups} }) - $said->{all}[0]{more}) <= @{ $said->{groups} }, 'all causes sum to all waits');
}

is(wakepath('latency', $now, '--kind', 'wakeup', '--by', 'name', '--against', $before, '--top', 0)->{out},
	wakepath('latency', $now, '--kind', 'wakeup', '--by', 'name', '--against', $before, '--top', 1000)->{out}, 'with --top 0 all groups');
says(wakepath('latency', $now, '--against', $before, '--fail-over', '1ms'), 2, qr/--fail-over is not for --against/, 'the comparison succeeds');
is(wakepath('latency', $now, '--kind', 'wakeup', '--against', '/nowhere')->{status}, 3, 'a missing trace is an error');
says(wakepath('latency', $now, '--kind', 'wakeup', '--against', $before, '--thread', 'wk-pipe-main'), 1, qr/no thread "wk-pipe-main"/, 'a thread that one of the traces lacks is an error');

done_testing();

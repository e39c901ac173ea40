#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# The pane that compares slow with fast: its numbers are those of `wakepath compare`, whoever asked for them: the selected
# thread, what was typed, a list; by which key its groups are changed; marked requests; what it exports.
use strict;
use warnings;
use utf8;
use File::Basename qw(dirname);
use Cwd qw(abs_path);
use JSON::PP;
use Test::More;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $samples = $ENV{SAMPLES} // "$top/sample-traces";
my $program = $ENV{WAKEPATH} // "$top/build/wakepath";
my $tmp = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";
chdir $tmp or die;
$ENV{XDG_CONFIG_HOME} = "$tmp/config";
binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

sub slurp { my ($path) = @_; open my $f, '<', $path or return ''; local $/; return scalar <$f> }

# Each screen that @lines dump, by its name.
sub play {
	my ($args, @lines) = @_;
	unlink glob 'screen.*';
	open my $f, '>', 'script' or die;
	print $f map { "$_\n" } 'size 200 60', @lines;
	close $f;
	is system($program, split(/ /, $args), '--script', 'script'), 0, "$args: ends well";
	return map { /screen\.(.*)/ ? ($1 => do { my $text = slurp($_); utf8::decode($text); $text }) : () } glob 'screen.*';
}

sub compared {
	my @args = @_;
	open my $f, '-|', $program, 'compare', @args, '--format', 'json' or die;
	local $/;
	return decode_json(scalar <$f>);
}

# 20934567 as "20.9 ms": three digits, as everywhere.
sub duration {
	my ($ns) = @_;
	my @units = ([1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']);
	for (@units) {
		my ($unit, $name) = @$_;
		my $n = $ns / $unit;
		next if $n < 1 && $unit > 1;
		return $unit == 1 ? "$ns $name" : sprintf('%.*f %s', $n < 9.995 ? 2 : $n < 99.95 ? 1 : 0, $n, $name);
	}
}

sub differs { my ($ns) = @_; return ($ns < 0 ? '-' : '+') . duration(abs $ns) }

# All that SCREEN says of what is no noise is what JSON says, row by row, and both sums are right.
sub same {
	my ($screen, $json, $name) = @_;
	subtest $name => sub {
		my ($slow, $fast) = @{ $json->{sets} };
		my $by_duration = $json->{by} eq 'duration';
		my $what = sprintf '%d of %d (%s %s)', $slow->{count}, $slow->{count} + $fast->{count},
			$by_duration ? ('≥', duration($slow->{min})) : ('median', duration($slow->{p50}));
		ok index($screen, $what) >= 0, $what;
		$what = sprintf '%s %d (median %s)   %s', $fast->{name}, $fast->{count}, duration($fast->{p50}), differs($json->{difference});
		ok index($screen, $what) >= 0, $what;
		my ($sum, $noise, $noise_sum, $below, @lines) = (0, 0, 0, 0, $screen =~ /^ *([+-]\S+ [nµm]?s +-?\d+% .*)$/mg);
		for my $row (@{ $json->{rows} }) {
			$sum += $row->{difference};
			if ($row->{class} eq 'noise') { $noise++; $noise_sum += $row->{difference}; next }
			my $line = shift @lines;
			if (!$line) { $below++; next } # of the screen
			my $begin = sprintf '%s %4.0f%%', differs($row->{difference}), 100 * $row->{share};
			my $doing = $row->{step}[-1]{name} . ' ' . $row->{kind};
			my $takes = !$row->{in}{fast} ? 'only in ' : !$row->{in}{slow} ? 'only in '
				: duration($row->{mean_fast}) . ' → ' . duration($row->{mean_slow});
			$begin =~ s/ +/ +/;
			$begin =~ s/^\+/\\+/;
			like $line, qr/^$begin.* \S*\Q$doing\E .*\Q$takes\E.* $row->{class}$/, $doing;
		}
		ok !$below || @{ $json->{rows} } > 20, 'all, as far as there is room';
		is $sum, $json->{difference}, 'rows sum to the difference';
		my $said = differs($noise_sum);
		ok $screen =~ /^ *\Q$said\E +▸ (?:$noise steps are noise|all is noise: none of $noise steps)/m, "and what is noise: $noise, $said" if $noise > 3 && !$below;
	};
}

sub share { my ($share) = @_; return sprintf '%.1f%%', 100 * $share }

# Below the steps SCREEN, whose list is scrolled to its end, has what JSON says of what else went on, in its order.
sub same_outside {
	my ($screen, $json, $name) = @_;
	my ($below) = $screen =~ /^ What else went on \(correlation, no cause\)(.*?)\n\s*\n/ms or return fail "$name: a heading";
	my @outside = @{ $json->{outside} // [] };
	my @lines = map { s/^ +//r } split /\n/, $below;
	my $head = shift @lines;
	is $head, !$json->{outside} ? ': too few paths to tell' : !@outside ? ": of $json->{outside_looked} things nothing but chance"
		: ", as a share of the paths' time", "$name: what is said";
	my @expected = map {
		my $host = $_->{host} ? "$_->{host}/" : '';
		my $text = ($_->{name} // '') eq '' ? $_->{what} . ($_->{host} ? " of $_->{host}" : '') : $_->{what} =~ /irq/ ? "$host$_->{name}" : "$_->{what} $host$_->{name}";
		my $p = $_->{p_value} < 0.001 ? 'p < 0.001' : $_->{p_value} < 0.01 ? 'p < 0.01' : sprintf 'p = %.2f', $_->{p_value};
		sprintf '%+.1f%% %s %s → %s %s goes with', 100 * ($_->{slow} - $_->{fast}), $text, share($_->{fast}), share($_->{slow}), $p;
	} @outside;
	is_deeply [map { s/ +/ /gr } @lines], \@expected, "$name: what else went on";
}

my $trace = "$samples/rpc-chain";
my %screen = play("$trace --thread client/wk-client", '=', 'dump screen.thread', 'G', 'dump screen.structure', ':', '"compare requests:wk-client slow over 15ms"', 'Enter',
	'dump screen.over', ':', '"compare requests:wk-client group structure"', 'Enter', 'dump screen.typed', '*', '"client/wk-client, httpd/wk-server"', 'Enter',
	'dump screen.other', '=', 'dump screen.closed');
same($screen{thread}, compared($trace, '--set', 'requests:wk-client'), 'requests of the selected thread');
same($screen{structure}, compared($trace, '--set', 'requests:wk-client', '--group', 'structure'), 'by structure');
same($screen{typed}, compared($trace, '--set', 'requests:wk-client', '--group', 'structure'), 'the same, typed');
same($screen{over}, compared($trace, '--set', 'requests:wk-client', '--slow', 'over 15ms'), 'over a border');
same($screen{other}, compared($trace, '--set', 'requests:wk-client', '--group', 'structure', '--slow', 'client/wk-client, httpd/wk-server'), 'another group');
unlike $screen{closed}, qr/Slow against fast/, 'closed by its key';

# What else went on, below: where there was something, where it was chance, and where there are too few paths.
for my $case ([$trace, 'requests:wk-client'], [$trace, 'requests', '--slow', 'top 5%'], [$trace, 'requests:wk-client', '--slow', 'over 60ms'], ["$samples/pulse", 'latency:blocked']) {
	my ($of, $set, @slow) = @$case;
	my $typed = @slow ? "$set slow $slow[1]" : $set;
	my %shown = play($of, ':', "\"compare $typed\"", 'Enter', 'z', 'End', 'dump screen.outside');
	same_outside($shown{outside}, compared($of, '--set', $set, @slow), $typed);
}

# What a list has: all requests but the tracer's; the blocked waits of a thread; two of them by hand.
%screen = play($trace, 'X', 'Q', '=', 'dump screen.requests', 'u', 'dump screen.undone', 'C-r', 'dump screen.again');
same($screen{requests}, compared($trace, '--set', 'requests'), 'all requests of the list');
like $screen{undone}, qr/Requests of all hosts/, 'undone';
like $screen{again}, qr/Slow against fast.*requests of all hosts/, 'done again';
%screen = play("$samples/ioburst-ipi --thread wk-ioburst", 'w', ':', '"kind blocked"', 'Enter', ':', '"scope thread"', 'Enter', '=', 'dump screen.blocked', 'e', '"kept.json"', 'Enter',
	'e', '"kept.csv"', 'Enter', 'e', '"kept.folded"', 'Enter', 'e', '"kept.txt"', 'Enter', 'dump screen.wrote');
my $blocked = compared("$samples/ioburst-ipi", '--set', 'latency:blocked:wk-ioburst');
same($screen{blocked}, $blocked, 'cases of a kind');
is_deeply decode_json(slurp('kept.json')), $blocked, 'exported as JSON';
for my $format ('csv', 'folded', 'text') {
	my $file = 'kept.' . ($format eq 'text' ? 'txt' : $format);
	my $printed = qx('$program' compare '$samples/ioburst-ipi' --set latency:blocked:wk-ioburst --format $format --top 0);
	is slurp($file), $printed, "and as $format";
}

%screen = play("$samples/ioburst-ipi", ':', '"compare latency:blocked group sched_switch.prev_state slow 2"', 'Enter', 'dump screen.field', ':', '"group sched_switch.prev_prio"', 'Enter',
	'dump screen.other');
same($screen{field}, compared("$samples/ioburst-ipi", '--set', 'latency:blocked', '--group', 'sched_switch.prev_state', '--slow', '2'), 'by a field of an event');
same($screen{other}, compared("$samples/ioburst-ipi", '--set', 'latency:blocked', '--group', 'sched_switch.prev_prio'), 'by another field');

%screen = play("$trace --thread client/wk-client", 'Q', 'r', 'Space', 'dump screen.one', '=', 'dump screen.refused', 'j', 'Space', '=', 'dump screen.hand', 'e', '"hand.json"', 'Enter');
like $screen{one}, qr/^● *\+\S+ s +63\.3 ms/m, 'a request is marked';
like $screen{refused}, qr/one line is marked: mark two or more, or none/, 'which are too few';
my $hand = decode_json(slurp('hand.json'));
is_deeply [map { "$_->{name} $_->{count}" } @{ $hand->{sets} }], ['marked 2', 'the rest 814'], 'two are compared with the rest';
same($screen{hand}, $hand, 'by hand');
# (63321782 + 51385596) / 2, of the list's longest two.
is $hand->{sets}[0]{mean}, 57353689, 'their mean, by hand';

# The only new thread there is the tracer's own, which the list hides.
%screen = play("$samples/lost-events", 'w', ':', '"kind fork"', 'Enter', '=', 'dump screen.none');
like $screen{none}, qr/fork: only the tracer's own threads have such/, 'nothing to compare';

# Two paths: those of the interval that takes most of the step, and of the fast one in the middle; over, and below each other.
my $rpc = compared($trace, '--set', 'requests:wk-client');
my ($first) = @{ $rpc->{rows} };
my $fast = $rpc->{sets}[1]{typical};
my $pair = qr/fast, typical: \Q@{[duration($fast->{to} - $fast->{from})]}\E, of that 0 in the step.*slow, extreme: [\d.]+ ms, of that \Q@{[duration($first->{max_slow})]}\E in the step/s;
%screen = play("$trace --thread client/wk-client", '=', 'Enter', 'dump screen.wide', 'size 80 24', 'dump screen.small', 'Enter', 'dump screen.gone', 'u', 'dump screen.undone', 'b', 'dump screen.list');
like $screen{$_}, $pair, "$_: typical and extreme, with the time in the step" for qw(wide small undone);
like $screen{wide}, qr/^  fast, typical.*slow, extreme/m, 'beside each other';
unlike $screen{small}, qr/fast, typical.*slow, extreme/, 'below each other';
like $screen{gone}, qr/^ .*wk-client.*51\.4 ms|Path of client\/wk-client\[572\]  51\.4 ms/m, 'Enter goes to the extreme one';
like $screen{list}, qr/Slow against fast by duration/, 'and b to the list';

done_testing;

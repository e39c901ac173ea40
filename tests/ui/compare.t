#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# The pane that compares slow with fast: its numbers are those of `wakepath compare`, for each source of cases: the selected thread, typed text, a
# list; changing the key of its groups; marked requests; another recording; its exports.
use strict;
use warnings;
use utf8;
use File::Basename qw(dirname);
use Cwd qw(abs_path);
use JSON::PP;
use Test::More;
use lib "$ENV{TOP}/tests/oracle";
use Planted;

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
	return '0' if !$ns;
	my @units = ([1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']);
	for (@units) {
		my ($unit, $name) = @$_;
		my $n = $ns / $unit;
		next if $n < 1 && $unit > 1;
		return $unit == 1 ? "$ns $name" : sprintf('%.*f %s', $n < 9.995 ? 2 : $n < 99.95 ? 1 : 0, $n, $name);
	}
}

sub differs { my ($ns) = @_; return ($ns < 0 ? '-' : '+') . duration(abs $ns) }

# Every step on SCREEN that is not noise equals its row in JSON, and both sums are right.
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
		my ($sum, $noise, $noise_sum, $below, @lines) = (0, 0, 0, 0, $screen =~ /^ *([+-]\S+ [nµm]?s +-?[\d.]+% .*)$/mg);
		for my $row (@{ $json->{rows} }) {
			$sum += $row->{difference};
			if ($row->{class} eq 'noise') { $noise++; $noise_sum += $row->{difference}; next }
			my $line = shift @lines;
			if (!$line) { $below++; next } # below the screen
			my $begin = quotemeta(differs($row->{difference})) . sprintf ' +%.1f%%', 100 * $row->{share};
			my $doing = $row->{step}[-1]{name} . ' ' . $row->{kind};
			my $takes = !$row->{in}{fast} ? 'only in ' : !$row->{in}{slow} ? 'only in '
				: duration($row->{mean_fast}) . ' → ' . duration($row->{mean_slow});
			like $line, qr/^$begin.* \S*\Q$doing\E .*\Q$takes\E.* $row->{class}$/, $doing;
		}
		ok !$below || @{ $json->{rows} } > 20, 'all, as far as they fit';
		is $sum, $json->{difference}, 'rows sum to the difference';
		my $said = differs($noise_sum);
		ok $screen =~ /^ *\Q$said\E +▸ (?:$noise steps are noise|all $noise steps are noise)/m, "and what is noise: $noise, $said" if $noise > 3 && !$below;
	};
}

sub share { my ($share) = @_; return sprintf '%.1f%%', 100 * $share }

# Below the steps, SCREEN, with its list scrolled to the end, has the other activity of JSON, in its order.
sub same_outside {
	my ($screen, $json, $name) = @_;
	my ($below) = $screen =~ /^\W+Other activity \(correlation, not cause\)(.*?)\n\s*\n/ms or return fail "$name: a heading";
	my @outside = @{ $json->{outside} // [] };
	my @lines = map { s/^ +//r } split /\n/, $below;
	my $head = shift @lines;
	is $head, !$json->{outside} ? ': too few paths to tell' : !@outside ? ": none of $json->{outside_looked} activities differs more than by chance"
		: ", as a share of the paths' time", "$name: the heading";
	my @expected = map {
		my $host = $_->{host} ? "$_->{host}/" : '';
		my $text = ($_->{name} // '') eq '' ? $_->{what} . ($_->{host} ? " of $_->{host}" : '') : $_->{what} =~ /irq/ ? "$host$_->{name}" : "$_->{what} $host$_->{name}";
		my $p = $_->{p_value} < 0.001 ? 'p < 0.001' : $_->{p_value} < 0.01 ? 'p < 0.01' : sprintf 'p = %.2f', $_->{p_value};
		$text .= sprintf ': %.2f > %.2f of %.2f GHz', map { $_ / 1e6 } @$_{qw(fast_khz slow_khz highest_khz)} if $_->{what} eq 'frequency';
		sprintf '%+.1f%% %s %s → %s %s goes with', 100 * ($_->{slow} - $_->{fast}), $text, share($_->{fast}), share($_->{slow}), $p;
	} @outside;
	push @expected, 'frequency of CPUs: not recorded' if $json->{outside} && !$json->{frequency_recorded};
	is_deeply [map { s/ +/ /gr } @lines], \@expected, "$name: the other activity";
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
unlike $screen{closed}, qr/Slow against fast/, 'its key closes the pane';

# Other activity, below: a real one, one by chance, and one with too few paths.
for my $case ([$trace, 'requests:wk-client'], [$trace, 'requests', '--slow', 'top 5%'], [$trace, 'requests:wk-client', '--slow', 'over 60ms'], ["$samples/pulse", 'latency:blocked']) {
	my ($of, $set, @slow) = @$case;
	my $typed = @slow ? "$set slow $slow[1]" : $set;
	my %shown = play($of, ':', "\"compare $typed\"", 'Enter', 'z', 'End', 'dump screen.outside');
	same_outside($shown{outside}, compared($of, '--set', $set, @slow), $typed);
}

{
	Planted::made("$tmp/low", seed => 61, requests => 200, cause => 'frequency', share => 0.2, frequency => 'slows');
	my %shown = play("$tmp/low", ':', "\"compare $Planted::SET slow top 20%\"", 'Enter', 'z', 'End', 'dump screen.outside');
	my $json = compared("$tmp/low", '--set', $Planted::SET, '--slow', 'top 20%');
	ok scalar(grep { $_->{what} eq 'frequency' } @{ $json->{outside} }), 'a low frequency';
	same_outside($shown{outside}, $json, 'a low frequency');
}

# The cases of a list: all requests except the tracer's; the blocked waits of a thread; two of them by hand.
%screen = play($trace, 'X', 'M-r', '=', 'dump screen.requests', 'u', 'dump screen.undone', 'C-r', 'dump screen.again');
same($screen{requests}, compared($trace, '--set', 'requests'), 'all requests of the list');
like $screen{undone}, qr/Requests of all hosts/, 'undone';
like $screen{again}, qr/Slow against fast.*requests of all hosts/, 'asked for again';
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

%screen = play("$trace --thread client/wk-client", 'M-r', 'r', 'Space', 'dump screen.one', '=', 'dump screen.refused', 'j', 'Space', '=', 'dump screen.hand', 'e', '"hand.json"', 'Enter');
like $screen{one}, qr/^● *\S+ s +63\.1 ms/m, 'a request is marked';
like $screen{refused}, qr/one line is marked: mark two or more, or none/, 'too few for a comparison';
my $hand = decode_json(slurp('hand.json'));
is_deeply [map { "$_->{name} $_->{count}" } @{ $hand->{sets} }], ['marked 2', 'the rest 814'], 'two are compared with the rest';
same($screen{hand}, $hand, 'by hand');
# (63321782 + 51385596) / 2, of the list's longest two.
is $hand->{sets}[0]{mean}, 57353689, 'their mean, by hand';

# The only new thread in lost-events is the tracer's own, which the list hides.
%screen = play("$samples/lost-events", 'w', ':', '"kind fork"', 'Enter', '=', 'dump screen.none');
like $screen{none}, qr/fork: only the tracer's own threads have such cases/, 'nothing to compare';

# Two paths: those of the interval that takes most of the step, and of the median fast one; beside, and below each other.
my $rpc = compared($trace, '--set', 'requests:wk-client');
my ($first) = @{ $rpc->{rows} };
my $fast = $rpc->{sets}[1]{typical};
my $pair = qr/fast, typical: \Q@{[duration($fast->{to} - $fast->{from})]}\E, of that 0 in the step.*slow, extreme: [\d.]+ ms, of that \Q@{[duration($first->{max_slow})]}\E in the step/s;
%screen = play("$trace --thread client/wk-client", '=', 'Enter', 'dump screen.wide', 'size 80 24', 'dump screen.small', 'Enter', 'dump screen.gone', 'u', 'dump screen.undone', 'b', 'dump screen.list');
like $screen{$_}, $pair, "$_: typical and extreme, with the time in the step" for qw(wide small undone);
like $screen{wide}, qr/^  fast, typical.*slow, extreme/m, 'beside each other';
unlike $screen{small}, qr/fast, typical.*slow, extreme/, 'below each other';
like $screen{gone}, qr/^ .*wk-client.*51\.4 ms|Path of client\/wk-client\[572\]  51\.4 ms/m, 'Enter goes to the extreme one';
like $screen{list}, qr/Slow against fast by duration/, 'and b back to the list';

# Another recording: chosen by a key or typed, both are named, and each has a typical path; it is undone, and kept in a copied view.
my ($preempt, $pipeline) = ("$samples/preempt", "$samples/pipeline");
my $against = compared($preempt, '--set', 'latency:wakeup', '--against', $pipeline);
my $both = qr/Slow against fast, now \(preempt\), before \(pipeline\): latency:wakeup  whole trace/;
%screen = play($preempt, ':', '"compare latency:wakeup"', 'Enter', 'dump screen.alone', '%', "\"$pipeline\"", 'Enter', 'dump screen.key', 'u', 'dump screen.undone', 'C-r', 'dump screen.again',
	'e', '"against.json"', 'Enter', 'Y', '"command"', 'Enter', 'copied command', 'G', 'dump screen.groups', ':', "\"compare latency:wakeup against $pipeline\"", 'Enter', 'dump screen.typed',
	'*', 'dump screen.slow', '%', 'C-u', 'Enter', 'dump screen.none');
my $alone = compared($preempt, '--set', 'latency:wakeup');
for my $name (qw(key again typed)) {
	like $screen{$name}, $both, "$name: both recordings are named";
	same($screen{$name}, $against, "$name: now compared with before");
}
for my $name (qw(alone undone groups none)) {
	like $screen{$name}, qr/Slow against fast by duration: latency:wakeup/, "$name: of one recording";
	same($screen{$name}, $alone, "$name: slow against fast");
}
is_deeply decode_json(slurp('against.json')), $against, 'exported';
like $screen{slow}, qr/both recordings are compared as a whole/, 'the other recording alone';
# The copied command line has the path of the other recording: the same screen in another folder.
mkdir 'elsewhere';
my $command = slurp('command') =~ s/^wakepath/'$program'/r =~ s/\n//gr;
open my $script, '>', 'script' or die;
print $script "size 200 60\ndump $tmp/screen.copied\n";
close $script;
is system("cd elsewhere && $command --script ../script"), 0, 'a copied view';
utf8::decode(my $copied = slurp('screen.copied'));
same($copied, $against, 'copied');
like $copied, $both, '... with its name';

# Enter: a typical path of each; the cursor can go to places of this recording, but not of the other.
my ($now, $before) = map { duration($_->{typical}{to} - $_->{typical}{from}) } @{ $against->{sets} };
my ($row) = grep { !$_->{in}{fast} } @{ $against->{rows} };
%screen = play($preempt, ':', "\"compare latency:wakeup against $pipeline\"", 'Enter', 'Enter', 'dump screen.wide', 'size 80 24', 'dump screen.small', 'k', 'Enter', 'dump screen.other', 'j', 'Enter',
	'dump screen.own', 'size 200 60', 'u', 'dump screen.undone', 'Esc', 'Down', 'f', 'dump screen.far', 'size 80 24', 'dump screen.list');
for my $name (qw(wide small undone)) {
	like $screen{$name}, qr/before \(pipeline\), typical: \Q$before\E, of that 0 in the step.*now \(preempt\), typical: [\d.]+ \S+, of that [\d.]+ \S+ in the step/s, "$name: a typical path of each";
	like $screen{$name}, qr/wk-\w+\[\d+\] +100%.*wk-rt\[547\] +100%/s, '... with their threads';
}
like $screen{$_}, qr/this path belongs to before \(pipeline\), which is not open in a window here/, "$_: the cursor cannot go to the other recording" for qw(other far);
like $screen{wide}, qr/│0 .*│0 /, 'from a common zero';
like $screen{own}, qr/Path of wk-rt\[547\]/, 'a place of this recording can be gone to';
like $screen{list}, qr/now \(preempt\), before \(pipeline\).*now $against->{sets}[0]{count} of \d+ .*before $against->{sets}[1]{count} .*wk-rt wait-cpu +only in now/s, '80x24: the list';

# Against another recording: the requests of its thread with the name of the selected one; typed sets; paths without a recording; a recording without
# such requests.
mkdir 'bare';
my $rpc_self = compared($trace, '--set', 'requests:wk-client', '--against', $trace);
%screen = play("$trace --thread client/wk-client", '=', '%', "\"$trace\"", 'Enter', 'dump screen.asked', ':', '"compare requests:wk-client against requests"', 'Enter', 'dump screen.set', '%', 'C-u',
	"\"$tmp/no-such\"", 'Enter', 'dump screen.none', '%', 'C-u', "\"$tmp/bare\"", 'Enter', 'dump screen.empty', '%', 'C-u', "\"$preempt\"", 'Enter', 'dump screen.others', 'Home', '=', '%', 'dump screen.closed');
same($screen{asked}, $rpc_self, 'the requests of the thread in the other recording');
same($screen{set}, compared($trace, '--set', 'requests:wk-client', '--against', 'requests'), 'another set');
like $screen{none}, qr/no-such: no such recording/, 'no such file';
like $screen{none}, qr/before \(requests\)/, '... and the previous comparison is still there';
like $screen{empty}, qr/^ no trace in \S*bare: /m, 'no trace in it: one line says so';
like $screen{others}, qr/^\W.*requests.*wk-client.*$/m, 'no such case there';
like $screen{closed}, qr/no comparison is open: = opens one/, 'nothing to compare';

# Slow work on the other recording is stopped: it has no index yet.
%screen = play("$preempt --index-dir $tmp/fresh", ':', '"compare latency:wakeup"', 'Enter', '%', "\"$trace\"", 'dump screen.typed', 'now Enter', 'now Down', 'now Esc', 'dump screen.stopped', 'j', 'dump screen.moved', '%', 'Enter', 'dump screen.anew');
like $screen{stopped}, qr/stopped: close the pane and open it again/, 'opening another recording is stopped by a key';
like $screen{anew}, qr/now \(preempt\), before \(rpc-chain\).*now \d+ of \d+/s, '... and restarted';

# Spans of one name are compared if the list has all: the title names them.
my %span = play("view $samples/ioburst-ipi --fresh", 'Esc', ':', '"compare span"', 'Enter', 'dump screen.title');
like $span{title}, qr/Slow against fast by duration: span:read  /, 'the name of the compared spans';

done_testing;

#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Pictures: well-formed, within their page, each kind in its colour with an area proportional to its time; no name in a trace breaks them.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Compress::Zlib ();
use Test::More;

# Errors in XML: unbalanced tags, attributes without quotes, unescaped characters.
sub xml_faults {
	my ($text) = @_;
	my (@open, @wrong);
	$text =~ s/\A<\?xml [^<>]*\?>\n// or push @wrong, 'no XML';
	while ($text =~ /\G(?:<(\/?)([\w:]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<>]+)|(.))/gcs) {
		my ($ends, $name, $attributes, $alone, $between, $else) = ($1, $2, $3, $4, $5, $6);
		push @wrong, "at " . pos($text) . ": '$else'" and last if defined $else;
		push @wrong, "an entity in $_" for grep { defined && /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/ } $attributes, $between;
		next if defined $between || $alone;
		push @open, $name if !$ends;
		push @wrong, "</$name> ends " . ($open[-1] // 'nothing') if $ends && (pop(@open) // '') ne $name;
	}
	push @wrong, "<$_> does not end" for @open;
	push @wrong, "$1 in it" while $text =~ /(<script|<image|<foreignObject|\bon\w+=|href="(?!#)[^"]*")/g;
	return @wrong;
}

# { colour => [[x, y, width, height], …] } of the areas in the picture, where colours are rrggbb; those of a pattern under the colour it is painted on.
sub areas {
	my ($svg) = @_;
	my $hex = sub { join '', map { sprintf '%02x', int($_ * 2.55 + 0.5) } $_[0] =~ /([\d.]+)%/g };
	my %surface = map { my ($id, $in) = @$_; ($in // '') =~ /fill:rgb\(([^)]*%[^)]*)\)/ ? ($id => $hex->($1)) : () } map { [/^ id="(\w+)"(.*?)<\/g>/s] } split /<g(?= id="surface)/, $svg;
	my %pattern;
	$pattern{$1} = $surface{$2} while $svg =~ /<pattern id="(\w+)".*?xlink:href="#(\w+)"/sg;
	my %areas;
	while ($svg =~ /<path style=" stroke:none;[^"]*fill:(?:rgb\(([^)]*)\)|url\(#(\w+)\))[^"]*" d="([^"]*)"/g) {
		my ($colour, $path) = (defined $1 ? $hex->($1) : $pattern{$2}, $3);
		push @{ $areas{$colour} }, [$1, $2, $3 - $1, $4 - $2] while $path =~ /M ([\d.]+) ([\d.]+) L [\d.]+ [\d.]+ L ([\d.]+) ([\d.]+) L [\d.]+ [\d.]+ Z/g;
	}
	return \%areas;
}

# The theme's colours: role => rrggbb.  Roles that it does not name have the colours of others (docs/keys.md).
my %as = ('path.running' => 'state.running', 'path.syscall' => 'state.syscall', 'path.interrupted' => 'state.interrupted', 'path.wait-cpu' => 'state.wait-cpu',
	'path.preempted' => 'state.preempted', 'path.network' => 'state.new', 'path.irq' => 'state.interrupted');
my %theme = map { /^([\w.-]+)\s+#([0-9a-f]{6})/ ? ($1 => $2) : () } split /\n/, slurp("$ENV{TOP}/themes/light");
sub colour_of { my ($kind) = @_; return $theme{$kind} // $theme{ $as{$kind} // '' } }

# ---- SVG ----

my @page = (841.89, 595.28);
for (['pipeline', 'wk-pipe-main', '+0.41s', '+0.44s'], ['ioburst-ipi', 'wk-ioburst'], ['rpc-chain', 'wk-client'], ['lockfight', 'wk-lock']) {
	my ($trace, $thread, $from, $to) = @$_;
	my @path = ('path', sample($trace), '--thread', $thread, $from ? ('--from', $from, '--to', $to) : ());
	my $r = wakepath(@path, '--format', 'svg');
	my $json = wakepath(@path, '--format', 'json');
	next if $json->{status} != 0; # a thread that does not exist
	is($r->{status}, 0, "$trace: a picture") or diag($r->{err});
	is_deeply([xml_faults($r->{out})], [], "$trace: is well-formed");
	my $areas = areas($r->{out});
	is_deeply([grep { $_->[0] < 0 || $_->[1] < 0 || $_->[0] + $_->[2] > $page[0] + 0.1 || $_->[1] + $_->[3] > $page[1] + 0.1 } map { @$_ } values %$areas], [], "$trace: is on the page");
	cmp_ok(length $r->{out}, '<', 2 << 20, "$trace: is not large");
	# The share of each colour, right of the names and above the legend, is the share of time of its kind.
	my $left = 178;
	my ($legend) = map { $_->[1] } grep { abs($_->[2] - 18) < 0.01 && abs($_->[3] - 8) < 0.01 } map { @$_ } values %$areas;
	my (%area, %time, $all, $sum);
	for my $s (@{ json_of($json)->{segments} }) { $time{ colour_of("path.$s->{kind}") // die $s->{kind} } += $s->{duration}; $sum += $s->{duration} }
	for my $colour (keys %time) {
		ok($areas->{$colour}, "$trace: $colour is there") or next;
		$area{$colour} += $_->[2] * $_->[3] for grep { $_->[0] >= $left && $_->[1] < $legend - 5 } @{ $areas->{$colour} };
		$all += $area{$colour};
	}
	for my $colour (sort keys %time) {
		my ($part, $share) = map { 100 * $_ } $area{$colour} / $all, $time{$colour} / $sum;
		cmp_ok(abs($part - $share), '<', 4, sprintf '%s: %s has %.1f %% of the bars, and %.1f %% of the time', $trace, $colour, $part, $share);
	}
	# The bars begin at the left and end at the right.
	my @x = map { [$_->[0], $_->[0] + $_->[2]] } grep { $_->[0] >= $left && $_->[1] < $legend - 5 } map { @{ $areas->{$_} // [] } } keys %time;
	my ($first) = sort { $a <=> $b } map { $_->[0] } @x;
	my ($last) = sort { $b <=> $a } map { $_->[1] } @x;
	ok(abs($first - $left) < 0.1 && abs($last - 813.89) < 0.1, "$trace: covers the axis, $first to $last");
}

my $r = wakepath('flow', sample('rpc-chain'), '--from', '+5.8s', '--to', '+6.3s', '--format', 'svg');
is($r->{status}, 0, 'a window') or diag($r->{err});
is_deeply([xml_faults($r->{out})], [], '… is well-formed');
my $areas = areas($r->{out});
ok($areas->{ $theme{$_} }, "… has $_") for qw(state.running state.interrupted state.wait-cpu state.preempted state.blocked);

# ---- PNG and PDF ----

my @pulse = ('path', sample('pulse'), '--thread', 'wk-pulse');
my $png = wakepath(@pulse, '--format', 'png')->{out};
is(substr($png, 0, 8), "\x89PNG\r\n\x1a\n", 'a PNG');
my ($at, %chunk) = (8);
while ($at < length $png) {
	my ($length, $type) = unpack 'Na4', substr $png, $at, 8;
	my $data = substr $png, $at + 8, $length;
	is(unpack('N', substr $png, $at + 8 + $length, 4), Compress::Zlib::crc32($type . $data), "… $type is complete") if $type ne 'IDAT' || !$chunk{IDAT};
	$chunk{$type} .= $data;
	$at += 12 + $length;
}
my ($width, $height, $depth, $colours) = unpack 'NNCC', $chunk{IHDR};
cmp_ok($width, '>=', 841.89 / 72 * 200, '… has 200 dots per inch');
cmp_ok(abs($width / $height - $page[0] / $page[1]), '<', 0.01, '… in the form of A4, landscape');
is(length Compress::Zlib::uncompress($chunk{IDAT}), $height * (1 + $width * ($colours == 2 ? 3 : 4)), '… and all its dots');

my $pdf = wakepath(@pulse, '--format', 'pdf')->{out};
like($pdf, qr/\A%PDF-1\.\d\n/, 'a PDF');
like($pdf, qr/startxref\n\d+\n%%EOF\s*\z/, '… to its end');
like($pdf, qr{/Count 1\b}, '… of one page');
like($pdf, qr{/MediaBox \[ ?0 0 841\.8\d+ 595\.2\d+}, '… of A4');
like($pdf, qr{/Title \(Critical path of wk-pulse\[\d+\]\)}, '… with its title');

# ---- hostile names ----

my $i = 0;
for my $name ("<script>&\"']]>", "\e]0;x\a\xff\xfe%s\\", "\xe2\x80\xae(\\)) /Title", "a|b`*\n_\r<!--") {
	my $padded = substr("$name" . "\0" x 16, 0, 16);
	my $trace = copy_trace('pipeline', 'hostile' . $i++);
	patch($_, sub { s/wk-pipe-main\0\0\0\0/$padded/g }) for glob "$trace/kernel/k_*";
	for (['path', $trace, '--thread', '434'], ['flow', $trace]) {
		my $svg = wakepath(@$_, '--format', 'svg');
		is($svg->{status}, 0, "name $i: $_->[0]") or diag($svg->{err});
		is_deeply([xml_faults($svg->{out})], [], '… is well-formed');
		is(wakepath(@$_, '--format', 'pdf')->{status}, 0, '… and a PDF');
		my $perfetto = wakepath(@$_, '--format', 'perfetto')->{out};
		json_of({ out => $perfetto, err => '' });
		no_raw_controls($perfetto, '… and for Perfetto');
		unlike($perfetto, qr/\\u/, '… without escapes that it does not know');
	}
	my $folded = wakepath('path', $trace, '--thread', '434', '--format', 'folded')->{out};
	is_deeply([grep { !/^[^; ]+(;[^; ]+)+ \d+$/ } split /\n/, $folded], [], '… folded, one line a stack');
	no_raw_controls($folded, '… folded');
}

# ---- from the explorer ----

my $dir = "$ENV{TMPDIR}/out";
mkdir $dir;
sub explorer {
	my ($keys) = @_;
	spew("$ENV{TMPDIR}/script", "+\n+\n+\n$keys\ndump $ENV{TMPDIR}/screen.txt\n");
	my $r = wakepath(sample('pipeline'), '--thread', 'wk-pipe-main', '--goto', '+0.38s', '--script', "$ENV{TMPDIR}/script");
	is($r->{status}, 0, 'the explorer goes on') or diag($r->{err});
	return (split /\n/, slurp("$ENV{TMPDIR}/screen.txt"))[-1];
}
my %begins = ('txt' => qr/^Critical path of/, 'json' => qr/^\{"subject"/, 'csv' => qr/^from,to,/, 'md' => qr/^### Critical path/, 'folded' => qr/^wk-pipe-main\[434\]/,
	'svg' => qr/^<\?xml/, 'png' => qr/^\x89PNG/, 'pdf' => qr/^%PDF/, 'perfetto.json' => qr/^\{"traceEvents"/);
for my $ending (sort keys %begins) {
	for my $open ('', "p\n") {
		my $file = "$dir/" . ($open ? 'path' : 'window') . ".$ending";
		my $what = $open || $ending =~ /^(?:txt|json|csv|md|folded)$/ ? qr/path of wk-pipe-main/ : qr/control flow over/;
		like(explorer("${open}e\nC-u\n\"$file\"\nEnter"), qr/^ ?wrote \S+ \(\d\S* \S+\)/, "$ending is written");
		like(slurp($file), $begins{$ending}, '… in that format') or next;
	}
}
my ($again, $rows) = slurp("$dir/window.perfetto.json") =~ /"made_by":"wakepath ([^"]*?)( # with the rows that the explorer showed)?"/;
ok($rows, 'a window has rows that no command line selects, and a message says so');
my %written = map { s/,?$//r => 1 } split /\n/, wakepath(map { s/^'|'$//gr } split / /, $again)->{out};
my %tracks = map { /"ph":"X","pid":\d+,"tid":(\d+)/ ? ($1 => 1) : () } keys %written;	# rows that have states there
my @slices = map { s/,?$//r } grep { /"ph":"X","pid":\d+,"tid":(\d+)/ && $tracks{$1} } split /\n/, slurp("$dir/window.perfetto.json");
ok(@slices > 100, 'there are slices');
is_deeply([grep { !$written{$_} } @slices], [], '… and the command line of each writes the same');
($again) = slurp("$dir/path.md") =~ /^    wakepath (.*)/m;
is(wakepath(map { s/^'|'$//gr } split / /, $again)->{out} =~ s/\nMade by.*//sr, slurp("$dir/path.md") =~ s/\nMade by.*//sr, '… and of a path');
like(explorer("e\nC-u\n\"$dir/window.svg\"\nEnter"), qr/exists|overwrite|there/i, 'an existing file is not replaced without asking');
like(explorer("e\nC-u\n\"$dir/nowhere/w.svg\"\nEnter"), qr/cannot write \S+: No such file/, 'a failure to write it gives a message');
is_deeply([grep { !/(?:window|path)\.[\w.]+$/ } files_below($dir)], [], 'and no other file is left');

# ---- without cairo ----

mkdir "$dir/without";
spew("$dir/without/libcairo.so.2", "no library\n");
{
	local $ENV{LD_LIBRARY_PATH} = "$dir/without";
	my $r = wakepath('flow', sample('pulse'), '--format', 'svg', '-o', "$dir/without/w.svg");
	is($r->{status}, 3, 'without cairo there is no picture');
	like($r->{err}, qr/^wakepath: a picture needs cairo: install libcairo2 \(.*\)\n\z/m, '… with a message of one line');
	ok(!-e "$dir/without/w.svg", '… and no file');
	is(wakepath('threads', sample('pulse'))->{status}, 0, '… while everything else works');
}

# ---- a terminal ----

my $said = `script -qec "$ENV{WAKEPATH} flow @{[sample('pulse')]} --format png" /dev/null 2>&1`;
like($said, qr/^wakepath: png is not for a terminal: type -o FILE/m, 'a terminal gets no picture');
isnt($? >> 8, 0, '… and it is an error');

done_testing();

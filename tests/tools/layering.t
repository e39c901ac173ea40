#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# The order of the folders, checked twice: by the includes of each file, and by the symbols that the static library of
# each folder needs.  Also the order of the files in a folder.
use strict;
use warnings;
use Test::More;
use File::Find;

chdir $ENV{TOP} or die "TOP: $!";
my $build = $ENV{BUILD} // 'build';

# Folder → folders whose headers and symbols it may use.
my %may = (
	'base'     => [],
	'picture'  => [qw(base)],
	'parquet'  => [qw(base)],
	'watch'    => [qw(base)],
	'sync'     => [qw(base model)],
	'trace/core' => [qw(base model)],
	'trace/meta' => [qw(base)],
	'trace/tsdl' => [qw(base trace/meta)],
	'trace/ctf2' => [qw(base trace/meta)],
	'trace/ctf' => [qw(base model trace/core trace/meta trace/tsdl trace/ctf2)],
	'trace/bt2' => [qw(base model trace/core trace/meta trace/ctf)],
	'trace/tracefs' => [qw(base model trace/core)],
	'trace/ftrace' => [qw(base model trace/core trace/tracefs)],
	'trace/perf' => [qw(base model trace/core trace/tracefs)],
	'trace/perfetto' => [qw(base model trace/core trace/tracefs)],
	'trace/text' => [qw(base model trace/core trace/tracefs)],
	'trace/inputs' => [qw(base model trace/core trace/ctf trace/bt2 trace/ftrace trace/perf trace/perfetto trace/text)],	# the registry, trc_inputs.[ch]: only it knows the formats
	'trace'    => [qw(base model trace/core trace/inputs)],
	'live'     => [qw(base)],
	'ingest'   => [qw(base model trace/core trace index)],
	'fleet'    => [qw(base model trace index query analysis)],
	'table'    => [qw(base model sync query analysis fleet watch)],
	'sql'      => [qw(base model query analysis table)],
	'export'   => [qw(base picture parquet model sync query analysis fleet table sql watch)],
	'ui/term'  => [qw(base)],
	'ui/core'  => [qw(base ui/term)],
	'ui/widget' => [qw(base model query analysis fleet table ui/term ui/core)],
	'ui/pane'  => [qw(ui/core)],	# the registry
	'record'   => [qw(base model watch)],
	'app'      => [qw(base model sync trace/core trace/bt2 trace live index ingest query analysis fleet table sql export ui/term ui/core ui/pane watch record)],
);

# Folders with subfolders ("rooms"): a room may use the rooms before it and the folders listed after its own folder's name.
# Other folders may use all rooms of a folder that they may use.  A file in the folder itself belongs to the last room,
# FOLDER.  qry.h belongs to the first room, because all rooms include it.
my %rooms = (
	model => [[qw(event kernel core cause block net timer work guest sched power span)], qw(base)],
	index => [[qw(file tree table pairs spans verify)], qw(base model)],
	query => [[qw(head host events symbols clock cases)], qw(base model sync trace/core trace index)],
	analysis => [[qw(kind cpu wait path stacks account request latency causes compare overview watched)], qw(base model sync query watch)],
);
for my $folder (keys %rooms) {
	my ($rooms, @others) = @{ $rooms{$folder} };
	my @before;
	for my $room (map({ "$folder/$_" } @$rooms), $folder) {
		$may{$room} = [@others, @before];
		push @before, $room;
	}
}
sub may_use {
	my ($here, $there) = @_;
	return 1 if $there eq $here || grep { $_ eq $there } @{ $may{$here} };
	my ($folder) = $there =~ m{^(\w+)/};
	return $folder && $rooms{$folder} && $here !~ m{^$folder(?:/|$)} && grep { $_ eq $folder } @{ $may{$here} };
}

# A pane is a folder below src/ui/pane or the file pane_NAME.c there; both are "ui/pane/NAME" here.  No pane may use
# another.  Only the registry knows all panes; panes share only its header, which declares each of them.
my $REGISTRY = 'ui/pane/pane.h';
my @panes = map { m{^src/ui/pane/(?:pane_)?(\w+)} ? "ui/pane/$1" : () } grep { -d || m{/pane_\w+\.c$} } glob 'src/ui/pane/*';
$may{$_} = [qw(base model query analysis fleet table sql export ui/term ui/core ui/widget)] for @panes;

# System header → the folders that may include it, and the number of files that may.
my @only = (
	[qr{^babeltrace2/}, 'trace/bt2', 99],
	[qr{^zstd\.h}, 'trace/tracefs parquet', 2],
	[qr{^(tracefs|event-parse|kbuffer)\.h$}, 'record', 99],
	[qr{^sys/mman\.h$}, 'base index/file trace/perf', 4],
	[qr{^sys/socket\.h$}, 'live record', 2],
	[qr{^cairo(-\w+)?\.h$}, 'picture', 1],
	[qr{^gio/}, 'nobody', 0],	# loading it takes as long as all other libraries together
	[qr{^sqlite3\.h$}, 'sql', 99],
	[qr{^zlib\.h}, 'trace/tracefs query/symbols', 2],
	[qr{^(n?cursesw?/)?(n?curses|ncursesw|term)\.h$}, 'ui/term', 3],
);

sub folder_of {
	my ($file) = @_;
	return "ui/pane/$1" if $file =~ m{^src/ui/pane/(\w+)/} || $file =~ m{^src/ui/pane/pane_(\w+)\.};
	return $file =~ m{/pane\.\w$} ? 'ui/pane' : undef if $file =~ m{^src/ui/pane/};
	return 'query/head' if $file eq 'src/query/qry.h';
	return 'trace/inputs' if $file =~ m{^src/trace/trc_inputs\.};
	return $file =~ m{^src/((?:ui|trace|index|query|analysis|model)/\w+|\w+)/} ? $1 : undef;
}

my @files;
find({ no_chdir => 1, wanted => sub { push @files, $_ if /\.[ch]$/ } }, 'src');
@files = sort @files;
ok(@files > 10, 'there are more than ten sources');

my (@wrong, %users, %includes);
for my $file (@files) {
	my $here = folder_of($file);
	push @wrong, "$file: in no folder of the table" if !$here || !$may{$here};
	next if !$here;
	open my $f, '<', $file or die "$file: $!";
	while (<$f>) {
		if (/^\s*#\s*include\s*"([^"]+)"/) {
			my $header = $1;
			push @{ $includes{$file} }, $header;
			my $there = folder_of("src/$header");
			push @wrong, "$file:$.: \"$header\" is not written as folder/file.h" and next if !$there;
			push @wrong, "$file:$.: $here may not include $there" unless ($header eq $REGISTRY && $here =~ m{^ui/pane/}) || may_use($here, $there);
		} elsif (/^\s*#\s*include\s*<([^>]+)>/) {
			my $header = $1;
			for my $i (0 .. $#only) {
				next unless $header =~ $only[$i][0];
				push @wrong, "$file:$.: only $only[$i][1] may include <$header>" unless grep { $_ eq $here } split / /, $only[$i][1];
				$users{$i}{$file} = 1;
			}
		}
	}
	close $f;
}
for my $i (keys %users) {
	my @u = sort keys %{ $users{$i} };
	push @wrong, "@u: only $only[$i][2] file may include $only[$i][0]" if @u > $only[$i][2];
}
is_deeply(\@wrong, [], 'includes follow the table');

# No circle of includes: remove headers whose includes are all removed, until none is left.
my %left = map { $_ => 1 } grep { /\.h$/ } @files;
for (my $before = -1; $before != keys %left;) {
	$before = keys %left;
	delete @left{grep { my $header = $_; !grep { $left{"src/$_"} } @{ $includes{$header} } } keys %left};
}
is_deeply([sort keys %left], [], 'no headers include each other in a circle');

# Symbols: the folder that defines each, and the folders that need it.
my (%defined_in, %needs);
my %sources;	# folder → 1 if it has sources
s{/[^/]+$}{}, $sources{$_} = 1 for map { m{^src/(.*\.c)$} ? $1 : () } @files;
for my $lib_folder (sort keys %sources) {
	my $lib = "$build/lib/$lib_folder.a";
	ok(-f $lib, "$lib is built") or next;
	my ($object, $folder) = ('');
	open my $nm, '-|', 'nm', '-g', $lib or die "nm: $!";
	while (<$nm>) {
		if (/^(\S+\.o):$/) { ($object, $folder) = ($1, folder_of("src/$lib_folder/$1") // $lib_folder) }
		elsif (/^\S+ [A-TV-Z] (\S+)$/) { $defined_in{$1} = [$folder, $object, $lib_folder] }
		elsif (/^\s+[Uwv] (\S+)$/) { push @{ $needs{$folder} }, [$1, $object, $lib_folder] }
	}
	close $nm or die "nm $lib failed";
}
my @upward;
for my $folder (sort keys %needs) {
	for (@{ $needs{$folder} }) {
		my ($symbol, $object) = @$_;
		my $d = $defined_in{$symbol} or next;
		my $registered = $folder eq 'ui/pane' && $symbol =~ /^pane_/;
		push @upward, "$folder/$object needs $symbol of $d->[0]/$d->[1]" unless $registered || may_use($folder, $d->[0]);
	}
}
is_deeply(\@upward, [], 'symbols follow the table');

# No circle of calls between the files of a folder.
my %calls;	# "folder/file" → file of the same library → 1
for my $folder (keys %needs) {
	for (@{ $needs{$folder} }) {
		my ($symbol, $object, $lib) = @$_;
		my $d = $defined_in{$symbol} or next;
		$calls{"$lib/$object"}{"$lib/$d->[1]"} = 1 if $d->[2] eq $lib && $d->[1] ne $object;
	}
}
# The files that FILE calls, directly or through others.
sub reach {
	my %seen;
	my @todo = @_;
	while (defined(my $file = shift @todo)) {
		push @todo, grep { !$seen{$_}++ } keys %{ $calls{$file} };
	}
	return \%seen;
}
my %reach = map { $_ => reach($_) } keys %calls;
my %circles;
for my $file (keys %reach) {
	my @circle = sort grep { $reach{$_} && $reach{$_}{$file} } keys %{ $reach{$file} };
	$circles{ join ' ', map { s/\.o$//r } @circle } = 1 if @circle;
}
is_deeply([sort keys %circles], [], 'no files of a folder call each other in a circle');
# Each pane is in the registry, so its symbols were checked above.
is_deeply([sort map { $_->[0] =~ /^pane_/ ? $_->[0] : () } @{ $needs{'ui/pane'} }], [sort map { s{.*/}{pane_}r } @panes], 'the registry has exactly the panes that exist');

# Each header compiles alone: it is the first include of a file that was built, or it is compiled here.
my %first;
for my $file (grep { /\.c$/ } @files) {
	open my $in, '<', $file or die "$file: $!";
	my ($include) = grep { /^\s*#\s*include/ } <$in>;
	$first{"src/$1"} = 1 if ($include // '') =~ /"(.*)"/;
}
my $flags = `pkg-config --cflags glib-2.0 ncursesw babeltrace2 libxxhash libelf zlib libzstd libtracefs cairo`;
chomp $flags;
my @broken;
for my $header (grep { /\.h$/ && !$first{$_} } @files) {
	my $out = `gcc -std=c11 -D_GNU_SOURCE -Isrc -I$build/gen $flags -Wall -Wextra -Werror -Wno-unused -fsyntax-only -x c $header 2>&1`;
	push @broken, "$header: $out" if $?;
}
is_deeply(\@broken, [], 'each header compiles alone');

done_testing();

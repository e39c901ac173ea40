#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The documentation: its length, links and files that exist, commands that run, and the JSON fields that the program prints.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use Test::More;

chdir $ENV{TOP} or die;
symlink $ENV{WAKEPATH}, "$ENV{TMPDIR}/wakepath" or die;
$ENV{PATH} = "$ENV{TMPDIR}:$ENV{PATH}";

my @pages = ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'sample-traces/README.md', sort glob 'docs/*.md');
my %text = map { $_ => slurp($_) } @pages;
my $top = abs_path('.');

# ---- length, links, files ----

cmp_ok(scalar(() = $text{'README.md'} =~ /\n/g), '<=', 130, 'README.md is short');

# The anchor of a heading in a link.
sub anchors {
	my ($text) = @_;
	$text =~ s/^```.*?^```$//msg;
	return map { my $s = lc; $s =~ s/[^\w\- ]//g; $s =~ tr/ /-/; ($s => 1) } $text =~ /^#+ +(.+?) *$/mg;
}

my %pictures;
for my $page (@pages) {
	my @bad;
	for my $link ($text{$page} =~ /\]\(([^)\s]+)\)/g) {
		next if $link =~ /^https?:/;
		my ($file, $anchor) = split /#/, $link, 2;
		my $path = length $file ? abs_path(dirname($page) . "/$file") : abs_path($page);
		push @bad, $link if !defined $path || !-e $path || index($path, $top) != 0;
		push @bad, $link if defined $anchor && -f ($path // '') && !{ anchors(slurp($path)) }->{$anchor};
		$pictures{ substr $path, length($top) + 1 }++ if $file =~ /\.(svg|png)$/ && defined $path;
	}
	is("@bad", '', "$page: each link leads somewhere");
}

my @made = glob 'docs/*.svg docs/*.png docs/pictures/*.svg docs/pictures/*.png';
is_deeply([sort keys %pictures], [sort @made], 'each picture is shown on a page, and each shown picture exists');
cmp_ok(-s $_, '<', 150 * 1024, "$_ is small") for @made;
ok(scalar(slurp('docs/pictures/make.sh') =~ /^picture \Q$_\E /m), "make.sh makes $_") for map { basename($_, '.svg') } @made;

# Names of files: the path, the last part, or the stem; words in capitals are placeholders.
my @files = grep { !m{^(?:\./)?(?:build|\.git)/} } map { s{^\./}{}r } files_below('.');
my (%exists, %word);
for my $file (@files) {
	my $path = '';
	$exists{$file} = $exists{ basename($file) } = $exists{ basename($file) =~ s/\.[ch]$//r } = 1;
	$exists{ $path .= $_ } = 1, $path .= '/' for split m{/}, dirname($file);
	next if $file !~ m{^(?:src|tests)/.*\.[ch]$};
	$word{$_} = 1 for slurp($file) =~ /\b(\w+)\b/g;
}
for my $page (grep { !/^sample-traces/ } @pages) {
	my (@bad, %seen);
	for my $name (grep { !$seen{$_}++ } $text{$page} =~ /`([\w.\/-]+(?:\(\))?)`/g) {
		next if $name =~ /NAME|FOLDER|^build\/|^\.\w+$/;
		my $is_file = $name =~ m{^(?:src|tests|docs|themes|sample-traces)/} || $name =~ /\.(?:[ch]|t|pl|pm|sh|md|keys)$/;
		my $is_ours = $name =~ /^(?:base|mdl|sync|trc|idx|ing|qry|ana|exp|term|ui|app|pane|test)_[a-z]/;
		push @bad, $name if $is_file && !$exists{ $name =~ s{/$}{}r } || $is_ours && !$is_file && !$exists{$name} && !$word{ $name =~ s/\(\)$//r };
	}
	is("@bad", '', "$page names only files and functions that exist");
}

# Each rule of docs/proofs.md that a comment cites exists, and each doubt has its line there.
my %rule = map { $_ => 1 } map { ($_, s/\..*//r) } $text{'docs/proofs.md'} =~ /^- \*\*(R\d+\.\d+)\*\*/mg;
for my $file (grep { m{^(?:src|tests)/.*\.(?:[ch]|pm|t)$} } @files) {
	my $source = slurp($file);
	next if $source !~ /proofs\.md/;
	my @bad = grep { !$rule{$_} } $source =~ /\b(R\d+\.\d+)\b/g, $source =~ /proofs\.md[\s*#]+(R\d+)\b/g;
	is("@bad", '', "$file cites only rules that exist");
}
my @doubts = slurp('src/model/event/doubt.h') =~ /\bD\(\w+, "([\w-]+)", \w+,[\s\\]*"([^"]+)"\)/g;
cmp_ok(scalar @doubts, '>', 40, 'there are more than 40 doubts');
while (my ($word, $sentence) = splice @doubts, 0, 2) {
	like($text{'docs/proofs.md'}, qr/^\| `\Q$word\E` \| \Q$sentence\E \|/m, "docs/proofs.md has the doubt $word");
}

like($text{'CHANGELOG.md'}, qr/^## \Q$1\E$/m, 'the changelog has this version') if wakepath('--version')->{out} =~ /^wakepath (\S+)/;
my ($format) = map { /define IDX_FORMAT_VERSION (\d+)/ } map { slurp($_) } grep { m{^src/index/.*\.h$} } @files;
like($text{'docs/index-format.md'}, qr/^Version $format\./m, 'docs/index-format.md has the version that the program writes');

# ---- commands ----

sub run_line {
	my ($line) = @_;
	my $out = `$line 2>"\$TMPDIR/err"`;
	return ($? >> 8, $out);
}

# Blocks marked "sh" hold commands on sample traces, one a line.
my @blocks = map { my $page = $_; map { [$page, $_] } $text{$page} =~ /^```sh\n(.*?)^```$/msg } @pages;
cmp_ok(scalar @blocks, '>=', 15, 'the pages have at least 15 blocks of commands');
my %ran;
for my $line (map { my $page = $_->[0]; map { "$page: $_" } split /\n/, $_->[1] } @blocks) {
	my ($page, $command) = split /: /, $line, 2;
	$ran{ $command =~ s/\s+#.*//r } = 1;
	my ($status, $out) = run_line($command);
	is($status, 0, "$page: $command") or diag(slurp("$ENV{TMPDIR}/err"));
	isnt($out, '', "$page: $command prints text");
}

# ---- installed files ----

for my $page (['cli', 'wakepath', 1], ['index-format', 'wakepath-index', 5]) {
	my ($status, $out) = run_line("perl docs/man.pl $page->[1] $page->[2] summary version < docs/$page->[0].md");
	is($status, 0, "man.pl makes $page->[1].$page->[2]");
	like($out, qr/\A\.TH "\U$page->[1]\E" $page->[2] .*^\.SH NAME$/ms, "$page->[1].$page->[2] is a manual page");
	my $rows = () = $text{"docs/$page->[0].md"} =~ /^\|(?! *-)/mg;
	my $tables = () = $text{"docs/$page->[0].md"} =~ /^\|[ |:]*---?/mg;
	is(scalar(() = $out =~ /^\.TP$/mg), $rows - $tables, "$page->[1].$page->[2] has each row of each table once");
	unlike($out, qr/^\||^#|\]\(|\*\*|`/m, "$page->[1].$page->[2] has no Markdown left");
}
for my $shell (qw(bash zsh fish)) {
	my ($status, $out) = run_line("perl docs/completions.pl $shell wakepath");
	is($status, 0, "completions.pl makes completions for $shell");
	cmp_ok(scalar(() = $out =~ /fail-over/g), '>=', 1, "completions for $shell have options");
}
my ($status, $out) = run_line(q(perl docs/completions.pl bash wakepath > "$TMPDIR/c" && bash -c '. "$TMPDIR/c"; COMP_WORDS=(wakepath latency x --fail); COMP_CWORD=3; _wakepath; echo "$COMPREPLY"'));
is("$status $out", "0 --fail-over\n", 'bash completes an option of a command');

my $root = "$ENV{TMPDIR}/root";
my $build = $ENV{BUILD} // "$top/build";
SKIP: {
	skip 'the program is not built to be installed', 2 if !-x "$build/wakepath";
	# The existing program is installed from a folder of this test, so that no test builds where others run.
	my $own = "$ENV{TMPDIR}/build";
	system("mkdir -p '$own' && cp '$build/wakepath' '$own/'") == 0 or die;
	($status, $out) = run_line("make -s -o $own/wakepath install BUILT=1 BUILD=$own DESTDIR=$root PREFIX=/usr");
	is($status, 0, 'make install installs') or diag(slurp("$ENV{TMPDIR}/err"));
	is_deeply([map { substr $_, length $root } files_below($root)], [sort map { "/usr/$_" } 'bin/wakepath', 'share/man/man1/wakepath.1', 'share/man/man5/wakepath-index.5', 'lib/systemd/system/wakepath-watch.service',
		'share/bash-completion/completions/wakepath', 'share/fish/vendor_completions.d/wakepath.fish', 'share/zsh/site-functions/_wakepath'], '… all there is');
}

# ---- options ----

my $help = wakepath('--help')->{out};
my @commands = $help =~ /^wakepath ([a-z]+) +[A-Z]\w*[ ,:]/mg;
cmp_ok(scalar @commands, '>=', 13, '--help lists at least 13 commands');

# Help begins with examples, which run.  Examples that need root or a relay are only checked for their options.
for my $command ('', @commands) {
	my $text = wakepath(length $command ? $command : (), '--help')->{out};
	my ($examples) = $text =~ /^Examples:\n((?:  .+\n)+)\nUsage:$/m;
	my @lines = map { s/^  //r } split /\n/, $examples // '';
	ok(@lines >= 1 && @lines <= 3, "$command --help begins with one to three examples");
	for my $line (@lines) {
		my @unknown = grep { $text !~ /^  (?:-\w, )?\Q$_\E\b/m } $line =~ / (--[a-z-]+)/g;
		is("@unknown", '', "$line: the help has its options") if length $command;
		next if $line =~ /^sudo wakepath (?:record|watch) |wakepath watch --report |net:\/\// || $ran{$line}++;
		my ($status) = run_line($line =~ s{ -o (\S+)}{ -o "\$TMPDIR/$1"}r);
		is($status, 0, "$line runs") or diag(slurp("$ENV{TMPDIR}/err"));
	}
}
for my $command (@commands) {
	ok(scalar($text{'docs/cli.md'} =~ /^### \Q$command\E$/m), "cli.md describes $command");
	my @missing = grep { $text{'docs/cli.md'} !~ /\Q$_\E\b/ } wakepath($command, '--help')->{out} =~ /(--[a-z-]+)/g;
	is("@missing", '', "cli.md describes the options of $command");
}

# ---- JSON ----

# "make check-all" builds the programs only with the sanitizers.
my ($columns) = grep { -x } map { "$build/${_}tests/table/test_columns" } '', 'asan/';
($status, $out) = run_line("perl docs/fields.pl $columns < docs/cli.md");
is($status, 0, 'fields.pl finds the fields of columns') or diag(slurp("$ENV{TMPDIR}/err"));
ok($out eq $text{'docs/cli.md'}, 'docs/cli.md has the fields as the columns describe them (make docs)');

# Tables of fields by their heading: field => type.
my (%table, %commands_of, $heading, $in_code);
for (split /\n/, $text{'docs/cli.md'}) {
	$heading = $1 if /^### (.+)$/;
	$in_code = !$in_code if /^```/;
	push @{ $commands_of{$heading} }, $_ if $heading && $in_code && /^wakepath /;
	next if !$heading || !/^\| `/;
	my (undef, $fields, $type, @what) = split / *\| */;
	next if !defined $type || $type !~ /^(?:time|duration|number|share|decimal|flag|text|number or text|[A-Z]+)$/;
	$table{$heading}{$_} = $type for $fields =~ /`([^`]+)`/g;
	$table{$heading}{$_} = 'number or text' for map { /also (.*)/ ? $1 =~ /`([^`]+)`/g : () } @what;	# other fields that the row names after "also"
}
sub fits {
	my ($type, $value) = @_;
	return 1 if !defined $value;
	return ref($value) =~ /Bool/ if $type eq 'flag';
	return 0 if ref $value;
	return $value =~ /^-?\d+$/ if $type =~ /^(?:time|duration|number)$/;
	return $value =~ /^-?[\d.]+(?:e[+-]?\d+)?$/i if $type eq 'decimal';
	return $value =~ /^[\d.]+(?:e-?\d+)?$/i && $value <= 1 if $type eq 'share';
	return 1;
}

my (%seen, %wrong);
sub walk {
	my ($where, $path, $value) = @_;
	$path =~ s/\bcounters\.\K.*/NAME/;	# the names come from the trace
	my $type = $table{$where}{$path};
	if (defined $type && $type =~ /^[A-Z]+$/) {
		$seen{$where}{$path}++ if defined $value;
		walk($type, $_, $value->{$_}) for ref $value eq 'HASH' ? keys %$value : ();
		$wrong{"$where: $path is no $type"}++ if defined $value && ref $value ne 'HASH';
	}
	elsif (ref $value eq 'HASH') { walk($where, length $path ? "$path.$_" : $_, $value->{$_}) for keys %$value }
	elsif (ref $value eq 'ARRAY') {
		$seen{$where}{"${path}[]"}++ if $path =~ /doubts$/;	# empty: proved
		walk($where, "${path}[]", $_) for @$value;
	}
	elsif (defined $type) {
		$seen{$where}{$path}++;
		$wrong{"$where: $path is no $type: $value"}++ if !fits($type, $value);
	}
	else {
		# null instead of an object or a list
		my $inner = grep { index($_, "$path.") == 0 || index($_, "${path}[]") == 0 } keys %{ $table{$where} };
		$wrong{"$where: $path is not told"}++ if !$inner || defined $value;
	}
}

# A bookmark, so that JSON has one.
spew("$ENV{TMPDIR}/bookmark", join "\n", qw(v l l v m a), '"seen here"', 'Enter', '');
is(wakepath('sample-traces/preempt', '--thread', 'wk-victim', '--script', "$ENV{TMPDIR}/bookmark")->{status}, 0, 'the script sets a bookmark');

for my $command (grep { !/^(?:view|index|verify)$/ } sort keys %commands_of) {
	for my $line (@{ $commands_of{$command} }) {
		my ($status, $out) = run_line("$line --format json");
		my $err = slurp("$ENV{TMPDIR}/err");
		is($status, 0, "$line --format json") or diag($err);
		walk($command, '', json_of({ out => $out, err => $err }));
	}
}
# No sample trace has counters or samples of running threads.
my $counters = "$ENV{TMPDIR}/counters.data";
is(system("zstdcat tests/app/counters/cpu.data.zst >'$counters'"), 0, 'zstdcat unpacks a recording with counters');
walk($_->[0], '', json_of(wakepath($_->[0], $counters, @$_[1 .. $#$_], '--format', 'json'))) for [ 'info' ], [ 'threads' ], map { [ $_, '--thread', 12788 ] } qw(states path why);
my $samples = "$ENV{TMPDIR}/samples.data";
is(system("zstdcat tests/app/counters/stacks.data.zst >'$samples'"), 0, 'zstdcat unpacks a recording with samples');
walk('why', '', json_of(wakepath('why', $samples, '--thread', 27529, '--format', 'json')));
is(join("\n", sort keys %wrong), '', 'JSON has only fields that cli.md describes, with their types');

# Fields that no sample trace has, and that other tests get from other traces: windows kept by a watch, signals, threaded interrupts, waits for IPIs, flags of ftrace, problems met on opening, hosts left out, suspends, hotplug, work for memory, CPU frequencies.
my %elsewhere = map { $_ => 1 } ('watch', 'SIGNAL', 'SOURCE: signal', 'HOP: thread', (map { "BLAME: need_resched.$_" } qw(due lazy none time event cpu)), (map { "path: segments[].ipi_wait.$_" } qw(cpus last_cpu sent entry taken caller evidence[])), 'info: notes[]', 'info: warnings[]', 'why: wait.function', 'spans: spans[].counters.NAME', 'spans: spans[].counters_time', (map { "why: memory[].$_" } qw(name count time blocked wait_cpu grade doubts[])), (map { "why: frequency.$_" } qw(mean lowest highest time)),
	(map { "fleet: left_out[].$_" } qw(host path reason)),
	(map { "SOURCE: suspend.$_" } qw(by thread began frozen thawed stopped_least stopped_most grade doubts[])), (map { "SOURCE: hotplug.$_" } qw(cpu to step function entered grade doubts[])));
my @never;
for my $where (sort keys %table) {
	next if !$seen{$where} && !$commands_of{$where} && $elsewhere{$where};
	push @never, map { "$where: $_" } grep { !$seen{$where}{$_} && !$elsewhere{"$where: $_"} } sort keys %{ $table{$where} };
}
is(join("\n", @never), '', 'JSON has each field that cli.md describes');

done_testing();

# SPDX-License-Identifier: MIT
#
# Shared by all measurements: running programs, the table, traces.
package Bench;
use strict;
use utf8;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Find qw(find);
use File::Temp qw(tempdir);
use JSON::PP ();

our @EXPORT = qw($top $build $shared $tmp $wakepath $tools slurp must_run measure values_of first_frame query ratio median load add print_table machine
	bytes_below files_below index_file build count_events write_json write_markdown);

our $top = abs_path(dirname(__FILE__) . '/../..');
our $build = $ENV{BUILD} // "$top/build";
our $shared = $ENV{SHARED_TRACES} // "$top/../shared/traces";
our $wakepath = "$build/wakepath";
our $tools = "$build/tests/bench";
our $tmp = tempdir('wakepath-bench.XXXXXX', TMPDIR => 1, CLEANUP => 1);
$ENV{XDG_CACHE_HOME} = "$tmp/cache";
my @table;

# ---- running programs ----

sub slurp {
	my ($file) = @_;
	open my $f, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$f>;
}

sub must_run {
	system(@_) == 0 or die "bench: failed: @_\n";
}

# Run a program.  Returns its wall and cpu time in ns and its peak memory in bytes.
sub measure {
	my (@command) = @_;
	must_run("$tools/measured", "$tmp/measured", @command);
	my %m = split ' ', slurp("$tmp/measured");
	die "bench: exit status $m{status}: @command\n" if $m{status};
	return \%m;
}

# The "NAME VALUE" lines that a program prints; none if it exits with 77, because it cannot measure now.
sub values_of {
	my ($program, @arguments) = @_;
	open my $p, '-|', "$tools/$program", @arguments or die "$program: $!\n";
	my %values = map { split } <$p>;
	return \%values if close $p;
	die "bench: failed: $program @arguments\n" if $? >> 8 != 77;
	return {};
}

# The time from the explorer's start until its first frame is on a terminal of 200×60, ns.  DIR has the indexes of TRACES.
sub first_frame {
	my ($dir, @traces) = @_;
	local @ENV{qw(TERM LC_ALL)} = ('xterm-256color', 'C.UTF-8');
	return values_of('bench_screen', 'first', 'in view', $wakepath, 'view', '--index-dir', $dir, @traces)->{first};
}

# VALUE / BY; undef if one of them is undef.
sub ratio { return defined $_[0] && defined $_[1] ? $_[0] / $_[1] : undef }

sub query { return values_of('bench_query', @_) }

sub median {
	my @sorted = sort { $a <=> $b } @_;
	return $sorted[@sorted / 2];
}

sub load { return (split ' ', slurp('/proc/loadavg'))[0] }

# ---- the table ----

# GOALS: [must, aim], in the unit of VALUE; undef: none.
# HELD: which of the two the value meets.
sub add {
	my ($program, $figure, $value, $unit, $goals, $ratio) = @_;
	my ($must, $aim) = $goals ? @$goals : ();
	my $held = !defined $value ? 'not to be had' : !$goals ? undef : $value <= $aim ? 'aim' : $value <= $must ? 'must' : 'no';
	push @table, {
		program => $program, figure => $figure, value => defined $value ? $value + 0 : undef, unit => $unit,
		ratio => defined $ratio ? $ratio + 0 : undef, must => $must, aim => $aim, held => $held,
	};
}

sub number {
	my ($value, $unit) = @_;
	return '' if !defined $value;
	return sprintf("%.3g%s", $value, $unit eq '' ? '' : " $unit") if abs $value < 1000;
	return sprintf("%.0f%s", $value, $unit eq '' ? '' : " $unit");
}

sub print_table {
	my $format = "%-26s %-44s %10s %7s %9s %9s  %s\n";
	printf $format, qw(program figure measured ratio must aim held);
	for my $r (@table) {
		printf $format, @$r{qw(program figure)}, number(@$r{qw(value unit)}), number($r->{ratio}, ''),
			number(@$r{qw(must unit)}), number(@$r{qw(aim unit)}), $r->{held} // '';
	}
}

sub machine {
	my ($cpu) = slurp('/proc/cpuinfo') =~ /^model name\s*:\s*(.*)$/m;
	my ($memory) = slurp('/proc/meminfo') =~ /^MemTotal:\s*(\d+)/m;
	chomp(my $processors = `nproc`);
	chomp(my $kernel = `uname -sr`);
	return { cpu => $cpu // 'unknown', processors => $processors + 0, memory_mb => int($memory / 1024), kernel => $kernel };
}

# ---- traces ----

sub bytes_below {
	my ($folder) = @_;
	my $bytes = 0;
	find({ no_chdir => 1, wanted => sub { $bytes += -s _ if -f $_ && !m{/index/} } }, $folder);
	return $bytes;
}

# Streams and metadata of all traces below FOLDER.
sub files_below {
	my ($folder) = @_;
	my @files;
	find({ no_chdir => 1, wanted => sub { push @files, $_ if -f $_ && !m{/index/} } }, $folder);
	return @files;
}

sub index_file {
	my ($folder) = @_;
	my @files = glob("$folder/*.wpi");
	die "bench: ${\ scalar @files} indexes in $folder\n" if @files != 1;
	return $files[0];
}

sub build {
	my ($trace, $name, @options) = @_;
	return measure($wakepath, 'index', '--quiet', '--force', '--index-dir', "$tmp/$name", @options, $trace);
}

# The number of events that babeltrace2 finds.
sub count_events {
	my ($trace) = @_;
	my ($count) = `babeltrace2 -c sink.utils.counter --params=step=+0 '$trace'` =~ /(\d+) Event messages/;
	return $count // 0;
}

# ---- results ----

sub write_json {
	my ($file, %facts) = @_;
	open my $out, '>:utf8', $file or die "$file: $!\n";
	print $out JSON::PP->new->canonical->pretty->encode({ %facts, figures => \@table });
	close $out or die "$file: $!\n";
}

# The table in the form of docs/performance.md.
sub write_markdown {
	my ($file, %facts) = @_;
	my $m = $facts{machine};
	open my $out, '>:utf8', $file or die "$file: $!\n";
	print $out "$facts{trace}. $m->{processors} processors ($m->{cpu}), $m->{memory_mb} MB, $m->{kernel}. ",
		"Load before and after: $facts{load_before}, $facts{load_after}.\n\n",
		"| program | figure | measured | ratio | must | aim | held |\n|---|---|---|---|---|---|---|\n";
	print $out '| ', join(' | ', @$_{qw(program figure)}, number(@$_{qw(value unit)}), number($_->{ratio}, ''),
		number(@$_{qw(must unit)}), number(@$_{qw(aim unit)}), $_->{held} // ''), " |\n" for @table;
	close $out or die "$file: $!\n";
}

1;

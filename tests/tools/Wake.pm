# SPDX-License-Identifier: MIT
# Shared by the tests of the program: run it, copy and damage traces, read its output.
package Wake;
use strict;
use warnings;
use utf8;
use Exporter 'import';
use Encode ();
use File::Find ();
use JSON::PP ();	# some tests need it by name
use List::Util ();
use POSIX ();
use Time::HiRes ();
use Starter;
use Test::More;

our @EXPORT = qw(wakepath wakepath_as wakepath_as_nobody is_root sample copy_trace slurp spew patch json_of perl_of csv_of lines_of files_below
	says no_raw_controls measured spent small_disk duration state_sums screens_selected trace_events);

# JSON::PP comes with Perl; its fast sister is used where installed.
my ($json) = grep { eval "require $_" } qw(Cpanel::JSON::XS JSON::PP);

my $scratch = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";
my @mounted;

# The events of the sample TRACE in order, as babeltrace2 prints them: { time, name, and the fields that are numbers or texts }.
my %events;
sub trace_events {
	my ($trace) = @_;
	return $events{$trace} if $events{$trace};
	my @all;
	open my $f, '-|', 'babeltrace2', '--clock-seconds', sample($trace) or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($s, $ns, $name, $rest) = $line =~ /^\[(\d+)\.(\d{9})\] \(\S+\) \S+ ([\w:]+): (.*)/ or next;
		my %e = (time => "$s$ns", name => $name);
		$e{$1} //= $2 // $3 while $rest =~ /\b(\w+) = (?:\(\s*(?:"[^"]*"|<unknown>) : container = (-?\w+)\s*\)|("[^"]*"|-?\w+))/g;
		s/^"(.*)"$/$1/s for values %e;
		push @all, \%e;
	}
	close $f;
	return $events{$trace} = \@all;
}

sub is_root { return $> == 0 }

sub slurp {
	my ($path) = @_;
	open my $f, '<:raw', $path or die "$path: $!";
	local $/;
	my $bytes = <$f>;
	return $bytes // '';
}

sub spew {
	my ($path, $bytes) = @_;
	open my $f, '>:raw', $path or die "$path: $!";
	print $f $bytes;
	close $f or die "$path: $!";
}

# Change the bytes of a file by a sub that changes $_.
sub patch {
	my ($path, $change) = @_;
	local $_ = slurp($path);
	$change->();
	spew($path, $_);
}

# Run COMMAND; { ended (Starter::over()), status, signal, out, err }.
sub run {
	my (@command) = @_;
	my %r;
	@r{qw(ended out err)} = Starter::run(@command);
	@r{qw(status signal)} = $r{ended} =~ /^signal (\d+)/ ? (0, $1) : ($r{ended}, 0);
	return \%r;
}

our $listener;	# if set, is called after each run of the program with its arguments, exit status, standard output and standard error

sub wakepath {
	my (@args) = @_;
	my $r = run($ENV{WAKEPATH}, @args);
	$listener->(\@args, @$r{qw(ended out err)}) if $listener;
	return $r;
}

# Like wakepath(), with at most ROOM KB of address space (undef: no limit), without its output.  Returns also the seconds that it TOOK, the processor
# time that it SPENT (s), and its peak MEMORY (KB).
sub measured {
	my ($room, @args) = @_;
	my ($start, $memory, $err, $before) = (Time::HiRes::time(), 0, "$scratch/measured.err", spent());
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>', '/dev/null';
		open STDERR, '>', $err;
		{ exec defined $room ? ('sh', '-c', 'ulimit -v "$0"; exec "$@"', $room) : (), $ENV{WAKEPATH}, @args }
		POSIX::_exit(127);
	}
	while (waitpid($pid, POSIX::WNOHANG()) == 0) {
		my ($high) = (eval { slurp("/proc/$pid/status") } // '') =~ /^Name:\t(?!perl|sh\b).*^VmHWM:\s*(\d+)/ms;
		$memory = $high if $high;
		Time::HiRes::sleep(0.005);
	}
	return { status => $? >> 8, signal => $? & 127, out => '', err => slurp($err), took => Time::HiRes::time() - $start, spent => spent() - $before, memory => $memory };
}

# Seconds of processor time that all runs have taken so far.
sub spent { my @t = times; return $t[2] + $t[3] }

# Run wakepath as the user with the number UID, also in GROUP if given; needs root.  The home is $TMPDIR/user-UID.
sub wakepath_as {
	my ($uid, $group, @args) = @_;
	my $home = "$scratch/user-$uid";
	if (!-e "$scratch/wakepath") {
		chmod 0755, $scratch;
		system('cp', $ENV{WAKEPATH}, "$scratch/wakepath") == 0 or die;
		chmod 0755, "$scratch/wakepath";
	}
	mkdir $home;
	chown $uid, $uid, $home;
	local $ENV{XDG_CACHE_HOME} = "$home/cache";
	local $ENV{HOME} = $home;
	return run('setpriv', "--reuid=$uid", "--regid=$uid", defined $group ? "--groups=$group" : '--clear-groups',
		"$scratch/wakepath", @args);
}

# Run wakepath without root's rights, because root may read everything.
sub wakepath_as_nobody {
	my (@args) = @_;
	return is_root() ? wakepath_as(65534, undef, @args) : wakepath(@args);
}

sub sample { return "$ENV{SAMPLES}/$_[0]" }

# Copy a sample trace, so that a test may damage it.  Returns the folder of the copy.
sub copy_trace {
	my ($name, $as) = @_;
	$as //= $name;
	mkdir "$scratch/traces";
	system('cp', '-r', sample($name), "$scratch/traces/$as") == 0 or die;
	system('chmod', '-R', 'u+w', "$scratch/traces/$as") == 0 or die;
	return "$scratch/traces/$as";
}

# The value of a JSON text; dies if the text is not JSON.
sub perl_of { my ($text) = @_; return $json->new->utf8->decode($text) }

sub json_of {
	my ($r) = @_;
	my $value = eval { perl_of($r->{out}) };
	ok(defined $value, 'JSON can be read') or diag("$@\n$r->{err}");
	return $value // {};
}

# "13.7 ms", as everywhere: three digits at least.
sub duration {
	my ($ns) = @_;
	return '0' if $ns == 0;
	return "$ns ns" if $ns < 1000;
	my ($value, $unit) = $ns < 1e6 ? ($ns / 1e3, 'µs') : $ns < 1e9 ? ($ns / 1e6, 'ms') : ($ns / 1e9, 's');
	return sprintf('%.*f %s', $value < 9.995 ? 2 : $value < 99.95 ? 1 : 0, $value, $unit);
}

# CSV (RFC 4180) → lines of fields; dies if the text is not CSV.
sub lines_of {
	local ($_) = @_;
	my (@lines, @fields);
	while (length) {
		if (s/\A"((?:[^"]|"")*)"(?=[,\n])//) { (my $f = $1) =~ s/""/"/g; push @fields, $f }
		elsif (s/\A([^",\n]*)(?=[,\n])//) { push @fields, $1 }
		else { die substr($_, 0, 80) . "\n" }
		s/\A(.)//s;
		if ($1 eq "\n") { push @lines, [@fields]; @fields = () }
	}
	return @lines;
}

sub csv_of {
	my ($r) = @_;
	my $lines = eval { [lines_of($r->{out})] };
	ok($lines, 'CSV can be read') or diag $@;
	return $lines // [];
}

sub files_below {
	my ($folder) = @_;
	my @found;
	File::Find::find({ no_chdir => 1, wanted => sub { push @found, $_ if -f } }, $folder) if -d $folder;
	return sort @found;
}

# The run failed with STATUS and one line on standard error that matches.
sub says {
	my ($r, $status, $pattern, $name) = @_;
	is($r->{status}, $status, "$name: exit status $status") or diag($r->{err});
	is($r->{signal}, 0, "$name: no crash");
	like($r->{err}, qr/\Awakepath: [^\n]+\n\z/, "$name: one line");
	like($r->{err}, $pattern, "$name: says what and where");
}

# Check that BYTES has no control character for a terminal and is valid UTF-8.
sub no_raw_controls {
	my ($bytes, $name) = @_;
	unlike($bytes, qr/[\x00-\x09\x0b-\x1f\x7f]/, "$name: no control characters");
	my $text = eval { Encode::decode('UTF-8', $bytes, Encode::FB_CROAK) };
	ok(defined $text, "$name: valid UTF-8");
	unlike($text // '', qr/[\x{80}-\x{9f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]/, "$name: nothing invisible");
}

# Time in each state within [FROM, TO): { state => ns } of SPANS [from, to, state].
sub state_sums {
	my ($from, $to, @spans) = @_;
	my %sums;
	for (@spans) {
		my $part = List::Util::min($_->[1], $to) - List::Util::max($_->[0], $from);
		$sums{ $_->[2] } += $part if $part > 0;
	}
	return \%sums;
}

# The screens that KEYS dump from the sample TRACE, opened with ARGS on a large screen, after the keys BEFORE and with [FROM, TO) selected, ns since its
# first event.
sub screens_selected {
	my ($trace, $from, $to, $args, $before, @keys) = @_;
	my $dir = "$scratch/screens";
	my @select = map { ('g', sprintf('"%.9fs"', $_ / 1e9), 'Enter', 'v') } $from, $to;
	mkdir $dir;
	unlink glob "$dir/*.txt";
	spew("$dir/script", join "\n", map { s/^dump /dump $dir\//r } 'size 200 200', @$before, @select, @keys, '');
	my $run = wakepath(sample($trace), @$args, '--script', "$dir/script");
	is($run->{status}, 0, "$trace: played") or diag $run->{err};
	return map { slurp($_) } sort glob "$dir/*.txt";
}

# A folder on a disk of SIZE; undef without the right to mount one.
sub small_disk {
	my ($size) = @_;
	my $folder = "$scratch/disk" . @mounted;
	mkdir $folder;
	return undef if !is_root() || system("mount -t tmpfs -o size=$size,mode=0700 none $folder 2>/dev/null");
	push @mounted, $folder;
	return $folder;
}

END {
	my $status = $?;
	system('umount', $_) for @mounted;
	$? = $status;
}

1;

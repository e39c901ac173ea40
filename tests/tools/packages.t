#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# packages.sh installs only missing packages, and never on another system.  Its list is complete for pkg-config.
use strict;
use warnings;
use Test::More;

my $script = "$ENV{TOP}/tests/tools/packages.sh";
my $scratch = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";	# else it would be /bin
my $dir = "$scratch/bin";
mkdir $dir;

sub write_file {
	my ($path, $text) = @_;
	open my $f, '>', $path or die "$path: $!";
	print $f $text;
	close $f;
	chmod 0755, $path;
}

# Stand-ins: apt-get notes its arguments, sudo runs the command, dpkg-query knows all packages except $MISSING.
write_file("$dir/apt-get", "#!/bin/sh\necho \"apt-get \$*\" >> $dir/calls\n");
write_file("$dir/sudo", "#!/bin/sh\nexec \"\$\@\"\n");
write_file("$dir/dpkg-query", "#!/bin/sh\nfor p; do :; done\ncase \" \$MISSING \" in *\" \$p \"*) exit 1;; *) printf installed;; esac\n");
write_file("$dir/debian12", "ID=debian\nVERSION_ID=12\nPRETTY_NAME='Debian 12'\n");
write_file("$dir/other", "ID=fedora\nVERSION_ID=40\nPRETTY_NAME='Fedora 40'\n");

sub run {
	my ($system, $missing, @args) = @_;
	unlink "$dir/calls";
	local $ENV{PATH} = "$dir:$ENV{PATH}";
	local $ENV{OS_RELEASE} = "$dir/$system";
	local $ENV{MISSING} = $missing;
	my $said = `$script @args 2>&1`;
	my $status = $? >> 8;
	open my $f, '<', "$dir/calls" or return ($status, $said, '');
	local $/;
	return ($status, $said, scalar <$f>);
}

my ($status, $said, $calls) = run('debian12', '', 'check');
is($status, 0, 'without missing packages the script succeeds');
is($said, '', 'without missing packages the script prints nothing');
is($calls, '', 'without missing packages the script installs nothing');

($status, $said, $calls) = run('debian12', 'tmux libxxhash-dev', 'check');
is($status, 0, 'with two missing packages the script succeeds');
is($calls, "apt-get update\napt-get install -y --no-install-recommends libxxhash-dev tmux\n", 'the script installs exactly the two missing packages');

($status, $said, $calls) = run('debian12', 'tmux', 'run');
is("$status $calls", '0 ', '"run" does not install packages that only tests need');

($status, $said, $calls) = run('other', '', 'run');
is($status, 1, 'on another system the script fails');
is($calls, '', 'on another system the script installs nothing');
like($said, qr/Fedora 40/, 'on another system the script names that system');
like($said, qr/\b\Q$_\E\b/, "on another system the script lists $_") for qw(gcc make pkg-config libglib2.0-dev libncurses-dev libbabeltrace2-dev libxxhash-dev libelf-dev zlib1g-dev libzstd-dev libtracefs-dev libcairo2-dev);

# pkg-config needs the .pc files of all required modules, those of Requires.private too, or it prints nothing.  A .pc file may require a module
# of a package on which its own package does not depend; then that package must be in the list.
my ($listed) = $said =~ /packages hold: (.*)/;

sub lines { return split /\n/, `@_` }

# Module => its .pc file, of MODULES and all that they require.
sub pc_files {
	my %file;
	while (my $module = shift) {
		next if $file{$module};
		my ($folder) = lines("pkg-config --variable=pcfiledir $module");
		$file{$module} = "$folder/$module.pc";
		push @_, map { (split)[0] } lines("pkg-config --print-requires --print-requires-private $module");
	}
	return %file;
}

# The packages that installing PACKAGES on an empty system installs: package => 1.  Of alternatives apt takes the first.
sub brought {
	my (%depends, %provide, %brought);
	for (lines("dpkg-query -W -f '\${Package}\\t\${Provides}\\t\${Pre-Depends}, \${Depends}\\n'")) {
		my ($package, $provides, $depends) = split /\t/;
		push @{$provide{$_}}, $package for $provides =~ /(?:^|, )([^ ,]+)/g;
		$depends{$package} = [ $depends =~ /(?:^|, )([^ ,:]+)/g ];
	}
	while (my $package = shift) {
		push @_, $depends{$package} ? @{$depends{$package}} : @{$provide{$package} // []} if !$brought{$package}++;
	}
	return %brought;
}

SKIP: {
	skip 'not Debian', 1 if !-e '/var/lib/dpkg/status';
	open my $makefile, '<', "$ENV{TOP}/Makefile" or die "Makefile: $!";
	my ($wanted) = map { /^PKGS := (.*)/ } <$makefile>;
	my %file = pc_files(split ' ', $wanted);
	my %brought = brought(split ' ', $listed);
	cmp_ok(scalar keys %file, '>', 15, 'pkg-config needs more than 15 modules');
	my %owner = map { /^([^:]+).*: (\S+)$/ ? ($2 => $1) : () } lines("dpkg -S @{[values %file]}");
	for my $module (grep { $file{$_} !~ m{^/usr/local/} } sort keys %file) {
		my $owner = $owner{$file{$module}} // 'nothing';
		ok($brought{$owner}, "the list installs $owner, which has $module.pc");
	}
}

done_testing();

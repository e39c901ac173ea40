#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# fleet submit with a real Slurm: munged, slurmctld and several slurmd on this machine, over sixty made traces and two that cannot be read.  One task
# is killed; a second submit does the unfinished tasks, and nothing else; the summaries equal those made by hand.  And with GNU parallel.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Fleet;
use Cwd qw(abs_path);
use POSIX ();
use Socket;
use Sys::Hostname;
use Test::More;
use Time::HiRes qw(sleep time);

my $NODES = 4;
my $HOSTS = 60;
$ENV{PATH} .= ':/usr/sbin:/sbin';
sub have { my ($program) = @_; return grep { -x "$_/$program" } split /:/, $ENV{PATH} }
my @missing = grep { !have($_) } qw(munged slurmctld slurmd sbatch squeue scancel sinfo);

my $dir = "$ENV{TMPDIR}/fleet";
mkdir $dir or die;
chmod 0755, $ENV{TMPDIR}, $dir;
my (@pids, %list);
END { local $?; kill 'TERM', @pids; my $until = time + 10; for (@pids) { sleep 0.1 while time < $until && waitpid($_, POSIX::WNOHANG()) == 0; kill 'KILL', $_ } }

for my $i (1 .. $HOSTS) {
	made_host("$dir/$i.txt", seed => $i, iterations => 60, disk => $i % 20 == 7 ? 5 : 1);
	$list{"host$i"} = "$dir/$i.txt";
}
spew("$dir/broken.dat", 'no trace');
$list{broken} = "$dir/broken.dat";
$list{gone} = "$dir/gone.txt";
sub by_number { my ($x, $y) = map { /(\d+)/ ? $1 : 0 } $a, $b; return $x <=> $y || $a cmp $b }
spew("$dir/hosts.txt", join '', map { "$_ $list{$_}\n" } sort by_number keys %list);

# By hand: each trace by itself.
sub by_hand {
	my ($host) = @_;
	my $file = "$dir/hand-$host.wpm";
	wakepath('index', '--quiet', '--index-dir', "$dir/hand", '--summary-as', $file, '--host', $host, $list{$host});
	return -e $file ? inside($file) : '';
}
# The content of a summary without its header.  The header identifies the index, and an index holds the time that its build took, so it differs.
sub inside { my ($file) = @_; return substr slurp($file), 128 }
my %hand = map { $_ => by_hand($_) } keys %list;
is(scalar(grep { !length } values %hand), 2, 'two traces cannot be read');

sub start {
	my (@command) = @_;
	my $pid = fork() // die;
	if (!$pid) {
		open STDOUT, '>>', "$dir/daemons" or die;
		open STDERR, '>&', \*STDOUT or die;
		exec @command or POSIX::_exit(127);
	}
	push @pids, $pid;
	return $pid;
}

sub wait_for {
	my ($seconds, $done) = @_;
	my $until = time + $seconds;
	while (time < $until) {
		return 1 if $done->();
		sleep 0.2;
	}
	return 0;
}

# Ports that are free at present.
sub free_ports {
	my ($n) = @_;
	my @open = map { socket(my $s, PF_INET, SOCK_STREAM, 0) or die; bind $s, sockaddr_in(0, INADDR_LOOPBACK) or die; $s } 1 .. $n;
	return map { (sockaddr_in(getsockname $_))[0] } @open;
}

# Checks the files of each host in the folder FLEET.
sub summaries {
	my ($fleet) = @_;
	return map { m!/(\w+)-[0-9a-f]{8}\.wpm$! ? ($1 => inside($_)) : () } glob "$fleet/*.wpm";
}

sub same_as_by_hand {
	my ($fleet, $what) = @_;
	my %made = summaries($fleet);
	is(join(' ', sort keys %made), join(' ', sort grep { length $hand{$_} } keys %hand), "$what: a summary of each host that can be read");
	is(join(' ', grep { $made{$_} ne $hand{$_} } sort keys %made), '', "$what: each is the one made by hand");
	my $r = wakepath('fleet', "$fleet/hosts.list", '--format', 'json');
	my $all = json_of($r);
	is($all->{hosts_all}, $HOSTS, "$what: all are reported");
	is(join(' ', sort map { $_->{host} } @{ $all->{left_out} }), 'broken gone', "$what: the bad ones are named");
	is(join(' ', sort by_number map { $_->{host} } grep { $_->{stands_out} } @{ $all->{hosts} }), 'host7 host27 host47', "$what: those with a slow disk stand out");
}

subtest 'Slurm' => sub {
	plan skip_all => "not installed (apt-get install slurm-wlm munge): @missing" if @missing;
	plan skip_all => 'only root can run munged and slurmctld with files of their own' if !is_root();
	my ($name) = split /\./, hostname();
	my ($control, @ports) = free_ports($NODES + 1);
	my $slurm = "$dir/slurm";
	mkdir $_ or die "$_: $!" for $slurm, "$slurm/state", map { "$slurm/n$_" } 1 .. $NODES;
	spew("$slurm/munge.key", join '', map { chr int rand 256 } 1 .. 1024);
	chmod 0600, "$slurm/munge.key";
	$ENV{SLURM_CONF} = "$slurm/slurm.conf";
	my $nodes = join '', map { "NodeName=n$_ NodeHostname=$name NodeAddr=127.0.0.1 Port=$ports[$_ - 1] CPUs=1\n" } 1 .. $NODES;
	spew("$slurm/slurm.conf", <<"END" . $nodes);
ClusterName=made
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$control
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=1,batch_sched_delay=0,sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdParameters=config_overrides
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
	start('munged', '--foreground', '--force', "--key-file=$slurm/munge.key", "--socket=$slurm/munge.socket", "--pid-file=$slurm/munge.pid", "--log-file=$slurm/munge.log", "--seed-file=$slurm/munge.seed");
	wait_for(10, sub { -S "$slurm/munge.socket" }) or return plan(skip_all => 'munged does not start here: ' . slurp("$dir/daemons"));
	start('slurmctld', '-D', '-f', "$slurm/slurm.conf");
	start('slurmd', '-D', '-N', "n$_", '-f', "$slurm/slurm.conf") for 1 .. $NODES;
	my $up = wait_for(40, sub { my @idle = grep { /^n\d+ idle/ } qx(sinfo -h -N -o '%N %T' 2>/dev/null); @idle == $NODES });
	if (!$up) {
		diag(qx(sinfo -N -l 2>&1), map { -e $_ ? slurp($_) : () } "$slurm/slurmctld.log", "$slurm/n1.log");
		plan skip_all => 'slurmctld and slurmd do not start here';
		return;
	}
	my $jobs = sub { my @all = qx(squeue -h -r -o '%i %T' 2>/dev/null); $? == 0 ? scalar @all : -1 };
	my @submit = ('fleet', 'submit', '--slurm', '--anywhere', "$dir/hosts.txt", '-o', "$dir/out", '--index-dir', "$dir/index");
	my $dry = wakepath(@submit, '--dry-run');
	is($dry->{status}, 0, '--dry-run');
	like($dry->{out}, qr/^'sbatch' .*'--array=1-62'/m, '... prints the array of all tasks');
	ok(!-e "$dir/out", '... and makes nothing');

	# Two tasks are cancelled once the first tasks run: number 62, and number 40, which may have ended by then.
	my $r = wakepath(@submit);
	is($r->{status}, 0, 'submit') or diag($r->{err});
	like($r->{out}, qr/^62 submitted, 0 finished before/m, '... all');
	my ($job) = $r->{out} =~ /^(\d+)$/m;
	wait_for(30, sub { qx(squeue -h -r -t R -o '%i' 2>/dev/null) =~ /_/ });
	system("scancel ${job}_62 ${job}_40 2>/dev/null");
	ok(wait_for(240, sub { $jobs->() == 0 }), 'all tasks end');
	my %made = summaries("$dir/out");
	cmp_ok(scalar keys %made, '<', $HOSTS, 'the summary of the killed task is missing');
	cmp_ok(scalar keys %made, '>=', $HOSTS - 2, '... the others exist');
	my %stamp = map { $_ => (stat)[1] . ' ' . (stat)[9] } glob "$dir/out/*.wpm";
	$r = wakepath(@submit);
	my $left = $HOSTS + 2 - keys %made;
	like($r->{out}, qr/^$left submitted, @{[scalar keys %made]} finished before/m, 'a second submit takes the rest');
	ok(wait_for(120, sub { $jobs->() == 0 }), '... which ends');
	is(join(' ', grep { $stamp{$_} ne (stat $_)[1] . ' ' . (stat $_)[9] } sort keys %stamp), '', '... and nothing else');
	same_as_by_hand("$dir/out", 'Slurm');

	# A list with nodes: each node gets an array of tasks for the traces that it has.
	spew("$dir/nodes.txt", join '', map { "n" . (1 + $_ % $NODES) . " $dir/$_.txt\n" } 1 .. 12);
	$r = wakepath('fleet', 'submit', '--slurm', "$dir/nodes.txt", '-o', "$dir/there", '--index-dir', "$dir/index");
	is(scalar(() = $r->{out} =~ /^\d+$/mg), $NODES, 'an array for each node');
	ok(wait_for(120, sub { $jobs->() == 0 }), '... which end');
	my %ran = map { /NodeList=(n\d+) |NodeList=(n\d+)$/m ? (($1 // $2) => 1) : () } split /\n\n/, qx(scontrol show job 2>/dev/null);
	is(scalar keys %ran, $NODES, '... on all of these nodes');
	is(scalar(my @there = glob "$dir/there/*.wpm"), 12, '... and all summaries');
	is(scalar(grep { /^n\d-/ } map { s!.*/!!r } @there), 12, '... under the names of their hosts');
};

subtest 'GNU parallel' => sub {
	plan skip_all => 'not installed (apt-get install parallel)' if !have('parallel');
	# An ssh that runs the command on this machine, for hosts of any name.
	mkdir "$dir/bin" or die;
	spew("$dir/bin/ssh", "#!/bin/sh\n[ \"\$1 \$2 \$3\" = '-o BatchMode=yes --' ] || exit 9\necho \"\$4\" >> '$dir/ssh.log'\nshift 4\nexec sh -c \"\$*\"\n");
	spew("$dir/bin/wakepath", "#!/bin/sh\nexec '$ENV{WAKEPATH}' \"\$@\"\n");
	chmod 0755, glob "$dir/bin/*";
	local $ENV{PATH} = "$dir/bin:$ENV{PATH}";
	my @submit = ('fleet', 'submit', '--parallel', "$dir/hosts.txt", '-o', "$dir/par", '--index-dir', "$dir/index-2");
	my $r = wakepath(@submit);
	is($r->{status}, 0, 'submit') or diag($r->{err});
	same_as_by_hand("$dir/par", 'parallel');
	is(scalar(my @asked = split /\n/, slurp("$dir/ssh.log")), $HOSTS + 2, 'each host is asked');
	my ($one) = glob "$dir/par/host3-*.wpm";
	unlink $one or die;
	$r = wakepath(@submit);
	like($r->{out}, qr/^3 submitted, 59 finished before/m, 'a second run takes the rest');
	ok(inside($one) eq $hand{host3}, '... is made');
	spew("$dir/nobody.txt", "$dir/1.txt\n");
	is(wakepath('fleet', 'submit', '--parallel', "$dir/nobody.txt")->{status}, 2, 'a line without a host');
	is(wakepath('fleet', 'submit', "$dir/hosts.txt")->{status}, 2, 'neither --slurm nor --parallel');
	is(wakepath('fleet', 'submit', '--slurm', "$dir/missing.txt")->{status}, 2, 'no list');
};

done_testing;

import type { FamilyKit } from '../families.ts';

const BUILD = `set -e
mkdir -p /etc/rpm
echo '%_dbpath /var/lib/rpm' >/etc/rpm/macros
rm -rf /var/lib/rpm && rpm --initdb
all=/srv/all
# Builds that run at once fail if each creates these.
mkdir -p $all/{base,updates,security}/noarch
build() { # NAME VERSION RELEASE SUITE [SPEC LINES]
  cat >"/tmp/$1-$2-$3.spec" <<END
Name: $1
Version: $2
Release: $3
Summary: demo
License: MIT
BuildArch: noarch
$5
%description
demo
%install
mkdir -p %{buildroot}/usr/bin %{buildroot}/etc
echo "$1 $2-$3" >%{buildroot}/usr/bin/$1
echo "setting=$2" >%{buildroot}/etc/$1.conf
$6
%files
%config(noreplace) /etc/$1.conf
/usr/bin/$1
END
  rpmbuild -bb --quiet --define "_topdir /tmp/build-$1-$2-$3" --define "_rpmdir $all/$4" --define '_build_id_links none' \\
    "/tmp/$1-$2-$3.spec" >"/tmp/$1-$2-$3.log" 2>&1 || cat "/tmp/$1-$2-$3.log" >>/tmp/failed
}
for name in app lib kernel old more broken; do build "demo-$name" 1.0 1 base & done
build demo-app 2.0 1 updates &
build demo-more 2.0 1 updates 'Requires: demo-new' &
build demo-new 1.0 1 updates &
# In Lua, since one in shell would ask for a /bin/sh that no package of these has.
build demo-broken 1.1 1 updates '' '%pre -p <lua>
error("it fails")' &
build demo-lib 1.0 2 security &
build demo-kernel 1.1 1 security &
wait
if [ -e /tmp/failed ]; then cat /tmp/failed >&2; exit 1; fi
for edition in v1 v2; do
  mkdir -p /srv/$edition/{base,updates,security}
  cp -r $all/base /srv/$edition/
  if [ $edition = v2 ]; then cp -r $all/updates $all/security /srv/v2/; fi
  for suite in base updates security; do createrepo_c -q /srv/$edition/$suite; done
done
package() { echo "<package name='$1' version='$2' release='$3' epoch='0' arch='noarch' src='x'><filename>$1-$2-$3.noarch.rpm</filename></package>"; }
cat >/tmp/updateinfo.xml <<END
<?xml version="1.0" encoding="UTF-8"?>
<updates><update from="demo@fleet" status="stable" type="security" version="1"><id>DEMO-2026-1</id><title>demo</title>
<issued date="2026-01-01 00:00:00"/><severity>Important</severity><description>demo</description>
<references><reference href="https://example.org/CVE-2026-1000" id="CVE-2026-1000" title="CVE-2026-1000" type="cve"/></references>
<pkglist><collection short="d"><name>d</name>$(package demo-lib 1.0 2)$(package demo-kernel 1.1 1)</collection></pkglist></update></updates>
END
modifyrepo_c --mdtype=updateinfo /tmp/updateinfo.xml /srv/v2/security/repodata >/dev/null
ln -sfn v1 /srv/rpm
`;

const RPM = {
  publish: 'ln -sfn "$1" /srv/rpm',
  installed: 'rpm -qa | sort',
  version: 'rpm -q --qf "%{VERSION}-%{RELEASE}" "$1"',
  saveSources: 'rm -rf /srv/sources && cp -a "$SOURCES" /srv/sources',
  restoreSources: 'rm -rf "$SOURCES" && cp -a /srv/sources "$SOURCES"',
  killSources: 'sed -i "s#^baseurl=.*#baseurl=http://127.0.0.1:9/gone#" "$SOURCES"/*.repo',
} as const;

const inDir = (dir: string, script: string): string => `SOURCES=${dir}\n${script}`;

/** dnf 4. */
export const FEDORA: FamilyKit = {
  ...RPM,
  osRelease: 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=37\nPRETTY_NAME="Fedora Linux 37 (Thirty Seven)"',
  build: `${BUILD}
rm -f /etc/dnf/plugins/*.conf
printf '[main]\\nenabled=1\\nlocklist=/etc/dnf/plugins/versionlock.list\\n' >/etc/dnf/plugins/versionlock.conf
: >/etc/dnf/plugins/versionlock.list
printf '[main]\\ngpgcheck=0\\nclean_requirements_on_remove=True\\n' >/etc/dnf/dnf.conf
mkdir -p /etc/yum.repos.d
for suite in base updates security; do
  printf '[%s]\\nname=%s\\nbaseurl=file:///srv/rpm/%s\\ngpgcheck=0\\n' $suite $suite $suite >/etc/yum.repos.d/$suite.repo
done`,
  install: 'dnf -y -q install "${@/%/-1.0-1}" >/dev/null 2>/tmp/dnf || { cat /tmp/dnf >&2; exit 1; }',
  saveSources: inDir('/etc/yum.repos.d', RPM.saveSources),
  restoreSources: inDir('/etc/yum.repos.d', RPM.restoreSources),
  killSources: inDir('/etc/yum.repos.d', RPM.killSources),
  addSource:
    'printf \'[%s]\\nname=%s\\nbaseurl=%s\\ngpgcheck=0\\n\' "$1" "$1" "$2" >/etc/yum.repos.d/"$1".repo',
  hold: 'dnf -q versionlock add "$1" >/dev/null',
  release: ': >/etc/dnf/plugins/versionlock.list',
  markUnneeded: 'dnf -q mark remove "$1" >/dev/null',
  lock: `setsid python3 -c '
import dnf, dnf.lock, time
base = dnf.Base()
with dnf.lock.build_metadata_lock(base.conf.cachedir, False), dnf.lock.build_rpmdb_lock(base.conf.persistdir, False):
    open("/run/locked", "w").close()
    time.sleep(60)
' >/dev/null 2>/tmp/lock </dev/null &
echo $!
until [ -e /run/locked ]; do kill -0 $! || { cat /tmp/lock >&2; exit 1; }; sleep 0.05; done
rm /run/locked`,
  unlock: 'kill "$1"; while kill -0 "$1" 2>/dev/null; do sleep 0.05; done',
  isRunning: 'pgrep -f "bin/dnf"',
};

export const SUSE: FamilyKit = {
  ...RPM,
  osRelease: 'NAME="openSUSE Leap"\nID=opensuse-leap\nVERSION_ID=15.6\nPRETTY_NAME="openSUSE Leap 15.6"',
  build: `${BUILD}
for suite in base updates security; do zypper -n -q addrepo --no-gpgcheck file:///srv/rpm/$suite $suite; done
zypper -n -q refresh`,
  install: 'zypper -n -q install "${@/%/=1.0-1}" >/dev/null',
  saveSources: inDir('/etc/zypp/repos.d', RPM.saveSources),
  restoreSources: inDir('/etc/zypp/repos.d', RPM.restoreSources),
  killSources: inDir('/etc/zypp/repos.d', RPM.killSources),
  addSource: 'zypper -n -q addrepo --no-gpgcheck "$2" "$1"',
  hold: 'zypper -n -q addlock "$1" >/dev/null',
  release: 'rm -f /etc/zypp/locks',
  // zypper has no step that removes unneeded packages.
  markUnneeded: ':',
  lock: `rm -f /run/hold && mkfifo /run/hold
setsid sh -c 'zypper -n shell </run/hold & exec sleep 60 >/run/hold' >/dev/null 2>&1 </dev/null &
echo $!
until [ -s /run/zypp.pid ] && kill -0 "$(cat /run/zypp.pid)" 2>/dev/null; do sleep 0.05; done`,
  unlock: 'kill "$1"; while kill -0 "$(cat /run/zypp.pid)" 2>/dev/null; do sleep 0.05; done; rm -f /run/hold',
  isRunning: 'pgrep -x zypper',
};

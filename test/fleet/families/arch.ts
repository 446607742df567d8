import type { FamilyKit } from '../families.ts';

export const ARCH: FamilyKit = {
  osRelease: 'NAME="Arch Linux"\nID=arch\nPRETTY_NAME="Arch Linux"',
  build: `set -e
mkdir -p /srv/v1 /srv/v2 /var/lib/pacman /var/cache/pacman/pkg
make() { # NAME VERSION DEPENDS [INSTALL SCRIPT]
  tree=$(mktemp -d)
  mkdir -p $tree/usr/bin $tree/etc
  echo "$1 $2" >$tree/usr/bin/$1
  echo "setting=$2" >$tree/etc/$1.conf
  printf '%s = %s\\n' pkgname "$1" pkgbase "$1" pkgver "$2" pkgdesc demo url x builddate 1 packager x size 4096 arch any \\
    backup "etc/$1.conf" \${3:+depend "$3"} >$tree/.PKGINFO
  [ -z "$4" ] || echo "$4" >$tree/.INSTALL
  (cd $tree && bsdtar -czf /srv/v2/$1-$2-any.pkg.tar.gz .PKGINFO $(ls .INSTALL 2>/dev/null) usr etc)
}
for name in app lib kernel old more broken; do make demo-$name 1.0-1; done
cp /srv/v2/*.pkg.tar.gz /srv/v1/
make demo-app 2.0-1
make demo-more 2.0-1 demo-new
make demo-new 1.0-1
make demo-lib 1.0-2
make demo-kernel 1.1-1
make demo-broken 1.1-1 '' 'post_upgrade() { false; }'
for edition in v1 v2; do (cd /srv/$edition && repo-add -q demo.db.tar.gz *.pkg.tar.gz) >/dev/null; done
ln -sfn v1 /srv/pacman
printf '[options]\\nArchitecture = auto\\nSigLevel = Never\\n[demo]\\nServer = file:///srv/pacman\\n' >/etc/pacman.conf
pacman -Sy --noconfirm >/dev/null`,
  // A database is fetched only if it is newer than the existing one.
  publish:
    'ln -sfn "$1" /srv/pacman && rm -f /var/lib/pacman/sync/demo.db && touch /srv/pacman/demo.db.tar.gz',
  install: 'pacman -Sy --noconfirm --noprogressbar "$@" >/dev/null',
  saveSources: 'cp /etc/pacman.conf /srv/pacman.conf',
  restoreSources: 'cp /srv/pacman.conf /etc/pacman.conf',
  addSource: 'printf \'[%s]\\nServer = %s\\n\' "$1" "$2" >>/etc/pacman.conf',
  killSources: "sed -i 's#^Server = .*#Server = http://127.0.0.1:9/gone#' /etc/pacman.conf",
  hold: 'sed -i "/^Architecture/a IgnorePkg = $1" /etc/pacman.conf',
  release: "sed -i '/^IgnorePkg/d' /etc/pacman.conf",
  markUnneeded: 'pacman -D --asdeps "$1" >/dev/null',
  installed: 'pacman -Q',
  version: 'pacman -Q "$1" | cut -d" " -f2 | tr -d "\\n"',
  lock: 'touch /var/lib/pacman/db.lck; echo 0',
  unlock: 'rm -f /var/lib/pacman/db.lck',
  isRunning: 'pgrep -x pacman',
};

/**
 * Runs on a host, as the login account. POSIX sh (tried with dash, bash, busybox, mksh and zsh) and GNU coreutils:
 * only its dd can open without following a link and without waiting for a FIFO.
 * The working directory keeps hold of a directory. First the shell enters it, wherever that leads; then it asks the
 *  kernel for its path, and continues only if that is the file root plus exactly the requested names: any link makes
 *  it another path. From then on everything is named "./NAME", which no change above it can lead elsewhere, with
 *  calls that follow no link.
 * "$mark" is random and starts every line of the protocol; "$jail" the file root; "$dir" a directory in it; "$name" a
 *  name in that. Lines are "MARK WORD [VALUE…]". The tools' own error messages are on standard error, in English
 *  (LC_ALL=C).
 */
export const FUNCTIONS = String.raw`
unset CDPATH
say() {
  printf '%s %s\n' "$mark" "$*"
  exit 0
}
why_not() {
  place=. rest=$dir
  while [ "$rest" ]; do
    place=$place/${'$'}{rest%%/*}
    [ -L "$place" ] && say link
    [ -e "$place" ] || say missing
    [ -d "$place" ] || say not-directory
    [ -x "$place" ] || say denied
    case $rest in */*) rest=${'$'}{rest#*/} ;; *) rest= ;; esac
  done
  say moved
}
absent() {
  command -v stat >/dev/null || say tool stat
  [ -x . ] || say denied
  say missing
}
plain() {
  case $1 in
    8???) ;;
    4???) say directory ;;
    a???) say link ;;
    *) say special ;;
  esac
  [ "$2" = 1 ] || say several-names
}
is_here() {
  [ "$(/bin/pwd -P; echo .)" = "$1
." ]
}
enter() {
  cd -P -- "$jail" 2>/dev/null || say jail-missing
  here=$jail
  if [ "$dir" ]; then
    here=${'$'}{jail%/}/$dir
    cd -P -- "./$dir" 2>/dev/null || { is_here "$jail" && why_not; }
  fi
  is_here "$here" && return
  [ -x /bin/pwd ] || say tool pwd
  cd -P -- "$jail" 2>/dev/null || say jail-missing
  is_here "$jail" && why_not
  say jail-elsewhere "$(/bin/pwd -P)"
}
`;

/** Starts a separate script: "$1" to "$4" are as above, the rest is the script's. */
export const ENTER = String.raw`${FUNCTIONS}
mark=$1 jail=$2 dir=$3 name=$4
shift 4
enter
`;

export const OPEN_DD =
  'dd if="./$name" iflag=nofollow,nonblock,fullblock,skip_bytes,count_bytes bs=65536 status=none';

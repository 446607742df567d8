/**
 * `apt_know_architectures` sets `apt_native`, and `apt_architectures` to options by which apt knows the host's architectures.
 * Without them each program of apt's asks dpkg for them, and up to version 2.8 `apt-get update` starts five a source to verify
 * its signature: of the host's processor time that is a fifth. Where settings name architectures theirs hold.
 */
export const APT_ARCHITECTURES = String.raw`
apt_know_architectures() {
  apt_know_architectures() { :; }
  apt_native=$(dpkg --print-architecture) apt_architectures=
  [ -z "$APT_CONFIG" ] || return 0
  grep -qsiE '(^|[^a-z_-])architectures?([^a-z)]|$)|rootdir|#include' /etc/apt/apt.conf /etc/apt/apt.conf.d/* && return 0
  apt_architectures=" -o APT::Architectures::=$apt_native"
  [ -r /var/lib/dpkg/arch ] || return 0
  while read -r each; do
    case $each in '' | "$apt_native") ;; *) apt_architectures="$apt_architectures -o APT::Architectures::=$each" ;; esac
  done </var/lib/dpkg/arch
}
`;

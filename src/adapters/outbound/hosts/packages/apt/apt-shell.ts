/**
 * Shell that planning and patching share: `apt` is apt-get that asks nothing; `plan_of` reads a simulation and prints
 * `kind name from to security`, with "-" for no version and 1 for a version from a security suite.
 */
export const APT_SHELL = String.raw`
pm_there() { command -v apt-get >/dev/null; }
apt() {
  apt-get -q -o APT::Color=0 -o Dpkg::Use-Pty=0 -o Dpkg::Progress-Fancy=0 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
    -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 \
    -o APT::Get::Show-User-Simulation-Note=false "$@" </dev/null
}
# "apt upgrade" as it was asked for, with options before it.
upgrade_by_apt() {
  if full_upgrade_asked; then apt "$@" full-upgrade; else apt "$@" upgrade --with-new-pkgs; fi
}
plan_of() {
  awk '
    /^Inst / {
      from = "-"; at = 3
      if (substr($3, 1, 1) == "[") { from = substr($3, 2, length($3) - 2); at = 4 }
      to = $at; gsub(/[()]/, "", to)
      origin = tolower(substr($0, index($0, "(")))
      print (from == "-" ? "install" : "upgrade"), $2, from, to, (origin ~ /security/ ? 1 : 0)
    }
    /^Remv / { print "remove", $2, substr($3, 2, length($3) - 2), "-", 0 }'
}
pm_plan_upgrade() {
  upgrading=$(upgrade_by_apt -s -o Debug::NoLocking=1 -o Dir::Log::Planner= 2>&1) || { printf '%s\n' "$upgrading"; return 1; }
  printf '%s\n' "$upgrading" | plan_of
}
pm_plan_autoremove() {
  removing=$(apt -s -o Debug::NoLocking=1 -o Dir::Log::Planner= autoremove 2>&1) || { printf '%s\n' "$removing"; return 1; }
  printf '%s\n' "$removing" | plan_of
}
`;

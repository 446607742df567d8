/**
 * ACLs, and of extended attributes those that mean the same on another machine: the users' own, and the capabilities of
 * programs. Labels of SELinux and the like are the business of each machine's own policy.
 */
export const ATTRIBUTES = [
  '-A',
  '-X',
  '--filter=+x user.*',
  '--filter=+x security.capability',
  '--filter=-x *',
];

/** Whether an rsync that says this of itself (`rsync --version`) can carry ACLs and extended attributes. */
export const carriesAttributes = (version: string): boolean =>
  /(?<!no )\bACLs\b/.test(version) && /(?<!no )\bxattrs\b/.test(version);

import { z } from 'zod';

const HostKeyShape = z.object({
  /** `ssh-ed25519` */
  algorithm: z.string(),
  /** base64, as in a known_hosts line */
  blob: z.string(),
  /** `SHA256:…` */
  fingerprint: z.string(),
});

/** All that a process needs to reach a host that another process started. */
export const HostRecord = z.object({
  name: z.string(),
  address: z.string(),
  port: z.literal(22),
  gateway: z.string(),
  bridge: z.string(),
  /** the bridge's end of the host's cable */
  link: z.string(),
  /** of its network card: fixed, so that a restarted host is found immediately */
  mac: z.string(),
  /** holds the overlay's upper, work and root directories, and the pid of its first process */
  dir: z.string(),
  /** overlay layers, the uppermost first */
  lowers: z.array(z.string()),
  hostKey: HostKeyShape,
  /** OpenSSH PEM; opens root and drover */
  privateKey: z.string(),
  privateKeyFile: z.string(),
  /** the fixture's apt repositories, one directory a version */
  aptRepositories: z.string(),
  /** with docker or podman it has compose and a registry too; with podman also systemd */
  engine: z.enum(['none', 'docker', 'podman']),
});

export type HostKey = z.infer<typeof HostKeyShape>;
export type HostRecord = z.infer<typeof HostRecord>;

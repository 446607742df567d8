import { readConfig } from '../../src/adapters/bootstrap/config.ts';
import { openCore } from '../../src/adapters/bootstrap/core.ts';
import { IssueToken } from '../../src/application/access/issue-token.ts';
import { ConfirmHostKey } from '../../src/application/fleet/confirm-host-key.ts';
import { ManageKeys } from '../../src/application/fleet/manage-keys.ts';
import { RegisterServer } from '../../src/application/fleet/register-server.ts';
import { Actor } from '../../src/domain/access/actor.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import type { FleetHost } from './host.ts';

interface Enrolled {
  /** Of the servers, by the names of their hosts. */
  readonly ids: ReadonlyMap<string, number>;
  /** Of a token that may read and start jobs. */
  readonly secret: string;
}

/** Adds the hosts of one fleet, with `os_patch` allowed, like the command line, but in one process. */
export async function enrolAll(
  dataDir: string,
  hosts: readonly FleetHost[],
  tagsOf: readonly string[] | ((index: number) => readonly string[]) = [],
): Promise<Enrolled> {
  const [first] = hosts;
  if (!first) throw new Error('there are no hosts');
  const config = readConfig({ SERVICE_DATA_DIR: dataDir }, () => '');
  const core = await openCore(config, new RecordingLogger());
  try {
    const operator = Actor.operator('fleet');
    const key = await core.get(ManageKeys).import(operator, 'fleet', first.privateKey);
    const ids = new Map<string, number>();
    for (const [index, host] of hosts.entries()) {
      const tags = typeof tagsOf === 'function' ? tagsOf(index) : tagsOf;
      const server = await core.get(RegisterServer).execute(operator, {
        name: host.name,
        connection: 'ssh',
        hostname: host.address,
        sshUsername: 'root',
        sshKeyId: key.id,
        tags: [...tags],
        features: { os_patch: true },
      });
      await core.get(ConfirmHostKey).execute(operator, server.id, host.hostKey);
      ids.set(host.name, server.id);
    }
    const asked = { name: 'fleet', scopes: ['read', 'jobs'] as const };
    return { ids, secret: (await core.get(IssueToken).execute(operator, asked)).secret };
  } finally {
    await core.close();
  }
}

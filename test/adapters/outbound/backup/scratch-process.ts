import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Scratch } from '../../../../src/adapters/outbound/backup/scratch.ts';
import { LocalRemoteHosts } from '../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';

// A process that holds a scratch place, to be killed.
const [base = ''] = process.argv.slice(2);
const access = { kind: 'local', serverId: 7, serverName: 'here', become: 'none' } as const;
const host = await new LocalRemoteHosts().connect(access);
const scratch = await Scratch.open(host, new AbortController().signal, base);
await writeFile(join(scratch.directory, 'file'), 'content');
process.stdout.write(`${scratch.directory}\n`);
await sleep(60_000);

import type { ServerStore } from '../../../application/ports/fleet/server-store.ts';
import type { Probe } from '../../../application/ports/service/probe.ts';
import { shellCommand } from '../../../domain/base/shell-command.ts';
import { isHome } from '../../../domain/files/jail-directory.ts';
import { ok, warn } from './finding.ts';

const PAGE = 100;
const MAX_NAMED = 10;

/** Whether the file root of a server is a home directory, which version 1.1 suggested. */
export const fileRootsProbe = (servers: Pick<ServerStore, 'list'>): Probe => ({
  name: 'file roots',
  look: async () => {
    const homes: { readonly name: string; readonly jail: string }[] = [];
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const page = await servers.list({}, { limit: PAGE, offset });
      total = page.total;
      homes.push(
        ...page.items.flatMap(({ name, jail }) => (jail !== null && isHome(jail) ? [{ name, jail }] : [])),
      );
    }
    const [first] = homes;
    if (first === undefined) return ok('file roots', 'None is a home directory.');
    const named = homes.slice(0, MAX_NAMED).map(({ name, jail }) => `${name} (${jail})`);
    const more = homes.length > named.length ? ` and ${homes.length - named.length} more` : '';
    return warn({
      name: 'file roots',
      detail: `A home directory holds keys, passwords and settings of programs; it is the file root of ${named.join(', ')}${more}.`,
      remedy: shellCommand`npx drover server edit ${first.name} --jail /srv/drover`,
    });
  },
});

import { SERVER_NEEDS, type ServerNeed, type TagCount } from '../../../../../domain/fleet/server-list.ts';

const NEED_WORDS: Readonly<Record<ServerNeed, string>> = {
  unreachable: 'cannot be reached',
  stale_backup: 'without a fresh backup',
  security_updates: 'security updates pending',
  os_updates: 'package updates pending',
  container_updates: 'newer container images',
  reboot: 'waiting for a reboot',
  updates_unknown: 'updates unknown',
  unchecked: 'setup incomplete',
};

interface ServerSearchProps {
  readonly q?: string;
  readonly tag?: string;
  readonly need?: ServerNeed | undefined;
  /** Tags to choose from. */
  readonly tags?: readonly TagCount[];
  /** Kept as it is. */
  readonly sort?: string | null;
}

/** Leads to the servers that are looked for. */
export function ServerSearch({ q = '', tag = '', need, tags = [], sort }: ServerSearchProps) {
  const offered = tag === '' || tags.some((each) => each.tag === tag) ? tags : [{ tag, servers: 0 }, ...tags];
  return (
    <form method="get" action="/servers" class="filter" role="search" id="server-search" hx-morph-skip="">
      <span class="pair">
        <label for="q">Search</label>
        <input type="search" id="q" name="q" value={q} placeholder="name, address or tag" data-search />
      </span>
      {offered.length === 0 ? null : (
        <span class="pair">
          <label for="tag">Tag</label>
          <select id="tag" name="tag">
            <option value="">any</option>
            {offered.map((each) => (
              <option key={each.tag} value={each.tag} selected={each.tag === tag}>
                {each.servers > 0 ? `${each.tag} (${each.servers})` : each.tag}
              </option>
            ))}
          </select>
        </span>
      )}
      <span class="pair">
        <label for="needs">Show</label>
        <select id="needs" name="needs">
          <option value="">all servers</option>
          {SERVER_NEEDS.map((each) => (
            <option key={each} value={each} selected={each === need}>
              {NEED_WORDS[each]}
            </option>
          ))}
        </select>
      </span>
      {sort ? <input type="hidden" name="sort" value={sort} /> : null}
      <button type="submit">Show</button>
    </form>
  );
}

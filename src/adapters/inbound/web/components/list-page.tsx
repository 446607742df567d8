import type { ComponentChildren } from 'preact';
import type { Role } from '../../../../domain/access/role.ts';
import { type PageReply, part, type SignedInVisit, type WebRoute } from '../route.ts';

/** A page of which `list` stays up to date. */
interface ListReply extends PageReply {
  readonly list: ComponentChildren;
}

/** A list that an open page asks for again and again, at the same path below `/live`. */
export const LiveList = ({
  path,
  query,
  children,
}: {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly children: ComponentChildren;
}) => (
  <div
    id="list"
    hx-get={`/live${path}${query.size === 0 ? '' : `?${query}`}`}
    hx-trigger="every 10s, refresh"
    hx-swap="outerMorph"
    data-live
  >
    {children}
  </div>
);

/** The routes of a page with a list, and of the list alone. */
export function listRoutes(
  path: string,
  needs: Role,
  look: (visit: SignedInVisit) => Promise<ListReply>,
): readonly WebRoute[] {
  const live = (list: ComponentChildren, query: URLSearchParams) => (
    <LiveList path={path} query={query}>
      {list}
    </LiveList>
  );
  return [
    {
      method: 'GET',
      path,
      needs,
      handle: async (visit) => {
        const { list, ...reply } = await look(visit);
        return {
          ...reply,
          body: (
            <>
              {reply.body}
              {live(list, visit.query)}
            </>
          ),
        };
      },
    },
    {
      method: 'GET',
      path: `/live${path}`,
      needs,
      byItself: true,
      handle: async (visit) => part(live((await look(visit)).list, visit.query)),
    },
  ];
}

import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import { statusOf } from '../../../api/error-table.ts';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { blaming, submit } from '../../form-state.ts';
import { done, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { formFor } from '../../server-names.ts';

/** What applies to selected servers, such as a window or a policy. `add`, `edit` and `remove` return its name. */
export interface SelectorPages<T> {
  readonly path: string;
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly list: (visit: SignedInVisit) => Promise<WebReply>;
  /** Throws if there is none. */
  readonly find: (visit: SignedInVisit) => Promise<T>;
  readonly form: (actor: Actor, state: FormState, before: T | null, status?: number) => Promise<WebReply>;
  readonly fieldsOf: (actor: Actor, before: T) => Promise<URLSearchParams>;
  readonly add: (actor: Actor, form: URLSearchParams) => Promise<string>;
  readonly edit: (actor: Actor, before: T, form: URLSearchParams) => Promise<string>;
  readonly remove: (actor: Actor, before: T) => Promise<string>;
}

/** Their list, and the forms to create, edit and remove one. */
export function selectorRoutes<T>(pages: SelectorPages<T>): readonly WebRoute[] {
  const { path } = pages;
  const save = ({ visitor, form }: SignedInVisit, before: T | null): Promise<WebReply> =>
    submit(
      form,
      async () => {
        const name = await blaming({ name_taken: '/name' }, () =>
          before === null ? pages.add(visitor.actor, form) : pages.edit(visitor.actor, before, form),
        );
        return done(path, name);
      },
      (state, error) => pages.form(visitor.actor, state, before, statusOf(error.code)),
    );
  return [
    { method: 'GET', path, needs: 'viewer', handle: pages.list },
    {
      method: 'GET',
      path: `${path}/new`,
      needs: 'operator',
      handle: async ({ visitor: { actor }, query }) =>
        pages.form(actor, await formFor(pages.getServer, actor, query), null),
    },
    { method: 'POST', path: `${path}/new`, needs: 'operator', handle: (visit) => save(visit, null) },
    {
      method: 'GET',
      path: `${path}/:id/edit`,
      needs: 'operator',
      handle: async (visit) => {
        const { actor } = visit.visitor;
        const before = await pages.find(visit);
        return pages.form(actor, { ...NEW_FORM, typed: await pages.fieldsOf(actor, before) }, before);
      },
    },
    {
      method: 'POST',
      path: `${path}/:id/edit`,
      needs: 'operator',
      handle: async (visit) => save(visit, await pages.find(visit)),
    },
    {
      method: 'POST',
      path: `${path}/:id/remove`,
      needs: 'operator',
      handle: async (visit) => done(path, await pages.remove(visit.visitor.actor, await pages.find(visit))),
    },
  ];
}

import { DUMP_KINDS } from '../../../../../domain/backups/dump.ts';
import { InvalidInput } from '../../../../../domain/base/errors.ts';
import { requireControl } from '../../../../../domain/fleet/own-machine.ts';
import { NEW_FORM } from '../../components/form.tsx';
import { blaming, formRoute, submit, textOf } from '../../form-state.ts';
import { done, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { connectionOf } from './dump-fields.tsx';
import { isFaulty, testSource } from './source-check.tsx';
import { editPage, listPage, removePage } from './source-dump-pages.tsx';
import { dumpsPath, type Place, placeOf, type SourceDumpDeps } from './source-dump-place.ts';

const PATH = '/servers/:id/sources/:source/dumps';
const ONE = `${PATH}/:dump`;

/** The databases that are dumped with each backup of a source. */
export function sourceDumpRoutes(deps: SourceDumpDeps): readonly WebRoute[] {
  const { manageDumps } = deps;
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      handle: async (visit) => listPage(deps, visit, await placeOf(deps, visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: PATH,
      needs: 'operator',
      handle: async (visit) => {
        const place = await placeOf(deps, visit);
        return submit(
          visit.form,
          async () => {
            await add(deps, visit, place);
            return saved(deps, visit, place, textOf(visit.form, 'name'));
          },
          (state) => listPage(deps, visit, place, state, 422),
        );
      },
    },
    {
      method: 'POST',
      path: `${PATH}/test`,
      needs: 'operator',
      handle: async (visit) => {
        const place = await placeOf(deps, visit);
        requireControl(visit.visitor.actor, place.server, 'source.edit');
        const tested = await testSource(deps, visit, place.server, place.source.name);
        return listPage(deps, visit, place, NEW_FORM, 200, { tested, isSaved: false });
      },
    },
    {
      method: 'GET',
      path: `${ONE}/edit`,
      needs: 'operator',
      handle: (visit) => editPage(deps, visit, NEW_FORM),
    },
    formRoute(
      `${ONE}/edit`,
      async (visit) => {
        const { visitor, params, form } = visit;
        const place = await placeOf(deps, visit);
        const name = params['dump'] ?? '';
        await manageDumps.edit(visitor.actor, place.server.id, place.source.name, name, connectionOf(form));
        return saved(deps, visit, place, name);
      },
      (visit, state) => editPage(deps, visit, state, 422),
      { needs: 'operator' },
    ),
    {
      method: 'GET',
      path: `${ONE}/remove`,
      needs: 'operator',
      handle: (visit) => removePage(deps, visit),
    },
    {
      method: 'POST',
      path: `${ONE}/remove`,
      needs: 'operator',
      handle: async (visit) => {
        const { server, source } = await placeOf(deps, visit);
        await manageDumps.remove(visit.visitor.actor, server.id, source.name, visit.params['dump'] ?? '');
        return done(dumpsPath(server, source), visit.params['dump'] ?? '');
      },
    },
  ];
}

/** On to the list, unless a dump would fail: that is shown at once. */
async function saved(
  deps: SourceDumpDeps,
  visit: SignedInVisit,
  place: Place,
  name: string,
): Promise<WebReply> {
  const tested = await testSource(deps, visit, place.server, place.source.name);
  if (!isFaulty(tested)) return done(dumpsPath(place.server, place.source), name);
  return listPage(deps, visit, place, NEW_FORM, 200, { tested, isSaved: true });
}

async function add({ manageDumps }: SourceDumpDeps, { visitor, form }: SignedInVisit, place: Place) {
  const kind = DUMP_KINDS.find((each) => each === form.get('kind'));
  if (!kind) throw new InvalidInput([{ path: '/kind', message: 'Choose the kind of database.' }]);
  await blaming({ name_taken: '/name' }, () =>
    manageDumps.add(visitor.actor, place.server.id, place.source.name, {
      ...connectionOf(form),
      name: textOf(form, 'name'),
      kind,
    }),
  );
}

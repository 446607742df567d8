import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { PreviewExclusions } from '../../../../../application/backups/preview-exclusions.ts';
import type { GetServer } from '../../../../../application/fleet/get-server.ts';
import type { BackupSource } from '../../../../../domain/backups/backup-source.ts';
import type { ExclusionPreview } from '../../../../../domain/backups/exclusion-preview.ts';
import { parseHook } from '../../../../../domain/backups/hook.ts';
import { DomainError, isDomainError } from '../../../../../domain/base/errors.ts';
import { requireControl } from '../../../../../domain/fleet/own-machine.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { type FormState, NEW_FORM } from '../../components/form.tsx';
import { blaming, linesOf, submit, textOf } from '../../form-state.ts';
import { done, type SignedInVisit, type WebReply, type WebRoute } from '../../route.ts';
import { serverId } from '../../server-id.ts';
import { isFaulty, type SourceCheckDeps, testSource } from './source-check.tsx';
import { editPage, listPage, pathOf, removePage, type SourcePageDeps } from './source-pages.tsx';
import { contentOf, retentionOf } from './sources.tsx';

export interface ServerSourceDeps extends SourceCheckDeps, SourcePageDeps {
  readonly getServer: Pick<GetServer, 'execute'>;
  readonly manageSources: Pick<ManageSources, 'list' | 'add' | 'edit' | 'remove'>;
  readonly previewExclusions: Pick<PreviewExclusions, 'execute'>;
}

const PATH = '/servers/:id/sources';

/** A server's backup sources. */
export function serverSourceRoutes(deps: ServerSourceDeps): readonly WebRoute[] {
  const { manageSources } = deps;
  const server = ({ visitor, params }: SignedInVisit): Promise<Server> =>
    deps.getServer.execute(visitor.actor, serverId(params));
  const named = async (visit: SignedInVisit): Promise<readonly [Server, BackupSource]> => {
    const on = await server(visit);
    const name = visit.params['source'] ?? '';
    const source = (await manageSources.list(visit.visitor.actor, on.id)).find((each) => each.name === name);
    if (!source) throw new DomainError('source_not_found', `${on.name} has no backup source with that name.`);
    return [on, source];
  };
  return [
    {
      method: 'GET',
      path: PATH,
      needs: 'viewer',
      handle: async (visit) => listPage(deps, visit, await server(visit), NEW_FORM),
    },
    {
      method: 'POST',
      path: PATH,
      needs: 'operator',
      handle: async (visit) => {
        const on = await server(visit);
        return submit(
          visit.form,
          async () => {
            if (asksForPreview(visit)) {
              return listPage(deps, visit, on, typedIn(visit), 200, {
                previewed: await preview(deps, visit, on),
              });
            }
            return saved(deps, visit, on, await addSource(deps, visit, on));
          },
          (state) => listPage(deps, visit, on, state, 422),
        );
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:source/edit`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        requireControl(visit.visitor.actor, on, 'source.edit');
        return editPage(on, source, NEW_FORM);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:source/edit`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        const { form, visitor } = visit;
        return submit(
          form,
          async () => {
            if (asksForPreview(visit)) {
              return editPage(on, source, typedIn(visit), 200, await preview(deps, visit, on, source));
            }
            const change = {
              ...(source.kind === 'service' ? {} : { paths: linesOf(form, 'paths') }),
              excludes: linesOf(form, 'excludes'),
              hooks: linesOf(form, 'hooks').map(parseHook),
              retention: retentionOf(form),
              ...contentOf(form),
            };
            const changed = await manageSources
              .edit(visitor.actor, on.id, source.name, change)
              .catch((error: unknown) => {
                if (!isDomainError(error, 'empty_change')) throw error;
                return source;
              });
            return saved(deps, visit, on, changed);
          },
          (state) => editPage(on, source, state, 422),
        );
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:source/test`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        requireControl(visit.visitor.actor, on, 'source.edit');
        const tested = await testSource(deps, visit, on, source.name);
        return listPage(deps, visit, on, NEW_FORM, 200, { tested: { tested, isSaved: false } });
      },
    },
    {
      method: 'GET',
      path: `${PATH}/:source/remove`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        requireControl(visit.visitor.actor, on, 'source.remove');
        return removePage(on, source);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/:source/remove`,
      needs: 'operator',
      handle: async (visit) => {
        const [on, source] = await named(visit);
        await manageSources.remove(visit.visitor.actor, on.id, source.name);
        return done(pathOf(on), source.name);
      },
    },
  ];
}

/** On to the list, unless something to stop is not there: that is shown at once. */
async function saved(
  deps: ServerSourceDeps,
  visit: SignedInVisit,
  on: Server,
  { name, hooks }: BackupSource,
): Promise<WebReply> {
  if (hooks.length === 0) return done(pathOf(on), name);
  const tested = await testSource(deps, visit, on, name);
  if (!isFaulty(tested)) return done(pathOf(on), name);
  return listPage(deps, visit, on, NEW_FORM, 200, { tested: { tested, isSaved: true } });
}

const asksForPreview = ({ form }: SignedInVisit): boolean => form.has('preview');

/** The form as it was sent, with nothing wrong in it. */
const typedIn = ({ form }: SignedInVisit): FormState => ({ typed: form, problems: [], fault: null });

/** What the form's patterns exclude from its paths. */
async function preview(
  { previewExclusions }: ServerSourceDeps,
  { visitor, form, gone }: SignedInVisit,
  on: Server,
  source?: BackupSource,
): Promise<ExclusionPreview> {
  const asked = {
    name: source?.name,
    paths: source?.kind === 'service' ? undefined : linesOf(form, 'paths'),
    excludes: linesOf(form, 'excludes'),
  };
  const blame = { source_missing: '/paths', path_refused: '/paths' } as const;
  const found = await blaming(blame, () => previewExclusions.execute(visitor.actor, on.id, asked, gone));
  return found.preview;
}

async function addSource(
  { manageSources }: ServerSourceDeps,
  { visitor, form }: SignedInVisit,
  on: Server,
): Promise<BackupSource> {
  const repository = textOf(form, 'repository');
  return blaming({ name_taken: '/name', repository_not_found: '/repository' }, () =>
    manageSources.add(visitor.actor, on.id, {
      name: textOf(form, 'name'),
      paths: linesOf(form, 'paths'),
      excludes: linesOf(form, 'excludes'),
      hooks: linesOf(form, 'hooks').map(parseHook),
      retention: retentionOf(form),
      ...contentOf(form),
      repository: repository === '' ? undefined : repository,
    }),
  );
}

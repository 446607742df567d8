import type { Actor } from '../../domain/access/actor.ts';
import { type BackupSource, checkSelection, sourceNotFound } from '../../domain/backups/backup-source.ts';
import type { ExclusionPreview } from '../../domain/backups/exclusion-preview.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';
import { type HostOpener, withHost } from '../fleet/host-opener.ts';

/** A source as it is or would be. */
export interface PreviewRequest {
  /** A source of the server; absent fields are taken from it. */
  readonly name?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
}

export interface SourcePreview {
  readonly paths: readonly string[];
  readonly preview: ExclusionPreview;
}

/**
 * What a source's patterns exclude, before or after they are saved. It lists files that only root may see, so it is
 * for users who can change sources; a token sees only paths below those that an operator has chosen.
 */
export class PreviewExclusions extends UseCase<
  'servers' | 'sources' | 'survey' | 'serviceData',
  { readonly opener: Pick<HostOpener, 'open'> }
> {
  /**
   * Throws `role_missing`, `server_not_found`, `source_not_found`, `invalid_input`, as `requireControl`, and as
   * `ExclusionSurvey.preview`.
   */
  async execute(
    actor: Actor,
    serverId: number,
    asked: PreviewRequest,
    signal: AbortSignal,
  ): Promise<SourcePreview> {
    if (actor.kind === 'token') {
      actor.require('edit', serverId);
      actor.requireFeature('backup');
      if (asked.name === undefined || asked.paths) actor.requireRole('operator', serverId);
    } else actor.requireRole('operator', serverId);
    const server = await existingServer(this.deps.servers, actor, serverId);
    requireControl(actor, server, 'source.edit');
    const { kind, ...chosen } = await this.#selected(serverId, asked);
    const selection = kind === 'service' ? { ...chosen, paths: [this.deps.serviceData.directory] } : chosen;
    const { paths, excludes } = checkSelection(selection);
    const extraExcludes = kind === 'service' ? this.deps.serviceData.excludes : [];
    const source = { kind, paths, excludes };
    const preview = await withHost(this.deps.opener, server, { signal, purpose: 'bulk' }, (host) =>
      this.deps.survey.preview({ host, source, extraExcludes }, signal),
    );
    return { paths, preview };
  }

  async #selected(
    serverId: number,
    { name, paths, excludes }: PreviewRequest,
  ): Promise<Pick<BackupSource, 'kind' | 'paths' | 'excludes'>> {
    if (name === undefined) return { kind: 'files', paths: paths ?? [], excludes: excludes ?? [] };
    const source = (await this.deps.sources.ofServer(serverId)).find((each) => each.name === name);
    if (!source) throw sourceNotFound(name);
    return {
      kind: source.kind,
      paths: paths ?? source.paths,
      excludes: excludes ?? source.excludes,
    };
  }
}

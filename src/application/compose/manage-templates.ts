import type { Actor } from '../../domain/access/actor.ts';
import { InvalidInput } from '../../domain/base/errors.ts';
import {
  describeTemplate,
  MAX_TEMPLATES,
  type RawTemplate,
  type Template,
  type TemplateContent,
  type TemplateFile,
} from '../../domain/compose/template.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { requireControl } from '../../domain/fleet/own-machine.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import type { TemplateRenderer } from './template-renderer.ts';

const PAGE = 200;

/**
 * Only users manage templates: a deployed template runs on hosts, so no token can change one. A template that is
 * deployed on the service's own machine can be changed only by users who control that machine.
 */
export class ManageTemplates extends UseCase<
  'templates' | 'clock' | 'deployments.list' | 'servers.find',
  { readonly renderer: TemplateRenderer; readonly refusals: RefusalAuditor }
> {
  /** Its stored form. Throws `invalid_input` with every fault. */
  read(raw: RawTemplate, files: readonly TemplateFile[]): TemplateContent {
    const content = describeTemplate(raw, files);
    this.deps.renderer.check(content);
    return content;
  }

  /**
   * Imports a template, as a new one or as the next version of the one with its name; an identical one changes
   * nothing. Throws `role_missing` for a token, `invalid_input`, and as `requireControl`.
   */
  import(actor: Actor, raw: RawTemplate, files: readonly TemplateFile[]): Promise<Template> {
    const about = { actor, action: 'template.import', object: 'templates', detail: { name: raw.name } };
    return this.deps.refusals.watch(about, async () => {
      actor.requireRole('operator');
      const content = this.read(raw, files);
      await this.#requireControl(actor, content.name);
      const { total } = await this.deps.templates.list({ limit: 1, offset: 0 });
      if (total >= MAX_TEMPLATES && (await this.deps.templates.findByName(content.name)) === null) {
        throw new InvalidInput([
          { path: '', message: `The limit of ${MAX_TEMPLATES} templates is reached.` },
        ]);
      }
      const at = this.deps.clock.now();
      return this.deps.templates.save(content, { createdBy: actor.label, at }, (saved) => ({
        audit: [
          auditEntry(actor, at, 'template.import', `template:${saved.id}`, {
            name: saved.name,
            version: saved.version,
            files: saved.files.map(({ path }) => path),
          }),
        ],
      }));
    });
  }

  /** Its deployments keep running. Throws `role_missing`, `template_not_found`, and as `requireControl`. */
  remove(actor: Actor, name: string): Promise<void> {
    const about = { actor, action: 'template.remove', object: 'templates', detail: { name } };
    return this.deps.refusals.watch(about, async () => {
      actor.requireRole('operator');
      await this.#requireControl(actor, name);
      await this.deps.templates.remove(name, ({ id }) => ({
        audit: [auditEntry(actor, this.deps.clock.now(), 'template.remove', `template:${id}`, { name })],
      }));
    });
  }

  /** Of every server that the template is deployed on. */
  async #requireControl(actor: Actor, templateName: string): Promise<void> {
    const seen = new Set<number>();
    for (let offset = 0; ; offset += PAGE) {
      const { items, total } = await this.deps.deployments.list({ templateName }, { limit: PAGE, offset });
      for (const { serverId } of items) {
        const server = seen.has(serverId) ? null : await this.deps.servers.find(serverId);
        seen.add(serverId);
        if (server) requireControl(actor, server, 'template.change');
      }
      if (items.length === 0 || offset + PAGE >= total) return;
    }
  }
}

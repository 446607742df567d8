import type { Actor } from '../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { Deployment } from '../../domain/compose/deployment.ts';
import {
  noTemplateNamed,
  type Template,
  type TemplateSummary,
  templateNotFound,
} from '../../domain/compose/template.ts';
import { UseCase } from '../base/use-case.ts';
import { existingServer } from '../fleet/get-server.ts';

/** Templates by name, without their files. */
export class ListTemplates extends UseCase<'templates'> {
  async execute(actor: Actor, page: PageRequest): Promise<Page<TemplateSummary>> {
    actor.require('read');
    return this.deps.templates.list(page);
  }
}

export class GetTemplate extends UseCase<'templates'> {
  /** Throws `template_not_found`. */
  async execute(actor: Actor, id: number): Promise<Template> {
    actor.require('read');
    const template = await this.deps.templates.find(id);
    if (!template) throw templateNotFound(`with id ${id}`);
    return template;
  }

  /** Throws `template_not_found`. */
  async byName(actor: Actor, name: string): Promise<Template> {
    actor.require('read');
    const template = await this.deps.templates.findByName(name);
    if (!template) throw noTemplateNamed(name);
    return template;
  }
}

/** Deployments from templates, by server and directory. */
export class ListDeployments extends UseCase<'deployments' | 'servers'> {
  /** Throws `server_not_found`. */
  async execute(
    actor: Actor,
    filter: { readonly serverId?: number | undefined; readonly templateName?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Deployment>> {
    actor.require('read');
    if (filter.serverId !== undefined) await existingServer(this.deps.servers, actor, filter.serverId);
    const serverIds = actor.serverIds === null ? null : [...actor.serverIds];
    return this.deps.deployments.list({ ...filter, serverIds }, page);
  }
}

import type { Actor } from '../../domain/actor.ts';
import type { Deployment } from '../../domain/deployment.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import {
  noTemplateNamed,
  type Template,
  type TemplateSummary,
  templateNotFound,
} from '../../domain/template.ts';
import { existingServer } from '../get-server.ts';
import type { DeploymentStore } from '../ports/deployment-store.ts';
import type { ServerStore } from '../ports/server-store.ts';
import type { TemplateStore } from '../ports/template-store.ts';

/** Templates by name, without their files. */
export class ListTemplates {
  readonly #templates: TemplateStore;

  constructor(deps: { templates: TemplateStore }) {
    this.#templates = deps.templates;
  }

  async execute(actor: Actor, page: PageRequest): Promise<Page<TemplateSummary>> {
    actor.require('read');
    return this.#templates.list(page);
  }
}

export class GetTemplate {
  readonly #templates: TemplateStore;

  constructor(deps: { templates: TemplateStore }) {
    this.#templates = deps.templates;
  }

  /** Throws `template_not_found`. */
  async execute(actor: Actor, id: number): Promise<Template> {
    actor.require('read');
    const template = await this.#templates.find(id);
    if (!template) throw templateNotFound(`with id ${id}`);
    return template;
  }

  /** Throws `template_not_found`. */
  async byName(actor: Actor, name: string): Promise<Template> {
    actor.require('read');
    const template = await this.#templates.findByName(name);
    if (!template) throw noTemplateNamed(name);
    return template;
  }
}

/** What was deployed from templates, by server and directory. */
export class ListDeployments {
  readonly #deployments: DeploymentStore;
  readonly #servers: ServerStore;

  constructor(deps: { deployments: DeploymentStore; servers: ServerStore }) {
    this.#deployments = deps.deployments;
    this.#servers = deps.servers;
  }

  /** Throws `server_not_found`. */
  async execute(
    actor: Actor,
    filter: { readonly serverId?: number | undefined; readonly templateName?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Deployment>> {
    actor.require('read');
    if (filter.serverId !== undefined) await existingServer(this.#servers, actor, filter.serverId);
    const serverIds = actor.serverIds === null ? null : [...actor.serverIds];
    return this.#deployments.list({ ...filter, serverIds }, page);
  }
}

import type { TemplateStore } from '../../src/application/ports/compose/template-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import {
  noTemplateNamed,
  type Template,
  type TemplateContent,
  type TemplateSummary,
} from '../../src/domain/compose/template.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryTemplateStore implements TemplateStore {
  readonly #world: InMemoryWorld;
  readonly #templates = new Map<string, Template>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async save(
    content: TemplateContent,
    { createdBy, at }: { readonly createdBy: string; readonly at: Instant },
    record: (template: Template) => ChangeRecord,
  ): Promise<Template> {
    const before = this.#templates.get(content.name);
    const { name, description, variables, files } = content;
    const kept = before ?? { id: 0, version: 0, createdBy, createdAt: at };
    const { id, version, createdBy: by, createdAt } = kept;
    if (before && said(before) === said(content)) return before;
    const saved: Template = {
      id: before ? id : this.#world.nextId('templates'),
      name,
      description,
      variables,
      files,
      version: version + 1,
      createdBy: by,
      createdAt,
      updatedAt: at,
    };
    const left = record(saved);
    this.#templates.set(name, saved);
    this.#world.record.write(left);
    return saved;
  }

  async find(id: number): Promise<Template | null> {
    return [...this.#templates.values()].find((each) => each.id === id) ?? null;
  }

  async findByName(name: string): Promise<Template | null> {
    return this.#templates.get(name) ?? null;
  }

  async list(page: PageRequest): Promise<Page<TemplateSummary>> {
    const all = [...this.#templates.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return pageOf(all.map(summaryOf), page);
  }

  async remove(name: string, record: (template: Pick<Template, 'id'>) => ChangeRecord): Promise<void> {
    const template = this.#templates.get(name);
    if (!template) throw noTemplateNamed(name);
    const left = record(template);
    this.#templates.delete(name);
    this.#world.record.write(left);
  }
}

const said = ({ description, variables, files }: TemplateContent): string =>
  JSON.stringify([description, variables, files]);

const summaryOf = ({ variables, files, ...template }: Template): TemplateSummary => ({
  ...template,
  variableCount: variables.length,
  fileCount: files.length,
});

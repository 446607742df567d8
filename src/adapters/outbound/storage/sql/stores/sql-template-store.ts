import type { Knex } from 'knex';
import type { TemplateStore } from '../../../../../application/ports/compose/template-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import {
  noTemplateNamed,
  type Template,
  type TemplateContent,
  type TemplateSummary,
} from '../../../../../domain/compose/template.ts';
import { SqlStore } from '../database.ts';
import { pageOf } from '../page.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import {
  TEMPLATE_LIST_COLUMNS,
  TEMPLATES,
  type TemplateListRow,
  type TemplateRow,
  templateColumns,
  toTemplate,
  toTemplateSummary,
} from '../tables/template-row.ts';
import { recordChange } from './record-change.ts';

export class SqlTemplateStore extends SqlStore implements TemplateStore {
  async save(...[content, by, record]: Parameters<TemplateStore['save']>): Promise<Template> {
    try {
      return await this.#saveOnce(content, by, record);
    } catch (error) {
      // Someone else created one of this name meanwhile: now it can be changed.
      if (!isUniqueViolation(error, 'templates', ['name'])) throw error;
      return this.#saveOnce(content, by, record);
    }
  }

  async find(id: number): Promise<Template | null> {
    return first(this.database.knex, { id });
  }

  async findByName(name: string): Promise<Template | null> {
    return first(this.database.knex, { name });
  }

  async list(page: PageRequest): Promise<Page<TemplateSummary>> {
    return pageOf(this.database.knex('templates'), page, async (window) => {
      const rows: TemplateListRow[] = await window.select(TEMPLATE_LIST_COLUMNS).orderBy('name');
      return rows.map(toTemplateSummary);
    });
  }

  async remove(name: string, record: (template: Pick<Template, 'id'>) => ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      const row = await trx('templates').where({ name }).forUpdate().first<{ id: number } | undefined>('id');
      if (!row) throw noTemplateNamed(name);
      await trx('templates').where({ id: row.id }).delete();
      await recordChange(trx, record(row));
    });
  }

  async #saveOnce(
    content: TemplateContent,
    { createdBy, at }: { readonly createdBy: string; readonly at: Instant },
    record: (template: Template) => ChangeRecord,
  ): Promise<Template> {
    const columns = templateColumns(content);
    return this.database.transaction(async (trx) => {
      const before = await trx('templates')
        .where({ name: content.name })
        .forUpdate()
        .first<TemplateRow | undefined>(TEMPLATES.names);
      if (before && saysTheSame(before, columns)) return toTemplate(before);
      const version = (before?.version ?? 0) + 1;
      const changed = { ...columns, version, updated_at: at };
      if (before) await trx('templates').where({ id: before.id }).update(changed);
      else await trx('templates').insert({ ...changed, ...TEMPLATES.write({ createdBy, createdAt: at }) });
      const saved = await first(trx, { name: content.name });
      if (!saved) throw noTemplateNamed(content.name);
      await recordChange(trx, record(saved));
      return saved;
    });
  }
}

async function first(
  knex: Knex,
  where: { readonly id: number } | { readonly name: string },
): Promise<Template | null> {
  const row = await knex('templates').where(where).first<TemplateRow | undefined>(TEMPLATES.names);
  return row ? toTemplate(row) : null;
}

const saysTheSame = (row: TemplateRow, columns: ReturnType<typeof templateColumns>): boolean =>
  row.description === columns.description &&
  row.variables === columns.variables &&
  row.files === columns.files;

import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { Template, TemplateContent, TemplateSummary } from '../../../domain/compose/template.ts';
import type { ChangeRecord } from '../events/change-record.ts';

/** Templates; there are few, but their files may be large. */
export interface TemplateStore {
  /**
   * Stores a template as the next version of the one with its name, or as a new one at version 1. If that one is
   * identical, nothing is written, and there is no audit record.
   */
  save(
    content: TemplateContent,
    by: { readonly createdBy: string; readonly at: Instant },
    record: (template: Template) => ChangeRecord,
  ): Promise<Template>;
  find(id: number): Promise<Template | null>;
  findByName(name: string): Promise<Template | null>;
  /** By name, without the files. */
  list(page: PageRequest): Promise<Page<TemplateSummary>>;
  /** Its deployments keep running and stay listed. Throws `template_not_found`. */
  remove(name: string, record: (template: Pick<Template, 'id'>) => ChangeRecord): Promise<void>;
}

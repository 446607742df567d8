import type { Actor } from '../../domain/access/actor.ts';
import type { WindowState } from '../../domain/automation/maintenance-window.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { visibleSelector } from '../../domain/fleet/host-selector.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleReach } from '../fleet/list-servers.ts';
import type { MaintenanceGate } from './maintenance-gate.ts';

/** Maintenance windows as they are now, by name. */
export class ListWindows extends UseCase<'servers.tags', { readonly gate: MaintenanceGate }> {
  /** A caller that is limited to servers sees neither other servers' ids and tags, nor windows that apply only to those. */
  async execute(actor: Actor, { limit, offset }: PageRequest): Promise<Page<WindowState>> {
    actor.require('read');
    const reach = await visibleReach(this.deps.servers, actor);
    const visible = (await this.deps.gate.states()).flatMap((state) => {
      const selector = visibleSelector(state.window.selector, reach);
      return selector === null ? [] : [{ ...state, window: { ...state.window, selector } }];
    });
    return { items: visible.slice(offset, offset + limit), total: visible.length, limit, offset };
  }
}

import type { Locator } from 'playwright-core';
import type { Person } from './browser.ts';

/** Counts what a user does by hand, and the pages that it takes. */
export class Effort {
  clicks = 0;
  fields = 0;
  readonly pages = new Set<string>();
  readonly #person: Person;

  constructor(person: Person) {
    this.#person = person;
  }

  async press(name: string): Promise<void> {
    this.clicks += 1;
    await this.#person.press(name);
    this.#note();
  }

  /** Clicks the first of these elements. */
  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.first().click();
    await this.#person.page.waitForLoadState('networkidle');
    this.#note();
  }

  async type(label: string, text: string): Promise<void> {
    this.fields += 1;
    await this.#person.type(label, text);
    this.#note();
  }

  #note(): void {
    this.pages.add(new URL(this.#person.page.url()).pathname.replace(/\d+/, 'ID'));
  }
}

import type { Locator } from 'playwright-core';
import type { Person } from './browser.ts';

/** Counts what a user does by hand, and the documents that it loads. */
export class Effort {
  clicks = 0;
  fields = 0;
  /** Every document that the browser loaded, by its path, also the same one again. */
  readonly loads: string[] = [];
  readonly #person: Person;

  constructor(person: Person) {
    this.#person = person;
    person.page.on('load', (page) => this.loads.push(new URL(page.url()).pathname.replace(/\d+/, 'ID')));
  }

  async press(name: string): Promise<void> {
    this.clicks += 1;
    await this.#person.press(name);
  }

  /** Clicks the first of these elements. */
  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.first().click();
    await this.#person.page.waitForLoadState('networkidle');
  }

  async type(label: string, text: string): Promise<void> {
    this.fields += 1;
    await this.#person.type(label, text);
  }
}

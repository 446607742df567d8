import type { Page } from 'playwright-core';

/** Runs in the browser. Buttons, fields, links, pills and lines of text in the page's main part that cover each other. */
function findOverlaps(): readonly string[] {
  const { document: page, NodeFilter: filter } = globalThis as unknown as {
    document: Doc;
    NodeFilter: Filter;
  };
  const main = page.querySelector('main');
  if (main === null) return [];
  const INTERACTIVE = 'a, button, input:not([type=hidden]), select, textarea, summary, .status, .tag';

  /** What its ancestors show of a box; null: nothing, or it floats above the page. */
  const shown = (element: El, box: Box): Box | null => {
    let { left, top, right, bottom } = box;
    for (let each: El | null = element; each !== null && each !== main; each = each.parentElement) {
      const { overflowX, overflowY, position } = page.defaultView.getComputedStyle(each);
      if (position === 'sticky' || position === 'fixed') return null;
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      const clip = each.getBoundingClientRect();
      left = Math.max(left, clip.left);
      right = Math.min(right, clip.right);
      top = Math.max(top, clip.top);
      bottom = Math.min(bottom, clip.bottom);
    }
    return right - left > 2 && bottom - top > 2 ? { left, top, right, bottom } : null;
  };

  const found: Item[] = [];
  const add = (element: El, box: Box, text: string): void => {
    const seen = shown(element, box);
    if (seen !== null) found.push({ element, text, ...seen });
  };
  for (const each of main.querySelectorAll(INTERACTIVE)) {
    if (!each.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    // What has an edge must not touch anything either.
    const air = each.matches('button:not(.ghost), .button') ? 3 : 0;
    for (const { left, top, right, bottom } of each.getClientRects()) {
      const box = { left: left - air, top: top - air, right: right + air, bottom: bottom + air };
      add(each, box, each.outerHTML.slice(0, 90));
    }
  }
  const texts = page.createTreeWalker(main, filter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const { parentElement: parent } = node;
    if (!node.textContent.trim() || !parent?.checkVisibility({ visibilityProperty: true })) continue;
    if (parent.closest(INTERACTIVE)) continue;
    const range = page.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) add(parent, box, node.textContent.trim().slice(0, 60));
  }

  const faults: string[] = [];
  const sorted = found.toSorted((a, b) => a.top - b.top);
  for (const [at, a] of sorted.entries()) {
    for (const b of sorted.slice(at + 1)) {
      if (b.top >= a.bottom - 1) break;
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - b.top;
      if (across <= 1 || down <= 2) continue;
      if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
      faults.push(`${Math.round(across)}x${Math.round(down)} at ${Math.round(b.top)}: ${a.text} | ${b.text}`);
    }
  }
  return faults;
}

/** Things of a page that lie on each other, with the current width. */
export const overlaps = (page: Page): Promise<readonly string[]> => page.evaluate(findOverlaps);

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}
interface Item extends Box {
  readonly element: El;
  readonly text: string;
}
interface Node {
  readonly textContent: string;
  readonly parentElement: El | null;
}
interface El extends Node {
  readonly outerHTML: string;
  getBoundingClientRect(): Box;
  getClientRects(): Iterable<Box>;
  contains(other: El): boolean;
  closest(selector: string): El | null;
  matches(selector: string): boolean;
  querySelectorAll(selector: string): Iterable<El>;
  checkVisibility(options: object): boolean;
}
interface Filter {
  readonly SHOW_TEXT: number;
}
interface Doc {
  readonly defaultView: {
    getComputedStyle(element: El): {
      readonly overflowX: string;
      readonly overflowY: string;
      readonly position: string;
    };
  };
  querySelector(selector: string): El | null;
  createTreeWalker(root: El, what: number): { nextNode(): Node | null };
  createRange(): { selectNodeContents(node: Node): void; getClientRects(): Iterable<Box> };
}

import type { Page } from 'playwright-core';

/** A phone, a tablet, and two desktops. */
const WIDTHS = [390, 768, 1280, 1440];

/** What the browser has, of which this program knows nothing. */
interface Box {
  readonly tagName: string;
  readonly className: string;
  readonly clientWidth: number;
  readonly scrollWidth: number;
  readonly textContent: string;
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly data?: string }>;
  checkVisibility?(options: object): boolean;
  closest(selector: string): Box | null;
}
interface Window {
  readonly document: {
    readonly body: { append(probe: unknown): void };
    createElement(tag: string): { style: { color: string }; remove(): void };
    querySelectorAll(selector: string): Iterable<Box>;
  };
  readonly requestAnimationFrame: (then: () => void) => void;
  readonly getComputedStyle: (box: unknown) => {
    color: string;
    backgroundColor: string;
    textOverflow: string;
    fontSize: string;
  };
}

/** Scrolls, and shows that it does; or is for screen readers only. */
const MAY_SCROLL = 'pre, thead, .chips, .tabs, .hidden, dialog, [popover]';

/** What is cut off in cards, tables and banners, at each width. */
export async function cutOff(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const cut = await page.evaluate(async (mayScroll) => {
      const {
        document: shown,
        getComputedStyle: styleOf,
        requestAnimationFrame: next,
      } = globalThis as unknown as Window;
      // Charts are drawn in their new size.
      for (const _ of [1, 2]) await new Promise<void>((resolve) => next(() => resolve()));
      const boxes = ['.card', '.wide', '.banner'].flatMap((each) => [`main ${each}`, `main ${each} *`]);
      return [...shown.querySelectorAll(boxes.join(', '))]
        .filter(({ clientWidth, scrollWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
        .filter((box) => box.checkVisibility?.({ visibilityProperty: true }) && !box.closest(mayScroll))
        .filter((box) => styleOf(box).textOverflow !== 'ellipsis')
        .map((box) => `${box.tagName}.${box.className}: ${box.scrollWidth} in ${box.clientWidth}`);
    }, MAY_SCROLL);
    found.push(...cut.map((box) => `${width} px: ${box}`));
  }
  if (before) await page.setViewportSize(before);
  return found;
}

/** The words of the visible buttons in the colour of main actions, in the main part of a page. */
export const mainActions = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const { document: shown, getComputedStyle: styleOf } = globalThis as unknown as Window;
    const probe = shown.createElement('span');
    probe.style.color = 'var(--accent-btn)';
    shown.body.append(probe);
    const { color } = styleOf(probe);
    probe.remove();
    return [...shown.querySelectorAll('main button, main a.button')]
      .filter((box) => box.checkVisibility?.({ visibilityProperty: true }))
      .filter((box) => !box.closest('dialog, [popover]') && styleOf(box).backgroundColor === color)
      .map(({ textContent }) => textContent.trim());
  });

const MIN_FONT = 13;

/** Visible text in letters that are too small for a phone. */
export const smallText = (page: Page): Promise<readonly string[]> =>
  page.evaluate((min) => {
    const { document: shown, getComputedStyle: styleOf } = globalThis as unknown as Window;
    return [...shown.querySelectorAll('body *:not(svg, svg *, script, style, noscript, option)')]
      .filter((box) => [...box.childNodes].some(({ nodeType, data }) => nodeType === 3 && data?.trim()))
      .filter((box) => box.checkVisibility?.({ visibilityProperty: true }) && !box.closest('.hidden'))
      .filter((box) => Number.parseFloat(styleOf(box).fontSize) < min)
      .map((box) => `${box.tagName}.${box.className}: ${box.textContent.trim().slice(0, 40)}`);
  }, MIN_FONT);

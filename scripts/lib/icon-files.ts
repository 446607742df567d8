import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ICON_NAMES } from '../../src/adapters/inbound/web/components/icon-names.ts';

const WEB = 'src/adapters/inbound/web';
const NOTICE =
  '<!-- Icons of Lucide (https://lucide.dev), ISC License, copyright Lucide Icons and Contributors; parts are of Feather, MIT License, copyright Cole Bemis. Made by npm run icons. -->';

/** Paths beside each other as one. The first `m` of a path is absolute, that of a later part is not. */
const joined = (shapes: string): string =>
  shapes
    .replaceAll(
      /(?<="\/><path d=")m(-?[\d.]+) ?(-?[\d.]+) ?(?=([-\d.])?)/g,
      (_, x, y, next) => `M${x} ${y}${next === undefined ? '' : 'l'}`,
    )
    .replaceAll(/(?<=<path d="[^"]*)"\/><path d="/g, '');

/** All icons that pages use as symbols of one file, and the address that pages load it from. */
export function iconFiles(): readonly { readonly path: string; readonly text: string }[] {
  const symbols = ICON_NAMES.map((name) => {
    const file = fileURLToPath(import.meta.resolve(`lucide-static/icons/${name}.svg`));
    const shapes = (readFileSync(file, 'utf8').match(/<(?!svg|!--)[a-z][^>]*\/>/g) ?? []).join('');
    return `<symbol id="${name}" viewBox="0 0 24 24">${joined(shapes.replaceAll(' />', '/>'))}</symbol>`;
  });
  const sprite = ['<svg xmlns="http://www.w3.org/2000/svg">', NOTICE, ...symbols, '</svg>', ''].join('\n');
  const hash = createHash('sha256').update(sprite).digest('hex').slice(0, 12);
  return [
    { path: `${WEB}/static/icons.svg`, text: sprite },
    {
      path: `${WEB}/components/icon-file.ts`,
      text: `/** The address of the file with all icons, which has its hash in it. Written by npm run icons. */\nexport const ICON_FILE = '/static/${hash}/icons.svg';\n`,
    },
  ];
}

import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, test } from 'vitest';
import { AnsiLine } from '../../../../src/adapters/inbound/web/components/ansi.tsx';

const shown = (line: string): string => renderToString(h(AnsiLine, { line }));

describe('A line of a terminal', () => {
  test.each([
    ['plain', 'plain'],
    ['\u001b[32mok\u001b[0m done', '<span class="ansi-green">ok</span> done'],
    ['\u001b[1mloud\u001b[22m not', '<span class="ansi-bold">loud</span> not'],
    ['\u001b[91mred\u001b[39m', '<span class="ansi-red">red</span>'],
    ['\u001b[38;5;196mmany\u001b[m', 'many'],
    ['\u001b[38;2;1;2;31;32mgreen', '<span class="ansi-green">green</span>'],
    ['\u001b[44mback', 'back'],
    ['\u001b[2K\u001b[1Gmoved', 'moved'],
    ['\u001b]0;a title\u0007text', 'text'],
    ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['10 %\r50 %\r100 %', '100 %'],
    ['end\r', 'end'],
    ['<script>alert(1)</script>', '&lt;script>alert(1)&lt;/script>'],
    ['\u001b[31m<b>&"', '<span class="ansi-red">&lt;b>&amp;&quot;</span>'],
    ['a\u202eb\u0007c\u009bd', 'a\ufffdb\ufffdc\ufffdd'],
    ['cut off \u001b[3', 'cut off 3'],
    ['tab\tkept', 'tab\tkept'],
  ])('%j is shown as %j', (line, html) => {
    expect(shown(line)).toBe(html);
  });

  test('in very many pieces has no colours', () => {
    const html = shown('\u001b[31mx\u001b[32my'.repeat(1_000));
    expect(html).not.toContain('span');
    expect(html).toBe('xy'.repeat(1_000));
  });
});

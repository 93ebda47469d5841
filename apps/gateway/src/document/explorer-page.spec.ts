import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

/** The colors of light and dark mode by name. */
const listColors = (css: string): string[][] =>
  css
    .split(/:root \{/)
    .slice(1, 3)
    .map((block) => block.split('}')[0]?.match(/--[\w-]+: #\w+/g) ?? []);

it('explorer and documents: have the colors of the other pages in light and dark mode', () => {
  const own = listColors(read('./browser/page.css'));
  expect(own.map((colors) => colors.length > 10)).toEqual([true, true]);
  expect(own).toEqual(listColors(read('../../../identity/src/pages/browser/frame.css')));
});

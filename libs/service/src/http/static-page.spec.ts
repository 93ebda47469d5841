import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeWait, LOGO_SVG, renderStaticPage, STATIC_PAGE_STYLE } from './static-page.js';

const readPageFile = (name: string): string =>
  readFileSync(new URL(`../../../../apps/identity/src/pages/browser/${name}`, import.meta.url), 'utf8');

describe('static pages', () => {
  it('static page: has the logo of the other pages', () => {
    expect(readPageFile('logo.svg').trim()).toBe(LOGO_SVG);
  });

  it('static page: has the colors of the other pages in light and dark mode', () => {
    const listColors = (css: string, isDark: boolean): string[] => {
      const [, light = '', dark = ''] = css.split(':root {');
      return (isDark ? dark : light).split('}')[0]?.match(/--[\w-]+: #\w+/g) ?? [];
    };
    for (const isDark of [false, true]) {
      const own = listColors(STATIC_PAGE_STYLE, isDark);
      expect(own.length).toBeGreaterThan(3);
      expect(listColors(readPageFile('frame.css'), isDark)).toEqual(expect.arrayContaining(own));
    }
  });

  it('static page: escapes what it shows', () => {
    const evil = '"><img src=x>&';
    const html = renderStaticPage({
      title: evil,
      message: evil,
      advice: [evil],
      links: [{ href: evil, text: evil }],
      details: [{ text: evil, value: evil }],
    });
    expect(html).not.toContain('<img');
  });

  it.each([
    [0, 'a second'],
    [2, '2 seconds'],
    [120, '2 minutes'],
    [3_600, '60 minutes'],
    [86_400, '24 hours'],
  ])('describeWait: says %i seconds in words', (seconds, words) => {
    expect(describeWait(seconds)).toBe(words);
  });
});

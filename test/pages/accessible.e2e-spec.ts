import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { complaintsAt } from './complaints.js';
import { type EveryPage, everyPage, UNCHECKED_CLAIM, UNKNOWN_CLAIM } from './every-page.js';
import { leaseWholePages } from './pages-under-test.js';

jest.setTimeout(300_000);

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };

/** Tabs through the page. @returns elements that Tab misses and elements without a visible focus */
async function tabThrough(page: Page): Promise<{ reached: number; missed: string[]; unseen: string[] }> {
  await page.evaluate('document.activeElement?.blur(); window.reached = new Set(); window.scrollTo(0, 0)');
  const unseen: string[] = [];
  const atMost = await page.evaluate<number>('document.querySelectorAll("*").length');
  for (let tabs = 0; tabs < atMost; tabs += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<{ html: string; again: boolean; shown: boolean } | null>(`{
      const one = document.activeElement;
      const style = one && getComputedStyle(one);
      const result = !one || one === document.body ? null : {
        html: one.outerHTML.slice(0, 120),
        // The parts of a date are several stops of one element.
        again: window.reached.has(one) && window.last !== one,
        shown: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
      };
      window.reached.add(one);
      window.last = one;
      result
    }`);
    // The focus wraps after the last element, and some pages set an initial focus.
    if (focused === null) continue;
    if (focused.again) break;
    if (!focused.shown) unseen.push(focused.html);
  }
  const missed = await page.evaluate<string[]>(`
    [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
      .filter((one) => one.checkVisibility() && !one.disabled && !window.reached.has(one))
      .filter((one) => one.type !== 'radio' || one.checked)
      .map((one) => one.outerHTML.slice(0, 120))`);
  return { reached: await page.evaluate<number>('window.reached.size'), missed, unseen };
}

describeInBrowser('every page', () => {
  let all: EveryPage;

  beforeAll(async () => {
    all = await everyPage(await leaseWholePages());
  });

  afterAll(async () => {
    await all.stop();
  });

  it('every page: is accessible on phone and desktop, in light and dark mode, and by keyboard', async () => {
    const seen: string[] = [];
    await all.visit(async (name, page) => {
      seen.push(name);
      expect({ name, complaints: await complaintsAt(page, [PHONE, DESK]) }).toEqual({ name, complaints: [] });
      const { reached, ...keyboard } = await tabThrough(page);
      expect({ name, ...keyboard }).toEqual({ name, missed: [], unseen: [] });
      if (name !== UNKNOWN_CLAIM && name !== UNCHECKED_CLAIM) expect(reached).toBeGreaterThan(1);
    });
    expect(seen.length).toBeGreaterThan(15);
  });
});

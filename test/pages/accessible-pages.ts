import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { complaintsAt } from './complaints.js';
import { UNCHECKED_CLAIM, UNKNOWN_CLAIM, type Visit } from './every-page.js';

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
      // The button that Enter presses is no stop: axe refuses one that could be focused.
      .filter((one) => !one.matches('[aria-hidden=true][tabindex="-1"]'))
      .filter((one) => one.type !== 'radio' || one.checked)
      .map((one) => one.outerHTML.slice(0, 120))`);
  return { reached: await page.evaluate<number>('window.reached.size'), missed, unseen };
}

/** Expects that each page of a visit can be used on phone and desktop, in light and dark mode, and by keyboard. @returns their names */
export async function expectAccessible(visit: Visit): Promise<string[]> {
  const seen: string[] = [];
  await visit(async (name, page) => {
    seen.push(name);
    expect({ name, complaints: await complaintsAt(page, [PHONE, DESK]) }).toEqual({ name, complaints: [] });
    const { reached, ...keyboard } = await tabThrough(page);
    expect({ name, ...keyboard }).toEqual({ name, missed: [], unseen: [] });
    if (name !== UNKNOWN_CLAIM && name !== UNCHECKED_CLAIM) expect(reached).toBeGreaterThan(1);
  });
  return seen;
}

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, type PagesUnderTest } from './pages-under-test.js';

describeInBrowser('pages in forced colors', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  /** What is painted of the selected and of another item of a list. Forced colors paint neither shadows nor own backgrounds. */
  const looksOf = (page: Page, items: string): Promise<string[]> =>
    page.evaluate(`['[aria-current]', ':not([aria-current])'].map((state) => {
      const style = getComputedStyle(document.querySelector('${items}' + state));
      return [style.backgroundColor, style.color, style.borderBottomStyle, style.textDecorationLine].join(' ');
    })`);

  /** How the selected item is painted, and how the system paints selected items. */
  const paintsOf = (page: Page, items: string): Promise<string[]> =>
    page.evaluate(`(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.cssText = 'forced-color-adjust: none; background: Highlight; color: HighlightText';
      return [document.querySelector('${items}[aria-current]'), probe].map((one) => getComputedStyle(one)).map((style) => style.color + ' on ' + style.backgroundColor);
    })()`);

  it('T387: navigation: shows the selected page in forced colors', async () => {
    const { page } = await pages.member();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ forcedColors: 'active', colorScheme });
      await page.goto('/portal/profile');
      const [selected, other] = await looksOf(page, 'nav a');
      expect(selected).not.toBe(other);
      const [painted, highlight] = await paintsOf(page, 'nav a');
      expect(painted).toBe(highlight);
    }
  });

  it('T387: ranges of charts: show the selected one in forced colors', async () => {
    const { page } = await pages.member();
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto('/portal');
    await page.evaluate(
      `document.querySelector('main').innerHTML = '<ul class="ranges"><li><a href="/" aria-current="true">A</a></li><li><a href="/">B</a></li></ul>'`,
    );
    const [selected, other] = await looksOf(page, '.ranges a');
    expect(selected).not.toBe(other);
    const [painted, highlight] = await paintsOf(page, '.ranges a');
    expect(painted).toBe(highlight);
  });
});

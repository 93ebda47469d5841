import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

/** The violations that axe-core finds. Of the rules only that of contrast depends on the colour scheme. */
async function complaintsOf(page: Page, rules: 'all' | 'contrast'): Promise<string[]> {
  const chosen = rules === 'contrast' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {};
  const options = JSON.stringify({ resultTypes: ['violations'], ...chosen });
  const violations = await page.evaluate<Violation[]>(
    `window.axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html}\n${failureSummary}`),
  );
}

/** Elements that overflow the window to the right. */
const wideThings = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > window.innerWidth + 1 && !one.closest('.scroll'))
    .map((one) => one.outerHTML.slice(0, 120))`);

/** What axe-core finds on a page at the given widths in light and dark mode, and what does not fit. */
export async function complaintsAt(
  page: Page,
  sizes: readonly { width: number; height: number }[],
): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axe.source);
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // Scripts that follow the color scheme hear of it before the next frame.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
      const complaints = await complaintsOf(page, colorScheme === 'light' ? 'all' : 'contrast');
      found.push(...complaints.map((one) => `${String(size.width)} px, ${colorScheme}: ${one}`));
    }
    found.push(...(await wideThings(page)).map((one) => `${String(size.width)} px, too wide: ${one}`));
  }
  return found;
}

import type { Page } from 'playwright-core';

/**
 * Visits the pages of the rules of a community without an application, whose rules nobody may try or save.
 * @param look is called for each loaded page
 */
export async function visitRulePages(
  page: Page,
  communityPath: string,
  look: (name: string, page: Page) => Promise<void>,
): Promise<void> {
  await page.goto(`${communityPath}/rules`);
  await page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();
  await look('rules', page);
  await page.goto(`${communityPath}/rules/new?role=whale`);
  await page.getByText('Coins instead').click();
  await look('new rule', page);
  await page.getByLabel('What must they hold?').fill('https://opensea.io/collection/nobody-knows-it');
  await page.getByRole('button', { name: 'Find it' }).click();
  await page.getByText('This link of OpenSea names a collection').waitFor();
  await look('new rule with a problem', page);
  for (const minimum of ['0.5', '1000']) {
    await page.getByText('Coins instead').click();
    await page.getByRole('button', { name: 'Use this coin' }).click();
    await page.getByLabel('At least').fill(minimum);
    if (minimum === '1000') await look('condition of a rule', page);
    await page.getByRole('button', { name: 'Continue' }).click();
    if (minimum === '0.5') await page.getByRole('button', { name: 'Add another condition' }).click();
  }
  await page.getByLabel('These conditions').selectOption('At least this many');
  await page.getByText('meet at least 1 of these 2:').waitFor();
  await look('rule to check', page);
  await page.getByRole('button', { name: 'Save rule' }).click();
  await page.getByText('The rule is not saved.').waitFor();
  await look('rule that was refused', page);
}

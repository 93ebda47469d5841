import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { describeInBrowser } from '../support/needs.js';
import { complaintsAt } from './complaints.js';
import { leasePages, type PagesUnderTest } from './pages-under-test.js';

const SIZES = [
  { width: 320, height: 700 },
  { width: 1280, height: 800 },
];

const SHOP = 'https://shop.example';

describeInBrowser('publishable ids in the portal', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  /** The gateway's status for a page that lists the chains. */
  async function statusOf(publishableId: string, origin = SHOP): Promise<number> {
    const headers = { 'x-api-key': publishableId, origin };
    return (await fetch(`${pages.suite.gatewayUrl}/chains`, { headers })).status;
  }

  async function registerShop(page: Page): Promise<void> {
    await page.goto('/portal/applications/new');
    await page.getByLabel('Name', { exact: true }).fill('Shop');
    await page.getByLabel('Redirect URIs').fill(`${SHOP}/cb`);
    await page.locator('input[name="scope.token-gating"]').check();
    await page.getByRole('button', { name: 'Register application' }).click();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: 'Publishable IDs' }).waitFor();
    await pages.inDatabase(
      `UPDATE identity.client_applications SET approved_scopes = requested_scopes
       WHERE id = '${page.url().split('/').at(-1) ?? ''}'`,
    );
  }

  const section = (page: Page) => page.locator('section[aria-labelledby=publishable-ids]');
  const items = (page: Page) => section(page).locator('.items > li');

  async function send(page: Page, origins: string): Promise<void> {
    await page.getByLabel('Origins of the pages').fill(origins);
    await page.getByRole('button', { name: 'Create publishable ID' }).click();
  }

  it('publishable ids in the portal: are created for origins, shown with them, and revoked after a question', async () => {
    const { page, complaints } = await pages.member();
    await registerShop(page);
    expect(await items(page).count()).toBe(0);
    await section(page).getByText('New publishable ID').click();

    const wrong = `${SHOP}\n\n${SHOP}/checkout`;
    await send(page, wrong);
    await section(page).getByText('Line 2 must be an origin like').waitFor();
    const field = page.getByLabel('Origins of the pages');
    expect([await field.inputValue(), await field.getAttribute('aria-invalid')]).toEqual([wrong, 'true']);
    expect(await items(page).count()).toBe(0);
    expect(await complaintsAt(page, SIZES)).toEqual([]);

    await send(page, `${SHOP}\nhttp://localhost:3000`);
    await items(page).waitFor();
    const publishableId = await items(page).locator('.details code').innerText();
    expect(publishableId).toMatch(/^gthp_/);
    expect(await items(page).innerText()).toContain(`Works from ${SHOP}, http://localhost:3000`);
    expect(await items(page).getByRole('button', { name: 'Copy' }).getAttribute('data-copy')).toBe(
      publishableId,
    );
    // The gateway lets it through to an app, which these tests do not run, and knows its origins.
    expect([401, 403]).not.toContain(await statusOf(publishableId));
    expect(await statusOf(publishableId, 'https://other.example')).toBe(403);
    const preview = `${publishableId.slice(0, 20)}…${publishableId.slice(-4)}`;
    await items(page).locator('summary').click();
    expect(await items(page).locator('form').innerText()).toContain(`Revoke ${SHOP}, ${preview}?`);
    expect(await complaintsAt(page, SIZES)).toEqual([]);

    await items(page)
      .getByRole('button', { name: `Revoke ID ${preview}` })
      .click();
    await until('the id is gone', async () => (await items(page).count()) === 0);
    await until('the id is refused', async () => (await statusOf(publishableId)) === 401);
    expect(complaints).toEqual([]);
  });

  it('publishable ids in the portal: count once however often a form is sent, and are nobody else’s to revoke', async () => {
    const { page, context } = await pages.member();
    await registerShop(page);
    const path = new URL(page.url()).pathname;
    const fieldsOf = async (one: Page) => ({
      csrf: await one.locator('input[name=csrf]').first().inputValue(),
      form: await one.locator('input[name=form]').first().inputValue(),
    });
    const post = (to: string, form: Record<string, string>, from = context) =>
      from.request.post(to, { form, headers: { origin: pages.suite.gatewayUrl }, maxRedirects: 0 });
    const fields = await fieldsOf(page);
    const create = () => post(`${path}/publishable-ids`, { ...fields, pageOrigins: SHOP });
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.map((answer) => answer.status())).toEqual([303, 303, 303]);
    await page.reload();
    expect(await items(page).count()).toBe(1);
    const revoke = (await items(page).locator('form').getAttribute('action')) ?? '';

    const stranger = await pages.member();
    await registerShop(stranger.page);
    const theirs = await fieldsOf(stranger.page);
    expect((await post(revoke, theirs, stranger.context)).status()).toBe(404);
    const grabbed = { ...theirs, pageOrigins: SHOP };
    expect((await post(`${path}/publishable-ids`, grabbed, stranger.context)).status()).toBe(404);
    expect((await post(revoke, { form: fields.form })).status()).toBe(403);
    await page.reload();
    expect(await items(page).count()).toBe(1);

    expect([(await post(revoke, fields)).status(), (await post(revoke, fields)).status()]).toEqual([
      303, 303,
    ]);
    await page.reload();
    expect(await items(page).count()).toBe(0);
  });

  it('publishable ids in the portal: say beside the field that an application has as many as it may', async () => {
    const { page } = await pages.member();
    await registerShop(page);
    for (let count = 1; count <= 10; count++) {
      await section(page).getByText('New publishable ID').click();
      await send(page, `https://shop${String(count)}.example`);
      await items(page)
        .nth(count - 1)
        .waitFor();
    }
    await section(page).getByText('New publishable ID').click();
    await send(page, 'https://last.example');
    await section(page).getByText('at most 10 publishable ids').waitFor();
    expect(await page.getByLabel('Origins of the pages').inputValue()).toBe('https://last.example');
    expect(await items(page).count()).toBe(10);
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { queryDatabase } from '../identity/query-database.js';
import { until } from '../support/until.js';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, OPERATOR_KEY, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { clickAndSendAgain } from './send-again.js';

/** Registers an application by the form. */
async function register(page: Page, name: string, scopes: string[] = []): Promise<void> {
  await page.goto('/portal/applications/new');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Redirect URIs').fill('https://shop.example/cb\nhttp://localhost:3000/cb');
  for (const scope of scopes) await page.locator(`input[name="scope.${scope}"]`).check();
  await page.getByRole('button', { name: 'Register application' }).click();
}

const shown = (page: Page, what: string): Promise<string> =>
  page.locator(`dt:text-is("${what}") + dd code`).innerText();

async function openApplication(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'I have saved them' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
}

/** Makes a key by the form on the page of an application. */
async function createKey(page: Page, name: string, choose?: (form: Locator) => Promise<void>): Promise<void> {
  await page.getByText('New API key', { exact: true }).click();
  const form = page.locator('form', { has: page.getByRole('button', { name: 'Create API key' }) });
  await form.getByLabel('Name of the key').fill(name);
  await choose?.(form);
  await form.getByRole('button', { name: 'Create API key' }).click();
}

describeInBrowser('the portal', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leasePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  /** The gateway's status for an API key. Retries after 429, because owners are on the free plan. */
  async function statusOf(apiKey: string): Promise<number> {
    const { status, headers } = await fetch(`${pages.suite.gatewayUrl}/ethereum-login/challenges`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ uri: 'https://shop.example/login' }),
    });
    if (status !== 429) return status;
    await sleep(Number(headers.get('retry-after')) * 1_000);
    return statusOf(apiKey);
  }

  const untilRevoked = (apiKey: string) =>
    until('the key is revoked', async () => (await statusOf(apiKey)) === 401);

  /** The submitted forms whose secrets no page has shown. */
  const sealedForms = () =>
    queryDatabase(
      pages.suite.databaseUrl,
      `SELECT round(extract(epoch FROM sealed_until - now()) / 60)::int AS minutes
       FROM identity.form_submissions WHERE sealed IS NOT NULL ORDER BY sealed_until DESC`,
    );

  it('T62: portal: says that another account linked a wallet of the user, and nothing to others', async () => {
    const [owner, other] = [await pages.member(), await pages.member()];
    const notice = 'Another account linked your wallet';
    await pages.inDatabase(`
      INSERT INTO identity.wallet_connections
        (id, user_id, wallet_key, address, account_id, platform, wallet_type, chain_id)
      SELECT 'wallet_copied', thief.user_id, mine.wallet_key, mine.address, mine.account_id, mine.platform,
        mine.wallet_type, mine.chain_id
      FROM identity.wallet_connections AS mine, identity.wallet_connections AS thief
      WHERE mine.address = '${owner.wallet.address}' AND thief.address = '${other.wallet.address}'`);
    await owner.page.goto('/portal');
    expect(await owner.page.locator('.notice').innerText()).toContain(notice);
    await owner.page.getByRole('link', { name: 'Gatehouse' }).click();
    await owner.page.waitForURL('**/portal/communities');
    expect(await owner.page.getByText(notice).count()).toBe(1);
    await pages.inDatabase(`DELETE FROM identity.wallet_connections WHERE id = 'wallet_copied'`);
    await owner.page.reload();
    expect(await owner.page.getByText(notice).count()).toBe(0);
  });

  it('portal: registers an application and shows its secrets once', async () => {
    const { page, complaints } = await pages.member();
    await register(page, 'Shop <b>&amp;</b>');
    const clientId = await shown(page, 'Client ID');
    const apiKey = await shown(page, 'API key');
    expect(await shown(page, 'Client secret')).toMatch(/^gths_/);
    expect(await statusOf(apiKey)).toBe(200);
    await openApplication(page);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Shop <b>&amp;</b>');
    expect(await page.content()).not.toContain(apiKey);
    expect(await page.getByLabel('Redirect URIs').inputValue()).toBe(
      'https://shop.example/cb\nhttp://localhost:3000/cb',
    );
    await page.getByRole('link', { name: 'Applications', exact: true }).click();
    await page.getByRole('link', { name: 'Shop <b>&amp;</b>' }).waitFor();
    expect(await page.getByText(clientId).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('T60: portal: registers once and shows the secrets once, however often the form is sent and the page loaded', async () => {
    const { page, context } = await pages.member();
    await page.goto('/portal/applications/new');
    const [csrf, token] = await Promise.all(
      ['csrf', 'form'].map((name) => page.locator(`form.card input[name=${name}]`).inputValue()),
    );
    const send = () =>
      context.request.post('/portal/applications', {
        form: { csrf: csrf ?? '', form: token ?? '', name: 'Twice', redirectUris: 'https://shop.example/cb' },
        headers: { origin: pages.suite.gatewayUrl },
        maxRedirects: 0,
      });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map((answer) => answer.status())).toEqual([303, 303, 303]);
    const [path = '', ...others] = answers.map((answer) => answer.headers()['location']);
    expect(others).toEqual([path, path]);
    const stranger = await pages.member();
    await stranger.page.goto(path);
    await stranger.page.waitForURL('**/portal');
    await page.goto(path);
    const apiKey = await shown(page, 'API key');
    expect(await statusOf(apiKey)).toBe(200);
    await page.reload();
    await page.waitForURL('**/portal');
    expect(await page.getByRole('link', { name: 'Twice' }).count()).toBe(1);
    expect((await send()).headers()['location']).toBe(path);
    expect(await page.content()).not.toContain(apiKey);
  });

  it('T60: portal: makes one key and one secret when their pages are reloaded', async () => {
    const { page } = await pages.member();
    await register(page, 'Shop');
    await openApplication(page);
    const base = page.url();
    const newSecret = () => page.getByRole('button', { name: 'Create new secret' }).click();
    for (const create of [() => createKey(page, 'Server'), newSecret]) {
      await create();
      await page.getByRole('heading', { name: 'Save your credentials' }).waitFor();
      await page.reload();
      await page.waitForURL('**/portal');
      await page.goto(base);
    }
    expect(await page.locator('summary', { hasText: 'Revoke key' }).count()).toBe(2);
  });

  it('T60: portal: shows no secrets that were not loaded in time, and deletes them', async () => {
    const { page, context } = await pages.member();
    await page.goto('/portal/applications/new');
    const [csrf, form] = await Promise.all(
      ['csrf', 'form'].map((name) => page.locator(`form.card input[name=${name}]`).inputValue()),
    );
    const answer = await context.request.post('/portal/applications', {
      form: { csrf: csrf ?? '', form: form ?? '', name: 'Late', redirectUris: 'https://shop.example/cb' },
      headers: { origin: pages.suite.gatewayUrl },
      maxRedirects: 0,
    });
    const [kept] = await sealedForms();
    expect(kept).toEqual({ minutes: 10 });
    await pages.inDatabase(
      "UPDATE identity.form_submissions SET sealed_until = now() - interval '1 s' WHERE sealed IS NOT NULL",
    );
    await page.goto(answer.headers()['location'] ?? '');
    await page.waitForURL('**/portal');
    expect(await page.getByRole('link', { name: 'Late' }).count()).toBe(1);
    await until('the secrets are deleted', async () => (await sealedForms()).length === 0);
  });

  it('portal: names the invalid field and keeps the input', async () => {
    const { page } = await pages.member();
    await page.goto('/portal/applications/new');
    await page.getByLabel('Name', { exact: true }).fill('Shop');
    await page.getByLabel('Redirect URIs').fill('https://shop.example/cb\nhttp://shop.example/cb');
    await page.getByLabel('Browser or mobile application').check();
    await page.locator('input[name="scope.user:wallet:read"]').check();
    await page.getByRole('button', { name: 'Register application' }).click();
    await page.getByText('Line 2 must be https').waitFor();
    expect(await page.getByLabel('Redirect URIs').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Shop');
    expect(await page.getByLabel('Browser or mobile application').isChecked()).toBe(true);
    expect(await page.locator('input[name="scope.user:wallet:read"]').isChecked()).toBe(true);
    await page.goto('/portal');
    expect(await page.locator('.items li').count()).toBe(0);
  });

  it('portal: rotates a key with an overlap or immediately', async () => {
    const { page } = await pages.member();
    await register(page, 'Shop');
    const first = await shown(page, 'API key');
    await openApplication(page);
    await page.locator('summary', { hasText: 'Replace key' }).first().click();
    await page.getByRole('button', { name: 'Create replacement key' }).click();
    const second = await shown(page, 'API key');
    expect(second).not.toBe(first);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    await openApplication(page);
    await page.locator('summary', { hasText: 'Replace key' }).first().click();
    await page.locator('.items').getByRole('combobox').selectOption({ label: 'not at all: revoke it now' });
    await page.getByRole('button', { name: 'Create replacement key' }).click();
    const third = await shown(page, 'API key');
    await untilRevoked(second);
    // A key has one predecessor at most.
    await untilRevoked(first);
    expect(await statusOf(third)).toBe(200);
    await openApplication(page);
    await page.locator('summary', { hasText: `Revoke key ${third.slice(0, 20)}` }).click();
    await page.getByRole('button', { name: `Revoke key ${third.slice(0, 20)}` }).click();
    await untilRevoked(third);
  });

  it('T391: portal: asks before a key is revoked, and names the key and its last use', async () => {
    const { page } = await pages.member();
    await register(page, 'Shop');
    await openApplication(page);
    await createKey(page, 'Night <b>job</b>');
    const key = await shown(page, 'API key');
    expect(await statusOf(key)).toBe(200);
    await openApplication(page);
    const item = page.locator('.items > li', { hasText: 'Night <b>job</b>' });
    await until('the last use is shown', async () => {
      await page.reload();
      return (await item.innerText()).includes(`last used on ${new Date().getUTCDate()} `);
    });
    await item.locator('summary', { hasText: 'Revoke key' }).click();
    expect(await statusOf(key)).toBe(200);
    const question = item.locator('form', { has: page.getByRole('button', { name: /^Revoke key/ }) });
    expect(await question.innerText()).toMatch(
      /Revoke Night <b>job<\/b>, gth_\S+…\w{4}, last used on .* UTC\?/,
    );
    await question.getByRole('button', { name: `Revoke key ${key.slice(0, 20)}` }).click();
    await untilRevoked(key);
    expect(await item.count()).toBe(0);
    expect(await page.locator('.items > li', { hasText: 'First key' }).count()).toBe(1);
  });

  it('T391: portal: refuses what a key was made without, and a key after its end, which no gateway is told', async () => {
    const { page } = await pages.member();
    await register(page, 'Shop', ['token-gating', 'community:read']);
    const whole = await shown(page, 'API key');
    await openApplication(page);
    await pages.inDatabase(
      `UPDATE identity.client_applications SET approved_scopes = requested_scopes
       WHERE id = '${page.url().split('/').at(-1) ?? ''}'`,
    );
    await createKey(page, 'Reader', async (form) => {
      await form.getByLabel('Only some of it').check();
      await form.getByLabel('Read community information').check();
      await form.getByLabel('Expires').selectOption({ label: 'in 30 days' });
    });
    const narrow = await shown(page, 'API key');
    await pages.inDatabase(
      `UPDATE identity.api_keys SET expires_at = now() + interval '4 seconds' WHERE id = split_part('${narrow}', '_', 3)`,
    );
    const chainsBy = (apiKey: string) =>
      fetch(`${pages.suite.gatewayUrl}/chains`, { headers: { 'x-api-key': apiKey } });
    expect(await statusOf(narrow)).toBe(200);
    const refused = await chainsBy(narrow);
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('or its API key was made without it'),
    ]);
    expect((await chainsBy(whole)).status).not.toBe(403);
    await untilRevoked(narrow);
    expect(await statusOf(whole)).toBe(200);
    await openApplication(page);
    expect(await page.locator('.items > li').count()).toBe(1);
  });

  it('portal: keeps what was typed into the form for a key that lacks a name or a scope', async () => {
    const { page } = await pages.member();
    await register(page, 'Shop', ['community:read']);
    await openApplication(page);
    await createKey(page, ' ', async (form) => {
      await form.getByLabel('Only some of it').check();
      await form.getByLabel('Expires').selectOption({ label: 'in a year' });
    });
    await page.getByText('Select at least one thing').waitFor();
    expect(await page.getByRole('alert').getByRole('link').allInnerTexts()).toEqual([
      'Name of the key',
      'What it may do',
    ]);
    expect(await page.getByLabel('Only some of it').isChecked()).toBe(true);
    expect(await page.getByLabel('Expires').inputValue()).toBe('365');
    expect(await page.locator('.items > li').count()).toBe(1);
  });

  it('portal: gives a new application a first call with its key, which works', async () => {
    const { page } = await pages.member();
    await register(page, 'Shop');
    const apiKey = await shown(page, 'API key');
    const command = await page.locator('section code').innerText();
    expect(command).toContain(`-H 'X-API-Key: ${apiKey}'`);
    const [, url = '', body = ''] = /^curl '(\S+)' .* -d '(.+)'$/.exec(command) ?? [];
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
    expect(await page.getByRole('link', { name: 'API explorer' }).getAttribute('href')).toBe(
      `${pages.suite.gatewayUrl}/explorer`,
    );
    await openApplication(page);
    await page.getByRole('button', { name: 'Create new secret' }).click();
    await page.getByRole('heading', { name: 'Save your credentials' }).waitFor();
    expect(await page.getByText('Next step').count()).toBe(0);
  });

  it('portal: rotates the secret, renames and deletes an application', async () => {
    const { page } = await pages.member();
    await register(page, 'Shop');
    const [secret, key] = [await shown(page, 'Client secret'), await shown(page, 'API key')];
    await openApplication(page);
    await page.getByRole('button', { name: 'Create new secret' }).click();
    expect(await shown(page, 'Client secret')).not.toBe(secret);
    await openApplication(page);
    await page.getByLabel('Name', { exact: true }).fill('Market');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Market' }).waitFor();
    await page.getByText('Delete application').click();
    expect(await clickAndSendAgain(page.getByRole('button', { name: 'Delete Market' }))).toBe(303);
    await page.waitForURL('**/portal');
    expect(await page.getByText('Market').count()).toBe(0);
    await untilRevoked(key);
  });

  it('portal: does not show applications of other users or let users change them', async () => {
    const owner = await pages.member();
    await register(owner.page, 'Shop');
    const clientId = await shown(owner.page, 'Client ID');
    const stranger = await pages.member();
    const answer = await stranger.page.goto(`/portal/applications/${clientId}`);
    expect(answer?.status()).toBe(404);
    await stranger.page.goto('/portal/applications/new');
    const csrf = await stranger.page.locator('form.card input[name=csrf]').inputValue();
    for (const path of ['', '/delete', '/keys', '/secret']) {
      const form = { csrf, form: 'A'.repeat(43), name: 'Mine', overlap: '0' };
      const response = await stranger.context.request.post(`/portal/applications/${clientId}${path}`, {
        form,
        headers: { origin: pages.suite.gatewayUrl },
      });
      expect(response.status()).toBe(404);
    }
  });

  it('portal: shows the usage of the plan and refused requests', async () => {
    const { page } = await pages.member();
    await register(page, 'Shop');
    const apiKey = await shown(page, 'API key');
    expect(await statusOf(apiKey)).toBe(200);
    const headers = { 'x-api-key': apiKey };
    const url = `${pages.suite.gatewayUrl}/asset-list/0x0000000000000000000000000000000000000001`;
    expect((await fetch(url, { headers })).status).toBe(403);
    await until('the refusal is shown', async () => {
      await page.goto('/portal');
      return (await page.getByRole('cell', { name: 'required scope missing' }).count()) === 1;
    });
    expect(await page.getByRole('img', { name: 'Applications: 1 of 5' }).count()).toBe(1);
    expect(await page.getByRole('img', { name: /^Requests until .*: [1-9]\d* of 10,000$/ }).count()).toBe(1);
  });

  it('portal: enforces the plan’s limit of applications', async () => {
    const { page } = await pages.member();
    for (let count = 1; count <= 5; count += 1) {
      await register(page, `Shop ${String(count)}`);
      await page.getByRole('heading', { name: 'Save your credentials' }).waitFor();
    }
    await register(page, 'Shop 6');
    await page.getByText('The free plan allows 5').waitFor();
    await page.goto('/portal');
    expect(await page.getByRole('link', { name: /^Shop/ }).count()).toBe(5);
  });

  describe('for operators', () => {
    let operator: Visitor;

    beforeAll(async () => {
      operator = await pages.member({ privateKey: OPERATOR_KEY });
    });

    async function registerPending(name: string): Promise<Visitor> {
      const owner = await pages.member();
      await register(owner.page, name, ['token-gating', 'accountkit']);
      await openApplication(owner.page);
      await owner.page.getByText('waiting for approval').waitFor();
      return owner;
    }

    it('portal, for operators: approves an application, possibly with fewer scopes', async () => {
      const { page } = await registerPending('Part shop');
      await operator.page.goto('/portal');
      await operator.page.getByRole('link', { name: 'Approvals' }).click();
      const card = operator.page.getByRole('region', { name: 'Part shop' });
      await card.getByLabel('Use smart accounts').uncheck();
      await card.getByRole('button', { name: 'Approve application' }).click();
      await card.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByText('approved', { exact: true }).waitFor();
    });

    it('portal, for operators: rejects an application with a reason for the owner', async () => {
      const { page } = await registerPending('Odd shop');
      await operator.page.goto('/portal/approvals');
      const card = operator.page.getByRole('region', { name: 'Odd shop' });
      await card.getByText('Reject application', { exact: true }).click();
      await card.getByLabel('Reason').fill('Its name is odd.');
      await card.getByRole('button', { name: 'Reject Odd shop' }).click();
      await card.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByText('Its name is odd.').waitFor();
    });

    it('portal, for operators: requires a new login after 15 minutes', async () => {
      await pages.inDatabase(
        `UPDATE identity.browser_sessions SET signed_in_at = now() - interval '16 minutes'`,
      );
      await operator.page.goto('/portal/approvals');
      await operator.page.getByRole('button', { name: 'Test Wallet' }).click();
      await operator.page.waitForURL('**/portal/approvals');
    });

    it('portal, for operators: is forbidden for other users', async () => {
      const { page } = await pages.member();
      expect(await page.getByRole('link', { name: 'Approvals' }).count()).toBe(0);
      expect((await page.goto('/portal/approvals'))?.status()).toBe(403);
    });
  });
});

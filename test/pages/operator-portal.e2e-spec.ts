import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { until } from '../support/until.js';
import { describeInBrowser } from '../support/needs.js';
import { leasePages, OPERATOR_KEY, type PagesUnderTest, type Visitor } from './pages-under-test.js';

describeInBrowser('the portal of operators', () => {
  let pages: PagesUnderTest;
  let operator: Visitor;

  beforeAll(async () => {
    pages = await leasePages();
    operator = await pages.member({ privateKey: OPERATOR_KEY });
  });

  afterAll(async () => {
    await pages.stop();
  });

  /** Registers an application that waits for approval. @returns its owner and its client id */
  async function registerPending(
    name: string,
    message = '',
  ): Promise<{ owner: Visitor; clientId: string; apiKey: string }> {
    const owner = await pages.member();
    const { page } = owner;
    await page.goto('/portal/applications/new');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Redirect URIs').fill('https://shop.example/cb\nhttp://localhost:3000/cb');
    await page.getByText('Advanced settings', { exact: true }).click();
    await page.getByLabel('Origins').fill('https://wallet.shop.example');
    await page.getByLabel('Implicit flow').check();
    await page.locator('input[name="scope.token-gating"]').check();
    await page.getByLabel('Message to the operators').fill(message);
    await page.getByRole('button', { name: 'Register application' }).click();
    const shown = (what: string) => page.locator(`dt:text-is("${what}") + dd code`).innerText();
    return { owner, clientId: await shown('Client ID'), apiKey: await shown('API key') };
  }

  const cardOf = (name: string) => operator.page.getByRole('region', { name });

  const signedInLongAgo = () =>
    pages.inDatabase(`UPDATE identity.browser_sessions SET signed_in_at = now() - interval '16 minutes'`);

  const signInAgain = async (page: Page) => {
    await page.waitForURL('**/login?*');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
  };

  it('portal of operators: shows the redirect URIs and sign-in origins of an application', async () => {
    await registerPending('Wide shop');
    await operator.page.goto('/portal/approvals');
    const card = cardOf('Wide shop');
    for (const text of ['https://shop.example/cb', 'http://localhost:3000/cb', 'https://wallet.shop.example'])
      expect(await card.getByText(text, { exact: true }).count()).toBe(1);
    expect(await card.getByText('implicit flow enabled').count()).toBe(1);
  });

  it('T255: approvals page: lists applications that no operator has reviewed, and shows what an owner changes of approved values', async () => {
    const owner = await pages.member();
    const { page } = owner;
    await page.goto('/portal/applications/new');
    await page.getByLabel('Name', { exact: true }).fill('Plain shop');
    await page.getByLabel('Redirect URIs').fill('https://plain.example/cb');
    await page.getByRole('button', { name: 'Register application' }).click();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await page.getByText('No operator has reviewed this application').waitFor();
    await operator.page.goto('/portal/approvals');
    await operator.page.getByRole('heading', { name: 'Not reviewed' }).waitFor();
    await cardOf('Plain shop').getByRole('button', { name: 'Approve application' }).click();
    await cardOf('Plain shop').waitFor({ state: 'detached' });

    await page.reload();
    await page.getByLabel('Name', { exact: true }).fill('Grand shop');
    await page.getByLabel('Redirect URIs').fill('https://plain.example/cb\nhttps://grand.example/cb');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Until then users see the name Plain shop').waitFor();
    await operator.page.reload();
    const card = cardOf('Grand shop');
    expect(await card.getByText('Plain shop → Grand shop').count()).toBe(1);
    expect(await card.locator('code:has-text("grand.example/cb") + .tag').innerText()).toBe('new');
    expect(await card.locator('code:has-text("plain.example/cb") + .tag').count()).toBe(0);
    await card.getByRole('button', { name: 'Approve application' }).click();
    await card.waitFor({ state: 'detached' });
    await page.reload();
    expect(await page.getByText('Your changes wait for approval').count()).toBe(0);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Grand shop');
    expect([...owner.complaints, ...operator.complaints]).toEqual([]);
  });

  it('T393: approvals page: owner and operator write to each other, and the owner is told the decision until the notice is dismissed', async () => {
    const hostile = '<b>Bold</b> & plain\nsecond line';
    const { owner } = await registerPending('Chatty shop', hostile);
    const { page } = owner;
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await page.getByText('has been waiting for an operator for').waitFor();
    expect(await page.locator('.message').allInnerTexts()).toEqual([hostile]);
    await operator.page.goto('/portal/approvals');
    const card = cardOf('Chatty shop');
    expect(await card.locator('.message').allInnerTexts()).toEqual([hostile]);
    await card.getByText('Ask the owner', { exact: true }).click();
    await card.getByLabel('Question to the owner').fill(' ');
    await card.getByRole('button', { name: 'Send message' }).click();
    await card.getByText('This must not be empty.').waitFor();
    await card.getByLabel('Question to the owner').fill('What for?');
    await card.getByRole('button', { name: 'Send message' }).click();
    await card.getByText('An operator wrote').waitFor();
    await page.reload();
    await page.getByText('What for?').waitFor();
    await page.getByLabel('New message to the operators').fill('A forum.');
    await page.getByRole('button', { name: 'Send message' }).click();
    await page.getByText('A forum.').waitFor();
    await page.goto('/portal');
    expect(await page.locator('.notice').count()).toBe(0);
    await operator.page.reload();
    expect(await card.locator('.message').allInnerTexts()).toEqual(['A forum.', 'What for?']);
    await card.getByLabel('Message to the owner').fill('Have fun.');
    await card.getByRole('button', { name: 'Approve application' }).click();
    await card.waitFor({ state: 'detached' });
    await page.reload();
    const notice = page.locator('.notice', { hasText: 'An operator approved Chatty shop' });
    expect(await notice.locator('.message').innerText()).toBe('Have fun.');
    await notice.getByRole('button', { name: /^Dismiss/ }).click();
    await notice.waitFor({ state: 'detached' });
    expect([...owner.complaints, ...operator.complaints]).toEqual([]);
  });

  it('T393: approvals page: neither other users nor a message that is too long reach an application', async () => {
    const { clientId } = await registerPending('Closed shop');
    const { page, context } = await pages.member();
    const csrf = await page.locator('input[name=csrf]').first().inputValue();
    const send = (path: string, form: Record<string, string>) =>
      context.request.post(path, { form: { csrf, ...form }, headers: { origin: pages.suite.gatewayUrl } });
    const base = `/portal/applications/${clientId}`;
    const answers = [
      await send(`${base}/message`, { message: 'Mine' }),
      await send(`${base}/message`, { message: 'x'.repeat(1_001) }),
      await send(`${base}/dismiss-decision`, {}),
      await send(`/portal/approvals/${clientId}/message`, { message: 'Mine' }),
    ];
    expect(answers.map((answer) => answer.status())).toEqual([404, 404, 404, 403]);
  });

  it('T393: renaming a live application: its key goes on working, and users see the approved name', async () => {
    const { owner, clientId, apiKey } = await registerPending('Live shop');
    const { page } = owner;
    await operator.page.goto('/portal/approvals');
    await cardOf('Live shop').getByRole('button', { name: 'Approve application' }).click();
    await cardOf('Live shop').waitFor({ state: 'detached' });
    const isAllowed = async () => {
      const headers = { 'x-api-key': apiKey };
      return (await fetch(`${pages.suite.gatewayUrl}/chains`, { headers })).status !== 403;
    };
    await until('the approval is known to the gateway', isAllowed);
    await page.goto(`/portal/applications/${clientId}`);
    await page.getByLabel('Name', { exact: true }).fill('Renamed shop');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Until then users see the name Live shop').waitFor();
    // Gateways know a change within five seconds.
    const allowed: boolean[] = [];
    for (let count = 0; count < 8; count += 1) {
      allowed.push(await isAllowed());
      await sleep(1_000);
    }
    expect(allowed).toEqual(Array.from({ length: 8 }, () => true));
    await page.goto('/portal');
    await page.getByRole('link', { name: 'Renamed shop' }).waitFor();
    await page.getByText('waiting for approval').waitFor();
  });

  it('T395: search of operators: finds applications, plans and users by name, literally, and writes a line for each user', async () => {
    const { owner, clientId } = await registerPending('Odd 50%_ shop');
    await registerPending('Odd 50xx shop');
    const userId = (await owner.page.locator('.account').getAttribute('data-user')) ?? '';
    await pages.inDatabase(`UPDATE identity.users SET name = 'Ada <b>Lovelace</b>' WHERE id = '${userId}'`);
    const { page, complaints } = operator;
    const search = async (text: string) => {
      await page.goto('/portal');
      await page.getByRole('link', { name: 'Search', exact: true }).click();
      await page.getByLabel('Name, ID, username or wallet address').fill(text);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.waitForURL('**/portal/search?q=*');
    };
    const found = (what: string) => page.getByRole('region', { name: what }).locator('h3').allInnerTexts();
    await search('50%_');
    expect([await found('Applications'), await found('Users')]).toEqual([['Odd 50%_ shop'], []]);
    await search('ada <b>love');
    expect(await found('Users')).toEqual(['Ada <b>Lovelace</b>']);
    await search(owner.wallet.address);
    expect(await found('Users')).toEqual(['Ada <b>Lovelace</b>']);
    await search(userId);
    expect(await found('Plans')).toEqual([`Plan of ${userId}`]);
    await search('nobody of this name');
    await page.getByText('Nothing has this name').waitFor();
    await page.goto(`/portal/audit/${userId}`);
    const lines = await page.locator('.audit-action').allInnerTexts();
    expect(lines.filter((line) => line.endsWith('looked up a user'))).toHaveLength(3);
    await search(clientId);
    await page.getByRole('link', { name: /^Audit log of/ }).click();
    await page.waitForURL(`**/portal/audit/${clientId}`);
    expect((await owner.page.goto('/portal/search?q=ada'))?.status()).toBe(403);
    expect(complaints).toEqual([]);
  });

  it('T395: audit log: shows what one person did, one kind of action, or days, page by page', async () => {
    await pages.inDatabase(
      `INSERT INTO identity.audit_records (actor_kind, actor_id, action, target, details, at)
       SELECT 'user', 'user_filtered', CASE n % 2 WHEN 0 THEN 'key.revoked' ELSE 'key.created' END, 'client_filtered',
         jsonb_build_object('number', n), '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 hour'
       FROM generate_series(1, 250) n`,
    );
    const { page } = operator;
    await page.goto('/portal/audit');
    await page.getByText('Filter actions').click();
    await page.getByLabel('Who', { exact: true }).fill('user_filtered');
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'revoked an API key' });
    await page.getByRole('button', { name: 'Show actions' }).click();
    await page.getByRole('link', { name: 'Show older actions' }).click();
    await page.waitForURL('**before=*');
    expect(await page.locator('.items > li').count()).toBe(25);
    expect(await page.getByLabel('Who', { exact: true }).inputValue()).toBe('user_filtered');
    await page.getByLabel('What', { exact: true }).selectOption({ label: 'everything' });
    await page.getByLabel('On what').fill('client_filtered');
    await page.getByLabel('First day (UTC)').fill('2026-01-02');
    await page.getByLabel('Last day (UTC)').fill('2026-01-02');
    await page.getByRole('button', { name: 'Show actions' }).click();
    await page.getByText('{"number":47}').waitFor();
    expect(await page.locator('.items > li').count()).toBe(24);
    await page.goto('/portal/audit?who=nobody');
    await page.getByText('No action matches these filters.').waitFor();
    await page.goto('/portal/audit?what=none&from=yesterday&before=x');
    expect(await page.locator('.items > li').count()).toBe(100);
  });

  it('portal of operators: finds a plan by client id and changes it', async () => {
    const { owner, clientId } = await registerPending('Busy shop');
    const { page, complaints } = operator;
    await page.goto('/portal');
    await page.getByRole('link', { name: 'Plans' }).click();
    await page.getByLabel('Tenant, application or user ID').fill(clientId);
    await page.getByRole('button', { name: 'Find plan' }).click();
    await page.getByRole('heading', { name: 'Busy shop' }).waitFor();
    await page.getByLabel('Plan', { exact: true }).selectOption('enterprise');
    await page.getByLabel('Requests per second').fill('70');
    await page.getByLabel('Requests per month').fill('many');
    await page.getByRole('button', { name: 'Save plan' }).click();
    await page.getByText('This must be a whole number').waitFor();
    expect(await page.getByLabel('Requests per second').inputValue()).toBe('70');
    await page.getByRole('alert').getByRole('link', { name: 'Requests per month' }).click();
    expect(await page.locator('#perMonth:target').count()).toBe(1);
    await page.getByLabel('Requests per month').fill('5000000');
    await page.getByLabel('Client applications').fill('-2');
    await page.getByLabel('Live API keys').fill('12');
    await page.getByRole('button', { name: 'Save plan' }).click();
    await page.getByRole('alert').getByRole('link', { name: 'Client applications' }).click();
    expect(await page.locator('#maxClientApplications:target').inputValue()).toBe('-2');
    await page.getByLabel('Client applications').fill('');
    await page.getByRole('button', { name: 'Save plan' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(page.url()).toContain('/portal/plans/owner_');
    await owner.page.goto('/portal');
    await owner.page.getByText('Enterprise plan, 70 requests per second').waitFor();
    await owner.page.getByText('1 of 12', { exact: true }).waitFor();
    await page.reload();
    expect(await page.getByLabel('Client applications').inputValue()).toBe('');
    expect(await page.getByLabel('Live API keys').inputValue()).toBe('12');
    expect(complaints).toEqual([]);
  });

  it('portal of operators: shows the audit log of one application or of all, with pagination', async () => {
    const { clientId } = await registerPending('Noted shop');
    const { page } = operator;
    await page.goto('/portal/approvals');
    await cardOf('Noted shop').getByRole('button', { name: 'Approve application' }).click();
    await cardOf('Noted shop').waitFor({ state: 'detached' });
    await page.goto(`/portal/audit/${clientId}`);
    const texts = await page.locator('.audit-action').allInnerTexts();
    expect(texts).toEqual([
      expect.stringMatching(/^Operator \S+ approved an application$/),
      expect.stringMatching(/^User \S+ registered an application$/),
    ]);
    expect(await page.getByRole('link', { name: 'Show older actions' }).count()).toBe(0);
    await pages.inDatabase(
      `INSERT INTO identity.audit_records (actor_kind, action, target, details)
       SELECT 'command', 'key.revoked', 'client_old', jsonb_build_object('number', n) FROM generate_series(1, 150) n`,
    );
    await page.goto('/portal/audit/client_old');
    expect(await page.locator('.items > li').count()).toBe(100);
    await page.getByRole('link', { name: 'Show older actions' }).click();
    await page.getByText('{"number":1}').waitFor();
    expect(await page.locator('.items > li').count()).toBe(50);
    await page.getByRole('link', { name: 'Show all actions' }).click();
    await page.locator('.audit-action', { hasText: 'revoked an API key' }).first().waitFor();
    expect(await page.locator('.audit-action', { hasText: 'viewed the audit log' }).count()).toBe(0);
  });

  it('portal of operators: requires a new login after 15 minutes and restores the form', async () => {
    await registerPending('Slow shop');
    const { page, complaints } = operator;
    await page.goto('/portal/approvals');
    await cardOf('Slow shop').getByText('Reject application', { exact: true }).click();
    await cardOf('Slow shop').getByLabel('Reason').fill('Its name is slow.');
    await signedInLongAgo();
    await cardOf('Slow shop').getByRole('button', { name: 'Reject Slow shop' }).click();
    await signInAgain(page);
    await page.waitForURL('**/portal/approvals');
    expect(await cardOf('Slow shop').getByLabel('Reason').inputValue()).toBe('Its name is slow.');
    await page.getByText('Your changes are not saved yet').waitFor();
    await cardOf('Slow shop').getByRole('button', { name: 'Reject Slow shop' }).click();
    await cardOf('Slow shop').waitFor({ state: 'detached' });
    expect(await page.getByText('Your changes are not saved yet').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('portal of operators: restores forms of owners, too', async () => {
    const { page } = await pages.member();
    await page.goto('/portal/applications/new');
    await page.getByLabel('Name', { exact: true }).fill('Late shop');
    await page.getByLabel('Browser or mobile application').check();
    await page.locator('input[name="scope.user:read"]').uncheck();
    await pages.inDatabase(`UPDATE identity.browser_sessions SET expires_at = now()`);
    await page.getByRole('button', { name: 'Register application' }).click();
    await signInAgain(page);
    await page.waitForURL('**/portal/applications/new');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Late shop');
    expect(await page.getByLabel('Browser or mobile application').isChecked()).toBe(true);
    expect(await page.locator('input[name="scope.user:read"]').isChecked()).toBe(false);
    await page.reload();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
  });

  it.each([
    '/portal/search',
    '/portal/approvals',
    '/portal/plans',
    '/portal/plans/owner_1',
    '/portal/audit',
    '/portal/audit/x',
  ])('is forbidden for other users: %s', async (path) => {
    const { page } = await pages.member();
    expect((await page.goto(path))?.status()).toBe(403);
  });

  it('portal of operators: does not let other users set a plan', async () => {
    const { clientId, owner } = await registerPending('Poor shop');
    await owner.page.goto('/portal');
    const csrf = await owner.page.locator('input[name=csrf]').first().inputValue();
    const answer = await owner.context.request.post(`/portal/plans/${clientId}`, {
      form: { csrf, plan: 'paid' },
      headers: { origin: pages.suite.gatewayUrl },
    });
    expect(answer.status()).toBe(403);
    await owner.page.goto('/portal');
    await owner.page.getByText('Free plan').waitFor();
  });
});

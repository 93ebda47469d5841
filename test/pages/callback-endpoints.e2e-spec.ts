import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { CallbackLog, type SeenCallback } from '../support/callback-log.js';
import { describeInBrowser } from '../support/needs.js';
import { until } from '../support/until.js';
import { answerChallenge, parseEvent } from '../token-gating/callback-endpoints-world.js';
import { complaintsAt } from './complaints.js';
import { leaseWholePages, type PagesUnderTest } from './pages-under-test.js';

const SIZES = [
  { width: 320, height: 700 },
  { width: 1280, height: 800 },
];

describeInBrowser('callback endpoints in the portal', () => {
  let pages: PagesUnderTest;
  let receiver: CallbackLog;

  beforeAll(async () => {
    pages = await leaseWholePages();
    receiver = await CallbackLog.start();
    receiver.answer = answerChallenge;
  });

  afterAll(async () => {
    await receiver.stop();
    await pages.stop();
  });

  /** Registers an application that may check, and opens the page of its endpoints. */
  async function openEndpoints(page: Page, name: string): Promise<string> {
    await page.goto('/portal/applications/new');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Redirect URIs').fill('https://shop.example/cb');
    await page.locator('input[name="scope.token-gating"]').check();
    await page.getByRole('button', { name: 'Register application' }).click();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: 'Callback endpoints' }).waitFor();
    const clientId = page.url().split('/').at(-1) ?? '';
    await pages.inDatabase(
      `UPDATE identity.client_applications SET approved_scopes = requested_scopes WHERE id = '${clientId}'`,
    );
    await page.getByRole('link', { name: `Callback endpoints of ${name}` }).click();
    await page.getByRole('button', { name: 'Create endpoint' }).waitFor();
    return clientId;
  }

  async function create(page: Page, url: string): Promise<string> {
    await page.getByLabel('Address').fill(url);
    await page.getByLabel('What it is for').fill('Bot of the shop');
    await page.getByLabel('A member gets a role').check();
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    const secret = await page.locator('code.secret').last().innerText();
    await page.getByRole('link', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: 'Bot of the shop' }).waitFor();
    return secret;
  }

  const seenAt = (path: string): SeenCallback[] =>
    receiver.seen.filter((each) => each.path === path && 'type' in parseEvent(each));

  async function loadUntil(page: Page, text: string): Promise<void> {
    await until(text, async () => {
      await page.reload();
      return (await page.getByText(text, { exact: true }).count()) > 0;
    });
  }

  it('T426: callback endpoints in the portal: are created with a secret that is shown once, tested, sent again, given another secret, and deleted after a question', async () => {
    const { page, context, complaints } = await pages.member();
    await openEndpoints(page, 'Shop of endpoints');
    await page.getByLabel('Address').fill('https://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Address').inputValue()).toBe('https://10.0.0.1/hook');
    expect(await page.locator('#events-problem').innerText()).toContain('at least one event');
    // The application has no smart accounts.
    expect(await page.getByLabel('An operation of a smart account').isDisabled()).toBe(true);
    expect(await complaintsAt(page, SIZES)).toEqual([]);

    const secret = await create(page, receiver.url('/hook'));
    expect(secret).toMatch(/^whsec_/);
    await loadUntil(page, 'working');
    expect(await complaintsAt(page, SIZES)).toEqual([]);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('A test event is on its way.').waitFor();
    await until('it came', () => seenAt('/hook').length === 1);
    const [seen] = seenAt('/hook');
    const headers = Object.fromEntries(
      Object.entries(seen?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    expect(() => new Webhook(secret).verify(seen?.body ?? '', headers)).not.toThrow();
    await loadUntil(page, 'Test event');
    expect(await page.content()).not.toContain(secret);

    await page
      .getByRole('button', { name: /^Send again/ })
      .first()
      .click();
    await until('it came again', () => seenAt('/hook').length === 2);
    expect(seenAt('/hook')[1]?.deliveryId).toBe(seen?.deliveryId);

    // A page that was opened before another one changed the address keeps that address.
    const stale = await context.newPage();
    await stale.goto(page.url());
    await page.getByLabel('Address').fill(receiver.url('/moved'));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The changes are saved.').waitFor();
    await stale.getByLabel('A member loses a role').check();
    await stale.getByRole('button', { name: 'Save changes' }).click();
    await stale.getByText('The changes are saved.').waitFor();
    expect(await stale.getByLabel('Address').inputValue()).toBe(receiver.url('/moved'));
    await page.reload();

    await page.locator('main summary', { hasText: 'Replace signing secret' }).click();
    await page.getByRole('button', { name: 'Create new secret' }).click();
    expect(await page.locator('code.secret').last().innerText()).not.toBe(secret);
    await page.goBack();
    await page.getByRole('link', { name: 'All endpoints of Shop of endpoints' }).click();
    expect(await page.locator('.items > li').count()).toBe(1);
    expect(await complaintsAt(page, SIZES)).toEqual([]);
    await page.getByRole('link', { name: 'Bot of the shop' }).click();
    await page.locator('main summary', { hasText: 'Delete endpoint' }).click();
    expect(await complaintsAt(page, SIZES)).toEqual([]);
    await page.getByRole('button', { name: 'Delete Bot of the shop' }).click();
    await page.getByText('The endpoint is deleted').waitFor();
    expect(await page.locator('.items > li').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('T426: callback endpoints in the portal: are created once however often a form is sent, and are nobody else’s to see or end', async () => {
    const { page, context } = await pages.member();
    const clientId = await openEndpoints(page, 'Shop of clicks');
    const base = `/portal/applications/${clientId}/endpoints`;
    const fieldsOf = async (one: Page) => ({
      csrf: await one.locator('input[name=csrf]').first().inputValue(),
      form: await one.locator('input[name=form]').first().inputValue(),
    });
    const post = (to: string, form: Record<string, string>, from = context) =>
      from.request.post(to, { form, headers: { origin: pages.suite.gatewayUrl }, maxRedirects: 0 });
    const fields = { ...(await fieldsOf(page)), url: receiver.url('/clicks'), 'event.role.granted': 'on' };
    const answers = await Promise.all([post(base, fields), post(base, fields), post(base, fields)]);
    expect(answers.map((answer) => answer.status())).toEqual([303, 303, 303]);
    expect(new Set(answers.map((answer) => answer.headers()['location'])).size).toBe(1);
    await page.goto(base);
    expect(await page.locator('.items > li').count()).toBe(1);
    const path = (await page.locator('.items a').getAttribute('href')) ?? '';

    await page.goto(path);
    await loadUntil(page, 'working');
    const clicked = await fieldsOf(page);
    const tests = [1, 2, 3].map(() => post(`${path}/test`, clicked));
    expect((await Promise.all(tests)).map((answer) => answer.status())).toEqual([303, 303, 303]);
    await page.reload();
    expect(await page.getByRole('heading', { name: 'Test event' }).count()).toBe(1);

    const stranger = await pages.member();
    for (const to of [base, path]) expect((await stranger.page.goto(to))?.status()).toBe(404);
    await openEndpoints(stranger.page, 'Shop of strangers');
    const theirs = await fieldsOf(stranger.page);
    for (const action of [
      '',
      '/challenge',
      '/test',
      '/recover',
      '/secret',
      '/delete',
      '/deliveries/msg_1/again',
    ]) {
      const answer = await post(`${path}${action}`, { ...fields, ...theirs }, stranger.context);
      expect([action, answer.status()]).toEqual([action, 404]);
    }
    await page.goto(base);
    expect(await page.locator('.items > li').count()).toBe(1);
  });
});

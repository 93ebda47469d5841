import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { complaintsAt } from './complaints.js';
import { leaseWholePages, type PagesUnderTest } from './pages-under-test.js';

const SIZES = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
];

const SECRET = 'gth_live_0123456789abcdefghijklmnop';
const PUBLISHABLE = 'gthp_0123456789abcdefghijklmnop';

describeInBrowser('the explorer', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leaseWholePages();
  });

  afterAll(async () => {
    await pages.stop();
  });

  const open = async (path = '/explorer') => {
    const visitor = await pages.visitor({ none: true });
    const requests: string[] = [];
    visitor.page.on('request', (request) => requests.push(new URL(request.url()).origin));
    await visitor.page.goto(path);
    await visitor.page.locator('.opblock-tag').first().waitFor();
    return { ...visitor, requests };
  };

  const useKey = async (page: Page, key: string) => {
    await page.getByLabel('API key or publishable id').fill(key);
    await page.getByRole('button', { name: 'Use key' }).click();
  };

  const search = async (page: Page, words: string, status: string | RegExp) => {
    await page.getByLabel('Search operations').fill(words);
    await page.getByRole('status').getByText(status).waitFor();
  };

  const storedIn = (page: Page) =>
    page.evaluate(
      'JSON.stringify([Object.values(localStorage), Object.values(sessionStorage), document.cookie])',
    );

  const listNames = (page: Page) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('.opblock-tag')].map((heading) => heading.dataset.tag)`,
    );

  it('GET /explorer: shows groups in words with a sentence each, all closed, and asks no other server', async () => {
    const { page, requests, complaints } = await open();
    const names = await listNames(page);
    expect(names.slice(0, 3)).toEqual(['Check roles', 'What rules can be about', 'Communities']);
    expect(names.filter((name) => name.includes('Controller'))).toEqual([]);
    expect(await page.locator('.opblock-tag small').count()).toBe(names.length);
    expect(await page.locator('.opblock').count()).toBe(0);
    await page.getByRole('button', { name: 'Expand operation' }).first().click();
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('.opblock-body').count()).toBe(0);
    expect(new Set(requests)).toEqual(new Set([pages.suite.gatewayUrl]));
    expect(complaints).toEqual([]);
  });

  it('GET /explorer: finds operations by words of their path and description, in any order', async () => {
    const { page } = await open();
    await search(page, 'explain ROLES', /^\d operations found/);
    await page.getByText('/access-control/check-roles', { exact: true }).waitFor();
    expect(await listNames(page)).toEqual(['Check roles']);
    await search(page, 'no such words', 'No operation has all of these words.');
    expect(await page.locator('.opblock-tag').count()).toBe(0);
    await search(page, '  passkey  rename ', '1 operation found.');
    expect(await listNames(page)).toEqual(['The signed-in user']);
    await page.getByLabel('Search operations').fill('');
    await page.getByText('Operators', { exact: true }).waitFor();
    expect(await page.locator('.opblock').count()).toBe(0);
  });

  it('GET /explorer: keeps a secret key in the memory of the tab, and says so', async () => {
    const { page } = await open();
    await useKey(page, SECRET);
    await page.getByText(`In use: the key that ends in …${SECRET.slice(-4)}.`).waitFor();
    expect(await page.getByLabel('API key or publishable id').inputValue()).toBe('');
    expect(await storedIn(page)).toBe('[[],[],""]');
    await page.reload();
    await page.getByText('No key in use.').waitFor();
  });

  it('GET /explorer: remembers a publishable id until it is removed or replaced by a secret key', async () => {
    const { page } = await open();
    for (const forget of [
      () => page.getByRole('button', { name: 'Remove key' }).click(),
      () => useKey(page, SECRET),
    ]) {
      await useKey(page, PUBLISHABLE);
      await page.getByText('This browser remembers it').waitFor();
      await page.reload();
      await page.getByText(`In use: the publishable id ${PUBLISHABLE}.`).waitFor();
      await forget();
      await page.getByText(/No key in use|the key that ends in/).waitFor();
      expect(await storedIn(page)).toBe('[[],[],""]');
    }
  });

  it('GET /explorer: says what is wrong with a key beside its field, and keeps what was typed', async () => {
    const { page } = await open();
    await useKey(page, ' ');
    await page.getByRole('alert').getByText('Paste a key first.').waitFor();
    await useKey(page, 'Bearer something');
    await page.getByRole('alert').getByText('This is no API key').waitFor();
    expect(await page.getByLabel('API key or publishable id').inputValue()).toBe('Bearer something');
    await page.getByText('No key in use.').waitFor();
  });

  it('GET /explorer: sends the example of an operation with the key, and shows the answer', async () => {
    const { page, complaints } = await open();
    const { apiKey } = await pages.suite.createClient({ scopes: ['token-gating'] });
    await useKey(page, apiKey);
    await search(page, '/rule-types', /found/);
    await page.getByRole('button', { name: '/rule-types' }).first().click();
    await page.getByText('For client applications with the scope').waitFor();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').getByText('200', { exact: true }).waitFor();
    await page.locator('.live-responses-table').getByText('ruleTypes').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('GET /explorer: opens the operation of a link, also of one that names a tag of the document', async () => {
    for (const path of [
      '/explorer#/Check%20roles/AccessControlController.checkRoles',
      '/explorer#/AccessControlController/AccessControlController.checkRoles',
    ]) {
      const { page } = await open(path);
      await page.getByRole('button', { name: 'Execute' }).waitFor();
      await page.getByRole('button', { name: '/access-control/{communityId}' }).first().click();
      await page.waitForURL('**/explorer#/Check%20roles/AccessControlController.getRoles');
    }
  });

  it('GET /explorer: says what to do when the document cannot be loaded', async () => {
    const { page } = await pages.visitor({ none: true });
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.goto('/explorer');
    await page.getByText('The operations could not be loaded. Reload the page to try again.').waitFor();
  });

  it('GET /explorer: is accessible and fits, closed, searched, opened, executed and with the dialog of credentials', async () => {
    const { page, complaints } = await open();
    const found: string[] = [];
    const look = async (name: string) => {
      found.push(...(await complaintsAt(page, SIZES)).map((complaint) => `${name}, ${complaint}`));
    };
    await look('closed');
    await useKey(page, SECRET);
    await search(page, 'roles explain', /found/);
    await look('searched');
    await page.getByRole('button', { name: '/access-control/check-roles' }).first().click();
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    await look('opened');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').first().waitFor();
    await look('executed');
    await page.locator('.auth-wrapper .authorize').click();
    await page.getByRole('heading', { name: 'Available authorizations' }).waitFor();
    await look('credentials');
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  }, 120_000);
});

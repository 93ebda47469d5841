import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { describeInBrowser } from '../support/needs.js';
import { complaintsAt } from './complaints.js';
import { leaseWholePages, type PagesUnderTest } from './pages-under-test.js';

const SIZES = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
];

const PAGES = ['docs', 'docs/guides'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `/${folder}/${name.replace(/\.md$/, '')}`.replace(/\/README$/, '')),
);

describeInBrowser('the documents', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await leaseWholePages();
  });
  afterAll(async () => {
    await pages.stop();
  });

  const fetchPage = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`${pages.suite.gatewayUrl}${path}`, init);

  it('GET /docs: lists the documents, whose pages are accessible at each width in light and dark', async () => {
    const { page, complaints } = await pages.visitor({ none: true });
    await page.goto('/docs');
    await page
      .getByRole('navigation', { name: 'All documents' })
      .getByRole('link', { name: 'Checks' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Checks' }).waitFor();
    expect(await page.locator('nav [aria-current]').allTextContents()).toEqual(['Checks']);
    for (const path of ['/docs', '/docs/guides/checks', '/docs/contract', '/docs/search?q=role+callbacks']) {
      await page.goto(path);
      expect([path, await complaintsAt(page, SIZES)]).toEqual([path, []]);
    }
    expect(complaints).toEqual([]);
  });

  it('GET /docs: every document is a page and Markdown, each link of which leads to a page with its part', async () => {
    const parts = new Map<string, Set<string>>();
    const links: { from: string; to: string }[] = [];
    for (const path of PAGES) {
      const response = await fetchPage(path);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      const html = await response.text();
      parts.set(path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)));
      for (const [, to = ''] of html.matchAll(/href="([^"]+)"/g)) links.push({ from: path, to });
      const file = path === '/docs' ? 'docs/README.md' : `${path.slice(1)}.md`;
      const markdown = await fetchPage(`/${file}`);
      expect([file, markdown.headers.get('content-type')]).toEqual([file, 'text/markdown; charset=utf-8']);
      expect(await markdown.text()).toBe(readFileSync(join(root, file), 'utf8'));
    }
    const own = links.filter(({ to }) => /^(?:#|\/docs\b)/.test(to) && !to.endsWith('.css'));
    expect(own.length).toBeGreaterThan(1000);
    const broken = [];
    for (const { from, to } of own) {
      const [path = '', part] = (to.startsWith('#') ? from + to : to).split('#');
      const known = parts.get(path);
      if (
        known === undefined ? (await fetchPage(path)).status !== 200 : part !== undefined && !known.has(part)
      )
        broken.push({ from, to });
    }
    expect(broken).toEqual([]);
  });

  it('GET /docs/search: finds parts by words that are cut short or misspelt, without scripts, and says when there are none', async () => {
    const { page } = await pages.visitor({ none: true });
    await page.goto('/docs');
    await page.getByLabel('Search documents').fill('verifyng signatur');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'Callbacks: Verifying the signature' }).click();
    expect(new URL(page.url()).hash).toBe('#verifying-the-signature');
    await page.goto(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    await page.getByRole('status').waitFor();
    expect(await page.locator('main script').count()).toBe(0);
    await page.goto('/docs/search?q=zzzzzzzz');
    await page.getByText('No part of a document has all of these words.').waitFor();
    for (const query of ['', '?q=', '?q=a&q=b', '?q[x]=1', `?q=${'a'.repeat(5_000)}`])
      expect([query, (await fetchPage(`/docs/search${query}`)).status]).toEqual([query, 200]);
  });

  it('GET /llms.txt: lists every document of the index with its first sentence and the address of its Markdown', async () => {
    const response = await fetchPage('/llms.txt');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await response.text();
    expect(text).toMatch(/^# Gatehouse\n\n> \w/);
    const links = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gm)].map(([, url = '']) => url);
    expect(links.length).toBeGreaterThan(20);
    for (const url of links) expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  });

  it('GET /docs: answers HEAD, 304 and compressed, and has a page for what is not there', async () => {
    const first = await fetchPage('/docs/guides/checks', { headers: { 'Accept-Encoding': 'br' } });
    expect(first.headers.get('content-encoding')).toBe('br');
    const tag = first.headers.get('etag') ?? '';
    const headers = { 'If-None-Match': tag, 'Accept-Encoding': 'br' };
    expect((await fetchPage('/docs/guides/checks', { headers })).status).toBe(304);
    expect((await fetchPage('/docs/guides/checks', { method: 'HEAD' })).status).toBe(200);
    expect((await fetchPage('/docs/', { redirect: 'manual' })).status).toBe(200);
    for (const path of ['/docs/adr/0001-x', '/docs/../package.json', '/docs/guides', '/docs/README'])
      expect([path, (await fetchPage(path, { headers: { Accept: 'text/html' } })).status]).toEqual([
        path,
        404,
      ]);
    expect((await fetchPage('/docs/guides/checks', { method: 'POST' })).status).toBe(404);
  });
});

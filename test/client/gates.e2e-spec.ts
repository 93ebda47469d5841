import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { root } from '../../scripts/build/project.mjs';
import { startChromium } from '../pages/chromium.js';
import { complaintsAt } from '../pages/complaints.js';
import { describeInBrowser } from '../support/needs.js';
import { receiver, type Receiver } from '../support/receiver.js';
import { until } from '../support/until.js';
import { siteWith } from './built-client.js';

const HOLDER = '0x1111111111111111111111111111111111111111';
const STRANGER = '0x2222222222222222222222222222222222222222';
const SLOW = '0x3333333333333333333333333333333333333333';
const BROKEN = '0x4444444444444444444444444444444444444444';

/** A lounge that three components ask about, so that one request serves all of them. */
const REACT_APP = `
import { createElement as h, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useRoles } from '@gatehouse/client/react';

function Lounge({ account, name }) {
  const { status, readRole, refresh } = useRoles({ baseUrl: location.origin, publishableId: 'gthp_test', account, rules: ['holders'] });
  window.renders = (window.renders ?? 0) + 1;
  const line = status + ' ' + readRole('holder') + ' for ' + String(account);
  (window.lines ??= []).push(line);
  return h('p', { id: name }, line, h('button', { onClick: refresh }, 'Check again'));
}
function App() {
  const [account, setAccount] = useState();
  const [isOpen, setIsOpen] = useState(true);
  window.setAccount = setAccount;
  window.setIsOpen = setIsOpen;
  return isOpen ? ['one', 'two', 'three'].map((name) => h(Lounge, { key: name, name, account })) : null;
}
createRoot(document.getElementById('app')).render(h(StrictMode, null, h(App)));
`;

const GATE_SCRIPT = `
import { defineGate } from '/client/element.js';
window.changes = [];
addEventListener('gatehouse-change', ({ detail }) => window.changes.push(detail.state));
defineGate();
`;

const gatePage = (attributes: string): string => `<!doctype html>
<html lang="en">
  <head><meta name="viewport" content="width=device-width"><title>Lounge</title><script type="module" src="/gate.js"></script></head>
  <body><main><h1>Lounge</h1>
    <gatehouse-gate publishable-id="gthp_test" rules="holders" ${attributes}>
      <p slot="granted">Welcome.</p><p slot="denied">For holders.</p><p slot="error">Try again later.</p>
    </gatehouse-gate></main></body>
</html>`;

describeInBrowser('gates in Chromium', () => {
  let browser: Browser;
  let site: Receiver;
  let page: Page;
  let origin: string;
  let asked: string[];
  let aborted: number;
  let held: ServerResponse[];
  let complaints: string[];

  const answer = (response: ServerResponse, granted: boolean): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ roles: [{ id: 'holder', granted }] }));
  };

  async function check(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    const { account } = JSON.parse(await text(request)) as { account: string };
    asked.push(account);
    if (account === SLOW) {
      held.push(response);
      response.on('close', () => {
        if (!response.writableFinished) aborted += 1;
      });
    } else if (account === BROKEN) {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { details: { code: 'origin_not_allowed' } } }));
    } else answer(response, account === HOLDER);
  }

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: REACT_APP, resolveDir: root },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      define: { 'process.env.NODE_ENV': '"development"' },
      alias: { '@gatehouse/client/react': join(root, 'clients/typescript/dist/react.js') },
    });
    const files = {
      '/react':
        '<!doctype html><html lang="en"><title>React</title><div id="app"></div><script type="module" src="/react.js"></script>',
      '/react.js': outputFiles[0]?.text ?? '',
      '/gate.js': GATE_SCRIPT,
      '/holder': gatePage(`base-url="/" account="${HOLDER}" required-roles="holder"`),
      '/stranger': gatePage(`base-url="/" account="${STRANGER}"`),
      '/nobody': gatePage('base-url="/"'),
      '/broken': gatePage(`base-url="/" account="${BROKEN}"`),
      '/other-role': gatePage(`base-url="/" account="${HOLDER}" required-roles="holder admin"`),
    };
    site = await receiver(
      siteWith(files, (request, response) => {
        void check(request, response);
      }),
    );
    origin = `http://127.0.0.1:${String(site.port)}`;
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser.close();
    await site.stop();
  });

  beforeEach(async () => {
    [asked, aborted, held, complaints] = [[], 0, [], []];
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 40\d|ERR_/.test(message.text()))
        complaints.push(message.text());
    });
  });

  afterEach(async () => {
    await page.close();
    expect(complaints).toEqual([]);
  });

  /** Not `waitForFunction`, whose polling evaluates text in the page, which the policy refuses. */
  const waitFor = (expression: string): Promise<void> =>
    until(expression, () => page.evaluate<boolean>(expression));
  const shows = (id: string, line: string) =>
    waitFor(`document.getElementById('${id}')?.textContent.startsWith('${line}') === true`);
  const setAccount = (account: string) => page.evaluate(`setAccount('${account}')`);

  it('useRoles: asks once for three components in strict mode, and nothing without an account', async () => {
    await page.goto(`${origin}/react`);
    await shows('one', 'idle undetermined for undefined');
    expect(asked).toEqual([]);
    await setAccount(HOLDER);
    for (const id of ['one', 'two', 'three']) await shows(id, `success granted for ${HOLDER}`);
    expect(asked).toEqual([HOLDER]);
    await setAccount(STRANGER);
    await shows('two', `success denied for ${STRANGER}`);
    await setAccount(HOLDER);
    await shows('two', `success granted for ${HOLDER}`);
    // The first answer is still fresh.
    expect(asked).toEqual([HOLDER, STRANGER]);
    await page.locator('#two button').click();
    await until('it is asked again', () => asked.length === 3);
    // A list of rules that is written in place is a new object in each render, and no new question.
    expect(Number(await page.evaluate('renders'))).toBeLessThan(100);
  });

  it('T405: useRoles: never shows the answer of another account, also when answers overtake each other', async () => {
    await page.goto(`${origin}/react`);
    await shows('one', 'idle');
    await setAccount(HOLDER);
    await shows('one', `success granted for ${HOLDER}`);
    await setAccount(SLOW);
    await shows('one', `loading undetermined for ${SLOW}`);
    await until('it is asked', () => held.length === 1);
    await setAccount(STRANGER);
    await shows('one', `success denied for ${STRANGER}`);
    for (const response of held) if (!response.destroyed) answer(response, true);
    await shows('one', `success denied for ${STRANGER}`);
    const lines = await page.evaluate<string[]>('lines');
    expect(lines.filter((line) => line.includes('granted') && !line.endsWith(HOLDER))).toEqual([]);
  });

  it('useRoles: aborts a request that nobody waits for, and says when a check failed', async () => {
    await page.goto(`${origin}/react`);
    await shows('one', 'idle');
    await setAccount(SLOW);
    await until('it is asked', () => held.length === 1);
    await page.evaluate('setIsOpen(false)');
    await until('it is aborted', () => aborted === 1);
    await setAccount(BROKEN);
    await page.evaluate('setIsOpen(true)');
    await shows('one', `error undetermined for ${BROKEN}`);
    expect(asked).toEqual([SLOW, BROKEN]);
  });

  const shown = (): Promise<string> => page.locator('gatehouse-gate').innerText();

  it.each([
    ['holder', 'granted', 'Welcome.'],
    ['stranger', 'denied', 'For holders.'],
    ['nobody', 'denied', 'For holders.'],
    ['other-role', 'denied', 'For holders.'],
    ['broken', 'error', 'Try again later.'],
  ])(
    'gatehouse-gate: on the page of %s it shows %s under a policy without inline styles',
    async (path, state, words) => {
      await page.goto(`${origin}/${path}`);
      await waitFor(`window.changes?.at(-1) === '${state}'`);
      expect(await shown()).toBe(words);
      expect(await page.locator('gatehouse-gate').getAttribute('aria-busy')).toBe('false');
      expect(await complaintsAt(page, [{ width: 390, height: 700 }])).toEqual([]);
    },
  );

  it('T405: gatehouse-gate: asks once for attributes that change together, and never shows the answer of another account', async () => {
    await page.goto(`${origin}/stranger`);
    await waitFor("window.changes?.at(-1) === 'denied'");
    const gate = 'document.querySelector("gatehouse-gate")';
    await page.evaluate(
      `${gate}.setAttribute('account', '${SLOW}'); ${gate}.setAttribute('required-roles', 'holder')`,
    );
    await until('it is asked', () => held.length === 1);
    const visible = `${gate}.shadowRoot.querySelector('slot:not([hidden])').name + ${gate}.getAttribute('aria-busy')`;
    expect(await page.evaluate(visible)).toBe('loadingtrue');
    await page.evaluate(`${gate}.setAttribute('account', '${STRANGER}')`);
    await waitFor("window.changes?.at(-1) === 'denied'");
    await until('the other one is aborted', () => aborted === 1);
    expect(await shown()).toBe('For holders.');
    expect(await page.evaluate<string[]>('changes')).not.toContain('granted');
    await page.evaluate(`${gate}.setAttribute('account', '${SLOW}')`);
    await until('it is asked', () => held.length === 2);
    await page.evaluate(`${gate}.remove()`);
    await until('it is aborted', () => aborted === 2);
  });
});

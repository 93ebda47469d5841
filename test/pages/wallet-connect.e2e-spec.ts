import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/needs.js';
import { until } from '../support/until.js';
import { walletRelay, type WalletRelay } from '../support/wallet-relay.js';
import { ChatUser } from './chat-user.js';
import { complaintsAt } from './complaints.js';
import { pagesUnderTest, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import { PhoneWallet } from './phone-wallet.js';

const PROJECT_ID = 'f'.repeat(32);
const VENDOR_MODULE = 'wallet-connect.vendor.js';
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
];

describeInBrowser('a wallet on a phone', () => {
  let relay: WalletRelay;
  let pages: PagesUnderTest;
  let phone: PhoneWallet;

  beforeAll(async () => {
    relay = await walletRelay(PROJECT_ID);
    pages = await pagesUnderTest({
      without: [],
      env: { WALLETCONNECT_PROJECT_ID: PROJECT_ID, WALLETCONNECT_RELAY_URL: relay.url },
    });
    phone = await PhoneWallet.start(PROJECT_ID, relay.url);
  }, 180_000);

  afterAll(async () => {
    await phone.stop();
    await pages.closeVisitors();
    await pages.stop();
    await relay.stop();
  });

  /** Hosts to which a page has spoken. */
  function recordHosts({ page }: Visitor): Set<string> {
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    page.on('websocket', (socket) => hosts.add(new URL(socket.url()).host));
    return hosts;
  }

  const choose = (page: Page) => page.getByRole('button', { name: 'WalletConnect (phone)' }).click();

  /** What the code holds, once it is shown. */
  async function readCode(page: Page): Promise<string> {
    await page.getByRole('img', { name: 'QR code for the wallet on your phone.' }).waitFor();
    return (await page.locator('#wallet-connect button').getAttribute('data-copy')) ?? '';
  }

  async function connect(page: Page): Promise<void> {
    await choose(page);
    const asked = phone.proposals.length;
    await phone.scan(await readCode(page));
    await until('the wallet is asked for a connection', () => phone.proposals.length > asked, 30_000);
  }

  it('T363: WalletConnect: signs in with the wallet of a phone, whose page speaks to nobody but the relay and keeps nothing', async () => {
    phone.behaviour = 'approves';
    const visitor = await pages.visitor({ none: true });
    const { page } = visitor;
    const hosts = recordHosts(visitor);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    const opened = await page.goto('/login');
    const policy = (await opened?.headerValue('content-security-policy')) ?? '';
    expect(policy.split('; ')).toContain(`connect-src 'self' ${relay.url}`);
    await page.getByText('No wallet was found in this browser. Use the one on your phone.').waitFor();
    expect(loaded.filter((url) => url.endsWith(VENDOR_MODULE))).toEqual([]);
    expect([...hosts]).toEqual([new URL(pages.suite.gatewayUrl).host]);

    await choose(page);
    const uri = await readCode(page);
    expect(uri).toMatch(/^wc:[0-9a-f]{64}@2\?/);
    expect(loaded.filter((url) => url.endsWith(VENDOR_MODULE))).toHaveLength(1);
    expect(await complaintsAt(page, SIZES)).toEqual([]);
    await phone.scan(uri);
    await page.waitForURL('**/portal/communities');
    expect(await page.locator('.account').getAttribute('title')).toBe(`eip155:1:${phone.address}`);
    expect(phone.requests.map(({ method }) => method)).toEqual(['personal_sign']);
    expect(phone.requests[0]?.text).toContain(' wants you to sign in with your Ethereum account:\n');
    expect(phone.proposals).toEqual([
      {
        eip155: expect.objectContaining({
          chains: ['eip155:1', 'eip155:31337'],
          methods: ['personal_sign'],
          events: [],
        }) as object,
      },
    ]);
    await until('the wallet has no connection left', () => Promise.resolve(phone.sessions === 0));
    expect([...hosts].sort()).toEqual([new URL(pages.suite.gatewayUrl).host, new URL(relay.url).host].sort());
    expect([...relay.origins]).toEqual([pages.suite.gatewayUrl]);
    const kept = await page.evaluate(
      `Promise.all([indexedDB.databases(), Object.keys(localStorage), Object.keys(sessionStorage)])`,
    );
    expect(kept).toEqual([[], [], []]);
    expect(visitor.complaints).toEqual([]);
  });

  it.each([
    ['declines the connection', 'You declined in your wallet. Nothing was signed.'],
    ['declines to sign', 'You declined in your wallet. Nothing was signed.'],
    ['hangs up', 'Your wallet ended the connection. Nothing was signed. Choose it again.'],
    ['is on an unknown chain', 'is on a chain that this service does not know.'],
    ['signs with another account', undefined],
  ] as const)('T364: WalletConnect: stays usable after a wallet that %s', async (behaviour, sentence) => {
    const visitor = await pages.visitor({ none: true });
    const { page } = visitor;
    await page.goto('/login');
    phone.behaviour = behaviour;
    await connect(page);
    await page.locator('#status[data-kind=failed]').waitFor();
    const text = await page.locator('#status').innerText();
    if (sentence === undefined) expect(text).not.toMatch(/undefined|declined|WalletConnect/);
    else expect(text).toContain(sentence);
    expect(await page.locator('#wallet-connect').isHidden()).toBe(true);
    expect(new URL(page.url()).pathname).toBe('/login');
    await until('the wallet has no connection left', () => Promise.resolve(phone.sessions === 0));
    phone.behaviour = 'approves';
    await connect(page);
    await page.waitForURL('**/portal/communities');
    expect(visitor.complaints).toEqual([]);
  });

  it('T365: WalletConnect: is waited for no longer than its user wants, or three minutes', async () => {
    const visitor = await pages.visitor();
    const { page } = visitor;
    await page.clock.install();
    await page.goto('/login');
    await page.clock.runFor(2_000);
    await choose(page);
    const first = await readCode(page);
    await page.clock.runFor(11_000);
    await page.getByText('Scan the code with the wallet on your phone and approve').waitFor();
    await page.getByRole('button', { name: 'Choose another wallet' }).click();
    await page.getByText('You stopped waiting. Nothing was signed here.').waitFor();
    expect(await page.locator('#wallet-connect').isHidden()).toBe(true);

    phone.behaviour = 'never answers';
    await choose(page);
    const second = await readCode(page);
    expect(second).not.toBe(first);
    await phone.scan(second);
    await page.clock.runFor(181_000);
    await page.getByText('No wallet answered within 3 minutes.').waitFor();

    phone.behaviour = 'approves';
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/communities');
    expect(visitor.complaints).toEqual([]);
  });

  const UNREACHABLE = 'The relay between this page and your phone cannot be reached.';

  it('T366: WalletConnect: says so where the relay refuses the project of the deployment', async () => {
    const visitor = await pages.visitor();
    const { page } = visitor;
    relay.projectId = '0'.repeat(32);
    await page.goto('/login');
    await choose(page);
    await page.getByText(UNREACHABLE).waitFor();
    expect(relay.refusals).toEqual(['Project not found']);
    relay.projectId = PROJECT_ID;
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/communities');
    expect(visitor.complaints).toEqual([]);
  });

  it('T366: WalletConnect: says so where the relay is silent, or its library cannot be loaded', async () => {
    const visitor = await pages.visitor();
    const { page } = visitor;
    await page.route(`**/${VENDOR_MODULE}`, (route) => route.abort(), { times: 1 });
    await page.routeWebSocket(/^ws:/, () => undefined);
    await page.clock.install();
    await page.goto('/login');
    await choose(page);
    await page.getByText(UNREACHABLE).waitFor();
    await choose(page);
    await page.getByText('Waiting for WalletConnect …').waitFor();
    await page.clock.runFor(16_000);
    await page.getByText(UNREACHABLE).waitFor();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL('**/portal/communities');
    expect(visitor.complaints).toEqual([]);
  });

  it('WalletConnect: links a second wallet in the portal', async () => {
    phone.behaviour = 'approves';
    const { page, complaints } = await pages.member();
    await page.goto('/portal/wallets');
    await connect(page);
    await page.locator('.items > li:nth-child(2)').waitFor();
    expect(phone.requests.at(-1)?.text).toContain('Link this wallet to the account ');
    expect(complaints).toEqual([]);
  });

  it('WalletConnect: links the wallet of a chat user', async () => {
    phone.behaviour = 'approves';
    const user = await ChatUser.create(pages);
    const { page, complaints } = await pages.visitor({ none: true });
    await page.goto(await user.newPage());
    await connect(page);
    await page.getByText('The wallet is linked.').waitFor();
    expect(await user.countWallets()).toBe(1);
    expect(phone.requests.at(-1)?.text).toContain('asks you to link a wallet to a user of chat.');
    expect(complaints).toEqual([]);
  });

  it('WalletConnect: opens a wallet on the phone that shows the page', async () => {
    const { page, context } = await pages.visitor({ none: true });
    const cdp = await context.newCDPSession(page);
    const size = { width: 390, height: 844, deviceScaleFactor: 1, mobile: true };
    await cdp.send('Emulation.setDeviceMetricsOverride', size);
    await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    await page.goto('/login');
    await page.getByText('You are on a phone. Open this page in the browser').waitFor();
    await choose(page);
    const uri = await readCode(page);
    const link = page.getByRole('link', { name: 'Open a wallet on this phone' });
    expect(await link.getAttribute('href')).toBe(uri);
  });
});

import pg from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { LocalChain } from '../support/local-chain.js';
import { runningSuite, type RunningSuite, type SuiteOptions } from '../support/running-suite.js';
import { startChromium } from './chromium.js';
import { installWallet, type TestWallet, type WalletOptions } from './test-wallet.js';

export interface Visitor {
  context: BrowserContext;
  page: Page;
  wallet: TestWallet;
  /** What the browser complained about: scripts that failed, and what the pages' own policy kept from happening. */
  complaints: string[];
}

export interface PagesUnderTest {
  suite: RunningSuite;
  /** Somebody with a browser and a wallet of their own. */
  visitor: (options?: WalletOptions) => Promise<Visitor>;
  /** The same, signed in at the portal. */
  member: (options?: WalletOptions) => Promise<Visitor>;
  /** A statement in identity's own database. */
  inDatabase: (sql: string) => Promise<void>;
  stop: () => Promise<void>;
}

const PATIENCE_MS = 10_000;

export interface PagesOptions extends Omit<SuiteOptions, 'rpcUrls' | 'env'> {
  /** More configuration, also such as names the chain. */
  env?: Record<string, string> | ((chain: LocalChain) => Record<string, string>);
}

/** The suite behind its gateway, a chain, and a real browser in front. */
export async function pagesUnderTest(options: PagesOptions = {}): Promise<PagesUnderTest> {
  const chain = await LocalChain.start();
  const rpcUrls = { [chain.chainId]: chain.rpcUrl };
  const more = typeof options.env === 'function' ? options.env(chain) : options.env;
  // One address stands for many people here.
  const env = { ADDRESS_REQUESTS_PER_SECOND: '1000', ...more };
  const suite = await orStop(runningSuite({ without: ['token-gating'], ...options, rpcUrls, env }), chain);
  const browser: Browser = await orStop(startChromium(), suite, chain);
  const visitor: PagesUnderTest['visitor'] = async (walletOptions) => {
    const context = await browser.newContext({ baseURL: suite.gatewayUrl });
    const wallet = await installWallet(context, walletOptions);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (entry) => {
      if (/content security policy/i.test(entry.text())) complaints.push(entry.text());
    });
    return { context, page, wallet, complaints };
  };
  return {
    suite,
    visitor,
    member: async (walletOptions) => {
      const one = await visitor(walletOptions);
      await signIn(one.page);
      return one;
    },
    inDatabase: async (sql) => {
      const client = new pg.Client({ connectionString: suite.databaseUrl });
      await client.connect();
      await client.query(sql);
      await client.end();
    },
    stop: async () => {
      await browser.close();
      await suite.stop();
      await chain.stop();
    },
  };
}

/** What does not start leaves nothing behind of what did. */
async function orStop<T>(starting: Promise<T>, ...started: { stop: () => Promise<unknown> }[]): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    for (const one of started) await one.stop();
    throw error;
  }
}

/** Signs in at the portal with the wallet of the page. */
export async function signIn(page: Page): Promise<void> {
  await page.goto('/login');
  await page.getByRole('button', { name: 'Test Wallet' }).click();
  await page.waitForURL('**/portal');
}

/** What the session's cookie holds. */
export async function sessionOf({ context }: Visitor): Promise<string | undefined> {
  const cookies = await context.cookies();
  return cookies.find(({ name }) => name === 'gatehouse_session')?.value;
}

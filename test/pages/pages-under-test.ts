import pg from 'pg';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { lease } from '../support/lease.js';
import { LocalChain } from '../support/local-chain.js';
import { pathOf } from '../support/needs.js';
import { runningSuite, type RunningSuite, type SuiteOptions } from '../support/running-suite.js';
import { startChromium } from './chromium.js';
import { installWallet, type TestWallet, type WalletOptions } from './test-wallet.js';

export interface Visitor {
  context: BrowserContext;
  page: Page;
  wallet: TestWallet;
  /** Script errors and violations of the content security policy. */
  complaints: string[];
}

export interface PagesUnderTest {
  suite: RunningSuite;
  chain: LocalChain;
  /** Opens a new browser context with a wallet. */
  visitor: (options?: WalletOptions) => Promise<Visitor>;
  /** Opens a new browser context as `visitor` does, signed in to the portal. */
  member: (options?: WalletOptions) => Promise<Visitor>;
  /** Runs a statement in identity's database. */
  inDatabase: (sql: string) => Promise<void>;
  closeVisitors: () => Promise<void>;
  stop: () => Promise<void>;
}

/** A bound against hanging, not a measurement. */
const PAGE_TIMEOUT_MS = 30_000;

export interface PagesOptions extends Omit<SuiteOptions, 'rpcUrls' | 'env'> {
  /** Environment variables that are added, which may depend on the chain. */
  env?:
    | Record<string, string>
    | ((chain: LocalChain) => Record<string, string> | Promise<Record<string, string>>);
}

/** The wallet of an operator of leased pages. */
export const OPERATOR_KEY = generatePrivateKey();

const OPERATOR = { OPERATOR_ACCOUNTS: `eip155:31337:${privateKeyToAddress(OPERATOR_KEY)}` };

/** The pages that test files share; `stop` closes the browser contexts of one file. */
export const leasePages = (): Promise<PagesUnderTest> => leaseBrowser({ env: OPERATOR });

/** The pages with every app that they ask, for the test files that need those. */
export const leaseWholePages = (): Promise<PagesUnderTest> =>
  leaseBrowser({ without: [], with: ['analytics', 'account-kit'], env: OPERATOR });

/** The host of the login pages of `leaseLoginHostPages`, another one than that of the API. Browsers have passkeys there without https. */
export const LOGIN_HOST = 'localhost';

/** The pages at a login host of their own. */
export const leaseLoginHostPages = (): Promise<PagesUnderTest> =>
  leaseBrowser({ loginHost: LOGIN_HOST, env: OPERATOR });

async function leaseBrowser(options: PagesOptions): Promise<PagesUnderTest> {
  // A browser that an earlier file has started is no reason to need none.
  pathOf('chromium');
  const pages = await lease('pages', options, pagesUnderTest);
  return { ...pages, stop: () => pages.closeVisitors() };
}

/** Starts the suite behind its gateway, a chain and a real browser. */
export async function pagesUnderTest(options: PagesOptions = {}): Promise<PagesUnderTest> {
  const chain = await LocalChain.start();
  const rpcUrls = { [chain.chainId]: chain.rpcUrl };
  const more = typeof options.env === 'function' ? await options.env(chain) : options.env;
  // All users of the test share one address.
  const env = { ADDRESS_REQUESTS_PER_SECOND: '1000', ...more };
  const suite = await orStop(runningSuite({ without: ['token-gating'], ...options, rpcUrls, env }), chain);
  const browser: Browser = await orStop(startChromium(), suite, chain);
  const visitor: PagesUnderTest['visitor'] = async (walletOptions) => {
    const context = await browser.newContext({ baseURL: suite.gatewayUrl });
    const wallet = await installWallet(context, walletOptions);
    const page = await context.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (entry) => {
      if (/content security policy/i.test(entry.text())) complaints.push(entry.text());
    });
    return { context, page, wallet, complaints };
  };
  return {
    suite,
    chain,
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
    closeVisitors: async () => {
      for (const context of browser.contexts()) await context.close();
    },
    stop: async () => {
      await browser.close();
      await suite.stop();
      await chain.stop();
    },
  };
}

/** Stops everything that has started if the start fails. */
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
  await page.waitForURL('**/portal/communities');
}

/** The value of the session cookie. */
export async function sessionOf({ context }: Visitor): Promise<string | undefined> {
  const cookies = await context.cookies();
  return cookies.find(({ name }) => name === 'gatehouse_session')?.value;
}

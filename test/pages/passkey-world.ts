import type { Page } from 'playwright-core';
import { LOGIN_HOST, type PagesUnderTest, type Visitor } from './pages-under-test.js';
import {
  type AuthenticatorOptions,
  VirtualAuthenticator,
  type VirtualCredential,
} from './virtual-authenticator.js';

/** A user with a passkey, in the session that added it. */
export interface PasskeyOwner extends Visitor {
  userId: string;
  authenticator: VirtualAuthenticator;
  credential: VirtualCredential;
}

export interface Guest extends Visitor {
  authenticator: VirtualAuthenticator;
  choosePasskey: () => Promise<void>;
  /** Waits until the login with a passkey has failed. @returns what the page says */
  problem: () => Promise<string>;
  /** Chooses the passkey, and waits until it has signed in. @returns the user's id */
  signIn: () => Promise<string>;
}

export interface GuestOptions extends AuthenticatorOptions {
  /** Whether the browser suggests passkeys: an authenticator that confirms then signs in without a click. */
  suggests?: boolean;
}

const NO_SUGGESTIONS = 'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)';

export const userIdOf = async (page: Page): Promise<string> =>
  (await page.locator('.account').getAttribute('data-user')) ?? '';

export const pathOf = ({ page }: Visitor): string => new URL(page.url()).pathname;

/** The suite with login pages at `localhost`, where browsers have passkeys without https. */
export class PasskeyWorld {
  /** The origin of the login pages. */
  readonly origin: string;

  constructor(readonly pages: PagesUnderTest) {
    this.origin = pages.suite.gatewayUrl.replace('127.0.0.1', LOGIN_HOST);
  }

  stop(): Promise<void> {
    return this.pages.stop();
  }

  async logInByWallet({ page }: Visitor, to = '/portal'): Promise<void> {
    await page.goto(`${this.origin}/login?again=yes&${new URLSearchParams({ to }).toString()}`);
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.waitForURL(/\/portal/);
  }

  async owner(): Promise<PasskeyOwner> {
    const visitor = await this.pages.visitor();
    const { page } = visitor;
    await this.logInByWallet(visitor, '/portal/passkeys');
    const authenticator = await VirtualAuthenticator.install(page);
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('heading', { name: 'Passkey on Linux', exact: true }).waitFor();
    const [credential] = await authenticator.credentials();
    if (!credential) throw new Error('The authenticator has no passkey');
    return { ...visitor, userId: await userIdOf(page), authenticator, credential };
  }

  /** A browser without a wallet, at the login page. */
  async guest({ suggests = false, ...options }: GuestOptions): Promise<Guest> {
    const visitor = await this.pages.visitor({ none: true });
    const { page } = visitor;
    if (!suggests) await page.addInitScript({ content: NO_SUGGESTIONS });
    const authenticator = await VirtualAuthenticator.install(page, options);
    await page.goto(`${this.origin}/login`);
    const choosePasskey = () => page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    return {
      ...visitor,
      authenticator,
      choosePasskey,
      problem: async () => {
        await page.locator('#passkey-status[data-kind=failed]').waitFor();
        return page.locator('#passkey-status').innerText();
      },
      signIn: async () => {
        await choosePasskey();
        await page.waitForURL('**/portal/communities');
        return userIdOf(page);
      },
    };
  }
}

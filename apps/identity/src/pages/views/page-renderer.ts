import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Eta } from 'eta';
import { OperatorsService } from '../../operators/operators.service.js';
import { AssetStore } from '../assets/assets.controller.js';
import type { PageSession } from '../sessions/page-session.decorator.js';
import { PageScriptRegistry } from './page-script-registry.js';
import type { PageViews } from './page-views.js';
import { type SecurityHeaderOptions, setSecurityHeaders } from '../sessions/security-headers.js';
import { APPLICATIONS_PATH, HOME_PATH, MEMBERSHIPS_PATH } from '../sessions/login-path.js';
import { WalletConnectService } from '../wallet-links/wallet-connect.service.js';
import { shortenAccount } from '../../users/wallets/wallet.js';

/** `<%= %>` escapes its output. Templates must use `<%~ %>` for other templates only, which page-renderer.spec.ts checks. */
const eta = new Eta({ views: import.meta.dirname, cache: true, autoTrim: false });

export const renderTemplate = (name: string, data: object): string => eta.render(`./${name}`, data);

type PortalSection =
  | 'applications'
  | 'usage'
  | 'communities'
  | 'memberships'
  | 'connections'
  | 'claims'
  | 'verifiable-credentials'
  | 'wallets'
  | 'profile'
  | 'passkeys'
  | 'search'
  | 'approvals'
  | 'plans'
  | 'audit'
  | 'account-policies'
  | 'freezes'
  | 'suspensions'
  | 'test-wallet';

interface NavigationItem {
  readonly href: string;
  readonly section: PortalSection;
  readonly text: string;
}

/** Links of one kind. The first group has what most users come for, and no label that is seen. */
const NAVIGATION_GROUPS = [
  {
    label: 'Communities',
    items: [
      { href: HOME_PATH, section: 'communities', text: 'Communities' },
      { href: MEMBERSHIPS_PATH, section: 'memberships', text: 'My memberships' },
    ],
  },
  {
    label: 'Account',
    items: [
      { href: '/portal/wallets', section: 'wallets', text: 'Wallets' },
      { href: '/portal/profile', section: 'profile', text: 'Profile' },
      { href: '/portal/passkeys', section: 'passkeys', text: 'Passkeys' },
      { href: '/portal/connections', section: 'connections', text: 'Connections' },
      { href: '/portal/claims', section: 'claims', text: 'Asset claims' },
      {
        href: '/portal/verifiable-credentials',
        section: 'verifiable-credentials',
        text: 'Verifiable credentials',
      },
    ],
  },
  {
    label: 'Developers',
    items: [
      { href: APPLICATIONS_PATH, section: 'applications', text: 'Applications' },
      { href: `${APPLICATIONS_PATH}#usage`, section: 'usage', text: 'Usage' },
    ],
  },
  {
    label: 'Operators',
    items: [
      { href: '/portal/search', section: 'search', text: 'Search' },
      { href: '/portal/approvals', section: 'approvals', text: 'Approvals' },
      { href: '/portal/plans', section: 'plans', text: 'Plans' },
      { href: '/portal/account-policies', section: 'account-policies', text: 'Account policies' },
      { href: '/portal/freezes', section: 'freezes', text: 'Freezes' },
      { href: '/portal/suspensions', section: 'suspensions', text: 'Suspensions' },
      { href: '/portal/audit', section: 'audit', text: 'Audit log' },
    ],
  },
] as const satisfies readonly { readonly label: string; readonly items: readonly NavigationItem[] }[];

type NavigationGroup = (typeof NAVIGATION_GROUPS)[number]['label'];

/**
 * A refused form may be stored by its browser, which shows it again when the user goes back: browsers show an error of their own instead
 * of a form's answer that they may not store. A logout clears it (`Clear-Site-Data`).
 */
const REFUSED_FORM_CACHE_CONTROL = 'private, no-cache';

interface PageOptions extends Omit<SecurityHeaderOptions, 'relayOrigin'> {
  title: string;
  /** The heading of the page, where it is not the title of the window. */
  heading?: string;
  /** Absent after an error before the session was loaded. Such a page contains no form. */
  session?: PageSession;
  status?: number;
  /** The active section of the portal's navigation. */
  section?: PortalSection;
  /** Uses the width of the window, for charts. */
  isWide?: true;
  /** Uses the width of the portal outside of it. */
  isIntroduction?: true;
  /** Answers a form with what its user has to confirm, so that going back to the page must work as to a refused form. */
  isStep?: true;
  /** A module of `browser/`, without its extension. */
  script?: string;
  /** Where somebody who signs out here goes on after signing in again: a page to which its user came for that page. */
  signInTo?: string;
  /** The URL of an immediate meta refresh. */
  refreshTo?: string;
  /** Includes the choice of a wallet (`wallet-picker.eta`). */
  asksWallet?: true;
}

/** Renders pages from templates and sends them with their security headers. */
@Injectable()
export class PageRenderer {
  private readonly accountNames = new Map<string, string>();
  private readonly added: { readonly group: NavigationGroup; readonly item: NavigationItem }[] = [];

  constructor(
    private readonly assets: AssetStore,
    private readonly scripts: PageScriptRegistry,
    private readonly operators: OperatorsService,
    private readonly walletConnect: WalletConnectService,
  ) {}

  /** Names accounts of the test wallet, so that its users see which of them they are. @param accounts addresses by name */
  nameAccounts(accounts: Readonly<Record<string, string>>): void {
    for (const [name, address] of Object.entries(accounts))
      this.accountNames.set(address.toLowerCase(), name);
  }

  /** The name of the test wallet's account with which a user has signed in. */
  findAccountName(account: string | null): string | undefined {
    return this.accountNames.get(account?.split(':').at(-1)?.toLowerCase() ?? '');
  }

  /** Adds a page of an optional module, behind the others of its group. */
  addNavigation(group: NavigationGroup, item: NavigationItem): void {
    this.added.push({ group, item });
  }

  send<K extends keyof PageViews>(
    response: Response,
    view: K,
    data: PageViews[K],
    options: PageOptions,
  ): void {
    const walletConnect = options.asksWallet && this.walletConnect.view;
    setSecurityHeaders(response, { ...options, relayOrigin: walletConnect?.relayUrl });
    const { status = 200 } = options;
    if (options.isStep || (status >= 400 && response.req.method === 'POST'))
      response.setHeader('Cache-Control', REFUSED_FORM_CACHE_CONTROL);
    const page = renderTemplate(view, {
      ...data,
      frame: { ...this.createFrame(options), walletConnect },
    });
    response.status(status).type('html').end(page);
  }

  /** The links to the pages that a user may open. */
  private listNavigation(userId: string): { label: string; items: NavigationItem[] }[] {
    const isOperator = this.operators.isOperator(userId);
    return NAVIGATION_GROUPS.filter(({ label }) => label !== 'Operators' || isOperator).map(
      ({ label, items }) => ({
        label,
        items: [...items, ...this.added.flatMap(({ group, item }) => (group === label ? [item] : []))],
      }),
    );
  }

  /** Which account of the test wallet this is, and another one that a second person could be. */
  private describeTestAccount(account: string | null): object {
    const testAccount = this.findAccountName(account);
    const otherTestAccount = [...this.accountNames.values()].find((name) => name !== testAccount);
    return { testAccount, otherTestAccount };
  }

  /** The data of the layout. */
  private createFrame(options: PageOptions): object {
    const { title, heading = title, script, section, refreshTo, signInTo, session } = options;
    const { isWide, isIntroduction } = options;
    const { user, csrf, notice } = session ?? {};
    const userData = user && {
      account: user.account === null ? 'Signed in with a passkey' : shortenAccount(user.account),
      accountId: user.account ?? user.userId,
      userId: user.userId,
      ...this.describeTestAccount(user.account),
      name: user.shownName,
      navigation: this.listNavigation(user.userId),
    };
    const scripts = listModules(script).flatMap((name) => this.scripts.listPaths(name));
    const formToken = randomBytes(32).toString('base64url');
    const bodyClass = isWide ? 'wide' : section || isIntroduction ? '' : 'narrow';
    const { path } = this.assets;
    const testAccounts = [...this.accountNames.values()];
    const shown = { title, heading, bodyClass, scripts, section, refreshTo, signInTo, notice, testAccounts };
    return { formToken, ...shown, csrf, home: user ? HOME_PATH : '/', assets: path, ...userData };
  }
}

/** Every page except the login loads `saved-forms`, which restores or deletes a form saved before the login. */
const listModules = (script: string | undefined): string[] => {
  if (script === undefined) return ['saved-forms'];
  return script === 'login' ? [script] : ['saved-forms', script];
};

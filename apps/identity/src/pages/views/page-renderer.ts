import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { OperatorsService } from '../../applications/operators/operators.service.js';
import { AssetStore } from '../assets/asset-store.js';
import type { PageSession } from '../sessions/page-session.js';
import { PageScriptRegistry } from './page-script-registry.js';
import type { PageViews } from './page-views.js';
import { type SecurityHeaderOptions, setSecurityHeaders } from '../sessions/security-headers.js';
import { shortenAccount } from './format-values.js';
import { renderTemplate } from './templates.js';

export type PortalSection = 'applications' | 'connections' | 'approvals' | 'plans' | 'audit';

const NAVIGATION_ITEMS: readonly {
  href: string;
  section: PortalSection;
  text: string;
  forOperators?: true;
}[] = [
  { href: '/portal', section: 'applications', text: 'Applications' },
  { href: '/portal/connections', section: 'connections', text: 'Connected' },
  { href: '/portal/approvals', section: 'approvals', text: 'Approvals', forOperators: true },
  { href: '/portal/plans', section: 'plans', text: 'Plans', forOperators: true },
  { href: '/portal/audit', section: 'audit', text: 'Record', forOperators: true },
];

export interface PageOptions extends SecurityHeaderOptions {
  title: string;
  /** Absent where it could not be found out: such a page holds no form. */
  session?: PageSession;
  status?: number;
  /** Of the portal. */
  section?: PortalSection;
  /** A module of `browser/`, without its ending. */
  script?: string;
  /** Where the browser goes at once, by itself. */
  refreshTo?: string;
}

/** Answers with a page. */
@Injectable()
export class PageRenderer {
  constructor(
    private readonly assets: AssetStore,
    private readonly scripts: PageScriptRegistry,
    private readonly operators: OperatorsService,
  ) {}

  send<K extends keyof PageViews>(
    response: Response,
    view: K,
    data: PageViews[K],
    options: PageOptions,
  ): void {
    setSecurityHeaders(response, options);
    const page = renderTemplate(view, { ...data, frame: this.frame(options) });
    response
      .status(options.status ?? 200)
      .type('html')
      .end(page);
  }

  /** What stands around every page. */
  private frame({ title, script, section, refreshTo, session }: PageOptions): object {
    const { user, csrf } = session ?? {};
    const who = user && {
      account: shortenAccount(user.account),
      accountId: user.account,
      places: NAVIGATION_ITEMS.filter(
        ({ forOperators }) => !forOperators || this.operators.isOperator(user.userId),
      ),
    };
    const scripts = listModules(script).flatMap((name) => this.scripts.listPaths(name));
    return { title, scripts, section, leadsTo: refreshTo, csrf, assets: this.assets.path, ...who };
  }
}

/** The login alone lets a form be that was kept until somebody has signed in; every other page takes it, or forgets it. */
const listModules = (script: string | undefined): string[] => {
  if (script === undefined) return ['kept-forms'];
  return script === 'login' ? [script] : ['kept-forms', script];
};

import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Operators } from '../../operators/operators.js';
import { AssetStore } from '../assets/asset-store.js';
import type { Visit } from '../session/visit.js';
import { PageScripts } from './page-scripts.js';
import type { PageViews } from './page-views.js';
import { type PageNeeds, setSecurityHeaders } from './security-headers.js';
import { shortAccount } from './short-account.js';
import { renderTemplate } from './templates.js';

export type Section = 'applications' | 'connections' | 'approvals' | 'plans' | 'audit';

const PLACES: readonly { href: string; section: Section; text: string; forOperators?: true }[] = [
  { href: '/portal', section: 'applications', text: 'Applications' },
  { href: '/portal/connections', section: 'connections', text: 'Connected' },
  { href: '/portal/approvals', section: 'approvals', text: 'Approvals', forOperators: true },
  { href: '/portal/plans', section: 'plans', text: 'Plans', forOperators: true },
  { href: '/portal/audit', section: 'audit', text: 'Record', forOperators: true },
];

export interface PageOptions extends PageNeeds {
  title: string;
  /** Absent where it could not be found out: such a page holds no form. */
  visit?: Visit;
  status?: number;
  /** Of the portal. */
  section?: Section;
  /** A module of `browser/`, without its ending. */
  script?: string;
  /** Where the browser goes at once, by itself. */
  leadsTo?: string;
}

/** Answers with a page. */
@Injectable()
export class PageRenderer {
  constructor(
    private readonly assets: AssetStore,
    private readonly scripts: PageScripts,
    private readonly operators: Operators,
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
  private frame({ title, script, section, leadsTo, visit }: PageOptions): object {
    const { user, csrf } = visit ?? {};
    const who = user && {
      account: shortAccount(user.account),
      accountId: user.account,
      places: PLACES.filter(({ forOperators }) => !forOperators || this.operators.has(user.userId)),
    };
    const scripts = modulesOf(script).flatMap((name) => this.scripts.of(name));
    return { title, scripts, section, leadsTo, csrf, assets: this.assets.path, ...who };
  }
}

/** The login alone lets a form be that was kept until somebody has signed in; every other page takes it, or forgets it. */
const modulesOf = (script: string | undefined): string[] => {
  if (script === undefined) return ['kept-forms'];
  return script === 'login' ? [script] : ['kept-forms', script];
};

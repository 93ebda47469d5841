import { Database } from '@app/database';
import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { PlanUsageService } from '../../applications/plans/plan-usage.service.js';
import { listPasskeys } from '../../passkeys/passkeys.queries.js';
import { findSharedWallets } from '../../users/wallets/wallet-connections.queries.js';
import { shortenAccount } from '../../users/wallets/wallet.js';
import { toPasskeyView } from '../passkeys/passkeys.controller.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { formatDay } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import { toListedApplication } from './application-view.js';
import { toDecisionViews } from './approval-view.js';
import { toUsageView } from './usage-view.js';

@PageController('portal')
export class PortalController {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly usage: PlanUsageService,
    private readonly database: Database,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const { userId } = session.user;
    const [applications, usage, sharedWallets, passkeys] = await Promise.all([
      this.applications.list(userId),
      this.usage.loadUsage(userId),
      findSharedWallets(this.database, userId),
      listPasskeys(this.database, userId),
    ]);
    const view = {
      passkeysToReview: passkeys.filter(({ isNew, isBlocked }) => isNew || isBlocked).map(toPasskeyView),
      sharedWallets: sharedWallets.map(({ id, accountId, since }) => ({
        id,
        accountId,
        account: shortenAccount(accountId),
        since: formatDay(since),
      })),
      decisions: toDecisionViews(applications),
      applications: applications.map(toListedApplication),
      usage: toUsageView(usage, applications),
    };
    this.pages.send(response, 'portal', view, {
      title: 'Your applications',
      session,
      section: 'applications',
    });
  }
}

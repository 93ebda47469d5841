import { RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import { FormBody } from '@app/service';
import { Get, Injectable, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import { shortenAccount } from '../../users/wallets/wallet.js';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { formatDay } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { AssetClaimView } from '../views/page-views.js';

@Injectable()
export class AssetClaimsService {
  constructor(private readonly tokenGating: TokenGatingClient) {}

  /** The valid claims of a user, the newest first. @throws AppError 503 */
  async list(userId: string): Promise<AssetClaimView[]> {
    const { claims } = await this.tokenGating.listAssetClaims({ userId }).catch(rethrowAsUnavailable);
    return claims.map(({ createdTime, expiresTime, ...claim }) => ({
      ...claim,
      accountId: claim.account,
      account: shortenAccount(claim.account),
      created: formatDay(new Date(createdTime)),
      expires: formatDay(new Date(expiresTime)),
    }));
  }

  /** Does nothing where the user has no such claim, or, by a second click, none any more. @throws AppError 503 */
  async revoke(userId: string, id: string): Promise<void> {
    await this.tokenGating.revokeAssetClaim({ userId, id }).catch(rethrowAsUnavailable);
  }
}

function rethrowAsUnavailable(cause: unknown): never {
  throw serviceUnavailable(
    'asset_claims_unavailable',
    'Your asset claims cannot be loaded at the moment. Try again in a few seconds.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );
}

const PATH = 'portal/claims';
const PAGE = { title: 'Asset claims', section: 'claims' } as const;

/** The asset claims of the user, which token-gating keeps. */
@PageController(PATH)
export class AssetClaimsController {
  constructor(
    private readonly claims: AssetClaimsService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const claims = await this.claims.list(session.user.userId);
    this.pages.send(response, 'asset-claims', { claims }, { ...PAGE, session });
  }

  @Post(':claimId/revoke')
  @FormBody()
  async revoke(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('claimId') claimId: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.claims.revoke(session.user.userId, claimId);
    response.redirect(303, `/${PATH}`);
  }
}

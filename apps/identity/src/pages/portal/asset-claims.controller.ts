import { notFound } from '@app/common';
import { FormBody } from '@app/service';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { AssetClaimsService } from './asset-claims.service.js';

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
    if (!(await this.claims.revoke(session.user.userId, claimId)))
      throw notFound('asset_claim_not_found', 'This claim does not exist, or is no longer valid.');
    response.redirect(303, `/${PATH}`);
  }
}

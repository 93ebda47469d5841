import { notFound, RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import { FormBody } from '@app/service';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import { shortenAccount } from '../../users/wallets/wallet.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { formatDay } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { CredentialView } from '../views/page-views.js';

const PATH = 'portal/verifiable-credentials';
const PAGE = { title: 'Verifiable credentials', section: 'verifiable-credentials' } as const;

/** The verifiable credentials of the user, which token-gating keeps. */
@PageController(PATH)
export class VerifiableCredentialsController {
  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const { userId } = session.user;
    const found = await this.tokenGating.listCredentials({ userId }).catch(rethrowAsUnavailable);
    const credentials = found.credentials.map(
      ({ createdTime, expiresTime, ...credential }): CredentialView => ({
        ...credential,
        accountId: credential.account,
        account: credential.account && shortenAccount(credential.account),
        created: formatDay(new Date(createdTime)),
        expires: formatDay(new Date(expiresTime)),
      }),
    );
    this.pages.send(response, 'verifiable-credentials', { credentials }, { ...PAGE, session });
  }

  @Post(':credentialId/revoke')
  @FormBody()
  async revoke(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('credentialId') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const request = { userId: session.user.userId, id };
    const { isRevoked } = await this.tokenGating.revokeCredential(request).catch(rethrowAsUnavailable);
    if (!isRevoked) throw notFound('credential_not_found', 'This credential does not exist, or has expired.');
    response.redirect(303, `/${PATH}`);
  }
}

function rethrowAsUnavailable(cause: unknown): never {
  throw serviceUnavailable(
    'credentials_unavailable',
    'Your verifiable credentials cannot be loaded at the moment. Try again in a few seconds.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );
}

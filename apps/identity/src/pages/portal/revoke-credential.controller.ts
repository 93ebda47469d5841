import { AppError } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { UserCredentialService } from '../../ethereum-login/credentials/user-credential.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { RevokeCredentialView } from '../views/page-views.js';

/** Users may paste the whole header, with its name and scheme. */
const HEADER_PREFIX = /^(?:Authorization:)?(?:Ethereum(?=[\w-]+\.0x))?/i;

export const credentialForm = z.object({
  credential: z
    .string()
    .max(16_384)
    .transform((text) => text.replaceAll(/\s+/g, '').replace(HEADER_PREFIX, '')),
});
type CredentialForm = z.output<typeof credentialForm>;

/** Revocation of an Ethereum credential by its text. */
@PageController('portal/credentials')
export class RevokeCredentialController {
  constructor(
    private readonly credentials: UserCredentialService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  show(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): void {
    this.send(response, session, {});
  }

  @Get('revoked')
  showRevoked(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): void {
    this.send(response, session, { isRevoked: true });
  }

  @Post()
  @FormBody()
  async revoke(
    @CurrentSignedInSession() session: SignedInSession,
    @Body({ schema: credentialForm }) { credential }: CredentialForm,
    @Res() response: Response,
  ): Promise<void> {
    try {
      await this.credentials.revoke(session.user.userId, credential);
      response.redirect(303, '/portal/credentials/revoked');
    } catch (error) {
      if (!(error instanceof AppError) || error.statusCode !== 404) throw error;
      this.send(response, session, { problem: error.message }, 422);
    }
  }

  private send(response: Response, session: SignedInSession, view: RevokeCredentialView, status = 200): void {
    const title = 'Revoke credential';
    this.pages.send(response, 'revoke-credential', view, {
      title,
      session,
      status,
      section: 'connections',
    });
  }
}

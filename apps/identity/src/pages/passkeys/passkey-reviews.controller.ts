import { FormBody } from '@app/service';
import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { MAX_PASSKEYS_PER_USER } from '../../passkeys/passkey.errors.js';
import { PasskeyReviewsService } from '../../passkeys/passkey-reviews.service.js';
import { PageController } from '../page-controller.decorator.js';
import { HOME_PATH, isReviewReturnPath, PASSKEY_REVIEW_PATH } from '../sessions/login-path.js';
import { CurrentWalletSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { toPasskeyView } from './passkey-view.js';

const returnPath = z.string().refine(isReviewReturnPath).default(HOME_PATH).catch(HOME_PATH);

const reviewQuery = z.object({ to: returnPath });
type ReviewQuery = z.output<typeof reviewQuery>;

const keptPasskeys = z.object({
  to: returnPath,
  ids: z
    .string()
    .transform((text) => text.split(' '))
    .pipe(z.array(z.string().max(64)).max(MAX_PASSKEYS_PER_USER)),
});
type KeptPasskeys = z.output<typeof keptPasskeys>;

/** The page that a login with the wallet shows before any other while passkeys wait for the judgement of their user. */
@PageController(PASSKEY_REVIEW_PATH.slice(1))
export class PasskeyReviewsController {
  constructor(
    private readonly reviews: PasskeyReviewsService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(
    @CurrentWalletSession() session: SignedInSession,
    @Query({ schema: reviewQuery }) { to }: ReviewQuery,
    @Res() response: Response,
  ): Promise<void> {
    const passkeys = await this.reviews.list(session.user);
    if (passkeys.length === 0) {
      response.redirect(303, to);
      return;
    }
    const view = { to, ids: passkeys.map(({ id }) => id).join(' '), passkeys: passkeys.map(toPasskeyView) };
    this.pages.send(response, 'passkey-reviews', view, { title: 'Are these passkeys yours?', session });
  }

  @Post('keep')
  @FormBody()
  async keep(
    @CurrentWalletSession() { user }: SignedInSession,
    @Body({ schema: keptPasskeys }) { to, ids }: KeptPasskeys,
    @Res() response: Response,
  ): Promise<void> {
    await this.reviews.keep(user, ids);
    response.redirect(303, to);
  }

  @Post('remove')
  @FormBody()
  async removeAll(
    @CurrentWalletSession() session: SignedInSession,
    @Body({ schema: reviewQuery }) { to }: ReviewQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.reviews.removeAll(session);
    response.redirect(303, to);
  }
}

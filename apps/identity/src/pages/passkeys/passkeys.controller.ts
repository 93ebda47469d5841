import { FormBody } from '@app/service';
import { Body, Get, HttpCode, Param, Post, Res, Query } from '@nestjs/common';
import type { Response } from 'express';
import {
  type NewPasskey,
  newPasskey,
  passkeyChange,
  type PasskeyParams,
  passkeyParams,
} from '../../passkeys/passkey.dto.js';
import { endOnce } from '../communities/repeatable.js';
import { PasskeysService } from '../../passkeys/passkeys.service.js';
import { PageController, ScriptController } from '../page-controller.decorator.js';
import {
  CurrentSession,
  CurrentSignedInSession,
  CurrentWalletSession,
  type PageSession,
  requireScriptUser,
  type SignedInSession,
} from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { Passkey } from '../../passkeys/passkeys.queries.js';
import { formatDay } from '../views/format-values.js';
import type { PasskeyView } from '../views/page-views.js';
import { z } from 'zod';
import { MAX_PASSKEYS_PER_USER } from '../../passkeys/passkey.errors.js';
import { PasskeyReviewsService } from '../../passkeys/passkey-reviews.service.js';
import { HOME_PATH, isReviewReturnPath, PASSKEY_REVIEW_PATH } from '../sessions/login-path.js';

export const toPasskeyView = ({
  id,
  name,
  createdAt,
  isBackedUp,
  isNew,
  isBlocked,
}: Passkey): PasskeyView => ({
  id,
  name,
  isBackedUp,
  isNew,
  isBlocked,
  added: formatDay(createdAt),
});

const PATH = 'portal/passkeys';
const PAGE = { title: 'Passkeys', section: 'passkeys' } as const;

/** The user's passkeys. */
@PageController(PATH)
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const { user } = session;
    const passkeys = await this.passkeys.list(user.userId);
    const view = {
      isAvailable: this.passkeys.isAvailable,
      isLoginFresh: this.passkeys.isLoginFresh(user),
      passkeys: passkeys.map(toPasskeyView),
    };
    this.pages.send(response, 'passkeys', view, { ...PAGE, session, script: 'passkeys' });
  }

  @Post(':id/rename')
  @FormBody()
  async rename(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: passkeyParams }) { id }: PasskeyParams,
    @Body({ schema: passkeyChange }) { name }: { name: string },
    @Res() response: Response,
  ): Promise<void> {
    await this.passkeys.rename(session.user.userId, id, name);
    response.redirect(303, `/${PATH}`);
  }

  @Post(':id/remove')
  @FormBody()
  async remove(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: passkeyParams }) { id }: PasskeyParams,
    @Res() response: Response,
  ): Promise<void> {
    await endOnce(this.passkeys.remove(session.user.userId, id), 'passkey_not_found');
    response.redirect(303, `/${PATH}`);
  }
}

/** The endpoints of the script that adds a passkey. */
@ScriptController(PATH)
export class PasskeyScriptController {
  constructor(private readonly passkeys: PasskeysService) {}

  @Post('options')
  @HttpCode(200)
  createOptions(@CurrentSession() session: PageSession): Promise<object> {
    return this.passkeys.createOptions(requireScriptUser(session));
  }

  @Post()
  @HttpCode(200)
  async add(
    @CurrentSession() session: PageSession,
    @Body({ schema: newPasskey }) passkey: NewPasskey,
  ): Promise<object> {
    const { id } = await this.passkeys.add(requireScriptUser(session), passkey);
    return { id };
  }
}

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

import { unauthorized } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  type NewPasskey,
  newPasskey,
  passkeyChange,
  type PasskeyParams,
  passkeyParams,
} from '../../passkeys/passkey.dto.js';
import { PasskeysService } from '../../passkeys/passkeys.service.js';
import { PageController, ScriptController } from '../page-controller.decorator.js';
import {
  CurrentSession,
  CurrentSignedInSession,
  CurrentWalletSession,
  type PageSession,
  type SignedInSession,
} from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { toPasskeyView } from './passkey-view.js';

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
    await this.passkeys.remove(session.user.userId, id);
    response.redirect(303, `/${PATH}`);
  }
}

const signInRequired = () =>
  unauthorized('user_required', 'Your session has expired. Reload the page and sign in again.');

/** A script cannot follow a redirect to the login page. */
function requireUser({ user, ...session }: PageSession): SignedInSession {
  if (!user) throw signInRequired();
  return { ...session, user };
}

/** The endpoints of the script that adds a passkey. */
@ScriptController(PATH)
export class PasskeyScriptController {
  constructor(private readonly passkeys: PasskeysService) {}

  @Post('options')
  @HttpCode(200)
  createOptions(@CurrentSession() session: PageSession): Promise<object> {
    return this.passkeys.createOptions(requireUser(session));
  }

  @Post()
  @HttpCode(200)
  async add(
    @CurrentSession() session: PageSession,
    @Body({ schema: newPasskey }) passkey: NewPasskey,
  ): Promise<object> {
    const { id } = await this.passkeys.add(requireUser(session), passkey);
    return { id };
  }
}

import { Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PasskeysService } from '../../passkeys/passkeys.service.js';
import { HOME_PATH } from '../sessions/login-path.js';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type LoginQuery, loginQuery } from './login.dto.js';

@PageController('login')
export class LoginController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  show(
    @CurrentSession() session: PageSession,
    @Query({ schema: loginQuery }) { to = HOME_PATH, again }: LoginQuery,
    @Res() response: Response,
  ): void {
    if (session.user && !again) {
      response.redirect(303, to);
      return;
    }
    // A new login of a signed-in user is asked for where only the wallet suffices.
    const view = { to, offersPasskeys: !again && this.passkeys.isAvailable };
    this.pages.send(response, 'login', view, { title: 'Sign in', session, script: 'login' });
  }
}

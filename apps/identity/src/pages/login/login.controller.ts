import { Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { HOME_PATH } from '../sessions/login-path.js';
import { PageController } from '../page-controller.decorator.js';
import type { PageSession } from '../sessions/page-session.js';
import { CurrentSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type LoginQuery, loginQuery } from './login.dto.js';

@PageController('login')
export class LoginController {
  constructor(private readonly pages: PageRenderer) {}

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
    this.pages.send(response, 'login', { to }, { title: 'Sign in', session, script: 'login' });
  }
}

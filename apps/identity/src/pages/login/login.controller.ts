import { Get, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { HOME } from '../home-path.js';
import { PageController } from '../page-controller.decorator.js';
import type { Visit } from '../session/visit.js';
import { Visited } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type LoginQuery, loginQuery } from './login.dto.js';

@PageController('login')
export class LoginController {
  constructor(private readonly pages: PageRenderer) {}

  @Get()
  show(
    @Visited() visit: Visit,
    @Query({ schema: loginQuery }) { to = HOME, again }: LoginQuery,
    @Res() response: Response,
  ): void {
    if (visit.user && !again) {
      response.redirect(303, to);
      return;
    }
    this.pages.send(response, 'login', { to }, { title: 'Sign in', visit, script: 'login' });
  }
}

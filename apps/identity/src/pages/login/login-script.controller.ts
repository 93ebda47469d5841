import { Body, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ScriptController } from '../page-controller.decorator.js';
import type { PageSession } from '../sessions/page-session.js';
import { CurrentSession } from '../sessions/page-session.decorator.js';
import {
  type WalletChallengeRequest,
  walletChallengeRequest,
  type WalletLoginRequest,
  walletLoginRequest,
} from './login.dto.js';
import { PageLoginService } from './page-login.service.js';

/** The endpoints of the login page's script. */
@ScriptController('login')
export class LoginScriptController {
  constructor(private readonly logins: PageLoginService) {}

  @Post('challenges')
  @HttpCode(200)
  createChallenge(
    @Body({ schema: walletChallengeRequest }) body: WalletChallengeRequest,
  ): Promise<{ requestId: string; message: string }> {
    return this.logins.createChallenge(body);
  }

  @Post('sessions')
  @HttpCode(200)
  async completeLogin(
    @CurrentSession() session: PageSession,
    @Body({ schema: walletLoginRequest }) body: WalletLoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    await this.logins.completeLogin(session, body, request, response);
    return {};
  }
}

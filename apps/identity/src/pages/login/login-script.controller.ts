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

/** What the login page's script asks. */
@ScriptController('login')
export class LoginScriptController {
  constructor(private readonly logins: PageLoginService) {}

  @Post('challenges')
  @HttpCode(200)
  begin(
    @Body({ schema: walletChallengeRequest }) question: WalletChallengeRequest,
  ): Promise<{ requestId: string; message: string }> {
    return this.logins.createChallenge(question);
  }

  @Post('sessions')
  @HttpCode(200)
  async finish(
    @CurrentSession() visit: PageSession,
    @Body({ schema: walletLoginRequest }) signature: WalletLoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    await this.logins.completeLogin(visit, signature, request, response);
    return {};
  }
}

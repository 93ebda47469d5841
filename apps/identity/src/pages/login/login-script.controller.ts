import { Body, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ScriptController } from '../page-controller.decorator.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import {
  type PasskeyLoginRequest,
  passkeyLoginRequest,
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

  @Post('passkey-options')
  @HttpCode(200)
  createPasskeyOptions(@CurrentSession() { sessionId }: PageSession): object {
    return this.logins.createPasskeyOptions(sessionId);
  }

  @Post('passkey-sessions')
  @HttpCode(200)
  async completePasskeyLogin(
    @CurrentSession() session: PageSession,
    @Body({ schema: passkeyLoginRequest }) body: PasskeyLoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    await this.logins.completePasskeyLogin(session, body, request, response);
    return {};
  }

  @Post('sessions')
  @HttpCode(200)
  async completeLogin(
    @CurrentSession() session: PageSession,
    @Body({ schema: walletLoginRequest }) body: WalletLoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.logins.completeLogin(session, body, request, response);
  }
}

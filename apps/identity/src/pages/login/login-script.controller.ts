import { Body, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ScriptController } from '../page-controller.decorator.js';
import type { Visit } from '../session/visit.js';
import { Visited } from '../session/visit.decorator.js';
import { type WalletQuestion, walletQuestion, type WalletSignature, walletSignature } from './login.dto.js';
import { PageLogins } from './page-logins.js';

/** What the login page's script asks. */
@ScriptController('login')
export class LoginScriptController {
  constructor(private readonly logins: PageLogins) {}

  @Post('challenges')
  @HttpCode(200)
  begin(
    @Body({ schema: walletQuestion }) question: WalletQuestion,
  ): Promise<{ requestId: string; message: string }> {
    return this.logins.begin(question);
  }

  @Post('sessions')
  @HttpCode(200)
  async finish(
    @Visited() visit: Visit,
    @Body({ schema: walletSignature }) signature: WalletSignature,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    await this.logins.finish(visit, signature, request, response);
    return {};
  }
}

import { Get, Param, Res, Body, HttpCode, Post } from '@nestjs/common';
import type { Response } from 'express';
import {
  PlatformWalletPageService,
  type PageSignature,
} from '../../platform-wallets/platform-wallet-page.service.js';
import { PageController, ScriptController } from '../page-controller.decorator.js';
import { LinkedRolesService } from './linked-roles.service.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { z } from 'zod';

const walletLinkParams = z.object({ requestId: z.string().min(1).max(64) });
type WalletLinkParams = z.output<typeof walletLinkParams>;

const pageSignature = z.strictObject({
  accountId: z.string().min(1).max(256),
  signature: z.string().min(1).max(8_192),
});

/** The page on which a chat, microblog or codehost user signs for a wallet. It needs no login, and shows no wallet. */
@PageController('wallet-links/:requestId')
export class WalletLinkController {
  constructor(
    private readonly wallets: PlatformWalletPageService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(
    @CurrentSession() session: PageSession,
    @Param({ schema: walletLinkParams }) { requestId }: WalletLinkParams,
    @Res() response: Response,
  ): Promise<void> {
    const request = await this.wallets.find(requestId);
    const communityName = request.community.replace(/ \(\S+\)$/, '');
    this.pages.send(
      response,
      'wallet-link',
      { ...request, communityName },
      {
        title: 'Link a wallet',
        session,
        script: 'wallet-link',
        asksWallet: true,
      },
    );
  }
}

/** The endpoints of the script on the page of a wallet link. */
@ScriptController('wallet-links/:requestId')
export class WalletLinkScriptController {
  constructor(
    private readonly wallets: PlatformWalletPageService,
    private readonly roles: LinkedRolesService,
  ) {}

  @Post('wallets')
  @HttpCode(200)
  async link(
    @Param({ schema: walletLinkParams }) { requestId }: WalletLinkParams,
    @Body({ schema: pageSignature }) signed: PageSignature,
  ): Promise<{ roles?: string[] | undefined }> {
    return { roles: await this.roles.find(await this.wallets.link(requestId, signed)) };
  }

  @Post('removals')
  @HttpCode(200)
  async remove(
    @Param({ schema: walletLinkParams }) { requestId }: WalletLinkParams,
    @Body({ schema: pageSignature }) signed: PageSignature,
  ): Promise<object> {
    await this.wallets.remove(requestId, signed);
    return {};
  }
}

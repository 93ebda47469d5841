import { Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PlatformWalletPageService } from '../../platform-wallets/platform-wallet-page.service.js';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type WalletLinkParams, walletLinkParams } from './wallet-link.dto.js';

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
    this.pages.send(response, 'wallet-link', request, {
      title: 'Link a wallet',
      session,
      script: 'wallet-link',
    });
  }
}

import { Body, HttpCode, Param, Post } from '@nestjs/common';
import {
  type PageSignature,
  PlatformWalletPageService,
} from '../../platform-wallets/platform-wallet-page.service.js';
import { ScriptController } from '../page-controller.decorator.js';
import { pageSignature, type WalletLinkParams, walletLinkParams } from './wallet-link.dto.js';

/** The endpoints of the script on the page of a wallet link. */
@ScriptController('wallet-links/:requestId')
export class WalletLinkScriptController {
  constructor(private readonly wallets: PlatformWalletPageService) {}

  @Post('wallets')
  @HttpCode(200)
  async link(
    @Param({ schema: walletLinkParams }) { requestId }: WalletLinkParams,
    @Body({ schema: pageSignature }) signed: PageSignature,
  ): Promise<object> {
    await this.wallets.link(requestId, signed);
    return {};
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

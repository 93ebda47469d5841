import { Module } from '@nestjs/common';
import { PagesModule } from '../pages.module.js';
import { TestWalletScriptController } from './test-wallet-script.controller.js';
import { TestWalletConfig } from './test-wallet.config.js';
import { TestWalletController } from './test-wallet.controller.js';
import { LocalChainClient } from './local-chain.client.js';

/** A wallet on the login page that needs no extension. Only the local profile has it: `main.ts` says when. */
@Module({
  imports: [PagesModule],
  controllers: [TestWalletController, TestWalletScriptController],
  providers: [TestWalletConfig, LocalChainClient],
})
export class TestWalletModule {}

import { Module } from '@nestjs/common';
import { PagesModule } from '../pages.module.js';
import { TestWalletScriptController } from './test-wallet-script.controller.js';
import { TestWalletConfig } from './test-wallet.config.js';
import { TestWalletController } from './test-wallet.controller.js';
import { LocalChainClient } from './local-chain.client.js';

/** A wallet on the login page that needs no browser extension. `main.ts` loads it in the local profile only. */
@Module({
  imports: [PagesModule],
  controllers: [TestWalletController, TestWalletScriptController],
  providers: [TestWalletConfig, LocalChainClient],
})
export class TestWalletModule {}

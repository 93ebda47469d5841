import { Module } from '@nestjs/common';
import { AppModule } from './app.module.js';
import { PagesModule } from './pages/pages.module.js';
import { TestAccountController } from './pages/test-wallet/test-account.controller.js';
import { BadgesController } from './pages/test-wallet/test-wallet-badges.controller.js';
import { TestWalletConfig } from './pages/test-wallet/test-wallet.config.js';
import {
  LocalChainClient,
  TestWalletController,
  TestWalletScriptController,
} from './pages/test-wallet/test-wallet.controller.js';
import { TokenCommunitiesService } from './pages/test-wallet/token-communities.service.js';

/** The identity app for local development: adds a test wallet for browsers without a wallet extension. */
@Module({
  imports: [AppModule, PagesModule],
  controllers: [BadgesController, TestAccountController, TestWalletController, TestWalletScriptController],
  providers: [TestWalletConfig, LocalChainClient, TokenCommunitiesService],
})
export class LocalAppModule {}

import { Module } from '@nestjs/common';
import { AppModule } from './app.module.js';
import { TestWalletModule } from './pages/test-wallet/test-wallet.module.js';

/** The identity app for local development: adds a test wallet for browsers without a wallet extension. */
@Module({ imports: [AppModule, TestWalletModule] })
export class LocalAppModule {}

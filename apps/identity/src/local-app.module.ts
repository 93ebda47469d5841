import { Module } from '@nestjs/common';
import { AppModule } from './app.module.js';
import { TestWalletModule } from './pages/test-wallet/test-wallet.module.js';

/** Identity on a developer's own machine: what it is everywhere, and a wallet for whoever has none. */
@Module({ imports: [AppModule, TestWalletModule] })
export class LocalAppModule {}

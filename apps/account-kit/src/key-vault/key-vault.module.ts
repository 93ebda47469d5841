import { Module } from '@nestjs/common';
import { ExecutorKeysConfig } from './executor-keys.config.js';
import { KeyVaultConfig } from './key-vault.config.js';
import { PaymasterConfig } from './paymaster.config.js';
import { SignerClient } from './signer-client.js';

@Module({
  providers: [KeyVaultConfig, ExecutorKeysConfig, PaymasterConfig, SignerClient],
  exports: [PaymasterConfig, SignerClient],
})
export class KeyVaultModule {}

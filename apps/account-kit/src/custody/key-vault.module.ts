import { Module } from '@nestjs/common';
import { EvmModule } from '../evm/evm.module.js';
import { ActionAddressesService } from './action-addresses.service.js';
import { ExecutorKeysConfig } from './executor-keys.config.js';
import { SolanaSponsorConfig } from '../solana/messages/solana-sponsor.config.js';
import { KeyVaultConfig } from './key-vault.config.js';
import { SignerClient } from './signer-client.js';

@Module({
  imports: [EvmModule],
  providers: [ActionAddressesService, KeyVaultConfig, ExecutorKeysConfig, SolanaSponsorConfig, SignerClient],
  exports: [ActionAddressesService, ExecutorKeysConfig, SignerClient, SolanaSponsorConfig],
})
export class KeyVaultModule {}

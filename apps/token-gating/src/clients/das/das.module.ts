import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../safe-fetcher.module.js';
import { DasAssetsService } from './das-assets.service.js';
import { DasClient } from './das.client.js';
import { SolanaCoreConfig } from './solana-core.config.js';

@Module({
  imports: [SafeFetcherModule],
  providers: [SolanaCoreConfig, DasClient, DasAssetsService],
  exports: [SolanaCoreConfig, DasAssetsService],
})
export class DasModule {}

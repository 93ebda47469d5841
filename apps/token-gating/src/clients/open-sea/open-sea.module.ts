import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../safe-fetcher.module.js';
import { OpenSeaItemsService } from './open-sea-items.service.js';
import { OpenSeaClient, OpenSeaConfig } from './open-sea.client.js';

@Module({
  imports: [SafeFetcherModule],
  providers: [OpenSeaConfig, OpenSeaClient, OpenSeaItemsService],
  exports: [OpenSeaItemsService],
})
export class OpenSeaModule {}

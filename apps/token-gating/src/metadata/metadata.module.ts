import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { MetadataFetchLimiter } from './metadata-fetch-limiter.js';
import { MetadataService } from './metadata.service.js';
import { WebMetadataClient } from './web-metadata.client.js';

@Module({
  imports: [SafeFetcherModule],
  providers: [MetadataFetchLimiter, MetadataService, WebMetadataClient],
  exports: [MetadataService],
})
export class MetadataModule {}

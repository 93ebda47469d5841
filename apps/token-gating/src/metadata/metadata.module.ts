import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { ArweaveMetadataClient, WebMetadataClient } from './web-metadata.client.js';
import { GatewayHttpClient } from './gateway.js';
import { ExpressionService } from './expressions/expression.service.js';
import { FileExtractionService, IpfsMetadataClient } from './ipfs/ipfs-metadata.client.js';
import { MetadataFetchLimiter } from './metadata-fetch-limiter.js';
import { MetadataConfig } from './metadata.config.js';
import { MetadataService } from './metadata.service.js';

@Module({
  imports: [SafeFetcherModule],
  providers: [
    ArweaveMetadataClient,
    { provide: ExpressionService, useFactory: () => new ExpressionService() },
    { provide: FileExtractionService, useFactory: () => new FileExtractionService() },
    GatewayHttpClient,
    IpfsMetadataClient,
    MetadataConfig,
    MetadataFetchLimiter,
    MetadataService,
    WebMetadataClient,
  ],
  exports: [ExpressionService, MetadataService],
})
export class MetadataModule {}

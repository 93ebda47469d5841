import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { ArweaveMetadataClient } from './arweave-metadata.client.js';
import { GatewayHttpClient } from './gateway-http.client.js';
import { ExpressionService } from './expressions/expression.service.js';
import { FileExtractionService } from './ipfs/file-extraction.service.js';
import { IpfsMetadataClient } from './ipfs/ipfs-metadata.client.js';
import { MetadataFetchLimiter } from './metadata-fetch-limiter.js';
import { MetadataConfig } from './metadata.config.js';
import { MetadataService } from './metadata.service.js';
import { WebMetadataClient } from './web-metadata.client.js';

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

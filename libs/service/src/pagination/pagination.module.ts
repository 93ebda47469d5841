import { deriveKey, PageTokenCodec } from '@app/common';
import { Module } from '@nestjs/common';
import { PaginationService } from './pagination.service.js';
import { createConfigClass, opaqueTokenConfigSchema } from '@app/config';

class OpaqueTokenConfig extends createConfigClass(opaqueTokenConfigSchema) {}

@Module({
  providers: [
    OpaqueTokenConfig,
    {
      provide: PageTokenCodec,
      inject: [OpaqueTokenConfig],
      useFactory: ({ OPAQUE_TOKEN_SECRET }: OpaqueTokenConfig) =>
        new PageTokenCodec(deriveKey(OPAQUE_TOKEN_SECRET, 'page tokens')),
    },
    PaginationService,
  ],
  exports: [OpaqueTokenConfig, PaginationService],
})
export class PaginationModule {}

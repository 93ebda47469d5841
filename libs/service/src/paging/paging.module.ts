import { derivedKey, PageTokens } from '@app/common';
import { Module } from '@nestjs/common';
import { OpaqueTokenConfig } from './opaque-token.config.js';
import { Pages } from './pages.js';

@Module({
  providers: [
    OpaqueTokenConfig,
    {
      provide: PageTokens,
      inject: [OpaqueTokenConfig],
      useFactory: ({ OPAQUE_TOKEN_SECRET }: OpaqueTokenConfig) =>
        new PageTokens(derivedKey(OPAQUE_TOKEN_SECRET, 'page tokens')),
    },
    Pages,
  ],
  exports: [OpaqueTokenConfig, Pages],
})
export class PagingModule {}

import { createConfigClass } from '@app/config';
import { envCidrs, SafeHttpClient } from '@app/http';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';

const safeFetcherConfigSchema = z.object({
  CALLBACK_ALLOW_CIDRS: envCidrs
    .default([])
    .describe(
      'Private networks that callbacks and token lists may reach, also over http (contract.md section 5). Metadata addresses are never allowed.',
    ),
});

export class SafeFetcherConfig extends createConfigClass(safeFetcherConfigSchema) {}

/** The only HTTP client for URLs that clients provide. */
@Module({
  providers: [
    SafeFetcherConfig,
    {
      provide: SafeHttpClient,
      inject: [SafeFetcherConfig],
      useFactory: (config: SafeFetcherConfig) =>
        new SafeHttpClient({ allowedCidrs: config.CALLBACK_ALLOW_CIDRS }),
    },
  ],
  exports: [SafeHttpClient],
})
export class SafeFetcherModule implements OnApplicationShutdown {
  constructor(private readonly client: SafeHttpClient) {}

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}

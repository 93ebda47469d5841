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

/** Reaches public addresses only, whatever private networks a deployment allows: for answers that a client application may read. */
export class PublicHttpClient extends SafeHttpClient {}

/** The only HTTP clients for URLs that clients provide. */
@Module({
  providers: [
    SafeFetcherConfig,
    {
      provide: SafeHttpClient,
      inject: [SafeFetcherConfig],
      useFactory: (config: SafeFetcherConfig) =>
        new SafeHttpClient({ allowedCidrs: config.CALLBACK_ALLOW_CIDRS }),
    },
    { provide: PublicHttpClient, useFactory: () => new PublicHttpClient() },
  ],
  exports: [SafeHttpClient, PublicHttpClient],
})
export class SafeFetcherModule implements OnApplicationShutdown {
  constructor(
    private readonly client: SafeHttpClient,
    private readonly publicClient: PublicHttpClient,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
    await this.publicClient.close();
  }
}

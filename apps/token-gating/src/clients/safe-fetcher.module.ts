import { SafeHttpClient } from '@app/http';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { SafeFetcherConfig } from './safe-fetcher.config.js';

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

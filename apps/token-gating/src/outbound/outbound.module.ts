import { SafeFetcher } from '@app/http';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { OutboundConfig } from './outbound.config.js';

/** The one way to URLs that callers name. */
@Module({
  providers: [
    OutboundConfig,
    {
      provide: SafeFetcher,
      inject: [OutboundConfig],
      useFactory: (config: OutboundConfig) => new SafeFetcher({ allow: config.CALLBACK_ALLOW_CIDRS }),
    },
  ],
  exports: [SafeFetcher],
})
export class OutboundModule implements OnApplicationShutdown {
  constructor(private readonly fetcher: SafeFetcher) {}

  async onApplicationShutdown(): Promise<void> {
    await this.fetcher.close();
  }
}

import { envCidrs, SafeHttpClient } from '@app/http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Calls only origins that the operator configures, which may be in a private network. Follows no redirects. */
@Injectable()
export class GatewayHttpClient extends SafeHttpClient implements OnApplicationShutdown {
  constructor() {
    super({ allowedCidrs: envCidrs.parse('0.0.0.0/0,::/0') });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

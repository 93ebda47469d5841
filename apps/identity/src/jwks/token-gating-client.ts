import { type CallbackKeySet, callbackKeySet } from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { JwksConfig } from './jwks.config.js';

/** A handful of keys. */
const MOST_BYTES = 64 * 1024;

/** Identity's question to token-gating. Rejects when it is not answered in time and in form. */
@Injectable()
export class TokenGatingClient implements OnApplicationShutdown {
  private readonly client: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY, TOKEN_GATING_URL }: JwksConfig) {
    this.client = new InternalClient({
      signingKey: INTERNAL_SIGNING_KEY,
      app: 'token-gating',
      origin: TOKEN_GATING_URL,
      connections: 2,
      maxBytes: MOST_BYTES,
    });
  }

  callbackKeys(): Promise<CallbackKeySet> {
    return this.client.get('/internal/jwks', callbackKeySet);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}

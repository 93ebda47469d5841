import {
  type BalancesResponse,
  balancesResponse,
  type BalancesRequest,
  type CallbackKeySet,
  callbackKeySet,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { TokenGatingClientConfig } from './token-gating-client.config.js';

/** A handful of keys. */
const MAX_KEY_SET_BYTES = 64 * 1024;

/** Identity's questions to token-gating. Each rejects when it is not answered within two seconds and in form. */
@Injectable()
export class TokenGatingClient implements OnApplicationShutdown {
  private readonly keys: InternalClient;
  /** On connections of its own: balances take their time, and keys must not wait for them. */
  private readonly holdings: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, TOKEN_GATING_URL: origin }: TokenGatingClientConfig) {
    const asked = { signingKey, app: 'token-gating', origin };
    this.keys = new InternalClient({ ...asked, connections: 2, maxBytes: MAX_KEY_SET_BYTES });
    this.holdings = new InternalClient({ ...asked, connections: 8 });
  }

  loadCallbackKeys(): Promise<CallbackKeySet> {
    return this.keys.get('/internal/jwks', callbackKeySet);
  }

  loadBalances(question: BalancesRequest): Promise<BalancesResponse> {
    return this.holdings.post('/internal/balances', question, balancesResponse);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.keys.close(), this.holdings.close()]);
  }
}

import {
  type BalancesAnswer,
  balancesAnswer,
  type BalancesQuestion,
  type CallbackKeySet,
  callbackKeySet,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { TokenGatingConfig } from './token-gating.config.js';

/** A handful of keys. */
const MOST_BYTES_OF_KEYS = 64 * 1024;

/** Identity's questions to token-gating. Each rejects when it is not answered within two seconds and in form. */
@Injectable()
export class TokenGatingClient implements OnApplicationShutdown {
  private readonly keys: InternalClient;
  /** On connections of its own: balances take their time, and keys must not wait for them. */
  private readonly holdings: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, TOKEN_GATING_URL: origin }: TokenGatingConfig) {
    const asked = { signingKey, app: 'token-gating', origin };
    this.keys = new InternalClient({ ...asked, connections: 2, maxBytes: MOST_BYTES_OF_KEYS });
    this.holdings = new InternalClient({ ...asked, connections: 8 });
  }

  callbackKeys(): Promise<CallbackKeySet> {
    return this.keys.get('/internal/jwks', callbackKeySet);
  }

  balances(question: BalancesQuestion): Promise<BalancesAnswer> {
    return this.holdings.post('/internal/balances', question, balancesAnswer);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.keys.close(), this.holdings.close()]);
  }
}

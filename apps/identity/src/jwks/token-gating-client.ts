import { PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { type CallbackKeySet, callbackKeySet } from '@app/dto';
import { readBounded } from '@app/http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'undici';
import { JwksConfig } from './jwks.config.js';

const CONNECT_TIMEOUT_MS = 1_000;
const TIMEOUT_MS = 2_000;
const MOST_BYTES = 64 * 1024;
const SELF = { kind: 'service', name: 'identity' } as const;

/** Identity's question to token-gating. Rejects when it is not answered in time and in form. */
@Injectable()
export class TokenGatingClient implements OnApplicationShutdown {
  private readonly pool: Pool;
  private readonly issuer: PrincipalIssuer;

  constructor(config: JwksConfig) {
    this.issuer = new PrincipalIssuer(config.INTERNAL_SIGNING_KEY);
    this.pool = new Pool(config.TOKEN_GATING_URL, {
      connections: 2,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  }

  async callbackKeys(): Promise<CallbackKeySet> {
    const { statusCode, body } = await this.pool.request({
      method: 'GET',
      path: '/internal/jwks',
      headers: { [PRINCIPAL_HEADER]: await this.issuer.tokenFor(SELF, 'token-gating') },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = (await readBounded(body, MOST_BYTES)).toString('utf8');
    if (statusCode !== 200) throw new Error(`token-gating answered ${statusCode} to GET /internal/jwks`);
    return callbackKeySet.parse(JSON.parse(text));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.destroy();
  }
}

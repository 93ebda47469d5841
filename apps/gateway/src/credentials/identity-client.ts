import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { credentialAnswer, type CredentialAnswer, credentialChanges, type CredentialChanges } from '@app/dto';
import { readBounded } from '@app/http';
import { Pool } from 'undici';
import type { z } from 'zod';
import { GatewayConfig } from '../gateway.config.js';

const TIMEOUT_MS = 2_000;
const MOST_BYTES = 1024 * 1024;
const SELF = { kind: 'service', name: 'gateway' } as const;

/** The gateway's questions to identity, at `/internal/*`. Rejects when identity does not answer in time and in form. */
@Injectable()
export class IdentityClient implements OnApplicationShutdown {
  private readonly pool: Pool;

  constructor(
    config: GatewayConfig,
    private readonly issuer: PrincipalIssuer,
  ) {
    this.pool = new Pool(config.IDENTITY_URL, {
      connections: 16,
      connect: { timeout: 1_000 },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
  }

  credential(apiKey: string): Promise<CredentialAnswer> {
    return this.ask('POST', '/internal/credentials', credentialAnswer, JSON.stringify({ apiKey }));
  }

  changesAfter(sequence: number): Promise<CredentialChanges> {
    return this.ask('GET', `/internal/credentials/changes?after=${sequence}`, credentialChanges);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.destroy();
  }

  private async ask<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
    body?: string,
  ): Promise<z.output<S>> {
    const response = await this.pool.request({
      method,
      path,
      body,
      headers: {
        [PRINCIPAL_HEADER]: await this.issuer.tokenFor(SELF, 'identity'),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = (await readBounded(response.body, MOST_BYTES)).toString('utf8');
    if (response.statusCode !== 200)
      throw new Error(`identity answered ${response.statusCode} to ${method} ${path}`);
    return schema.parse(JSON.parse(text));
  }
}

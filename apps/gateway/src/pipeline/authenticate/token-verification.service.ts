import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Strategy } from 'passport-strategy';
import { type VerifiedToken, VerifiedTokenCache } from '../../credentials/verified-token-cache.js';
import { AeStrategy } from './ae.strategy.js';
import {
  type AuthorizationScheme,
  hasSingleAuthorization,
  parseAuthorization,
  getAuthorization,
} from './credential-headers.js';
import { BearerStrategy } from './bearer.strategy.js';
import { EthereumStrategy } from './ethereum.strategy.js';
import { runStrategy } from './strategies.js';

/** Verifies `Authorization` with the strategy of its scheme, unless the cache has the result. */
@Injectable()
export class TokenVerificationService {
  private readonly strategies: ReadonlyMap<string, Strategy>;

  constructor(
    private readonly tokens: VerifiedTokenCache,
    bearer: BearerStrategy,
    ae: AeStrategy,
    ethereum: EthereumStrategy,
  ) {
    const all: Record<AuthorizationScheme, Strategy> = { bearer, ae, ethereum };
    this.strategies = new Map(Object.entries(all));
  }

  /** Undefined for an invalid token. @throws AppError 503 when it cannot be verified now */
  async verify(request: Request): Promise<VerifiedToken | undefined> {
    const text = getAuthorization(request) ?? '';
    const scheme = parseAuthorization(text)?.scheme ?? '';
    const strategy = this.strategies.get(scheme);
    if (!strategy || !hasSingleAuthorization(request)) return undefined;
    return (
      this.tokens.get(text) ??
      this.tokens.verifyOnce(text, () => runStrategy<VerifiedToken>(strategy, request))
    );
  }
}

import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Strategy } from 'passport-strategy';
import { type VerifiedToken, VerifiedTokens } from '../credentials/verified-tokens.js';
import { AeStrategy } from './ae.strategy.js';
import { type AuthorizationScheme, hasOneAuthorization, parseAuthorization } from './authorization.js';
import { BearerStrategy } from './bearer.strategy.js';
import { EthereumStrategy } from './ethereum.strategy.js';
import { authorizationOf } from './presented-credentials.js';
import { runStrategy } from './run-strategy.js';

/** Has the strategy of its scheme look at what came in `Authorization`, unless it was found good before. */
@Injectable()
export class TokenVerification {
  private readonly strategies: ReadonlyMap<string, Strategy>;

  constructor(
    private readonly tokens: VerifiedTokens,
    bearer: BearerStrategy,
    ae: AeStrategy,
    ethereum: EthereumStrategy,
  ) {
    const all: Record<AuthorizationScheme, Strategy> = { bearer, ae, ethereum };
    this.strategies = new Map(Object.entries(all));
  }

  /**
   * Undefined for what proves nothing.
   * @throws AppError 503 when it cannot be known
   */
  async verify(request: Request): Promise<VerifiedToken | undefined> {
    const text = authorizationOf(request) ?? '';
    const scheme = parseAuthorization(text)?.scheme ?? '';
    const strategy = this.strategies.get(scheme);
    if (!strategy || !hasOneAuthorization(request)) return undefined;
    return (
      this.tokens.recall(text) ?? this.tokens.check(text, () => runStrategy<VerifiedToken>(strategy, request))
    );
  }
}

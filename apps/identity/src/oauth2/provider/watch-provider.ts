import type { EventEmitter } from 'node:events';
import { AppError } from '@app/common';
import type { Logger } from '@app/service';
import { type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { ClientRateLimiter } from '../clients/client-rate-limiter.js';

/**
 * Counts token requests of public clients once their code or refresh token has proved valid, before it is used up. Before
 * that anyone could have sent them. oidc-provider has no hook at this point.
 */
export function countPublicGrants(provider: Provider, rateLimiter: ClientRateLimiter): void {
  for (const { prototype } of [provider.AuthorizationCode, provider.RefreshToken]) {
    const { consume } = prototype;
    prototype.consume = async function (this: typeof prototype) {
      const client = Provider.ctx?.oidc.client;
      if (client) await rateLimiter.countPublicRequest(client);
      await consume.call(this);
    };
  }
}

/** Logs server errors only: the events of client errors contain codes and tokens. */
export function logProviderErrors(provider: Provider, logger: Logger): void {
  provider.on('server_error', (context: KoaContextWithOIDC, error: unknown) => {
    if (error instanceof AppError) {
      const { retryAfter } = error.details;
      if (typeof retryAfter === 'number') context.set('Retry-After', String(retryAfter));
      logger.warn({ operation: context.oidc.route, err: error }, 'OAuth request failed temporarily');
    } else {
      logger.error({ operation: context.oidc.route, err: error }, 'OAuth request failed');
    }
  });
  // Koa emits this for a response that could not be written.
  const koa: EventEmitter = provider;
  koa.on('error', (error: unknown) => {
    logger.error({ err: error }, 'Writing an OAuth response failed');
  });
}

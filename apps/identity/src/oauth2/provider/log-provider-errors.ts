import type { EventEmitter } from 'node:events';
import { AppError } from '@app/common';
import type { Logger } from '@app/service';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

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

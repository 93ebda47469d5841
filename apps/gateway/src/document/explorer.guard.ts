import { hash } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { GatewayConfig } from '../gateway.config.js';
import { type AddressRateLimiter, getAddressBucket } from '../pipeline/admit/address-rate-limiter.js';
import type { LoadMonitor } from '../pipeline/admit/load-monitor.js';
import { EXPLORER_REDIRECT_SCRIPT, EXPLORER_SCRIPT } from './explorer-redirect.js';

interface ExplorerGuardOptions {
  readonly load: LoadMonitor;
  readonly addresses: AddressRateLimiter;
  readonly config: Pick<GatewayConfig, 'PUBLIC_URL' | 'AUTH_URL'>;
}

const toSource = (script: string): string => `'sha256-${hash('sha256', script, 'base64')}'`;

/**
 * Sheds load, limits requests per IP address and sets security headers. Middleware instead of a Nest guard, because Swagger
 * UI's routes and files are outside of Nest's controllers.
 */
export function createExplorerGuard({ load, addresses, config }: ExplorerGuardOptions): RequestHandler {
  const { PUBLIC_URL, AUTH_URL = PUBLIC_URL } = config;
  const headers = {
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src 'self' ${[EXPLORER_SCRIPT, EXPLORER_REDIRECT_SCRIPT].map(toSource).join(' ')}`,
      // Swagger UI has inline styles.
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      `connect-src ${[...new Set(["'self'", PUBLIC_URL, AUTH_URL])].join(' ')}`,
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  return (request: Request, response: Response, next: NextFunction): void => {
    load.admit(response, getAddressBucket(request));
    addresses.consume(request, response);
    load.leaveToClient(response);
    response.set(headers);
    next();
  };
}

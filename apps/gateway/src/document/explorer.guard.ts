import type { Request, Response, NextFunction, RequestHandler } from 'express';
import { hash } from 'node:crypto';
import type { GatewayConfig } from '../gateway.config.js';
import { type AddressRateLimiter, getAddressBucket } from '../pipeline/admit/address-rate-limiter.js';
import type { LoadMonitor } from '../pipeline/admit/load-monitor.js';

/** The page where the explorer's OAuth window ends: it replaces Swagger UI's page of this name. */
export const EXPLORER_REDIRECT_PATH = '/explorer/oauth2-redirect.html';

/**
 * Swagger UI's own page reaches the explorer through `window.opener`, which the Cross-Origin-Opener-Policy of the login
 * pages cuts. A channel of the origin does not need it.
 */
const EXPLORER_REDIRECT_SCRIPT = `
new BroadcastChannel('explorer-oauth2').postMessage(location.hash.slice(1) || location.search.slice(1));
window.close();
`;

const PAGE = `<!doctype html>
<html lang="en">
<title>Gatehouse</title>
<p>You are signed in to the explorer. You can close this window.</p>
<script>${EXPLORER_REDIRECT_SCRIPT}</script>
`;

/** The explorer's end of the channel. `swaggerUIRedirectOauth2` is what Swagger UI leaves for its own page. */
export const EXPLORER_SCRIPT = `
new BroadcastChannel('explorer-oauth2').onmessage = ({ data }) => {
  const request = window.swaggerUIRedirectOauth2;
  const answer = Object.fromEntries(new URLSearchParams(data));
  if (!request || answer.state !== request.state) return;
  const { auth, redirectUrl } = request;
  delete request.state;
  if (answer.code) request.callback({ auth: Object.assign(auth, { code: answer.code }), redirectUrl });
  else if (answer.access_token) request.callback({ auth, token: answer, isValid: true, redirectUrl });
  else
    request.errCb({
      authId: auth.name,
      source: 'auth',
      level: 'error',
      message: answer.error_description || answer.error,
    });
};
`;

export function sendExplorerRedirectPage(_request: Request, response: Response): void {
  // The address holds a code or a token.
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).type('html').send(PAGE);
}

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

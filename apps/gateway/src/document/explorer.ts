import type { Request, RequestHandler, Response } from 'express';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { GatewayConfig } from '../gateway.config.js';
import { type AddressRateLimiter, getAddressBucket } from '../pipeline/admit/address-rate-limiter.js';
import type { LoadMonitor } from '../pipeline/admit/load-monitor.js';
import {
  createInitScript,
  EXPLORER_PAGE,
  REDIRECT_FILE,
  REDIRECT_PAGE,
  REDIRECT_SCRIPT,
} from './explorer-page.js';
import { PreparedBody } from './prepared-body.js';

const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
type FileType = keyof typeof TYPES;

/** Names do not change with a release, so that a browser asks each time, and mostly gets 304. */
const CACHE_CONTROL = 'no-cache';

const createFile = (type: FileType, content: string | Buffer): PreparedBody =>
  new PreparedBody(Buffer.from(content), { 'Content-Type': TYPES[type], 'Cache-Control': CACHE_CONTROL });

const FOLDER = join(import.meta.dirname, 'browser');

/** Scripts and styles of our own, without the link to the source map, which is not served. */
function* readOwnFiles(): Generator<[string, PreparedBody]> {
  for (const name of readdirSync(FOLDER)) {
    const type = /\.(js|css)$/.exec(name)?.[1];
    if (type !== 'js' && type !== 'css') continue;
    const text = readFileSync(join(FOLDER, name), 'utf8');
    yield [name, createFile(type, text.replace(/^\/\/# sourceMappingURL=.*$/m, ''))];
  }
}

/** Finds files of packages. Images hold a package whose name stands in such a call (collect-images.mjs). */
const { resolve } = createRequire(import.meta.url);

/** The files below /explorer/ by name; the page has the empty name. */
const readFiles = ({ PUBLIC_URL }: Pick<GatewayConfig, 'PUBLIC_URL'>): Map<string, PreparedBody> =>
  new Map([
    ['', createFile('html', EXPLORER_PAGE)],
    ['index.html', createFile('html', EXPLORER_PAGE)],
    ['swagger-ui-bundle.js', createFile('js', readFileSync(resolve('swagger-ui-dist/swagger-ui-bundle.js')))],
    ['swagger-ui.css', createFile('css', readFileSync(resolve('swagger-ui-dist/swagger-ui.css')))],
    ['swagger-ui-init.js', createFile('js', createInitScript(PUBLIC_URL))],
    ...readOwnFiles(),
  ]);

interface ExplorerOptions {
  readonly load: LoadMonitor;
  readonly addresses: AddressRateLimiter;
  readonly config: Pick<GatewayConfig, 'PUBLIC_URL' | 'AUTH_URL'>;
}

const createHeaders = ({ PUBLIC_URL, AUTH_URL = PUBLIC_URL }: ExplorerOptions['config']) => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', REDIRECT_SCRIPT, 'base64')}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${[...new Set(["'self'", PUBLIC_URL, AUTH_URL])].join(' ')}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
});

/**
 * Serves the page and its files, sheds load, limits requests per IP address and sets security headers. The files are read at the first
 * request, because most starts of a gateway serve none: 2 MB, and 0.5 MB for each coding that is asked for, shared by everybody.
 */
export function createExplorer({ load, addresses, config }: ExplorerOptions): RequestHandler {
  const headers = createHeaders(config);
  let files: Map<string, PreparedBody> | undefined;
  return async (request: Request, response: Response, next): Promise<void> => {
    load.admit(response, getAddressBucket(request));
    addresses.consume(request, response);
    response.set(headers);
    const name = request.path.slice(1);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && name === REDIRECT_FILE) {
      // The address holds a code or a token.
      response.set('Cache-Control', 'no-store').type('html').send(REDIRECT_PAGE);
      load.leaveToClient(response);
      return;
    }
    files ??= readFiles(config);
    const file = isRead ? files.get(name) : undefined;
    if (!file) {
      next();
      return;
    }
    await file.send(request, response);
    load.leaveToClient(response);
  };
}

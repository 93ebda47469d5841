import type { Request, RequestHandler, Response } from 'express';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PreparedBody } from '../document/prepared-body.js';
import type { GatewayConfig } from '../gateway.config.js';
import { CLIENT_PACKAGE_PATH, DOCUMENTATION_PATH, LLMS_PATH } from '../own-paths.js';
import { type AddressRateLimiter, getAddressBucket } from '../pipeline/admit/address-rate-limiter.js';
import type { LoadMonitor } from '../pipeline/admit/load-monitor.js';
import {
  MAX_QUERY_LENGTH,
  renderDocumentPage,
  renderExamplePage,
  renderLlmsText,
  renderSearchPage,
} from './documentation-page.js';
import { type Documents, readDocuments } from './documents.js';

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
};

/** Addresses do not change with a release, so that a browser asks each time, and mostly gets 304. */
const CACHE_CONTROL = 'no-cache';

const createFile = (type: keyof typeof TYPES, content: string): PreparedBody =>
  new PreparedBody(Buffer.from(content), { 'Content-Type': TYPES[type], 'Cache-Control': CACHE_CONTROL });

/** What `npm pack` made of the typed client; the build puts it beside the apps (scripts/build/build-client.mjs). */
const CLIENT_PACKAGE_FILE = join(import.meta.dirname, '../../../../clients/client.tgz');

/** The package is compressed. A build of single apps (`nest build`) has none, and then there is no such path. */
function* readClientPackage(): Generator<[string, PreparedBody]> {
  if (!existsSync(CLIENT_PACKAGE_FILE)) return;
  const headers = { 'Content-Type': 'application/gzip', 'Cache-Control': CACHE_CONTROL };
  yield [CLIENT_PACKAGE_PATH, new PreparedBody(readFileSync(CLIENT_PACKAGE_FILE), headers, [])];
}

const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const SEARCH_PATH = `${DOCUMENTATION_PATH}/search`;
const MAX_FINDINGS = 20;

interface DocumentationOptions {
  readonly load: LoadMonitor;
  readonly addresses: AddressRateLimiter;
  readonly config: Pick<GatewayConfig, 'PUBLIC_URL'>;
}

interface Site {
  readonly documents: Documents;
  readonly files: ReadonlyMap<string, PreparedBody>;
}

async function createSite({ PUBLIC_URL }: DocumentationOptions['config']): Promise<Site> {
  const documents = await readDocuments();
  const { all, groups, examples, index } = documents;
  const files = new Map([
    ...all.flatMap((document): [string, PreparedBody][] => [
      [document.url, createFile('html', renderDocumentPage(document, groups))],
      [document.markdownUrl, createFile('markdown', document.markdown)],
    ]),
    ...[...examples].map(
      ([url, text]) => [url, createFile('html', renderExamplePage(url, text, groups))] as const,
    ),
    [LLMS_PATH, createFile('text', renderLlmsText(index, groups, PUBLIC_URL))],
    [
      `${DOCUMENTATION_PATH}/documentation.css`,
      createFile('css', readFileSync(join(import.meta.dirname, 'documentation.css'), 'utf8')),
    ],
    ...readClientPackage(),
  ]);
  return { documents, files };
}

/**
 * Serves the documents of the repository as pages and as Markdown, searches them, and lists them for language models; and the package of
 * the typed client, which is on no registry. It sheds load and limits requests per IP address. All of it is read at the first request,
 * because most starts of a gateway serve none: 3 MB, shared by everybody. A search takes at most 3 ms and keeps nothing.
 */
export function createDocumentation({ load, addresses, config }: DocumentationOptions): RequestHandler {
  let site: Promise<Site> | undefined;
  return async (request: Request, response: Response, next): Promise<void> => {
    load.admit(response, getAddressBucket(request));
    addresses.consume(request, response);
    const path = `${request.baseUrl}${request.path}`.replace(/\/$/, '');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      next();
      return;
    }
    // What could not be read once is read again at the next request.
    site ??= createSite(config).catch((error: unknown) => {
      site = undefined;
      throw error;
    });
    const { documents, files } = await site;
    const file = path === SEARCH_PATH ? createResults(request, documents) : files.get(path);
    if (!file) {
      next();
      return;
    }
    response.set(HEADERS);
    await file.send(request, response);
    load.leaveToClient(response);
  };
}

function createResults({ query: { q } }: Request, { search, groups }: Documents): PreparedBody {
  const words = typeof q === 'string' ? q.slice(0, MAX_QUERY_LENGTH).trim() : '';
  return createFile('html', renderSearchPage(words, words === '' ? [] : search(words, MAX_FINDINGS), groups));
}

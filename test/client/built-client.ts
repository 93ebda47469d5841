import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../scripts/build/project.mjs';

const DIST = join(root, 'clients/typescript/dist');

type BuiltClient = typeof import('../../clients/typescript/src/index.js');

/** The modules that `npm pack` publishes, not their sources. */
export const importBuiltClient = async (): Promise<BuiltClient> =>
  (await import(pathToFileURL(join(DIST, 'index.js')).href)) as BuiltClient;

/** Inline scripts and styles are refused, as on the strictest page that uses the client. */
const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src *; base-uri 'none'";

/** A site that serves the built modules below `/client/`, and pages and scripts of a test by their paths. */
export const siteWith =
  (files: Readonly<Record<string, string>>, otherwise?: RequestListener): RequestListener =>
  (request, response) => {
    const path = new URL(request.url ?? '', 'http://site').pathname;
    const file = path.startsWith('/client/')
      ? readFileSync(join(DIST, path.slice('/client/'.length)), 'utf8')
      : files[path];
    if (file === undefined) {
      if (otherwise) otherwise(request, response);
      else response.writeHead(404).end();
      return;
    }
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8';
    response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(file);
  };

import { type AppError, badRequest } from '@app/common';
import {
  type DocumentAliases,
  type QueryChoice,
  type Upstream,
  findQueryChoices,
  loadOpenApiDocument,
} from '@app/openapi';
import type { Request } from 'express';
import { DOCUMENT_PATH } from '../own-paths.js';
import { parseRequestTarget } from '../pipeline/match/check-request-target.js';
import { OperationRouter } from '../pipeline/match/operation-router.js';
import { getRequestContext } from '../request-context.js';
import type { INestApplication } from '@nestjs/common';

/** Values of one query parameter by their other spelling. */
type QueryValues = ReadonlyMap<string, string>;

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // The value is not rewritten: the app refuses it as it is.
    return undefined;
  }
}

/** Replaces other spellings in a query. Everything else stays byte for byte. @param query begins with `?` */
function rewriteQuery(query: string, values: ReadonlyMap<string, QueryValues>): string {
  const pairs = query.slice(1).split('&');
  return `?${pairs.map((pair) => rewritePair(pair, values)).join('&')}`;
}

function rewritePair(pair: string, values: ReadonlyMap<string, QueryValues>): string {
  const end = pair.indexOf('=');
  if (end === -1) return pair;
  const known = values.get(decode(pair.slice(0, end)) ?? '');
  const real = known?.get(decode(pair.slice(end + 1)) ?? '');
  return real === undefined ? pair : `${pair.slice(0, end + 1)}${encodeURIComponent(real)}`;
}

const aliasConflict = (alias: string, real: string): AppError =>
  badRequest('header_invalid', `${alias} and ${real} are the same header: send one of them.`);

/** Rewrites requests in another spelling before the pipeline sees them, so that every step treats both spellings alike. */
export class RequestAliases {
  /** The longest first. */
  private readonly prefixes: readonly (readonly [alias: string, real: string])[];
  private readonly headers: readonly (readonly [alias: string, real: string])[];
  private readonly queryValues = new Map<Upstream, Map<string, QueryValues>>();

  constructor(
    aliases: DocumentAliases,
    choices: readonly QueryChoice[],
    private readonly router: OperationRouter,
  ) {
    this.prefixes = Object.entries(aliases.pathPrefixes).sort(([one], [other]) => other.length - one.length);
    this.headers = Object.entries(aliases.headers);
    for (const { upstream, name } of choices) {
      const values = aliases.queryValues[name];
      if (!values) continue;
      const ofUpstream = this.queryValues.get(upstream) ?? new Map<string, QueryValues>();
      this.queryValues.set(upstream, ofUpstream.set(name, new Map(Object.entries(values))));
    }
  }

  apply(request: Request): void {
    const path = parseRequestTarget(request.url);
    if (path !== undefined) this.rewriteTarget(request, path);
    for (const [alias, real] of this.headers) renameHeader(request, alias, real);
  }

  private rewriteTarget(request: Request, path: string): void {
    const realPath = this.toRealPath(path);
    const query = request.url.slice(path.length);
    const values = query === '' ? undefined : this.findQueryValues(request.method, realPath);
    const target = realPath + (values ? rewriteQuery(query, values) : query);
    if (target !== request.url) request.url = target;
  }

  /** The path itself unless its rewritten form is in the OpenAPI document: an alias never leads to pages or internal paths. */
  private toRealPath(path: string): string {
    const match = this.prefixes.find(
      ([alias]) => path.startsWith(alias) && (path.length === alias.length || path[alias.length] === '/'),
    );
    if (!match) return path;
    const [alias, real] = match;
    const realPath = (real === '/' ? '' : real) + path.slice(alias.length);
    return realPath === DOCUMENT_PATH || this.router.isKnownPath(realPath) ? realPath : path;
  }

  private findQueryValues(method: string, path: string): Map<string, QueryValues> | undefined {
    if (this.queryValues.size === 0) return undefined;
    const operation = this.router.find(method, path);
    return operation && this.queryValues.get(operation.upstream);
  }
}

/** RequireOperationGuard rejects a conflict later, after the rate limits. */
function renameHeader(request: Request, alias: string, real: string): void {
  const [aliasKey, realKey] = [alias.toLowerCase(), real.toLowerCase()];
  const value = request.headers[aliasKey];
  if (value === undefined) return;
  if (request.headers[realKey] === undefined) request.headers[realKey] = value;
  else if (request.headers[realKey] !== value)
    getRequestContext(request).aliasConflict = aliasConflict(alias, real);
  Reflect.deleteProperty(request.headers, aliasKey);
}

export function createRequestAliases(app: INestApplication, aliases: DocumentAliases): RequestAliases {
  return new RequestAliases(aliases, findQueryChoices(loadOpenApiDocument()), app.get(OperationRouter));
}

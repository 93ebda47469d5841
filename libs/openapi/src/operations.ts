import { SECOND_MS } from '@app/common';
import {
  type CallerRequirement,
  type Scope,
  scope as scopeSchema,
  type SecurityScheme,
  SECURITY_SCHEMES,
} from '@app/dto';
import { type OpenApiDocument, type OpenApiOperation, type Upstream, UPSTREAMS } from './openapi-document.js';
import type { ForwardedHeader } from './headers.js';

/** An operation of the OpenAPI document, as the gateway uses it. */
export interface Operation {
  id: string;
  method: string;
  /** OpenAPI path template: `/account/wallets/{address}`. */
  path: string;
  upstream: Upstream;
  callerRequirement: CallerRequirement;
  schemes: readonly SecurityScheme[];
  /** The scope that the caller needs; undefined where spec.md lists none. */
  scope: Scope | undefined;
  forwardedHeaders: readonly ForwardedHeader[];
  /** The query parameters that it reads; undefined where others are ignored. */
  query: QueryNames | undefined;
  /** How long the app may wait on purpose, beside the timeout of its answer. */
  maxWaitMs: number;
  requiresWalletLogin: boolean;
  /** Whether browsers may call it with a publishable id. */
  allowsPublishableId: boolean;
}

/** Query parameters by name. */
export interface QueryNames {
  known: ReadonlySet<string>;
  /** Parameters that may be repeated, and so written as `name[]` or `name[0]`, too. */
  repeatable: ReadonlySet<string>;
}

/** OAuth ignores unknown parameters (RFC 6749 section 3.1), and so do its neighbours. */
const OAUTH_PATH = /^\/(?:oauth2|\.well-known)\//;

/** Whether the gateway rejects unknown query parameters. A link without a caller may be shared, with parameters that track it. */
const isQueryChecked = (path: string, { 'x-caller': caller }: OpenApiOperation): boolean =>
  caller !== 'none' && !OAUTH_PATH.test(path);

function getQueryNames(path: string, operation: OpenApiOperation): QueryNames | undefined {
  if (!isQueryChecked(path, operation)) return undefined;
  const { parameters = [], 'x-internal-query': further = [] } = operation;
  const declared = parameters.filter((parameter) => parameter.in === 'query');
  const repeatable = declared.filter(({ schema }) => schema?.type === 'array');
  return {
    known: new Set([...declared.map(({ name }) => name), ...further]),
    repeatable: new Set(repeatable.map(({ name }) => name)),
  };
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

function getScope({ operationId, security }: OpenApiOperation): Scope | undefined {
  const scopes = security.flatMap((alternative) => alternative['serviceOAuth2'] ?? []);
  if (scopes.length > 1)
    throw new Error(`${operationId} requires more than one scope; the gateway can check only one`);
  return scopes.length === 0 ? undefined : scopeSchema.parse(scopes[0]);
}

/** An operation that reads `Authorization` itself cannot require a caller, because the gateway does not verify the header. */
function getForwardedHeaders(operation: OpenApiOperation): readonly ForwardedHeader[] {
  const { operationId, 'x-caller': caller, 'x-internal-forwards': forwards = [] } = operation;
  if (forwards.includes('authorization') && caller !== 'none')
    throw new Error(`${operationId} reads Authorization itself, so it cannot require a caller`);
  return forwards;
}

function toOperation(path: string, method: string, operation: OpenApiOperation): Operation {
  const upstream = operation['x-internal-upstream'];
  if (!UPSTREAMS.includes(upstream)) throw new Error(`${operation.operationId} has no upstream`);
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    upstream,
    callerRequirement: operation['x-caller'],
    schemes: SECURITY_SCHEMES.filter((scheme) =>
      operation.security.some((alternative) => scheme in alternative),
    ),
    scope: getScope(operation),
    forwardedHeaders: getForwardedHeaders(operation),
    query: getQueryNames(path, operation),
    maxWaitMs: (operation['x-internal-max-wait-seconds'] ?? 0) * SECOND_MS,
    requiresWalletLogin: operation['x-internal-wallet-login'] ?? false,
    allowsPublishableId: operation['x-internal-publishable-id'] ?? false,
  };
}

/** All operations of the document. @throws Error for an operation that the gateway cannot authorize */
export function parseOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => toOperation(path, method, operation)),
  );
}

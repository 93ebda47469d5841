import {
  type CallerRequirement,
  type Scope,
  scope as scopeSchema,
  type SecurityScheme,
  SECURITY_SCHEMES,
} from '@app/dto';
import {
  type OpenApiDocument,
  type OpenApiOperation,
  type ForwardedHeader,
  type Upstream,
  UPSTREAMS,
} from './openapi-document.js';

/** What the gateway needs to know of one operation. */
export interface Operation {
  id: string;
  method: string;
  /** As in the document: `/account/wallets/{address}`. */
  path: string;
  upstream: Upstream;
  callerRequirement: CallerRequirement;
  schemes: readonly SecurityScheme[];
  /** Needed of whoever is named; undefined where spec.md lists none. */
  scope: Scope | undefined;
  forwardedHeaders: readonly ForwardedHeader[];
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

function getScope({ operationId, security }: OpenApiOperation): Scope | undefined {
  const scopes = security.flatMap((alternative) => alternative['serviceOAuth2'] ?? []);
  if (scopes.length > 1)
    throw new Error(`${operationId} needs more than one scope; the gateway knows how to check one`);
  return scopes.length === 0 ? undefined : scopeSchema.parse(scopes[0]);
}

/** What an operation reads of `Authorization` by itself the gateway has not looked at: it can name nobody. */
function getForwardedHeaders(operation: OpenApiOperation): readonly ForwardedHeader[] {
  const { operationId, 'x-caller': caller, 'x-internal-forwards': forwards = [] } = operation;
  if (forwards.includes('authorization') && caller !== 'none')
    throw new Error(`${operationId} reads Authorization itself and needs a caller that it would name`);
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
  };
}

/** Every operation of the document. @throws Error for one that the gateway would not know how to guard */
export function parseOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => toOperation(path, method, operation)),
  );
}

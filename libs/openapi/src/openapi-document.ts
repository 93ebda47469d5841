import type { CallerRequirement } from '@app/dto';
import { readFileSync } from 'node:fs';

/** Loads the committed document, which `npm run contract` generates; CI checks that it is up to date. */
export function loadOpenApiDocument(): OpenApiDocument {
  return JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as OpenApiDocument;
}

/** The parts of an OpenAPI 3.0 document that the code uses. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string }[];
  responses: Record<string, unknown>;
  security: Record<string, string[]>[];
  'x-caller': CallerRequirement;
  'x-operation-name': string;
  /** The app that handles the operation. The public document has no `x-internal-` extensions. */
  'x-internal-upstream': Upstream;
  /** Headers that only this operation gets from the client. */
  'x-internal-forwards'?: readonly ForwardedHeader[];
  'x-internal-conflicts'?: ConflictDescriptions;
}

/** When an operation responds 409, by `details.code`. */
export type ConflictDescriptions = Readonly<Record<string, string>>;

/** For OAuth client authentication, and for the sessions of pages (contract.md section 1). */
export type ForwardedHeader = 'authorization' | 'cookie';

export const UPSTREAMS = ['token-gating', 'identity', 'account-kit', 'analytics'] as const;
export type Upstream = (typeof UPSTREAMS)[number];

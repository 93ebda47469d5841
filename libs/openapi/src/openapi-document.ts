import type { CallerRequirement } from '@app/dto';
import { readFileSync } from 'node:fs';

/** The committed document, which `npm run contract` writes and CI keeps fresh. */
export function loadOpenApiDocument(): OpenApiDocument {
  return JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as OpenApiDocument;
}

/** As much of an OpenAPI 3.0 document as we read and write ourselves. */
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
  /** For the gateway only: the app that answers. Left out of the served copy, like everything `x-internal-`. */
  'x-internal-upstream': Upstream;
  /** For the gateway only: headers of callers that this operation reads itself, and no other does. */
  'x-internal-forwards'?: readonly ForwardedHeader[];
  /** What its 409 is made of. */
  'x-internal-conflicts'?: ConflictDescriptions;
}

/** By `details.code`: when an operation answers 409 with it. */
export type ConflictDescriptions = Readonly<Record<string, string>>;

/** OAuth's own client authentication, and the session of the pages (contract.md section 1). */
export type ForwardedHeader = 'authorization' | 'cookie';

export const UPSTREAMS = ['token-gating', 'identity', 'account-kit', 'analytics'] as const;
export type Upstream = (typeof UPSTREAMS)[number];

import type { CallerRequirement } from '@app/dto';
import { readFileSync } from 'node:fs';
import type { CallbackDescription } from './create-callbacks.js';
import type { DeclaredError } from './declared-errors.js';
import type { ForwardedHeader } from './headers.js';
import type { TagGroup } from './tag-groups.js';

/** Loads the committed document, which `npm run contract` generates; CI checks that it is up to date. */
export function loadOpenApiDocument(): OpenApiDocument {
  return JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as OpenApiDocument;
}

/** The parts of an OpenAPI 3.0 document that the code uses. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  /** The tags of operations in groups, for readers. */
  'x-tagGroups': readonly TagGroup[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  /** Spellings that the deployment accepts besides those of the document. */
  'x-gatehouse-aliases'?: object;
  components: {
    schemas: Record<string, unknown>;
    headers: Record<string, unknown>;
    responses: Record<string, OpenApiResponse>;
    securitySchemes: Record<string, unknown>;
  };
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, unknown>;
  /** Values of `details.code` in the error envelope. */
  'x-error-codes'?: readonly string[];
}

export interface OpenApiParameter {
  name: string;
  in: string;
  schema?: { type?: string; enum?: readonly string[] };
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: OpenApiParameter[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, OpenApiResponse | { $ref: string }>;
  callbacks?: Record<string, Record<string, { post: object }>>;
  security: Record<string, string[]>[];
  'x-caller': CallerRequirement;
  'x-operation-name': string;
  /** The app that handles the operation. The public document has no `x-internal-` extensions. */
  'x-internal-upstream': Upstream;
  /** Headers that only this operation gets from the client. */
  'x-internal-forwards'?: readonly ForwardedHeader[];
  /** Query parameters that the document describes in text only. */
  'x-internal-query'?: readonly string[];
  /** How long the app may wait on purpose before it answers. */
  'x-internal-max-wait-seconds'?: number;
  /** The gateway, too, rejects users who signed in with a passkey. */
  'x-internal-wallet-login'?: boolean;
  'x-internal-publishable-id'?: boolean;
  /** The status that the example request gets, where it is no success. */
  'x-gatehouse-example-status'?: number;
  // What decorators declare for the merged document, which does not keep it.
  'x-internal-conflicts'?: ConflictDescriptions;
  'x-internal-errors'?: readonly DeclaredError[];
  'x-internal-callback'?: CallbackDescription;
}

/** Descriptions of a 409 of an operation, by `details.code`. */
export type ConflictDescriptions = Readonly<Record<string, string>>;

export const UPSTREAMS = ['token-gating', 'identity', 'account-kit', 'analytics'] as const;
export type Upstream = (typeof UPSTREAMS)[number];

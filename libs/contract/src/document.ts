import type { Caller } from '@app/dto';

/** As much of an OpenAPI 3.0 document as we read and write ourselves. */
export interface ContractDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, ContractOperation>>;
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> };
}

export interface ContractOperation {
  operationId: string;
  tags: string[];
  parameters?: { name: string; in: string }[];
  responses: Record<string, unknown>;
  security: Record<string, string[]>[];
  'x-caller': Caller;
  'x-operation-name': string;
  /** For the gateway only: the app that answers. Left out of the served copy, like everything `x-internal-`. */
  'x-internal-upstream': Upstream;
  /** For the gateway only: headers of callers that this operation reads itself, and no other does. */
  'x-internal-forwards'?: readonly ForwardedHeader[];
  /** What its 409 is made of. */
  'x-internal-conflicts'?: Conflicts;
}

/** By `details.code`: when an operation answers 409 with it. */
export type Conflicts = Readonly<Record<string, string>>;

/** OAuth's own client authentication, and the session of the pages (contract.md section 1). */
export type ForwardedHeader = 'authorization' | 'cookie';

export const UPSTREAMS = ['token-gating', 'identity', 'account-kit', 'analytics'] as const;
export type Upstream = (typeof UPSTREAMS)[number];

import { isTransientStatus, type SafeHttpError } from '@app/http';

/** contract.md section 8. */
const MAX_FETCHES = 200;

/** Counts the fetches of one request, which the documents of all its rules share. */
export class MetadataFetchBudget {
  private readonly uris = new Set<string>();

  /** Whether the fetch of a document is allowed. Counts each document once, because rules may need the same ones. */
  take(uri: string): boolean {
    if (this.uris.size < MAX_FETCHES) this.uris.add(uri);
    return this.uris.has(uri);
  }
}

/**
 * - `metadata_unavailable`, `metadata_timeout`: no server answered; a retry may succeed
 * - `metadata_refused`: the URI has an unsupported scheme, is blocked, or the server refused the request
 * - `metadata_malformed`: the answer is not a JSON object, too long or too deep
 * - `metadata_limit_exceeded`: the request has used up its fetches
 */
export type MetadataFailureCode =
  | 'metadata_unavailable'
  | 'metadata_timeout'
  | 'metadata_refused'
  | 'metadata_malformed'
  | 'metadata_limit_exceeded';

/** Why the metadata of a token is unknown. Same shape as ReadFailure. */
export interface MetadataFailure {
  readonly ok: false;
  readonly permanent: boolean;
  readonly code: MetadataFailureCode;
  readonly message: string;
}

const isPermanent = {
  metadata_unavailable: false,
  metadata_timeout: false,
  metadata_refused: true,
  metadata_malformed: true,
  metadata_limit_exceeded: true,
} as const;

/** @param message continues a sentence that begins with "the metadata" */
export function createMetadataFailure(code: MetadataFailureCode, message: string): MetadataFailure {
  return { ok: false, permanent: isPermanent[code], code, message: `the metadata ${message}` };
}

const CODE_BY_ERROR_KIND = {
  blocked: 'metadata_refused',
  dns: 'metadata_unavailable',
  timeout: 'metadata_timeout',
  tls: 'metadata_unavailable',
  connection: 'metadata_unavailable',
  interrupted: 'metadata_unavailable',
  too_large: 'metadata_malformed',
  bad_answer: 'metadata_malformed',
} as const;

export const toMetadataFailure = ({ kind, message }: SafeHttpError): MetadataFailure =>
  createMetadataFailure(CODE_BY_ERROR_KIND[kind], `could not be fetched: ${message}`);

/** The failure of any status but 200. */
export const toStatusFailure = (status: number): MetadataFailure =>
  createMetadataFailure(
    isTransientStatus(status) ? 'metadata_unavailable' : 'metadata_refused',
    `was answered with status ${status}`,
  );

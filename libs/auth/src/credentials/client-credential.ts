import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toBase62 } from '@app/common';

/** `gth` marks an API key, `gths` a client secret, `gthp` a publishable id, which is no secret (contract.md section 4). */
export type ClientCredentialKind = 'gth' | 'gths' | 'gthp';

const ID_DIGITS = 12;
const SECRET_BYTES = 32;
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const PATTERN_BODY = `_([a-z]{1,16})_([0-9A-Za-z]{${ID_DIGITS}})_[0-9A-Za-z]{${SECRET_DIGITS + CHECKSUM_DIGITS}}`;
const PATTERNS = {
  gth: new RegExp(`^gth${PATTERN_BODY}$`),
  gths: new RegExp(`^gths${PATTERN_BODY}$`),
  gthp: new RegExp(`^gthp${PATTERN_BODY}$`),
} as const;
const MAX_CREDENTIAL_LENGTH = 128;

interface ClientCredentialParts {
  environment: string;
  /** Public: identifies the record, proves nothing. */
  id: string;
}

function toChecksum(text: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(text));
  return toBase62(sum, CHECKSUM_DIGITS);
}

/** Creates a credential `<kind>_<environment>_<id>_<secret><checksum>` with a 256-bit secret. */
export function createClientCredential(
  kind: ClientCredentialKind,
  environment: string,
): { id: string; text: string } {
  const id = toBase62(randomBytes(8), ID_DIGITS);
  const text = `${kind}_${environment}_${id}_${toBase62(randomBytes(SECRET_BYTES), SECRET_DIGITS)}`;
  return { id, text: text + toChecksum(text) };
}

/**
 * Parses the public parts of a credential; undefined for an invalid format or checksum. The checksum rejects typing
 * mistakes without a look-up; it does not prove that the credential was issued.
 */
export function parseClientCredential(
  kind: ClientCredentialKind,
  text: string,
): ClientCredentialParts | undefined {
  if (text.length > MAX_CREDENTIAL_LENGTH) return undefined;
  const [, environment, id] = PATTERNS[kind].exec(text) ?? [];
  if (environment === undefined || id === undefined) return undefined;
  return toChecksum(text.slice(0, -CHECKSUM_DIGITS)) === text.slice(-CHECKSUM_DIGITS)
    ? { environment, id }
    : undefined;
}

/** Whether a text in `X-API-Key` is meant as a publishable id. */
export const isPublishableId = (text: string): boolean => text.startsWith('gthp_');

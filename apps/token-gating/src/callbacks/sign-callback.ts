import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** Runs on the thread pool, because signing takes as long as the rest of a callback. */
const signAsync = promisify<null, Buffer, KeyObject, Buffer>(sign);

export interface SigningKey {
  /** RFC 7638 thumbprint, as in the published JWKS. */
  readonly kid: string;
  /** Ed25519. */
  readonly privateKey: KeyObject;
}

export interface UnsignedCallback {
  /** `msg_<ULID>`, the same for all attempts of a delivery. */
  readonly deliveryId: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  /** Request body, byte for byte. */
  readonly body: string;
  /** All keys in their signing period; more than one during rotation. */
  readonly keys: readonly SigningKey[];
  /** Further entries of the signature: `v1` of an endpoint's secrets. */
  readonly secretSignatures?: readonly string[];
}

/**
 * Headers of a signed callback: Standard Webhooks 1.0.0 with `v1a`, under the service's own names and under the standard
 * names with the same values (contract.md section 6).
 */
export async function signCallback(callback: UnsignedCallback): Promise<Record<string, string>> {
  const { deliveryId, timestamp, keys, secretSignatures = [] } = callback;
  if (keys.length === 0) throw new Error('There is no key to sign a callback with');
  const content = toSignedContent(callback);
  const signatures = await Promise.all(keys.map(({ privateKey }) => signAsync(null, content, privateKey)));
  const keySignatures = signatures.map((bytes) => `v1a,${bytes.toString('base64')}`);
  const signature = [...keySignatures, ...secretSignatures].join(' ');
  return {
    'x-service-delivery-id': deliveryId,
    'x-service-timestamp': String(timestamp),
    'x-service-signature': signature,
    'x-service-key-id': keys.map(({ kid }) => kid).join(' '),
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature,
  };
}

/** Signed bytes, see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export function toSignedContent({
  deliveryId,
  timestamp,
  body,
}: Pick<UnsignedCallback, 'deliveryId' | 'timestamp' | 'body'>): Buffer {
  return Buffer.from(`${deliveryId}.${timestamp}.${body}`, 'utf8');
}

import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** On a thread of the pool: it takes as long as all else that one callback costs. */
const signAside = promisify<null, Buffer, KeyObject, Buffer>(sign);

export interface SigningKey {
  /** RFC 7638 thumbprint, as the published key set has it. */
  readonly kid: string;
  /** Ed25519. */
  readonly privateKey: KeyObject;
}

export interface UnsignedCallback {
  /** `msg_<ULID>`, the same over all attempts of one delivery. */
  readonly deliveryId: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  /** The bytes that are sent. */
  readonly body: string;
  /** Every key that signs at the moment: more than one while a new one takes over. */
  readonly keys: readonly SigningKey[];
}

/**
 * The headers of a signed callback: Standard Webhooks 1.0.0 with `v1a`, under the service's own names and, with the same
 * values, under the standard ones (contract.md section 6).
 */
export async function signCallback(callback: UnsignedCallback): Promise<Record<string, string>> {
  const { deliveryId, timestamp, keys } = callback;
  if (keys.length === 0) throw new Error('There is no key to sign a callback with');
  const content = toSignedContent(callback);
  const signatures = await Promise.all(keys.map(({ privateKey }) => signAside(null, content, privateKey)));
  const signature = signatures.map((bytes) => `v1a,${bytes.toString('base64')}`).join(' ');
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

/** The bytes that are signed: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export function toSignedContent({
  deliveryId,
  timestamp,
  body,
}: Pick<UnsignedCallback, 'deliveryId' | 'timestamp' | 'body'>): Buffer {
  return Buffer.from(`${deliveryId}.${timestamp}.${body}`, 'utf8');
}

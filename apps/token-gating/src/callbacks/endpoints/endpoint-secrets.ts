import { decryptAesGcm, deriveKey, encryptAesGcm } from '@app/common';
import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { CallbackKeyConfig } from '../callback.config.js';
import { toSignedContent, type UnsignedCallback } from '../sign-callback.js';

/** Standard Webhooks allows 24 to 64 bytes. */
const SECRET_BYTES = 32;
const SECRET_PREFIX = 'whsec_';

export const sealedSecret = z.custom<Buffer>(Buffer.isBuffer);

/** The sealed secrets of the endpoint that a delivery goes to: the current one, and the previous one while it still signs. */
export interface SealedSecrets {
  readonly endpointId: string;
  readonly current: Buffer;
  readonly previous: Buffer | null;
}

const toSealContext = (endpointId: string): string => JSON.stringify(['callback endpoint', endpointId]);

/** The form in which a secret is shown once, and which Standard Webhooks libraries take. */
const formatEndpointSecret = (secret: Buffer): string => SECRET_PREFIX + secret.toString('base64');

/** `v1` of Standard Webhooks, one for each secret: HMAC-SHA256 over delivery id, timestamp and body. */
export function signWithSecrets(
  callback: Pick<UnsignedCallback, 'deliveryId' | 'timestamp' | 'body'>,
  secrets: readonly Buffer[],
): string[] {
  const content = toSignedContent(callback);
  return secrets.map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`);
}

/**
 * Creates, seals and opens the secrets of endpoints. The key that seals them is derived from CALLBACK_KEY_SECRET: with another
 * secret the stored ones cannot be opened, and endpoints get `v1` again after a rotation of their secret.
 */
@Injectable()
export class EndpointSecrets {
  private readonly key: Buffer;

  constructor({ CALLBACK_KEY_SECRET }: CallbackKeyConfig) {
    this.key = deriveKey(CALLBACK_KEY_SECRET, 'callback endpoint secrets');
  }

  /** @returns the secret in the form that is shown once, and sealed for its row */
  create(endpointId: string): { readonly text: string; readonly sealed: Buffer } {
    const secret = randomBytes(SECRET_BYTES);
    return {
      text: formatEndpointSecret(secret),
      sealed: encryptAesGcm(this.key, secret, toSealContext(endpointId)),
    };
  }

  /** The secrets that can be opened. */
  open({ endpointId, current, previous }: SealedSecrets): Buffer[] {
    const sealed = previous ? [current, previous] : [current];
    return sealed.flatMap((each) => decryptAesGcm(this.key, each, toSealContext(endpointId)) ?? []);
  }
}

import { createPublicKey } from 'node:crypto';
import type { TokenKeys } from '@app/dto';

/** What one kind of token is checked with, by key id. */
export interface TokenKeyTypes {
  /** PEM: what passport-jwt takes. */
  access: string;
  ae: Buffer;
  nonce: Buffer;
}

/** The keys that identity named, ready for use. */
export class TokenKeySet {
  private readonly keys: { [Kind in keyof TokenKeyTypes]: ReadonlyMap<string, TokenKeyTypes[Kind]> };

  constructor({ access, ae, nonce }: TokenKeys) {
    const secrets = (all: TokenKeys['ae']) =>
      all.map(({ kid, k }) => [kid, Buffer.from(k, 'base64url')] as const);
    this.keys = {
      access: new Map(access.map((jwk) => [jwk.kid, toPem(jwk)])),
      ae: new Map(secrets(ae)),
      nonce: new Map(secrets(nonce)),
    };
  }

  get<Kind extends keyof TokenKeyTypes>(kind: Kind, kid: string): TokenKeyTypes[Kind] | undefined {
    return this.keys[kind].get(kid);
  }

  /** Whether it has every key of an earlier set: what a key has proved counts as long as the key does. */
  hasAllKeysOf(earlier: TokenKeySet): boolean {
    return (['access', 'ae', 'nonce'] as const).every((kind) =>
      [...earlier.keys[kind].keys()].every((kid) => this.keys[kind].has(kid)),
    );
  }
}

const toPem = ({ kty, crv, x, y }: TokenKeys['access'][number]): string =>
  createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();

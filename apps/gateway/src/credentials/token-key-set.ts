import { createPublicKey } from 'node:crypto';
import type { TokenKeys } from '@app/dto';

/** The key type of each kind of token. */
export interface TokenKeyTypes {
  /** PEM, as passport-jwt expects it. */
  access: string;
  ae: Buffer;
  nonce: Buffer;
}

/** Identity's keys for tokens in usable form, by key id. */
export class TokenKeySet {
  private readonly keys: { [Kind in keyof TokenKeyTypes]: ReadonlyMap<string, TokenKeyTypes[Kind]> };

  constructor({ access, ae, nonce }: TokenKeys) {
    const toEntries = (secrets: TokenKeys['ae']) =>
      secrets.map(({ kid, k }) => [kid, Buffer.from(k, 'base64url')] as const);
    this.keys = {
      access: new Map(access.map((jwk) => [jwk.kid, toPem(jwk)])),
      ae: new Map(toEntries(ae)),
      nonce: new Map(toEntries(nonce)),
    };
  }

  get<Kind extends keyof TokenKeyTypes>(kind: Kind, kid: string): TokenKeyTypes[Kind] | undefined {
    return this.keys[kind].get(kid);
  }

  /** Whether no key of another set is missing here. */
  hasAllKeysOf(other: TokenKeySet): boolean {
    return (['access', 'ae', 'nonce'] as const).every((kind) =>
      [...other.keys[kind].keys()].every((kid) => this.keys[kind].has(kid)),
    );
  }
}

const toPem = ({ kty, crv, x, y }: TokenKeys['access'][number]): string =>
  createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' })
    .export({ type: 'spki', format: 'pem' })
    .toString();

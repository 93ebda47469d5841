import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto';
import {
  type AeClaims,
  type AeKey,
  createSignInNonce,
  NONCE_PLACEHOLDER,
  type NonceBinding,
  type NonceKey,
  encryptAeToken,
  deriveUserId,
} from '@app/auth';
import { formatSignInMessage, type SignInMessage } from '@app/chain/sign-in';
import type { TokenKeys } from '@app/dto';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

export type Json = Record<string, unknown>;

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (): number => Math.floor(Date.now() / 1_000);

export interface CredentialOptions {
  clientId: string;
  wallet?: PrivateKeyAccount;
  scopes?: readonly string[];
  purpose?: NonceBinding['purpose'];
  /** Overridden fields of the message. */
  message?: Partial<SignInMessage>;
  /** What the nonce was issued for, if it differs from the message. */
  issued?: { purpose?: NonceBinding['purpose']; clientId?: string; message?: Partial<SignInMessage> };
}

/** Creates valid and invalid tokens of every kind. The gateway of a test accepts `keys` as identity's. */
export class TokenFactory {
  private readonly pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly accessKid = `test-access-${randomUUID()}`;
  readonly ae: AeKey = { kid: `test-ae-${randomUUID()}`, key: randomBytes(32) };
  readonly nonce: NonceKey = { kid: `t${randomBytes(4).toString('hex').slice(1)}`, key: randomBytes(32) };
  readonly wallet = privateKeyToAccount(generatePrivateKey());

  constructor(readonly publicUrl: string) {}

  /** The keys in the format of identity's internal API. */
  get keys(): TokenKeys {
    const { x = '', y = '' } = this.pair.publicKey.export({ format: 'jwk' });
    const secret = ({ kid, key }: AeKey) => ({ kid, k: key.toString('base64url') });
    const access = { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: this.accessKid, x, y } as const;
    return { access: [access], ae: [secret(this.ae)], nonce: [secret(this.nonce)] };
  }

  /** The default user of the tokens. */
  get userId(): string {
    return deriveUserId('ethereum', this.wallet.address.toLowerCase());
  }

  get publicKey(): KeyObject {
    return this.pair.publicKey;
  }

  accessClaims(clientId: string, more: Json = {}): Json {
    const now = seconds();
    return {
      iss: this.publicUrl,
      aud: this.publicUrl,
      sub: this.userId,
      client_id: clientId,
      scope: '$public user:read',
      jti: randomUUID(),
      iat: now,
      exp: now + 3_600,
      ...more,
    };
  }

  /** An access token; `header` and `key` make invalid ones. */
  bearer(claims: Json, header: Json = {}, key: KeyObject = this.pair.privateKey): string {
    const head = part({ alg: 'ES256', typ: 'at+jwt', kid: this.accessKid, ...header });
    const signed = `${head}.${part(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
    return `${signed}.${signature.toString('base64url')}`;
  }

  aeClaims(clientId: string, more: Partial<AeClaims> = {}): AeClaims {
    const now = seconds();
    return {
      iss: this.publicUrl,
      aud: this.publicUrl,
      sub: this.userId,
      client_id: clientId,
      scope: '$public user:read',
      wallet: `eip155:1:${this.wallet.address}`,
      jti: randomUUID(),
      iat: now,
      exp: now + 3_600,
      ...more,
    };
  }

  aeToken(claims: AeClaims, key: AeKey = this.ae): string {
    return encryptAeToken(claims, key);
  }

  credentialMessage({ clientId, wallet = this.wallet, ...options }: CredentialOptions): SignInMessage {
    const { scopes = ['$public', 'user:read'], purpose = 'credential' } = options;
    const fields: Omit<SignInMessage, 'nonce'> = {
      domain: new URL(this.publicUrl).host,
      address: wallet.address,
      uri: this.publicUrl,
      chainId: 1,
      issuedAt: new Date().toISOString(),
      expirationTime: new Date(Date.now() + 3_600_000).toISOString(),
      resources: [
        `${this.publicUrl}/#credential`,
        `urn:client:${clientId}`,
        ...scopes.map((scope) => `urn:scope:${scope}`),
      ],
      ...options.message,
    };
    const { message, ...issued } = options.issued ?? {};
    const text = formatSignInMessage({ ...fields, ...message, nonce: NONCE_PLACEHOLDER });
    return { nonce: createSignInNonce({ purpose, clientId, text, ...issued }, this.nonce), ...fields };
  }

  /** A signed Ethereum credential. */
  async credential(options: CredentialOptions): Promise<string> {
    return this.signed(formatSignInMessage(this.credentialMessage(options)), options.wallet);
  }

  async signed(text: string, wallet: PrivateKeyAccount = this.wallet): Promise<string> {
    return this.credentialOf(text, await wallet.signMessage({ message: text }));
  }

  credentialOf(text: string, signature: string): string {
    return `${Buffer.from(text).toString('base64url')}.${signature}`;
  }
}

import { createHash, generateKeyPairSync } from 'node:crypto';
import type { Principal } from '@app/auth';
import { importJWK, type JWK, SignJWT } from 'jose';
import type { Answer } from './gating-app.js';
import type { RolesWorld } from './roles-world.js';

export const PUBLIC_URL = 'http://localhost:3000';
export const OWN = '/account/verifiable-credentials';
export const VERIFIER = 'https://verifier.example';
export const anonymous: Principal = { kind: 'anonymous' };

/** @param tokenIssuedAt Unix seconds */
export const asHolder = (id: string, clientId?: string, tokenIssuedAt?: number): Principal => ({
  kind: 'caller',
  user: { id, ...(tokenIssuedAt === undefined ? {} : { tokenIssuedAt }) },
  ...(clientId === undefined ? {} : { client: { id: clientId, ownerId: 'owner_1', plan: 'free' } }),
  scopes: ['user:verifiable-credential:read', 'user:verifiable-credential:write'],
});

export interface Issued {
  id: string;
  credential: string;
  claims: Record<string, unknown>;
  thumbprint: string;
}

export interface Verification {
  valid: boolean;
  status?: string;
  holder: string;
  reason?: string;
  claims?: Record<string, unknown>;
}

interface Keys {
  publicKey: JWK;
  privateKey: Awaited<ReturnType<typeof importJWK>>;
}

export async function createKeys(): Promise<Keys> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ format: 'jwk' }),
    privateKey: await importJWK(privateKey.export({ format: 'jwk' }) as JWK, 'ES256'),
  };
}

export const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

export const code = (answer: Answer) =>
  (answer.body as { error?: { details: { code: string } } }).error?.details.code;

/** The wallet application of users: it asks for credentials with one key, and presents them. */
export class CredentialClient {
  private constructor(
    private readonly world: RolesWorld,
    readonly keys: Keys,
  ) {}

  static async create(world: RolesWorld): Promise<CredentialClient> {
    return new CredentialClient(world, await createKeys());
  }

  send(method: string, path: string, as: Principal, body?: object): Promise<Answer> {
    return this.world.gating.request(method, path, body && JSON.stringify(body), {}, as);
  }

  async createNonce(user = 'user_owner'): Promise<string> {
    const { body } = await this.send('POST', `${OWN}/nonces`, asHolder(user), {});
    return (body as { nonce: string }).nonce;
  }

  prove(
    nonce: string,
    { aud = PUBLIC_URL, typ = 'openid4vci-proof+jwt', key = this.keys.privateKey } = {},
  ): Promise<string> {
    return new SignJWT({ nonce, aud }).setIssuedAt().setProtectedHeader({ alg: 'ES256', typ }).sign(key);
  }

  /** @param fields at least what the type needs */
  async ask(fields: object, user = 'user_owner', clientId?: string, tokenIssuedAt?: number): Promise<Answer> {
    const proof = 'proof' in fields ? {} : { proof: await this.prove(await this.createNonce(user)) };
    return this.send('POST', OWN, asHolder(user, clientId, tokenIssuedAt), {
      jwk: this.keys.publicKey,
      ...fields,
      ...proof,
    });
  }

  async issue(fields: object, user = 'user_owner', clientId?: string): Promise<Issued> {
    const { status, body } = await this.ask(fields, user, clientId);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body as Issued;
  }

  async check(credential: string, fields: object = {}): Promise<Verification> {
    const path = '/verifiable-credentials/verifications';
    const { status, body } = await this.send('POST', path, anonymous, { credential, ...fields });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body as Verification;
  }

  /** A presentation with a key-binding JWT. */
  async present(
    credential: string,
    {
      nonce = 'n-1',
      aud = VERIFIER,
      sdHash = hash(credential),
      key = this.keys.privateKey,
      iat = Date.now() / 1_000,
    } = {},
  ): Promise<string> {
    const binding = await new SignJWT({ nonce, aud, sd_hash: sdHash })
      .setIssuedAt(Math.floor(iat))
      .setProtectedHeader({ alg: 'ES256', typ: 'kb+jwt' })
      .sign(key);
    return credential + binding;
  }
}

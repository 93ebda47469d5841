import { expect } from '@jest/globals';
import { type AeClaims, decryptAeToken, type Principal } from '@app/auth';
import { tokenKeys, type Scope } from '@app/dto';
import type { CommandServices } from '../../apps/identity/src/applications/command/command-services.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { lease } from '../support/lease.js';
import { runningApp, type RunningApp } from '../support/running-app.js';
import { storeRsaKey } from '../support/store-rsa-key.js';
import { GATEWAY_ITSELF, identityUnderTest, type IdentityUnderTest } from './identity-under-test.js';
import { identityServices } from './identity-services.js';

export interface Problem {
  name: string;
  message: string;
  details: { code: string; issues?: { path: string }[] };
}

export interface Answer<T> {
  status: number;
  body: T;
  /** Undefined for status 200. */
  error: Problem | undefined;
}

/** A running identity service with client applications that sign users in. */
export class SignInWorld {
  private constructor(
    readonly database: FreshDatabase,
    readonly identity: IdentityUnderTest,
    readonly app: RunningApp,
    readonly services: CommandServices,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<SignInWorld> {
    const database = await freshDatabase('identity');
    const identity = await identityUnderTest(database.url, env);
    await storeRsaKey(database.url, identity.env.TOKEN_KEY_SECRET ?? '');
    const app = await runningApp('identity', identity.env);
    return new SignInWorld(database, identity, app, await identityServices(identity.env));
  }

  /** The world that test files share. */
  static lease(): Promise<SignInWorld> {
    // Room for the tests that send ten requests at once.
    return lease('sign-in', { DATABASE_POOL_SIZE: '10' }, (env) => SignInWorld.start(env));
  }

  async stop(): Promise<void> {
    await this.services.database.close();
    expect(await this.app.stop()).toBe(0);
    await this.database.drop();
  }

  /** Creates a client application with these sign-in origins. */
  async client(origins: string[], scopes: Scope[] = ['token-gating']): Promise<Principal> {
    const tenant = { plan: 'free', perSecond: null, perMonth: null } as const;
    const fields = { name: 'shop', type: 'confidential', origins } as const;
    const { clientId, ownerId } = await this.services.clientApplications.create({
      ...fields,
      scopes,
      tenant,
    });
    return { kind: 'caller', client: { id: clientId, ownerId, plan: 'free' }, scopes };
  }

  challenge(
    client: Principal,
    request: object,
  ): Promise<Answer<{ requestId: string; message: string; state?: string }>> {
    return this.post('/ethereum-login/challenges', client, request);
  }

  login(client: Principal, request: object): Promise<Answer<{ idToken: string }>> {
    return this.post('/ethereum-login/id-tokens', client, request);
  }

  /** Decrypts a token as the gateway does. */
  async claimsOf(idToken: string): Promise<AeClaims> {
    const response = await this.identity.get('/internal/token-keys', GATEWAY_ITSELF);
    const { ae } = tokenKeys.parse(await response.json());
    const keys = new Map(ae.map(({ kid, k }) => [kid, Buffer.from(k, 'base64url')]));
    const claims = decryptAeToken(idToken, (kid) => keys.get(kid));
    if (!claims) throw new Error('not an AE token');
    return claims;
  }

  async post<T>(path: string, principal: Principal, body: unknown): Promise<Answer<T>> {
    const response = await this.identity.post(path, principal, body);
    const answer = (await response.json()) as T & { error?: Problem };
    return { status: response.status, body: answer, error: answer.error };
  }
}

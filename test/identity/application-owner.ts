import type { Principal } from '@app/auth';
import type { IdentityUnderTest } from './identity-under-test.js';

export interface Application {
  clientId: string;
  name: string;
  status: string;
  rejectionReason?: string;
  requestedScopes: string[];
  approvedScopes: string[];
  redirectUris: string[];
  origins: string[];
  iconUrl?: string;
  /** What an operator approved. */
  approvedValues?: { name: string; iconUrl?: string; redirectUris: string[]; origins: string[] };
  revision: number;
}

export interface Created {
  application: Application;
  clientSecret?: string;
  keyId: string;
  apiKey: string;
}

export interface Answer<T> {
  status: number;
  body: T;
  /** The error code of an error response. */
  code: string | undefined;
}

/** Sends requests of one user, as the gateway forwards them. */
export class ApplicationOwner {
  constructor(
    private readonly identity: IdentityUnderTest,
    readonly user: { id: string; account?: string; authTime?: number; amr?: string[] },
  ) {}

  async ask<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const principal: Principal = { kind: 'caller', user: this.user, scopes: [] };
    const response = await this.identity.request(method, path, principal, body);
    const text = await response.text();
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    const { error } = (parsed ?? {}) as { error?: { details: { code?: string } } };
    return { status: response.status, body: parsed as T, code: error?.details.code };
  }

  /** Registers an application. @throws Error unless it succeeds */
  async register(fields: object = {}): Promise<Created> {
    const answer = await this.ask<Created>('POST', '/client-applications', { name: 'shop', ...fields });
    if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  get(clientId: string): Promise<Answer<Application>> {
    return this.ask('GET', `/client-applications/${clientId}`);
  }

  change(clientId: string, change: object): Promise<Answer<Application>> {
    return this.ask('PATCH', `/client-applications/${clientId}`, change);
  }
}

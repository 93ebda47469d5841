import { expect } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Page } from 'playwright-core';
import { receiver } from '../support/receiver.js';
import type { RunningSuite } from '../support/running-suite.js';

export interface TestApplication {
  clientId: string;
  clientSecret: string;
  apiKey: string;
  redirectUri: string;
  /** Stops its site. */
  stop: () => Promise<void>;
}

export interface Tokens {
  access_token?: string;
  scope?: string;
  error?: string;
}

const EMPTY_SHOP: RequestListener = (_, response) => {
  response.setHeader('content-type', 'text/html').end('<title>Shop</title>');
};

/** Creates an application with its own site. */
export async function createApplication(
  suite: RunningSuite,
  name = 'Shop',
  scopes = ['user:read', 'user:wallet:read'],
  answer = EMPTY_SHOP,
): Promise<TestApplication> {
  const site = await receiver(answer);
  const redirectUri = `http://127.0.0.1:${String(site.port)}/cb`;
  const flags = ['--name', name, '--plan', 'paid', '--scopes', scopes.join(','), '--implicit', 'on'];
  const text = await suite.clientCommand(['create', ...flags, '--redirect-uris', redirectUri, '--json']);
  const line = text.split('\n').find((one) => one.startsWith('{')) ?? '';
  const { clientId, clientSecret, apiKey } = JSON.parse(line) as TestApplication;
  return { clientId, clientSecret, apiKey, redirectUri, stop: site.stop };
}

export class AuthorizationRequest {
  private readonly verifier = randomBytes(32).toString('base64url');

  constructor(
    private readonly gatewayUrl: string,
    private readonly application: TestApplication,
    private readonly parameters: Record<string, string> = {},
  ) {}

  get url(): string {
    const challenge = createHash('sha256').update(this.verifier).digest('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.application.clientId,
      redirect_uri: this.application.redirectUri,
      scope: 'user:read user:wallet:read',
      state: 'as it was',
      ...(this.parameters['response_type'] === 'token'
        ? {}
        : { code_challenge: challenge, code_challenge_method: 'S256' }),
      ...this.parameters,
    });
    return `${this.gatewayUrl}/oauth2/authorize?${query.toString()}`;
  }

  async exchange(code: string): Promise<Tokens> {
    const { clientId, clientSecret, redirectUri } = this.application;
    const response = await fetch(`${this.gatewayUrl}/oauth2/token`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: this.verifier,
        client_id: clientId,
        client_secret: clientSecret,
      }),
    });
    return (await response.json()) as Tokens;
  }
}

/** Waits for the redirect to the application. @returns its parameters */
export async function cameBack(page: Page): Promise<URLSearchParams> {
  await page.waitForURL(/^[^?#]+\/cb[?#]/);
  expect(await page.title()).toBe('Shop');
  const { search, hash } = new URL(page.url());
  return new URLSearchParams(hash === '' ? search : hash.slice(1));
}

import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { queryDatabase } from '../identity/query-database.js';
import type { Client, ClientOptions } from './create-client.js';
import type { RunningSuite } from './running-suite.js';

const ORIGIN = 'https://shop.example';

interface Answer {
  status: number;
  body: Record<string, string>;
}

/** Whoever holds the key of a wallet, and a client application of theirs, as both come to a running suite's gateway. */
export class WalletAtTheGateway {
  private constructor(
    private readonly suite: RunningSuite,
    readonly client: Client,
    readonly owner: PrivateKeyAccount,
  ) {}

  static async start(suite: RunningSuite, options?: ClientOptions): Promise<WalletAtTheGateway> {
    return WalletAtTheGateway.of(suite, await suite.createClient(options));
  }

  /** @param owner the same wallet, where it comes with another client application */
  static async of(
    suite: RunningSuite,
    client: Client,
    owner = privateKeyToAccount(generatePrivateKey()),
  ): Promise<WalletAtTheGateway> {
    await queryDatabase(
      suite.databaseUrl,
      'UPDATE identity.client_applications SET origins = $1 WHERE id = $2',
      [[ORIGIN], client.clientId],
    );
    return new WalletAtTheGateway(suite, client, owner);
  }

  get key(): Record<string, string> {
    return { 'x-api-key': this.client.apiKey };
  }

  async post(path: string, headers: Record<string, string>, body: object): Promise<Answer> {
    const response = await fetch(this.suite.gatewayUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  }

  /** A message that the client application asked for, signed. */
  async challenge(more: object): Promise<{ requestId: string; message: string; signature: `0x${string}` }> {
    const question = { uri: `${ORIGIN}/`, ...more };
    const { status, body } = await this.post('/ethereum-login/challenges', this.key, question);
    if (status !== 200) throw new Error(`No challenge: ${status} ${JSON.stringify(body)}`);
    const { requestId = '', message = '' } = body;
    return { requestId, message, signature: await this.owner.signMessage({ message }) };
  }

  /** The value of `Authorization`. */
  async aeToken(accountId: string): Promise<string> {
    const { requestId, signature } = await this.challenge({ accountId });
    const answer = { requestId, signature };
    const { status, body } = await this.post('/ethereum-login/id-tokens', this.key, answer);
    if (status !== 200) throw new Error(`No token: ${status} ${JSON.stringify(body)}`);
    return `AE ${body.idToken ?? ''}`;
  }

  /** The value of `Authorization`. @param sign what the account's signature is made of the owner's */
  async credential(
    accountId: string,
    { scopes = [], sign = (signature) => signature }: CredentialWishes = {},
  ): Promise<string> {
    const resources = [
      `${this.suite.gatewayUrl}/#credential`,
      ...scopes.map((scope) => `urn:scope:${scope}`),
    ];
    const { message, signature } = await this.challenge({ accountId, resources });
    return `Ethereum ${Buffer.from(message).toString('base64url')}.${sign(signature)}`;
  }

  me(headers: Record<string, string>): Promise<Response> {
    return fetch(`${this.suite.gatewayUrl}/account/me`, { headers });
  }
}

interface CredentialWishes {
  scopes?: readonly string[];
  sign?: (signature: `0x${string}`) => string;
}

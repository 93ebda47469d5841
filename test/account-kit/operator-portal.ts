import type { PrivateKeyAccount } from 'viem';
import type { RunningSuite } from '../support/running-suite.js';

const ORIGIN = 'https://portal.example';

/** A portal at which wallets sign in to get the scope of operators. */
export class OperatorPortal {
  private constructor(
    private readonly suite: Pick<RunningSuite, 'gatewayUrl'>,
    private readonly apiKey: string,
  ) {}

  static async create(suite: Pick<RunningSuite, 'gatewayUrl' | 'clientCommand'>): Promise<OperatorPortal> {
    const limits = ['--requests-per-second', '1000', '--requests-per-month', '1000000'];
    const flags = ['--name', 'portal', '--plan', 'enterprise', ...limits, '--scopes', 'operator'];
    const created = JSON.parse(
      await suite.clientCommand(['create', ...flags, '--origins', ORIGIN, '--json']),
    ) as {
      apiKey: string;
    };
    return new OperatorPortal(suite, created.apiKey);
  }

  /** @returns the header that names the wallet's user */
  async signIn(wallet: PrivateKeyAccount): Promise<{ authorization: string }> {
    const { requestId, message } = await this.post<{ requestId: string; message: string }>('challenges', {
      uri: `${ORIGIN}/login`,
      accountId: `eip155:1:${wallet.address}`,
      resources: ['urn:scope:operator'],
    });
    const signature = await wallet.signMessage({ message });
    const { idToken } = await this.post<{ idToken: string }>('id-tokens', { requestId, signature });
    return { authorization: `AE ${idToken}` };
  }

  private async post<Body>(path: string, body: object): Promise<Body> {
    const response = await fetch(`${this.suite.gatewayUrl}/ethereum-login/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': this.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  }
}

import { SignClient } from '@walletconnect/sign-client';
import { hexToString, isHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

type Client = Awaited<ReturnType<typeof SignClient.init>>;
type Behaviour =
  | 'approves'
  | 'declines the connection'
  | 'declines to sign'
  | 'signs with another account'
  | 'is on an unknown chain'
  | 'hangs up'
  | 'never answers';

let wallets = 0;

/** The wallet of a phone: WalletConnect's own SDK, with a key of its own. */
export class PhoneWallet {
  private readonly account = privateKeyToAccount(generatePrivateKey());
  private readonly other = privateKeyToAccount(generatePrivateKey());
  behaviour: Behaviour = 'approves';
  /** The chain of its account. */
  chain = 'eip155:1';
  /** Methods and texts of all requests, in order. */
  readonly requests: { method: string; text: string }[] = [];
  /** What pages have asked for. */
  readonly proposals: unknown[] = [];

  private constructor(private readonly client: Client) {
    client.on('session_proposal', ({ id, params }) => {
      this.proposals.push(params.optionalNamespaces);
      void this.answerProposal(id);
    });
    client.on('session_request', ({ id, topic, params }) => {
      void this.answerRequest(id, topic, params.request);
    });
  }

  static async start(projectId: string, relayUrl: string): Promise<PhoneWallet> {
    wallets += 1;
    const items = new Map<string, unknown>();
    const client = await SignClient.init({
      projectId,
      relayUrl,
      metadata: { name: 'Pocket', description: 'A wallet', url: 'https://pocket.example', icons: [] },
      customStoragePrefix: `wallet-${String(wallets)}`,
      telemetryEnabled: false,
      logger: 'silent',
      storage: {
        getKeys: () => Promise.resolve([...items.keys()]),
        getEntries: <T>() => Promise.resolve([...items] as [string, T][]),
        getItem: <T>(key: string) => Promise.resolve(items.get(key) as T | undefined),
        setItem: (key, value) => {
          items.set(key, value);
          return Promise.resolve();
        },
        removeItem: (key) => {
          items.delete(key);
          return Promise.resolve();
        },
      },
    });
    return new PhoneWallet(client);
  }

  get address(): string {
    return this.account.address;
  }

  /** How many pages it is connected to. */
  get sessions(): number {
    return this.client.session.length;
  }

  /** Reads the code of a page. */
  async scan(uri: string): Promise<void> {
    await this.client.pair({ uri });
  }

  async stop(): Promise<void> {
    this.client.core.heartbeat.stop();
    await this.client.core.relayer.transportClose();
  }

  private async answerProposal(id: number): Promise<void> {
    if (this.behaviour === 'never answers') return;
    if (this.behaviour === 'declines the connection') {
      await this.client.reject({ id, reason: { code: 5_000, message: 'User rejected.' } });
      return;
    }
    const chain = this.behaviour === 'is on an unknown chain' ? 'eip155:999999' : this.chain;
    const namespace = {
      chains: [chain],
      accounts: [`${chain}:${this.address}`],
      methods: ['personal_sign'],
      events: [],
    };
    await this.client.approve({ id, namespaces: { eip155: namespace } });
  }

  private async answerRequest(
    id: number,
    topic: string,
    { method, params }: { method: string; params: unknown },
  ): Promise<void> {
    const [data] = params as unknown[];
    const text = isHex(data) ? hexToString(data) : '';
    this.requests.push({ method, text });
    if (this.behaviour === 'never answers') return;
    if (this.behaviour === 'hangs up') {
      await this.client.disconnect({ topic, reason: { code: 6_000, message: 'User disconnected.' } });
      return;
    }
    if (this.behaviour === 'declines to sign') {
      const error = { code: 5_000, message: 'User rejected.' };
      await this.client.respond({ topic, response: { id, jsonrpc: '2.0', error } });
      return;
    }
    const signer = this.behaviour === 'signs with another account' ? this.other : this.account;
    const result = await signer.signMessage({ message: text });
    await this.client.respond({ topic, response: { id, jsonrpc: '2.0', result } });
  }
}

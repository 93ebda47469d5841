import { type Address, encodeFunctionData, type Hex, pad, toHex } from 'viem';
import { forwardTo, HostileNode, type NodeBehaviour } from '../support/hostile-node.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { until } from '../support/until.js';
import { CommunityRows } from './community-rows.js';
import { GatingApp } from './gating-app.js';
import { eoa, WalletBook } from './wallet-book.js';

/** Emits one log without indexed arguments: its topic is the first word of the call data, its data the rest. */
export const PLAIN_EMITTER: Hex = '0x602036038060205f375f35905fa100';
/** Emits as many logs as the second word of the call data says, with its first word as topic and a number as each indexed argument. */
const FLOOD_EMITTER: Hex = '0x6020355b80156018578080805f355f5fa4600190036003565b00';
/** Answers every call with 1. */
export const ALWAYS_ONE: Hex = '0x60015f5260205ff3';
/** Transfer(address,address,uint256). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BLOCK_GAS_LIMIT = 2_000_000_000n;

/** Token-gating alone with a chain whose node a test can replace, and a fake identity with wallets. Nothing is polled but what a test schedules. */
export class TransfersWorld {
  /** Answers requests instead of the node, where it is set and returns true. */
  override: ((...request: Parameters<NodeBehaviour>) => boolean) | undefined;
  private numbers = 0;

  private constructor(
    readonly chain: LocalChain,
    readonly node: HostileNode,
    readonly book: WalletBook,
    readonly gating: GatingApp,
    readonly communities: CommunityRows,
  ) {}

  /** @param toUrls the nodes of the app, by default the one that a test can replace */
  static async start(
    env: Record<string, string> = {},
    toUrls: (nodeUrl: string, chainUrl: string) => string = (url) => url,
  ): Promise<TransfersWorld> {
    const chain = await LocalChain.start();
    await chain.installMulticall3();
    await chain.client.setBlockGasLimit({ gasLimit: BLOCK_GAS_LIMIT });
    const forward = forwardTo(chain.rpcUrl);
    const node = await HostileNode.start((request, response) => {
      if (!world.override?.(request, response)) return forward(request, response);
    });
    const book = await WalletBook.start();
    const gating = await GatingApp.start({
      [`RPC_URL_${chain.chainId}`]: toUrls(node.url, chain.rpcUrl),
      IDENTITY_URL: book.url,
      SWEEP_INTERVAL_MS: '200',
      TRANSFER_CHECK_INTERVAL_MS: '1000',
      BALANCE_CHECK_COOLDOWN_MS: '0',
      ...env,
    });
    const communities = new CommunityRows(gating.databaseUrl);
    const world: TransfersWorld = new TransfersWorld(chain, node, book, gating, communities);
    return world;
  }

  async stop(): Promise<void> {
    await this.communities.close();
    await this.gating.stop();
    await this.book.stop();
    await this.node.stop();
    await this.chain.stop();
  }

  deployToken(): Promise<DeployedContract> {
    return this.chain.deploy('DemoERC721', ['Demo', 'DEMO']);
  }

  holds(contract: { readonly address: string }, fields: object = {}): object {
    return {
      ...{ roleId: 'holder', type: 'ERC721', chainId: this.chain.chainId, contractAddress: contract.address },
      ...fields,
    };
  }

  /** A user with a new wallet. */
  user(): { readonly id: string; readonly address: Address } {
    this.numbers += 1;
    const address = pad(toHex(0xace0000 + this.numbers), { size: 20 });
    const id = `user_${this.numbers}`;
    this.book.set(id, eoa(address));
    return { id, address };
  }

  /** A community whose members are checked, and whose contracts are followed. */
  async community(rules: object[], members: readonly string[], ownerId = 'user_owner'): Promise<string> {
    const id = await this.communities.create({ roles: ['holder'], rules, members: [...members] });
    await this.query('UPDATE token_gating.communities SET owner_id = $2 WHERE id = $1', id, ownerId);
    await until('the accounts of all members are known', async () => {
      const sql = `SELECT FROM token_gating.member_accounts WHERE community_id = $1`;
      return (await this.query(sql, id)).length >= members.length;
    });
    await this.settle(id);
    return id;
  }

  /** Waits until no balance check is due or running. */
  async settle(id: string): Promise<void> {
    await until(
      'all balance checks are done',
      async () => {
        const sql = `SELECT FROM token_gating.communities c WHERE id = $1 AND (next_check_at < now() + interval '1 hour' OR EXISTS (
        SELECT FROM token_gating.balance_checks b WHERE b.community_id = c.id AND b.state = 'running'))`;
        return (await this.query(sql, id)).length === 0;
      },
      120_000,
    );
  }

  /** Asks the chain itself. */
  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.chain.rpcUrl, { method: 'POST', headers, body });
    return ((await response.json()) as { result: unknown }).result;
  }

  countBalanceChecks(id: string): Promise<number> {
    return this.query('SELECT FROM token_gating.balance_checks WHERE community_id = $1', id).then(
      ({ length }) => length,
    );
  }

  query<Row extends object>(sql: string, ...parameters: unknown[]): Promise<Row[]> {
    return this.communities.query<Row>(sql, parameters);
  }

  /** Waits until exactly these users have the role. */
  async untilHolders(id: string, ...userIds: readonly string[]): Promise<void> {
    const expected = userIds.map((userId) => `${userId} holder`).toSorted();
    await until(`the holders are ${userIds.join(', ') || 'nobody'}`, async () => {
      const assigned = (await this.communities.assignments(id)).toSorted();
      return assigned.join() === expected.join();
    });
  }

  /** Sends a transaction as any account. */
  async sendAs(from: Address, to: Address, data: Hex, gas?: bigint): Promise<void> {
    const { client } = this.chain;
    await client.impersonateAccount({ address: from });
    await client.setBalance({ address: from, value: 10n ** 24n });
    const transaction = { account: from, to, data, chain: client.chain, ...(gas ? { gas } : {}) };
    const hash = await client.sendTransaction(transaction);
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error('the transaction reverted');
  }

  async transfer(token: DeployedContract, from: Address, to: Address, id: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: token.abi, functionName: 'transferFrom', args: [from, to, id] });
    await this.sendAs(from, token.address, data);
  }

  /** A contract that emits this many logs of transfers between nobody when it is called. */
  async deployFlood(address: Address): Promise<(logs: number) => Promise<void>> {
    await this.chain.client.setCode({ address, bytecode: FLOOD_EMITTER });
    return async (logs) => {
      const { client } = this.chain;
      const from = '0x00000000000000000000000000000000000f100d';
      await client.impersonateAccount({ address: from });
      await client.setBalance({ address: from, value: 10n ** 24n });
      const before = await client.getBlockNumber();
      const data = `${TRANSFER_TOPIC}${pad(toHex(logs), { size: 32 }).slice(2)}`;
      const gas = toHex(logs * 2_500 + 100_000);
      await this.ask('eth_sendTransaction', [{ from, to: address, data, gas }]);
      // The receipt of 100,000 logs has 60 MB.
      await until('the logs are mined', async () => (await client.getBlockNumber()) > before);
    };
  }

  /** A metric of one instance, summed over what its labels do not tell. */
  async metric(pattern: RegExp, app = this.gating.app): Promise<number | undefined> {
    const text = await (await fetch(`${app.managementUrl}/metrics`)).text();
    const line = text.split('\n').find((each) => !each.startsWith('#') && pattern.test(each));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  }
}

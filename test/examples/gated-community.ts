import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { linkOnWalletPage } from '../../scripts/demo/wallet-page.mjs';
import type { Client } from '../support/create-client.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { CommunitiesWorld } from '../token-gating/communities-world.js';

const SCOPES = ['community:read', 'community:write', 'token-gating'];

/** A community whose role `collector` follows from a badge on a local chain, and the application of a bot. */
export class GatedCommunity {
  private badges = 0n;

  private constructor(
    private readonly chain: LocalChain,
    private readonly badge: DeployedContract,
    private readonly world: CommunitiesWorld,
    private readonly ownerId: string,
    private readonly path: string,
    private readonly client: Client,
  ) {}

  static async start(): Promise<GatedCommunity> {
    const chain = await LocalChain.start();
    await chain.installMulticall3();
    const badge = await chain.deploy('DemoERC721', ['Badges', 'BADGE']);
    const world = await CommunitiesWorld.start({
      [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
      CALLBACK_RETRY_AFTER_MS: '500,500,500,500',
      TRANSFER_CHECK_INTERVAL_MS: '1000',
      SWEEP_INTERVAL_MS: '200',
    });
    const client = await world.newClient(SCOPES);
    const ownerId = await world.newUser();
    const owner = world.as(ownerId, { scopes: SCOPES });
    const path = await world.newCommunity(ownerId);
    for (const id of ['collector', 'other'])
      await world.expectOk('POST', `${path}/roles`, owner, { id, name: id });
    const rule = { type: 'ERC721', chainId: chain.chainId, contractAddress: badge.address };
    const rules = [{ ...rule, roleId: 'collector' }];
    await world.expectOk('PUT', `${path}/rules`, owner, { rules });
    return new GatedCommunity(chain, badge, world, ownerId, path, client);
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await this.chain.stop();
  }

  /** What an example bot is told of Gatehouse. */
  get settings(): Record<'GATEHOUSE_URL' | 'GATEHOUSE_API_KEY' | 'CLIENT_ID' | 'COMMUNITY_ID', string> {
    return {
      GATEHOUSE_URL: this.world.gatewayUrl,
      GATEHOUSE_API_KEY: this.client.apiKey,
      CLIENT_ID: this.client.clientId,
      COMMUNITY_ID: this.path.replace('/communities/', ''),
    };
  }

  get secrets(): string[] {
    return [this.client.apiKey];
  }

  /** Attaches the bot's application, or another one. */
  async attach(callbackUrl: string, client = this.client): Promise<void> {
    const owner = this.world.as(this.ownerId, { client, scopes: SCOPES });
    const place = `${this.path}/client-applications/${client.clientId}`;
    await this.world.expectOk('PUT', place, owner, { callbackUrl });
  }

  async attachAnother(callbackUrl: string): Promise<void> {
    await this.attach(callbackUrl, await this.world.newClient(SCOPES));
  }

  /** Whether the bot has answered the challenge, so that it is called back. */
  async isCalledBack(): Promise<boolean> {
    const owner = this.world.as(this.ownerId, { scopes: SCOPES });
    const { items } = await this.world.expectOk('GET', `${this.path}/client-applications`, owner);
    return (items as { clientId: string; callbackUrlVerified?: boolean }[]).some(
      ({ clientId, callbackUrlVerified }) =>
        clientId === this.client.clientId && callbackUrlVerified === true,
    );
  }

  /** A new wallet that holds a badge. */
  async newCollector(): Promise<{ wallet: PrivateKeyAccount; badge: bigint }> {
    const wallet = privateKeyToAccount(generatePrivateKey());
    this.badges += 1n;
    await this.chain.mint(this.badge, wallet.address, this.badges);
    return { wallet, badge: this.badges };
  }

  link(url: string, wallet: PrivateKeyAccount): Promise<{ roles?: string[] }> {
    // Links have the address of the service, which is another one than that of the gateway of these tests.
    const { pathname } = new URL(url);
    return linkOnWalletPage(this.world.gatewayUrl + pathname, wallet, this.chain.chainId);
  }

  /** The holder sells a badge to nobody in particular. */
  async sell({ wallet, badge }: { wallet: PrivateKeyAccount; badge: bigint }): Promise<void> {
    const { client } = this.chain;
    const buyer = privateKeyToAccount(generatePrivateKey()).address;
    await client.setBalance({ address: wallet.address, value: 10n ** 18n });
    await client.impersonateAccount({ address: wallet.address });
    const request = { ...this.badge, functionName: 'transferFrom', args: [wallet.address, buyer, badge] };
    const hash = await client.writeContract({ ...request, account: wallet.address });
    await client.waitForTransactionReceipt({ hash });
  }

  /** The ids of the members who hold the role as it is stored. */
  async collectors(): Promise<string[]> {
    const { items } = await this.world.expectOk('GET', `${this.path}/members`, {
      'x-api-key': this.client.apiKey,
    });
    return (items as { platformUserId: string; roles: string[] }[]).flatMap(({ platformUserId, roles }) =>
      roles.includes('collector') ? [platformUserId] : [],
    );
  }
}

import { notFound } from '@app/common';
import { Body, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { ScriptController } from '../page-controller.decorator.js';
import { TestWalletConfig } from './test-wallet.config.js';
import { LocalChainClient } from './local-chain.client.js';

const signingRequest = z.strictObject({
  address: z.string().max(42),
  /** The message as 0x-prefixed hex, as in `personal_sign`. */
  message: z
    .string()
    .max(16_384)
    .regex(/^0x(?:[0-9a-f]{2})+$/),
});
type SigningRequest = z.output<typeof signingRequest>;

/** An account that the test wallet can sign with. */
interface TestAccount {
  name: string;
  chainId: number;
  address: string;
}

const accountNotFound = () => notFound('account_not_found', 'The test wallet has no such account.');

/** The endpoints of the test wallet's script. Every user may sign with its accounts. */
@ScriptController('login/test-wallet')
export class TestWalletController {
  constructor(
    private readonly config: TestWalletConfig,
    private readonly chain: LocalChainClient,
  ) {}

  /** Lists the configured accounts whose keys the chain has. It may not be the chain that the local profile starts. */
  @Post('accounts')
  @HttpCode(200)
  async accounts(): Promise<{ accounts: TestAccount[] }> {
    const { accounts, chainId } = this.config.TEST_WALLET;
    const unlocked = (await this.chain.listAddresses()).map(toLowerCase);
    const all = Object.entries(accounts).map(([name, address]) => ({ name, chainId, address }));
    return { accounts: all.filter(({ address }) => unlocked.includes(toLowerCase(address))) };
  }

  @Post('signatures')
  @HttpCode(200)
  async sign(
    @Body({ schema: signingRequest }) { address, message }: SigningRequest,
  ): Promise<{ signature: string }> {
    const configured = Object.values(this.config.TEST_WALLET.accounts).map(toLowerCase);
    if (!configured.includes(toLowerCase(address))) throw accountNotFound();
    return { signature: await this.chain.sign(address, message) };
  }
}

const toLowerCase = (address: string): string => address.toLowerCase();

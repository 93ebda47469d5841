import { notFound } from '@app/common';
import { Body, HttpCode, Post } from '@nestjs/common';
import { ScriptController } from '../page-controller.decorator.js';
import { TestWalletConfig } from './test-wallet.config.js';
import { type SigningRequest, signingRequest, type TestAccount } from './test-wallet.dto.js';
import { LocalChainClient } from './local-chain.client.js';

const accountNotFound = () => notFound('account_not_found', 'The test wallet has no such account.');

/** What the test wallet's script asks: the guards of every page's script, and accounts that anybody may use. */
@ScriptController('login/test-wallet')
export class TestWalletController {
  constructor(
    private readonly config: TestWalletConfig,
    private readonly unlocked: LocalChainClient,
  ) {}

  /** Those whose key the chain has: it may be another than the one that the local profile starts. */
  @Post('accounts')
  @HttpCode(200)
  async accounts(): Promise<{ accounts: TestAccount[] }> {
    const { accounts, chainId } = this.config.TEST_WALLET;
    const held = (await this.unlocked.listAddresses()).map(lower);
    const all = Object.entries(accounts).map(([name, address]) => ({ name, chainId, address }));
    return { accounts: all.filter(({ address }) => held.includes(lower(address))) };
  }

  @Post('signatures')
  @HttpCode(200)
  async sign(
    @Body({ schema: signingRequest }) { address, message }: SigningRequest,
  ): Promise<{ signature: string }> {
    const own = Object.values(this.config.TEST_WALLET.accounts).map(lower);
    if (!own.includes(lower(address))) throw accountNotFound();
    return { signature: await this.unlocked.sign(address, message) };
  }
}

const lower = (address: string): string => address.toLowerCase();

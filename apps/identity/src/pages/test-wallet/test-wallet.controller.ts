import { setTimeout } from 'node:timers/promises';
import { notFound, badGateway, serviceUnavailable } from '@app/common';
import { Body, HttpCode, Post, Injectable, Controller, Get, Header } from '@nestjs/common';
import { z } from 'zod';
import { ScriptController } from '../page-controller.decorator.js';
import { TestWalletConfig } from './test-wallet.config.js';
import { Agent, readBoundedBody } from '@app/http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Page } from '@app/auth';
import { ApiExcludeController } from '@nestjs/swagger';
import { AssetStore } from '../assets/assets.controller.js';
import { PageScriptRegistry } from '../views/page-script-registry.js';

const TIMEOUT_MS = 3_000;
const RECEIPT_PAUSE_MS = 50;
const MAX_RESPONSE_BYTES = 64 * 1024;

const rpcResponse = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});
const addresses = z.array(z.string());
const addressWord = z.string().regex(/^0x0{24}[0-9a-f]{40}$/);
const quantity = z.string().regex(/^0x[0-9a-f]+$/);

/** Selectors of ERC-721: `ownerOf(uint256)` and `transferFrom(address,address,uint256)`. */
const OWNER_OF = '6352211e';
const TRANSFER_FROM = '23b872dd';
const ADDRESS_DIGITS = 40;
const WORD_DIGITS = 64;
/** A hundredth of a coin, in wei. */
const FEE_MONEY = '0x2386f26fc10000';

const toWord = (value: string | number): string =>
  (typeof value === 'number' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(WORD_DIGITS, '0');

export interface BadgeTransfer {
  readonly from: string;
  readonly to: string;
  readonly tokenId: number;
}
const signature = z.string().regex(/^0x[0-9a-f]{130}$/);

/** JSON-RPC client for the unlocked accounts of a local chain. */
@Injectable()
export class LocalChainClient {
  private readonly agent = new Agent();

  constructor(private readonly config: TestWalletConfig) {}

  async listAddresses(): Promise<string[]> {
    return addresses.parse(await this.call('eth_accounts', []));
  }

  /** An EIP-191 signature. @param message 0x and hex */
  async sign(address: string, message: string): Promise<string> {
    return signature.parse(await this.call('personal_sign', [message, address]));
  }

  async findOwner(contractAddress: string, tokenId: number): Promise<string> {
    const data = `0x${OWNER_OF}${toWord(tokenId)}`;
    const word = addressWord.parse(await this.call('eth_call', [{ to: contractAddress, data }, 'latest']));
    return `0x${word.slice(-ADDRESS_DIGITS)}`;
  }

  /** An account without coins gets some for the fee, and has none again afterwards: the demo shows what it does not hold. */
  async transfer(contractAddress: string, { from, to, tokenId }: BadgeTransfer): Promise<void> {
    const hasCoins = BigInt(quantity.parse(await this.call('eth_getBalance', [from, 'latest']))) > 0n;
    if (!hasCoins) await this.call('anvil_setBalance', [from, FEE_MONEY]);
    try {
      const data = `0x${TRANSFER_FROM}${toWord(from)}${toWord(to)}${toWord(tokenId)}`;
      const hash = await this.call('eth_sendTransaction', [{ from, to: contractAddress, data }]);
      // The fee is taken from the balance when the transaction is mined.
      const deadline = Date.now() + TIMEOUT_MS;
      while ((await this.call('eth_getTransactionReceipt', [hash])) === null && Date.now() < deadline)
        await setTimeout(RECEIPT_PAUSE_MS);
    } finally {
      if (!hasCoins) await this.call('anvil_setBalance', [from, '0x0']);
    }
  }

  /** @throws AppError 503 if the chain does not respond, 502 if it returns an error */
  private async call(method: string, params: unknown[]): Promise<unknown> {
    const { result, error } = await this.post({ jsonrpc: '2.0', id: 1, method, params });
    if (error)
      throw badGateway('chain_request_invalid', `The local chain returned an error: ${error.message}`);
    return result;
  }

  private async post(body: object): Promise<z.output<typeof rpcResponse>> {
    try {
      const { origin, pathname, search } = new URL(this.config.TEST_WALLET.rpcUrl);
      const response = await this.agent.request({
        origin,
        path: `${pathname}${search}`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = (await readBoundedBody(response.body, MAX_RESPONSE_BYTES)).toString('utf8');
      return rpcResponse.parse(JSON.parse(text));
    } catch (cause) {
      throw serviceUnavailable('chain_unavailable', 'The local chain does not respond.', {}, { cause });
    }
  }
}

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

export const accountNotFound = () => notFound('account_not_found', 'The test wallet has no such account.');

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

const NAME = 'test-wallet.js';
const FILE = join(import.meta.dirname, '../browser/local', NAME);

/** Serves the test wallet's script below the pages' scripts, which it imports by relative path. */
@Page()
@ApiExcludeController()
@Controller('pages/:version/local')
export class TestWalletScriptController {
  private readonly script = readFileSync(FILE, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');

  constructor(scripts: PageScriptRegistry, assets: AssetStore) {
    for (const page of ['login', 'wallet-link', 'portal-wallets'])
      scripts.register(page, `${assets.path}/local/${NAME}`);
  }

  @Get(NAME)
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Cross-Origin-Resource-Policy', 'same-origin')
  get(): string {
    return this.script;
  }
}

import { MINUTE_MS } from '@app/common';
import { ChainConfig, confirmationsConfigSchema, loadConfirmations, readPerChain } from '@app/chain/evm';
import { createConfigClass, envInteger, loadConfig } from '@app/config';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MAX_TRANSACTION_GAS } from '../../evm/estimation/gas-costs.js';
import { feeCeilingsConfigSchema, loadFeeCeilings, wei } from '../../evm/estimation/fee-ceilings.config.js';
import { ExecutorKeysConfig } from '../../custody/executor-keys.config.js';

/** 0.9 coins in wei. geth and many providers refuse a transaction above 1 coin (`--rpc.txfeecap`). */
const DEFAULT_TX_FEE_CAP = 900_000_000_000_000_000n;

/** Unfinished operations of one account on one chain, so that one account cannot fill the bundles of executors. */
const MAX_UNFINISHED = 16;
/** ERC-7562 lets a bundler hold four operations of an account that has staked nothing. */
const MAX_UNFINISHED_AT_BUNDLER = 4;

const executorConfigSchema = z.object({
  EXECUTOR_POLL_MS: envInteger(50, MINUTE_MS)
    .default(500)
    .describe(
      'How often an instance looks for signed user operations of other instances and for new blocks.',
    ),
  EXECUTOR_LEASE_MS: envInteger(1_000, 10 * MINUTE_MS)
    .default(15_000)
    .describe(
      'How long an instance holds an executor without renewing it. After a crash the next instance continues when it has passed.',
    ),
  EXECUTOR_BUNDLE_GAS: envInteger(500_000, MAX_TRANSACTION_GAS)
    .default(12_000_000)
    .describe(
      'Gas limit of one transaction of an executor, within 0.9 of the block gas limit. An operation that needs more is refused.',
    ),
  EXECUTOR_BUMP_BLOCKS: envInteger(1, 1_000)
    .default(3)
    .describe('Blocks after which a transaction that is not included is sent again with higher fees.'),
});

const gasModel = z.literal('l1');
const positiveWei = wei.refine((amount) => amount > 0n, 'must be more than 0');
const serviceUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const variablesPerChain = {
  'EXECUTOR_GAS_MODEL_<chainId>': gasModel.optional().meta({
    description:
      'Declares that transactions of a chain cost nothing beyond their gas, so that own executors may send there. The local chain needs none.',
    format: '`l1`',
  }),
  'BUNDLER_URL_<chainId>': serviceUrl.optional().meta({
    description: 'A bundler (ERC-7769) that sends the user operations of a chain, instead of own executors.',
    format: 'http(s) URL',
    secret: 'if it holds a key',
  }),
  ...feeCeilingsConfigSchema.shape,
  'EXECUTOR_BUMP_LOSS_<chainId>': wei.optional().meta({
    description:
      'What an executor may lose by one transaction, so that it is mined although its user operations pay less than a block costs by now.',
    format: 'wei in decimal digits',
    fallback: '`0`',
  }),
  'EXECUTOR_TX_FEE_CAP_<chainId>': positiveWei.optional().meta({
    description:
      'The most that a transaction of an executor may cost, gas limit × fee for one unit of gas. Nodes refuse more (`--rpc.txfeecap` of geth is 1 coin): bundles are smaller, and fees are not raised above it.',
    format: 'wei in decimal digits',
    fallback: `\`${DEFAULT_TX_FEE_CAP}\` (0.9 coins)`,
  }),
  'EXECUTOR_SEND_URL_<chainId>': serviceUrl.optional().meta({
    description:
      'A private relay (`eth_sendRawTransaction`) that gets the transactions of executors instead of the nodes of a chain, so that nobody can copy their operations from the public mempool. Everything else is read at `RPC_URL_<chainId>`.',
    format: 'http(s) URL',
    secret: 'if it holds a key',
  }),
  ...confirmationsConfigSchema.shape,
};

/** Settings of own executors, read from the environment. */
export class ExecutorConfig extends createConfigClass(executorConfigSchema) {}

/** How user operations are sent on each chain. */
@Injectable()
export class ExecutorChainsConfig {
  static readonly configSchema = z.object(variablesPerChain);

  private readonly gasModels = loadConfig(readPerChain('EXECUTOR_GAS_MODEL', gasModel));
  private readonly bundlerUrls = loadConfig(readPerChain('BUNDLER_URL', serviceUrl));
  private readonly feeCeilings = loadFeeCeilings();
  private readonly bumpLosses = loadConfig(readPerChain('EXECUTOR_BUMP_LOSS', wei));
  private readonly feeCaps = loadConfig(readPerChain('EXECUTOR_TX_FEE_CAP', positiveWei));
  private readonly sendUrls = loadConfig(readPerChain('EXECUTOR_SEND_URL', serviceUrl));
  private readonly confirmations = loadConfirmations();

  constructor(
    private readonly chains: ChainConfig,
    private readonly keys: ExecutorKeysConfig,
  ) {}

  /** Whether operations of a chain are sent at all: by a bundler, or by own executors, which need a key. */
  isServed(chainId: number): boolean {
    return this.bundlerUrls.has(chainId) || (this.isExecutorChain(chainId) && this.keys.hasKeys);
  }

  /** Whether stored operations of a chain are followed. They are included and settled also after the keys of executors were removed. */
  isFollowed(chainId: number): boolean {
    return this.bundlerUrls.has(chainId) || this.isExecutorChain(chainId);
  }

  /**
   * Own executors send only where a transaction costs nothing beyond its gas: a transaction of a rollup also pays for its bytes on
   * another chain, which the fees of operations do not cover.
   */
  private isExecutorChain(chainId: number): boolean {
    return this.gasModels.has(chainId) || chainId === this.chains.settings.LOCAL_CHAIN_ID;
  }

  getMaxUnfinished(chainId: number): number {
    return this.bundlerUrls.has(chainId) ? MAX_UNFINISHED_AT_BUNDLER : MAX_UNFINISHED;
  }

  getBundlerUrl(chainId: number): string | undefined {
    return this.bundlerUrls.get(chainId);
  }

  /** Ceiling of user operations and of transactions of executors, in wei, tip included. */
  getMaxFeePerGas(chainId: number): bigint {
    return this.feeCeilings(chainId);
  }

  /** What each transaction of an executor may lose by fee bumps, in wei. */
  getBumpLoss(chainId: number): bigint {
    return this.bumpLosses.get(chainId) ?? 0n;
  }

  /** What each transaction of an executor may cost at most, in wei. */
  getTransactionFeeCap(chainId: number): bigint {
    return this.feeCaps.get(chainId) ?? DEFAULT_TX_FEE_CAP;
  }

  /** The relay that alone gets the transactions of executors. */
  getSendUrl(chainId: number): string | undefined {
    return this.sendUrls.get(chainId);
  }

  getConfirmations(chainId: number): number {
    return this.confirmations(chainId);
  }
}

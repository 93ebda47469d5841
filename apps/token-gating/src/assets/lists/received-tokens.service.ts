import { hasFinishedWithin } from '@app/common';
import {
  ChainConfig,
  type ReceivedTokens,
  type ReceivedTokensQuery,
  TransferLogReader,
} from '@app/chain/evm';
import { createConfigClass, envInteger } from '@app/config';
import { ServiceContext } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { BackgroundRounds } from '../../rules/chains/background-rounds.js';
import { ChainService } from '../../rules/chains/chain.service.js';

const MAX_SCAN_BLOCKS = 100_000;

const logScanConfigSchema = z.object({
  LOG_SCAN_BLOCKS: envInteger(0, MAX_SCAN_BLOCKS)
    .default(0)
    .describe(
      'Newest blocks whose logs of transfers, those of batches (ERC-2309) too, are read to list the ERC-721 tokens of a contract that does not enumerate them; 0 reads none. They are read in at most 3 seconds, up to 2,000 at once: fewer of a node that serves fewer with one `eth_getLogs`. Each range takes two requests.',
    ),
});

export class LogScanConfig extends createConfigClass(logScanConfigSchema) {}

/** Time limit of one scan, so that a list does not wait longer for ids. */
const SCAN_TIMEOUT_MS = 3_000;
/** Requests of one tenant that wait or are in progress: one for each asset of a list. */
const MAX_REQUESTS_PER_TENANT = 50;
/** Two for each of the two turns on a chain at the same time. */
const CONNECTIONS_PER_NODE = 4;

export interface ScanOptions {
  readonly contract: ReceivedTokensQuery['contract'];
  /** Receivers in lower case. */
  readonly receivers: readonly string[];
  /** The newest block. */
  readonly block: bigint;
  /** The tenant whose turns and node time the scan uses. */
  readonly tenantId: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Scans logs for tokens that addresses received. Each request waits for its tenant's turn, apart from other reads: at most two
 * on a chain are in progress, of different tenants.
 */
@Injectable()
export class ReceivedTokensService implements OnApplicationShutdown {
  private readonly reader: TransferLogReader;
  private readonly turns = new BackgroundRounds();
  private readonly requestsByTenant = new Map<string, number>();
  private readonly finished: Counter;

  constructor(
    { settings }: ChainConfig,
    private readonly chains: ChainService,
    private readonly config: LogScanConfig,
    context: ServiceContext,
  ) {
    this.reader = new TransferLogReader({
      connectTimeoutMs: settings.RPC_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: settings.RPC_TIMEOUT_MS,
      connections: CONNECTIONS_PER_NODE,
    });
    this.finished = new Counter({
      name: 'chain_log_requests_total',
      help: 'Requests for logs of tokens that an account received, by outcome (answered, range_refused for ranges that are asked again in parts, rejected for too many of a tenant, or a failure of the node).',
      labelNames: ['chain', 'outcome'],
      registers: [context.metrics.registry],
    });
  }

  /** Yields tokens by ranges of blocks that the node serves, the newest first. Ends where the configured blocks end, or where no more can be had. */
  async *scan(chainId: number, { block, tenantId, ...options }: ScanOptions): AsyncGenerator<ReceivedTokens> {
    const timeout = AbortSignal.timeout(SCAN_TIMEOUT_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    const count = BigInt(this.config.LOG_SCAN_BLOCKS);
    const oldest = block >= count ? block - count + 1n : 0n;
    for (let toBlock = block; count > 0n && toBlock >= oldest;) {
      const query = {
        contract: options.contract,
        receivers: options.receivers,
        fromBlock: oldest,
        toBlock,
      };
      const read = await this.readRange(chainId, query, tenantId, signal);
      if (!read) return;
      yield read;
      toBlock = read.fromBlock - 1n;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }

  private async readRange(
    chainId: number,
    query: ReceivedTokensQuery,
    tenantId: string,
    signal: AbortSignal,
  ): Promise<(ReceivedTokens & { readonly fromBlock: bigint }) | undefined> {
    const chain = this.chains.find(chainId);
    if (!chain) return undefined;
    const requests = this.requestsByTenant.get(tenantId) ?? 0;
    if (requests >= MAX_REQUESTS_PER_TENANT) {
      this.finished.inc({ chain: chainId, outcome: 'rejected' });
      return undefined;
    }
    this.requestsByTenant.set(tenantId, requests + 1);
    const turn = this.turns
      .run(chainId, tenantId, async () => {
        // The scan got its turn too late.
        if (signal.aborted) return undefined;
        const result = await this.reader.readReceivedTokens(chain, query, signal);
        this.finished.inc({ chain: chainId, outcome: result.ok ? 'answered' : result.outcome });
        if (result.refusals > 0)
          this.finished.inc({ chain: chainId, outcome: 'range_refused' }, result.refusals);
        return result.ok ? result : undefined;
      })
      .finally(() => {
        this.release(tenantId);
      });
    return (await hasFinishedWithin(SCAN_TIMEOUT_MS, turn, signal)) ? turn : undefined;
  }

  private release(tenantId: string): void {
    const requests = (this.requestsByTenant.get(tenantId) ?? 1) - 1;
    if (requests === 0) this.requestsByTenant.delete(tenantId);
    else this.requestsByTenant.set(tenantId, requests);
  }
}

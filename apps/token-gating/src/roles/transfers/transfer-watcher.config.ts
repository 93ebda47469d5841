import { ChainConfig, confirmationsConfigSchema, loadConfirmations } from '@app/chain/evm';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import { createConfigClass, envInteger, envSwitch } from '@app/config';
import { isSolanaChain, type RoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ChainService } from '../../rules/chains/chain.service.js';
import { listWatchedContracts } from '../../rules/watched-contracts.js';

const transferWatcherConfigSchema = z.object({
  TRANSFER_WATCHER: envSwitch
    .default(true)
    .describe(
      'Whether roles follow transfers: logs of contracts of rules are read on every EVM chain with an `RPC_URL_<chainId>` of its own.',
    ),
  TRANSFER_CHECK_INTERVAL_MS: envInteger(SECOND_MS, HOUR_MS)
    .default(MINUTE_MS)
    .describe(
      'Minimum time between two checks of a member for the logs of one chain, which bounds what a member who transfers all the time costs.',
    ),
});

export class TransferWatcherConfig extends createConfigClass(transferWatcherConfigSchema) {}

/** The chains whose logs are followed. */
@Injectable()
export class WatchedChainsConfig {
  static readonly configSchema = confirmationsConfigSchema;

  readonly getConfirmations = loadConfirmations();
  /** EVM chains with nodes that this deployment chose. Public nodes would refuse what a watcher asks of them. */
  readonly chainIds: readonly number[];

  constructor({ TRANSFER_WATCHER }: TransferWatcherConfig, { rpcUrls }: ChainConfig, chains: ChainService) {
    const configured = [...rpcUrls.keys()].filter((chainId) => !isSolanaChain(chainId));
    this.chainIds = TRANSFER_WATCHER ? configured.filter((chainId) => chains.findEvm(chainId)) : [];
  }

  /** Whether members by these rules can be found by logs, so that their accounts are to be known. */
  followsAny(rules: readonly RoleRule[]): boolean {
    return listWatchedContracts(rules).some(({ chainId }) => this.chainIds.includes(chainId));
  }
}

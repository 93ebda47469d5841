import { ChainConfig } from '@app/chain/evm';
import { isSolanaChain } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { WalletConnectConfig } from './wallet-connect.config.js';

interface WalletConnectView {
  readonly projectId: string;
  readonly relayUrl: string;
  /** CAIP-2 ids, separated by spaces. */
  readonly chains: string;
}

/** A wallet on any chain signs for the same address, and every wallet knows the first one. Contract accounts need their own. */
const ALWAYS_OFFERED = 1;

/** What pages need to reach the wallet of a phone. */
@Injectable()
export class WalletConnectService {
  /** Undefined without a project. */
  readonly view: WalletConnectView | undefined;

  constructor(config: WalletConnectConfig, chains: ChainConfig) {
    const { WALLETCONNECT_PROJECT_ID: projectId, WALLETCONNECT_RELAY_URL: relayUrl } = config;
    const ids = new Set([ALWAYS_OFFERED, ...chains.rpcUrls.keys()]);
    // Clusters of Solana have ids beside those of EVM chains, and are no chains of the namespace eip155.
    const evmIds = [...ids].filter((id) => !isSolanaChain(id));
    const offered = evmIds.map((id) => `eip155:${String(id)}`).join(' ');
    this.view = projectId === undefined ? undefined : { projectId, relayUrl, chains: offered };
  }
}

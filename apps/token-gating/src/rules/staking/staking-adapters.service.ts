import { createAddressFunctionRead } from '@app/chain/abi';
import {
  createErc20BalanceRead,
  createSharesToAssetsRead,
  createStakedAmountRead,
  createStakedTokenRead,
  type ContractRead,
} from '@app/chain/evm';
import type { EvmAddress, StakingRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { StakingConfig } from './staking.config.js';

/** How one staking contract is read. */
export interface StakingReads {
  /** The token whose decimals scale the amount; undefined for whole numbers. */
  readonly token: ContractRead<EvmAddress> | undefined;
  readonly createStakeRead: (address: string) => ContractRead<bigint>;
  /** Converts the sum of the stakes, in a second round; undefined when they are amounts of the token. */
  readonly createConversionRead?: (stake: bigint) => ContractRead<bigint>;
}

/** The adapters of this deployment: those of the standards, for any contract, and the configured ones. */
@Injectable()
export class StakingAdaptersService {
  constructor(private readonly config: StakingConfig) {}

  find({ chainId, contractAddress, collectionName }: StakingRule): StakingReads | undefined {
    switch (collectionName) {
      case 'erc900':
        return {
          token: createStakedTokenRead(contractAddress, 'token'),
          createStakeRead: (address) => createStakedAmountRead(contractAddress, address),
        };
      case 'erc4626':
        return {
          token: createStakedTokenRead(contractAddress, 'asset'),
          createStakeRead: (address) => createErc20BalanceRead(contractAddress, address),
          createConversionRead: (shares) => createSharesToAssetsRead(contractAddress, shares),
        };
    }
    const adapter = this.config.STAKING_ADAPTERS.find(
      (one) =>
        one.chainId === chainId &&
        one.contractAddress === contractAddress &&
        one.collectionName === collectionName,
    );
    if (!adapter) return undefined;
    const { function: called, result } = adapter;
    const isWhole = result === 'length' || called.output === 'flag';
    const { decimals = isWhole ? 'none' : 'token' } = adapter;
    return {
      token: decimals === 'none' ? undefined : createStakedTokenRead(contractAddress, decimals),
      createStakeRead: (address) => createAddressFunctionRead(contractAddress, called, result, address),
    };
  }
}

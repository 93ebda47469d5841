import {
  type ContractRead,
  createErc20BalanceRead,
  createSharesToAssetsRead,
  createStakedAmountRead,
  createStakedTokenRead,
} from '@app/chain/evm';
import { createConfigClass, envJson } from '@app/config';
import {
  type AddressFunction,
  createAddressFunctionRead,
  parseAddressFunction,
  type ResultReading,
} from '@app/chain/abi';
import { createEvmAddress, type EvmAddress, type StakingRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** The deployment has no adapter for a stored rule any more. Same shape as ReadFailure. */
export interface StakingAdapterFailure {
  readonly ok: false;
  readonly permanent: true;
  readonly code: 'rule_not_supported';
  readonly message: string;
}

export const createStakingAdapterFailure = (message: string): StakingAdapterFailure => ({
  ok: false,
  permanent: true,
  code: 'rule_not_supported',
  message,
});

const addressFunction = z.string().transform((text, context) => {
  const parsed = parseAddressFunction(text);
  if (typeof parsed !== 'string') return parsed;
  context.addIssue({ code: 'custom', message: parsed });
  return z.NEVER;
});

/** How each kind of output can be read. */
const READABLE_AS: Readonly<Record<AddressFunction['output'], readonly ResultReading[]>> = {
  amount: ['amount'],
  flag: ['amount'],
  array: ['length', 'sum'],
  list: ['length'],
};

const stakingAdapter = z
  .strictObject({
    chainId: z.int().positive(),
    contractAddress: z.string(),
    collectionName: z.string().min(1).max(64),
    function: addressFunction,
    /** How the result is read: a number, the length of an array, or the sum of an array of numbers. */
    result: z.enum(['amount', 'length', 'sum']),
    /** The function of the contract that names the token whose decimals scale the result; `none` for whole numbers. */
    decimals: z.enum(['token', 'asset', 'none']).optional(),
  })
  .transform((adapter, context) => {
    const { success, data, error } = createEvmAddress(adapter.chainId).safeParse(adapter.contractAddress);
    for (const { message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: ['contractAddress'], message });
    return success ? { ...adapter, contractAddress: data } : z.NEVER;
  })
  .refine(
    ({ function: { output }, result }) => READABLE_AS[output].includes(result),
    'the function does not answer what `result` reads',
  )
  .refine(
    ({ function: { output }, decimals }) => output !== 'flag' || (decimals ?? 'none') === 'none',
    '`decimals` of a function that answers true or false must be `none`',
  );

const stakingConfigSchema = z.object({
  STAKING_ADAPTERS: envJson(z.array(stakingAdapter).max(1_000))
    .default([])
    .meta({
      description:
        'How contracts without ERC-900 and ERC-4626 tell what an address has staked, for staking rules. `function` is ' +
        'human-readable ABI of one address argument, such as `function stakeOf(address) view returns (uint256)`; `result` is ' +
        '`amount`, or `length` or `sum` of an array; `decimals` are those of `token()` (default) or `asset()`, or `none` (default ' +
        'of `length`, and of functions that return a `bool`, whose `amount` is 1 or 0: `function getHasValidKey(address) view ' +
        'returns (bool)`).',
      format:
        'JSON: `[{ "chainId", "contractAddress", "collectionName", "function", "result", "decimals"? }]`',
    }),
});

export class StakingConfig extends createConfigClass(stakingConfigSchema) {}

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

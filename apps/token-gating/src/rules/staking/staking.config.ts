import { createConfigClass, envJson } from '@app/config';
import { type AddressFunction, parseAddressFunction, type ResultReading } from '@app/chain/abi';
import { createEvmAddress } from '@app/dto';
import { z } from 'zod';

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
export type StakingAdapter = z.output<typeof stakingAdapter>;

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

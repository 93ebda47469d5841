import { createNativeBalanceRead } from '@app/chain/evm';
import { createLamportsRead } from '@app/chain/solana';
import { isSolanaChain, type NativeRule } from '@app/dto';
import { toBounds, judgeBalances, listAmounts } from './judge-quantity.js';
import type { ChainRead } from './chains/chain.service.js';
import { createReadPlan } from './create-read-plan.js';
import type { RuleType } from './rule-type.js';

export const native: RuleType<NativeRule> = {
  type: 'NATIVE',
  countReads: (_, addressCount) => addressCount,
  planReads: (rule, addresses, { nativeDecimals }) => {
    const createRead: (address: string) => ChainRead<bigint> = isSolanaChain(rule.chainId)
      ? createLamportsRead
      : createNativeBalanceRead;
    return createReadPlan(addresses.map(createRead), (balances) =>
      judgeBalances(balances, toBounds(rule, nativeDecimals)),
    );
  },
  listAmounts: (_, __, balances) => listAmounts(balances),
};

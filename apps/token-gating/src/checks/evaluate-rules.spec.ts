import { describe, expect, it } from '@jest/globals';
import { createErc721BalanceRead, createReadFailure, type ReadResult } from '@app/chain/evm';
import { type EvmAddress, tokenGatingRule } from '@app/dto';
import { toBounds, judgeQuantity, sumBalances } from '../rules/judge-quantity.js';
import { createMultiChainReadPlan, createReadPlan } from '../rules/create-read-plan.js';
import { NamedAccountCheck } from '../rules/named-account-check.js';
import { judgeNamedAccount, type PlannedRule } from './evaluate-rules.js';

const ADDRESS: EvmAddress = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const NAMED = 5;
const [GNOSIS, ETHEREUM] = [100, 1];

type Code = 'none' | 'contract' | 'unknown';
const codes: Record<Code, ReadResult<boolean>> = {
  none: { ok: true, value: false },
  contract: { ok: true, value: true },
  unknown: createReadFailure('unavailable', 'the node is away'),
};

/** The verdict on a rule about the sum of both chains. */
async function judge(
  limits: { minToken?: string; maxToken?: string },
  balances: readonly [bigint, bigint],
  code: readonly [Code, Code, Code],
): Promise<string | undefined> {
  const rule = tokenGatingRule.parse({ type: 'POAP', eventId: '1', ...limits });
  const planOf = (chainIds: readonly number[]) => {
    const reads = chainIds.map((chainId) => ({
      chainId,
      reads: [createErc721BalanceRead(ADDRESS, ADDRESS)],
    }));
    return createMultiChainReadPlan(reads, (held) => judgeQuantity(sumBalances(held), toBounds(rule, 0)));
  };
  const planned: PlannedRule = {
    rule,
    plan: planOf([GNOSIS, ETHEREUM]),
    planWithout: (excluded) => planOf([GNOSIS, ETHEREUM].filter((chainId) => !excluded.has(chainId))),
  };
  const named = new NamedAccountCheck(
    { chainId: NAMED, address: ADDRESS },
    { find: () => ({ id: 0, name: '', rpcUrls: ['http://node'], nativeDecimals: 18, nativeSymbol: '' }) },
  );
  expect(named.listUnreadChains([GNOSIS, ETHEREUM])).toEqual([NAMED, GNOSIS, ETHEREUM]);
  [NAMED, GNOSIS, ETHEREUM].forEach((chainId, index) => {
    named.record(chainId, codes[code[index] ?? 'none']);
  });
  const outcomes = balances.map((value) => ({ ok: true as const, value }));
  const [verdict] = await judgeNamedAccount([planned], [outcomes], named, () => {
    throw new Error('No rule needs a further step');
  });
  return verdict?.kind;
}

describe('judgeNamedAccount', () => {
  it.each<[string, Parameters<typeof judge>, string]>([
    [
      'counts every chain of an account without code',
      [{ minToken: '3' }, [1n, 2n], ['none', 'none', 'none']],
      'granted',
    ],
    [
      'leaves out a chain with a contract',
      [{ minToken: '3' }, [1n, 2n], ['none', 'none', 'contract']],
      'not_granted',
    ],
    ['counts the other chain then', [{ minToken: '1' }, [1n, 2n], ['none', 'none', 'contract']], 'granted'],
    [
      'leaves out all chains if there is a contract on the named one',
      [{}, [1n, 2n], ['contract', 'none', 'none']],
      'not_granted',
    ],
    [
      'judges a maximum by what counts',
      [{ maxToken: '1' }, [1n, 2n], ['none', 'none', 'contract']],
      'granted',
    ],
    [
      'is undetermined where unknown code could grant',
      [{ minToken: '3' }, [1n, 2n], ['none', 'none', 'unknown']],
      'undetermined',
    ],
    [
      'is granted where the known chain is enough',
      [{ minToken: '1' }, [1n, 2n], ['none', 'none', 'unknown']],
      'granted',
    ],
    [
      'is not granted where all chains together are not enough',
      [{ minToken: '4' }, [1n, 2n], ['unknown', 'none', 'none']],
      'not_granted',
    ],
    [
      'is undetermined where an unknown chain could exceed the maximum',
      [{ maxToken: '1' }, [1n, 2n], ['none', 'none', 'unknown']],
      'undetermined',
    ],
    [
      'is undetermined where one of two unknown chains alone would grant',
      [{ minToken: '1', maxToken: '2' }, [1n, 2n], ['unknown', 'none', 'none']],
      'undetermined',
    ],
    [
      'is not granted by what is unknown beside a contract',
      [{}, [1n, 2n], ['contract', 'unknown', 'unknown']],
      'not_granted',
    ],
  ])('judgeNamedAccount: %s', async (_, parameters, expected) => {
    expect(await judge(...parameters)).toBe(expected);
  });

  it('judgeNamedAccount: a rule without reads keeps its verdict', async () => {
    const rule = tokenGatingRule.parse({ type: 'POAP', eventId: '1' });
    const named = new NamedAccountCheck({ chainId: NAMED, address: ADDRESS }, { find: () => undefined });
    const plan = createReadPlan([], () => ({ kind: 'granted' }));
    const verdicts = await judgeNamedAccount([{ rule, plan }], [[]], named, () => {
      throw new Error('No rule needs a further step');
    });
    expect(verdicts).toEqual([{ kind: 'granted' }]);
  });
});

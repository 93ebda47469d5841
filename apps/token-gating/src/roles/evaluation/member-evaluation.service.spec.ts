import { describe, expect, it } from '@jest/globals';
import type { ChainInfo, ReadResult, ContractRead } from '@app/chain/evm';
import { type LinkedWallet, parseTokenIds, roleRules } from '@app/dto';
import { ContractKindsService } from '../../rules/contract-kinds.service.js';
import type { RuleServices } from '../../rules/rule-services.js';
import type { ChainService } from '../../rules/chains/chain.service.js';
import type { TokenListService } from '../../checks/token-list.service.js';
import type { DelegatedVaultsService } from './delegated-vaults.js';
import { MemberEvaluationService } from './member-evaluation.service.js';

const chain: ChainInfo = {
  ...{ id: 1, name: 'One', nativeDecimals: 18, nativeSymbol: 'ONE' },
  rpcUrls: ['http://127.0.0.1:1'],
};
const contractAddress: `0x${string}` = `0x${'cc'.repeat(20)}`;
const OWNER_OF = '6352211e';
const address = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, '0')}`;
const member = (n: number, wallets = 1) => ({
  userId: `user_${n}`,
  wallets: Array.from({ length: wallets }, (_, w): LinkedWallet => ({
    type: 'eoa',
    chainId: '1',
    address: address(n * 100 + w),
  })),
});
const members = (count: number, wallets?: number) =>
  Array.from({ length: count }, (_, n) => member(n + 1, wallets));
const down: ReadResult<never> = { ok: false, permanent: false, code: 'unavailable', message: 'down' };

type Responder = (data: string) => ReadResult<unknown>;

/** Creates the service with a fake chain and a token list of these ids. `calls` collects the data of all reads. */
function createEvaluation(ids: string, respond: Responder) {
  const calls: string[] = [];
  const chains = {
    find: () => chain,
    read: (_: number, reads: readonly ContractRead<unknown>[]) => {
      for (const { data } of reads) calls.push(data);
      return Promise.resolve(reads.map(({ data }) => respond(data)));
    },
  } as unknown as ChainService; // the other methods are not called
  const lists = { find: () => Promise.resolve(parseTokenIds(ids)) } as unknown as TokenListService;
  const contractKinds = new ContractKindsService();
  contractKinds.record(1, contractAddress, [
    { ok: true, value: 0 },
    { ok: true, value: true },
    { ok: true, value: false },
  ]);
  const services = { contractKinds } as unknown as RuleServices;
  const vaults = { open: () => Promise.resolve(undefined) } as unknown as DelegatedVaultsService;
  return { evaluation: new MemberEvaluationService(chains, lists, services, vaults), calls };
}

const owns = (tokenId: string, fields: object = {}) => ({
  ...{ roleId: 'owner', type: 'ERC721', chainId: 1, contractAddress, tokenId },
  ...fields,
});
const idOf = (data: string) => Number.parseInt(data.slice(-8), 16);
/** The first wallet of user n owns token n. */
const ownerOf: Responder = (data) => ({ ok: true, value: address(idOf(data) * 100) });

describe('MemberEvaluationService', () => {
  it('MemberEvaluationService: reads owners of tokens once for all members, also of a list that exceeds the budget of one wallet', async () => {
    const { evaluation, calls } = createEvaluation('1-900', ownerOf);
    const rules = roleRules.parse([owns('https://example.com/ids.json')]);
    const verdicts = await evaluation.evaluate(rules, members(1_000), {
      communityId: 'community_1',
      tenantId: 'owner_1',
    });
    const kinds = verdicts.map(({ roles: [role] }) => role?.kind);
    expect(kinds.slice(0, 900).every((kind) => kind === 'granted')).toBe(true);
    expect(kinds.slice(900).every((kind) => kind === 'not_granted')).toBe(true);
    expect(calls).toHaveLength(900);
  });

  it('MemberEvaluationService: reads owners again for later members only where the first read failed', async () => {
    let isDown = true;
    const { evaluation, calls } = createEvaluation('1-10', (data) => {
      if (!data.startsWith(OWNER_OF)) {
        isDown = false; // a batch reads balances after owners
        return { ok: true, value: 0n };
      }
      return isDown && idOf(data) % 2 === 0 ? down : ownerOf(data);
    });
    // A rule of so many balances per member that several batches are needed.
    const many = { roleId: 'many', type: 'ERC1155', chainId: 1, contractAddress, tokenId: '1-700' };
    const rules = roleRules.parse([owns('1-10'), many]);
    const verdicts = await evaluation.evaluate(rules, members(15), {
      communityId: 'community_1',
      tenantId: 'owner_1',
    });
    const kinds = verdicts.map(({ roles: [role] }) => role?.kind);
    expect(calls.filter((data) => data.startsWith(OWNER_OF))).toHaveLength(15);
    expect(kinds.slice(0, 10)).toContain('granted');
    expect(kinds.slice(7, 10).every((kind) => kind === 'granted')).toBe(true);
  });
});

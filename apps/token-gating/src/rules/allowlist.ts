import { type AllowlistRule, type ListedAccounts, SOLANA_CLUSTERS } from '@app/dto';
import type { NamedAccount, SubjectAddresses } from '../subjects/subject-addresses.js';
import { createReadPlan } from './create-read-plan.js';
import { preferTransientFailure } from './judge-quantity.js';
import { NamedAccountCheck } from './named-account-check.js';
import type { RuleServices } from './rule-services.js';
import type { LoadContext, MultiChainRuleType } from './rule-type.js';
import { GRANTED, NOT_GRANTED, type RuleFailure, toUndetermined, type Verdict } from './verdict.js';

/** The addresses that count on a chain which no wallet names are those that count on every chain. */
const ANY_EVM_CHAIN = 0;
const ANY_CLUSTER = SOLANA_CLUSTERS[0].id;

/**
 * Granted when the list has an account of the subject. A plain entry stands for externally owned accounts, and for a plain account that
 * is checked; an entry that names a chain also for the contract at this address of that chain. A subject that names a chain may be a
 * contract there, so that another entry with its address counts only where its code says that it is none.
 */
export const allowlist: MultiChainRuleType<AllowlistRule> = {
  type: 'ALLOWLIST',
  countReads: () => 0,
  planSubject: ({ accounts }, subject, services) =>
    createReadPlan([], () => {
      const { named } = subject;
      if (!named) return isListed(accounts, subject) ? GRANTED : NOT_GRANTED;
      if (accounts.byChain.get(named.chainId)?.has(named.address)) return GRANTED;
      if (!hasAddress(accounts, named.address)) return NOT_GRANTED;
      return { kind: 'load', load: (context) => judgeNamed(accounts, named, services, context) };
    }),
};

function isListed({ plain, byChain, solana }: ListedAccounts, { getAddresses }: SubjectAddresses): boolean {
  if (getAddresses(ANY_EVM_CHAIN).some((address) => plain.has(address))) return true;
  if (getAddresses(ANY_CLUSTER).some((address) => solana.has(address))) return true;
  return Array.from(byChain).some(([chainId, listed]) =>
    getAddresses(chainId).some((address) => listed.has(address)),
  );
}

const hasAddress = ({ plain, byChain }: ListedAccounts, address: string): boolean =>
  plain.has(address) || [...byChain.values()].some((listed) => listed.has(address));

/** Expects an address that the list has without a chain, or on other chains than the account names. */
async function judgeNamed(
  { plain, byChain }: ListedAccounts,
  named: NamedAccount,
  { chains }: RuleServices,
  context: LoadContext,
): Promise<Verdict> {
  const check = new NamedAccountCheck(named, chains);
  const others = Array.from(byChain).flatMap(([chainId, listed]) =>
    listed.has(named.address) ? [chainId] : [],
  );
  const isPlain = plain.has(named.address);
  const [isExternallyOwned] = await Promise.all([
    isPlain && check.readWhetherExternallyOwned(chains, context),
    check.readCodes(others, chains, context),
  ]);
  const countings = others.map((chainId) => check.countsOn(chainId));
  if (isPlain) countings.push(isExternallyOwned);
  if (countings.includes(true)) return GRANTED;
  let failure: RuleFailure | undefined;
  for (const counting of countings)
    if (typeof counting !== 'boolean') failure = preferTransientFailure(failure, counting);
  return failure ? toUndetermined(failure) : NOT_GRANTED;
}

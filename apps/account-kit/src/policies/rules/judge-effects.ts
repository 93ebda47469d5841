import { policyForbidden } from './policies.errors.js';
import type { Policy } from './policy.js';

/** What a Solana transaction may do at most. */
export interface TransactionEffects {
  /** Lamports that it may take from the account, with the fee if the account pays it. */
  readonly lamports: bigint;
  /** Units that it may move or approve, by mint (base58). */
  readonly tokens: ReadonlyMap<string, bigint>;
  /** Called programs whose instructions are not decoded, in base58: what they take is in no other field. */
  readonly opaquePrograms: readonly string[];
}

/** @throws AppError 403 `policy_forbidden` */
export function judgeEffects(
  policy: Policy,
  network: Policy['solanaNetworks'][number],
  { lamports, tokens, opaquePrograms }: TransactionEffects,
): void {
  const { maxLamports, solanaTokens, solanaPrograms } = policy;
  const program = opaquePrograms.find((one) => !isProgramAllowed(policy, network, one));
  if (program !== undefined)
    throw policyForbidden(
      solanaPrograms
        ? `the program ${program} is not on its list`
        : `the program ${program} may take what its limits do not see; \`solanaPrograms\` would have to list it`,
    );
  if (maxLamports !== undefined && lamports > maxLamports)
    throw policyForbidden(
      `the transaction may take ${lamports} lamports, and a transaction may take ${maxLamports}`,
    );
  if (!solanaTokens) return;
  for (const [mint, amount] of tokens) {
    const limit = solanaTokens.find((one) => one.network === network && one.mint === mint);
    if (!limit) throw policyForbidden(`the token ${mint} on ${network} is not on its list`);
    if (amount > limit.maxAmount)
      throw policyForbidden(
        `the transaction moves or approves ${amount} of the token ${mint}, and a transaction may ${limit.maxAmount}`,
      );
  }
}

/** Without a list of its own a policy allows what the deployment lists, unless it has limits that such programs could go around. */
function isProgramAllowed(
  { solanaPrograms, maxLamports, solanaTokens, caps }: Policy,
  network: Policy['solanaNetworks'][number],
  program: string,
): boolean {
  if (solanaPrograms) return solanaPrograms.includes(program);
  // What a sponsor pays is the fee, whatever programs take.
  const isCapped = caps.some(
    (cap) => 'network' in cap && cap.network === network && cap.of !== 'sponsoredFees',
  );
  return maxLamports === undefined && !solanaTokens && !isCapped;
}

import { deriveUserId } from '@app/auth';
import { createConfigClass } from '@app/config';
import { z } from 'zod';

/** CAIP-10 of the namespaces eip155 and solana. A Solana key is the same user on every cluster. */
const ACCOUNT_PATTERN =
  /^(?:(eip155:[1-9]\d{0,15}):(0x[0-9a-fA-F]{40})|solana:[-\w]{1,32}:([1-9A-HJ-NP-Za-km-z]{32,44}))$/;

/** Ids of the users of an account. An EVM account may be externally owned or a contract wallet on its chain. */
function toUserIds(account: string): string[] {
  const [, chain = '', address, solanaAddress] = ACCOUNT_PATTERN.exec(account) ?? [];
  if (solanaAddress !== undefined) return [deriveUserId('solana', solanaAddress)];
  const lower = (address ?? '').toLowerCase();
  return [deriveUserId('ethereum', lower), deriveUserId('ethereum', `${chain}:${lower}`)];
}

const operatorAccounts = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((account) => account.trim())
      .filter((account) => account !== ''),
  )
  .pipe(
    z.array(
      z.string().regex(ACCOUNT_PATTERN, 'must be CAIP-10 ids of eip155 or solana accounts, comma separated'),
    ),
  )
  .meta({ format: 'CAIP-10 ids, comma separated' });

const operatorConfigSchema = z.object({
  OPERATOR_ACCOUNTS: operatorAccounts
    .default([])
    .describe('Accounts of the operators, who decide about client applications and plans.'),
});

export class OperatorConfig extends createConfigClass(operatorConfigSchema) {
  getUserIds(): Set<string> {
    return new Set(this.OPERATOR_ACCOUNTS.flatMap(toUserIds));
  }
}

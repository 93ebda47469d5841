import type { Address, PublicClient } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { ACCOUNT_CONTRACTS, type AccountVersion } from '../../evm/accounts/account-contracts.js';
import { accountFundsRequired, sponsorUnavailable } from './sponsoring.errors.js';

/** The highest cost of an operation, in wei. */
interface OperationCost {
  readonly gasCost: bigint;
  /** What the calls send, which the account always pays. */
  readonly value: bigint;
}

interface Payer {
  readonly version: AccountVersion;
  readonly paymaster: Address | undefined;
  /** What the account has, in wei. */
  readonly funds: bigint;
  /** What unfinished operations of the account may cost it, in wei. */
  readonly reserved: bigint;
}

/** @throws AppError 409 `account_funds_required` */
export function checkAccountFunds(
  { funds, reserved }: Pick<Payer, 'funds' | 'reserved'>,
  required: bigint,
): void {
  if (required > 0n && required + reserved > funds) throw accountFundsRequired({ required, funds, reserved });
}

/** @throws AppError 409 `account_funds_required`, 503 `sponsor_unavailable` */
export async function checkFunds(
  client: PublicClient,
  { version, paymaster, funds, reserved }: Payer,
  { gasCost, value }: OperationCost,
): Promise<void> {
  const required = paymaster === undefined ? value + gasCost : value;
  checkAccountFunds({ funds, reserved }, required);
  if (paymaster === undefined) return;
  const deposit = await client.readContract({
    address: ACCOUNT_CONTRACTS[version].entryPoint,
    abi: entryPoint08Abi,
    functionName: 'balanceOf',
    args: [paymaster],
  });
  if (deposit < gasCost) throw sponsorUnavailable();
}

import { z } from 'zod';

/** The field of a submission that makes it a dry run (contract.md section 10). */
export const dryRunField = z
  .boolean()
  .optional()
  .meta({
    description:
      '`true` asks what the submission would do: it is judged and planned in the same way, gets the same errors, and nothing is stored, ' +
      'signed or sent. Default: false.',
  });

/** An amount in the smallest unit, as decimal text. */
export const dryRunAmount = z.string().regex(/^\d+$/);

const capRoom = z.object({
  limit: z.string().meta({ description: 'The cap of the policy, as `policy_limit_exceeded` names it' }),
  remaining: dryRunAmount.meta({ description: 'What this submission would leave of the cap' }),
  availableAt: z.string().meta({ description: 'When the whole cap is free again' }),
});

export const dryRunCaps = z
  .array(capRoom)
  .meta({ description: 'Caps of the policy that the submission would count under' });

/** What the answers of all dry runs begin with. */
export const dryRunHead = {
  dryRun: z.literal(true),
  account: z.string().meta({ description: 'The address of the account that would sign' }),
  paidBy: z.enum(['account', 'sponsor']).meta({ description: 'Who would pay for the gas, or the fee' }),
};

/** The plan of a user operation that was not submitted. Gas and wei are decimal text. */
export const userOperationDryRun = z
  .object({
    ...dryRunHead,
    chainId: z.number(),
    deploysAccount: z
      .boolean()
      .meta({ description: 'Whether the operation would be the one that deploys the account' }),
    callGasLimit: dryRunAmount,
    verificationGasLimit: dryRunAmount,
    preVerificationGas: dryRunAmount,
    paymasterVerificationGasLimit: dryRunAmount.optional(),
    paymasterPostOpGasLimit: dryRunAmount.optional(),
    maxFeePerGas: dryRunAmount,
    maxPriorityFeePerGas: dryRunAmount,
    maxGasCost: dryRunAmount.meta({ description: 'The most that the gas can cost in wei, whoever pays' }),
    maxAccountCost: dryRunAmount.meta({
      description:
        'The most that the account can pay in wei: what the calls send, and the gas without a sponsor',
    }),
    caps: dryRunCaps,
  })
  .meta({ id: 'UserOperationDryRun' });
export type UserOperationDryRun = z.infer<typeof userOperationDryRun>;

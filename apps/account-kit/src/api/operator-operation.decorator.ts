import { FOR_OPERATORS } from '@app/auth';
import { Operation, type OperationOptions } from '@app/service';

/** An operation of account-kit for operators. */
export const OperatorOperation = (
  summary: string,
  {
    description,
    errors = [],
    conflicts,
  }: Pick<OperationOptions, 'description' | 'errors' | 'conflicts'> = {},
) =>
  Operation({
    caller: 'user',
    scope: 'operator',
    summary,
    description: [FOR_OPERATORS, description].filter(Boolean).join(' '),
    errors: ['403 operator_required', '403 recent_login_required', '503 identity_unavailable', ...errors],
    requiresWalletLogin: true,
    ...(conflicts ? { conflicts } : {}),
    example: {
      status: 403,
      reason: 'only the portal may request the scope of this operation',
    },
  });

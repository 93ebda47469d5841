import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiSecurity } from '@nestjs/swagger';
import type { ConflictDescriptions, DeclaredError, ForwardedHeader } from '@app/openapi';
import { SECURITY_SCHEMES, type CallerRequirement, type Scope } from '@app/dto';
import { RequireWalletLogin } from '@app/auth';
import type { z } from 'zod';

export interface OperationOptions {
  caller: CallerRequirement;
  /** The scope in the table of spec.md section 4, if any. */
  scope?: Scope;
  summary: string;
  description?: string;
  /**
   * Query parameters that the handler reads and the document describes in text only, because clients with positional arguments
   * know no others. Each field has a description. The gateway rejects parameters that neither this nor `@Query` names.
   */
  furtherQuery?: z.ZodObject;
  /** How long the handler may wait on purpose (`Prefer: wait`). The gateway lets it, beside its timeout of an app's answer. */
  maxWaitSeconds?: number;
  /** Client headers that the gateway forwards to this operation only. */
  forwards?: readonly ForwardedHeader[];
  /** A description for every `details.code` of its 409 responses. */
  conflicts?: ConflictDescriptions;
  /** Errors of the operation's own. Those of every operation and those that follow from the other options are added. */
  errors?: readonly DeclaredError[];
  /** Rejects users who signed in with a passkey. */
  requiresWalletLogin?: boolean;
  /** What the example request gets where it cannot succeed as it stands. */
  example?: { status: number; reason: string };
}

/**
 * Documents an operation for the gateway and for readers. The four security schemes are alternatives on every operation;
 * `x-caller` is the caller requirement (contract.md section 1).
 */
export function Operation(options: OperationOptions) {
  const { caller, scope, summary, forwards, conflicts, example } = options;
  const { furtherQuery, maxWaitSeconds, requiresWalletLogin } = options;
  const errors = listErrors(options);
  const scopes = scope ? [scope] : [];
  const security = SECURITY_SCHEMES.map((scheme) =>
    ApiSecurity(scheme, scheme === 'serviceOAuth2' ? scopes : []),
  );
  const anonymous = caller === 'none' ? [ApiSecurity({})] : [];
  const extensions: Record<string, unknown> = {
    'x-caller': caller,
    'x-gatehouse-example-status': example?.status,
    'x-internal-forwards': forwards,
    'x-internal-query': furtherQuery && Object.keys(furtherQuery.shape),
    'x-internal-max-wait-seconds': maxWaitSeconds,
    'x-internal-wallet-login': requiresWalletLogin,
    'x-internal-conflicts': conflicts,
    'x-internal-errors': errors,
  };
  return applyDecorators(
    ApiOperation({ summary, description: describe(options) }),
    ...Object.entries(extensions)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ApiExtension(name, value)),
    ...security,
    ...anonymous,
    ...(requiresWalletLogin ? [RequireWalletLogin()] : []),
  );
}

const listErrors = ({ errors, requiresWalletLogin }: OperationOptions) =>
  requiresWalletLogin ? [...(errors ?? []), '403 wallet_login_required' as const] : errors;

function describe({ description, example, furtherQuery }: OperationOptions): string | undefined {
  const note = example && `The example gets ${example.status}: ${example.reason}.`;
  return (
    [description, furtherQuery && describeQuery(furtherQuery), note]
      .filter((text) => text !== undefined)
      .join(' ') || undefined
  );
}

function describeQuery({ shape }: z.ZodObject): string {
  const parameters = Object.entries(shape).map(([name, schema]) => {
    const { description } = schema as z.ZodType;
    if (description === undefined) throw new Error(`The query parameter ${name} has no description`);
    return `\`${name}\`: ${description}`;
  });
  return `Further query parameters: ${parameters.join('; ')}.`;
}

import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiSecurity } from '@nestjs/swagger';
import type { ConflictDescriptions, DeclaredError, ForwardedHeader } from '@app/openapi';
import { SECURITY_SCHEMES, type CallerRequirement, type Scope } from '@app/dto';

export interface OperationOptions {
  caller: CallerRequirement;
  /** The scope in the table of spec.md section 4, if any. */
  scope?: Scope;
  summary: string;
  description?: string;
  /** Client headers that the gateway forwards to this operation only. */
  forwards?: readonly ForwardedHeader[];
  /** A description for every `details.code` of its 409 responses. */
  conflicts?: ConflictDescriptions;
  /** Other errors of its own. Those of every operation and those that follow from the other options are added. */
  errors?: readonly DeclaredError[];
  /** The operation is not built yet: its handler calls `throwNotImplemented`. */
  isPlanned?: boolean;
  /** What the example request gets where it cannot succeed as it stands. */
  example?: { status: number; reason: string };
}

/**
 * Documents an operation for the gateway and for readers. The four security schemes are alternatives on every operation;
 * `x-caller` is the caller requirement (contract.md section 1).
 */
export function Operation(options: OperationOptions) {
  const { caller, scope, summary, forwards, conflicts, errors, isPlanned, example } = options;
  const scopes = scope ? [scope] : [];
  const security = SECURITY_SCHEMES.map((scheme) =>
    ApiSecurity(scheme, scheme === 'serviceOAuth2' ? scopes : []),
  );
  const anonymous = caller === 'none' ? [ApiSecurity({})] : [];
  const extensions: Record<string, unknown> = {
    'x-caller': caller,
    'x-gatehouse-status': isPlanned ? 'planned' : undefined,
    'x-gatehouse-example-status': example?.status,
    'x-internal-forwards': forwards,
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
  );
}

function describe({ description, example }: OperationOptions): string | undefined {
  const note = example && `The example gets ${example.status}: ${example.reason}.`;
  return [description, note].filter((text) => text !== undefined).join(' ') || undefined;
}

import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiSecurity } from '@nestjs/swagger';
import type { ConflictDescriptions, ForwardedHeader } from '@app/openapi';
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
}

/**
 * Documents an operation for the gateway and for readers. The four security schemes are alternatives on every operation;
 * `x-caller` is the caller requirement (contract.md section 1).
 */
export function Operation({ caller, scope, summary, description, forwards, conflicts }: OperationOptions) {
  const scopes = scope ? [scope] : [];
  const security = SECURITY_SCHEMES.map((scheme) =>
    ApiSecurity(scheme, scheme === 'serviceOAuth2' ? scopes : []),
  );
  const anonymous = caller === 'none' ? [ApiSecurity({})] : [];
  return applyDecorators(
    ApiOperation({ summary, description }),
    ApiExtension('x-caller', caller),
    ...(forwards ? [ApiExtension('x-internal-forwards', forwards)] : []),
    ...(conflicts ? [ApiExtension('x-internal-conflicts', conflicts)] : []),
    ...security,
    ...anonymous,
  );
}

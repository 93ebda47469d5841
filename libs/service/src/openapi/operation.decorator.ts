import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiSecurity } from '@nestjs/swagger';
import type { ConflictDescriptions, ForwardedHeader } from '@app/openapi';
import { SECURITY_SCHEMES, type CallerRequirement, type Scope } from '@app/dto';

export interface OperationOptions {
  caller: CallerRequirement;
  /** The scope of spec.md section 4; absent where its table has a dash. */
  scope?: Scope;
  summary: string;
  description?: string;
  /** Headers of the caller that the handler reads itself; the gateway keeps them from every other. */
  forwards?: readonly ForwardedHeader[];
  /** Every `details.code` that it may answer 409 with, and when. */
  conflicts?: ConflictDescriptions;
}

/**
 * What the gateway needs to know of an operation, and what people read about it. All four schemes are alternatives
 * on every operation; `x-caller` says who must be named (contract.md section 1).
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

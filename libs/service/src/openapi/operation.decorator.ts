import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation, ApiSecurity } from '@nestjs/swagger';
import { SECURITY_SCHEMES, type Caller, type Scope } from '@app/dto';

export interface OperationOptions {
  caller: Caller;
  /** The scope of spec.md section 4; absent where its table has a dash. */
  scope?: Scope;
  summary: string;
  description?: string;
}

/**
 * What the gateway needs to know of an operation, and what people read about it. All four schemes are alternatives
 * on every operation; `x-caller` says who must be named (contract.md section 1).
 */
export function Operation({ caller, scope, summary, description }: OperationOptions) {
  const scopes = scope ? [scope] : [];
  const security = SECURITY_SCHEMES.map((scheme) =>
    ApiSecurity(scheme, scheme === 'serviceOAuth2' ? scopes : []),
  );
  const anonymous = caller === 'none' ? [ApiSecurity({})] : [];
  return applyDecorators(
    ApiOperation({ summary, description }),
    ApiExtension('x-caller', caller),
    ...security,
    ...anonymous,
  );
}

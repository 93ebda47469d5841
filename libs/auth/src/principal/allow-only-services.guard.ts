import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { forbidden } from '@app/common';
import type { Request } from 'express';

/** An internal service: the key id of its signing key. */
export type ServiceName = 'gateway' | 'identity' | 'token-gating' | 'account-kit' | 'analytics';

/** For `@UseGuards`: admits only these internal services. */
export function allowOnlyServices(...services: readonly ServiceName[]): CanActivate {
  return {
    canActivate(context: ExecutionContext): boolean {
      const { principal } = context.switchToHttp().getRequest<Request>();
      if (principal?.kind === 'service' && services.some((name) => name === principal.name)) return true;
      throw forbidden('service_forbidden', `This operation is for ${services.join(' and ')}.`);
    },
  };
}

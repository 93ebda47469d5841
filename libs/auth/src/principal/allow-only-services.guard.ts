import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { forbidden } from '@app/common';
import type { Request } from 'express';

/** An app of ours, as its key for internal calls is named. */
export type ServiceName = 'gateway' | 'identity' | 'token-gating';

/** For `@UseGuards`: among our own apps these alone pass. */
export function allowOnlyServices(...callers: readonly ServiceName[]): CanActivate {
  return {
    canActivate(context: ExecutionContext): boolean {
      const { principal } = context.switchToHttp().getRequest<Request>();
      if (principal?.kind === 'service' && callers.some((name) => name === principal.name)) return true;
      throw forbidden('service_forbidden', `This operation is for ${callers.join(' and ')}.`);
    },
  };
}

import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type HolderWindows, RequestLimits } from '@app/shared-state';
import type { Request, Response } from 'express';
import { passOf } from '../gate-pass.js';
import { setRateLimitHeaders, tooMany } from './rate-limit-headers.js';

/** Counts a request on its plan holder, over all the holder's applications and keys (contract.md section 3). */
@Injectable()
export class LimitGuard implements CanActivate {
  constructor(private readonly limits: RequestLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { client } = passOf(http.getRequest<Request>());
    if (!client) return true;
    const response = http.getResponse<Response>();
    const windows = this.limits.take(client.ownerId, client.limits);
    return windows instanceof Promise
      ? windows.then((states) => decide(states, response))
      : decide(windows, response);
  }
}

function decide({ second, month }: HolderWindows, response: Response): boolean {
  setRateLimitHeaders(response, { second, month });
  if (!second.admitted) throw tooMany('second_limit', second);
  if (!month.admitted) throw tooMany('month_limit', month);
  return true;
}

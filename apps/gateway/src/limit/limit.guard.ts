import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { ClientCredential } from '@app/dto';
import { MonthLimits, SecondLimits, type WindowState } from '@app/shared-state';
import type { Request, Response } from 'express';
import { passOf } from '../gate-pass.js';
import { setRateLimitHeaders, tooMany } from './rate-limit-headers.js';

/** Counts a request on its plan holder, over all the holder's applications and keys (contract.md section 3). */
@Injectable()
export class LimitGuard implements CanActivate {
  constructor(
    private readonly seconds: SecondLimits,
    private readonly months: MonthLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const { client } = passOf(http.getRequest<Request>());
    return client ? this.count(client, http.getResponse<Response>()) : true;
  }

  private count({ ownerId, limits }: ClientCredential, response: Response): boolean | Promise<boolean> {
    const second = this.seconds.take(ownerId, limits.perSecond);
    if (!second.admitted) {
      // The month is left alone: a refused request is not a used one.
      setRateLimitHeaders(response, { second, month: this.months.peek(ownerId, limits.perMonth) });
      throw tooMany('second_limit', second);
    }
    const month = this.months.take(ownerId, limits.perMonth);
    return month instanceof Promise
      ? month.then((state) => decide(second, state, response))
      : decide(second, month, response);
  }
}

function decide(second: WindowState, month: WindowState, response: Response): boolean {
  setRateLimitHeaders(response, { second, month });
  if (!month.admitted) throw tooMany('month_limit', month);
  return true;
}

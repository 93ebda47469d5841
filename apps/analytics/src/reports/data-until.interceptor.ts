import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { DataUntilService } from './data-until.service.js';

/** Sets `X-Data-Until`: what happened until then is in the rows of a report. */
@Injectable()
export class DataUntilInterceptor implements NestInterceptor {
  constructor(private readonly dataUntil: DataUntilService) {}

  async intercept(context: ExecutionContext, next: CallHandler<unknown>): Promise<Observable<unknown>> {
    const until = await this.dataUntil.load();
    const setHeader = () => {
      if (until !== undefined) context.switchToHttp().getResponse<Response>().set('X-Data-Until', until);
    };
    return next.handle().pipe(tap(setHeader));
  }
}

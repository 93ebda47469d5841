import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { hasBody, readJsonBytes } from './read-body.js';
import { parseStrictJson } from './strict-json.js';

/** Reads the body once the caller has passed the guards, so that strangers do not make us parse. */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (hasBody(request)) {
      request.body = parseStrictJson(await readJsonBytes(request, http.getResponse<Response>()));
    }
    return next.handle();
  }
}

import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { FORM_BODY } from './form-body.decorator.js';
import { parseForm } from './parse-form.js';
import { hasBody, readFormBytes, readJsonBytes } from './read-body.js';
import { parseStrictJson } from './strict-json.js';

/** Reads the body once the caller has passed the guards, so that strangers do not make us parse. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (hasBody(request)) {
      const response = http.getResponse<Response>();
      const isForm = this.reflector.get<true | undefined>(FORM_BODY, context.getHandler()) ?? false;
      request.body = isForm
        ? parseForm(await readFormBytes(request, response))
        : parseStrictJson(await readJsonBytes(request, response));
    }
    return next.handle();
  }
}

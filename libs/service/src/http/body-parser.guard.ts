import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { FORM_BODY, type FormBodyKind } from './request.decorators.js';
import { decodeFormText, MAX_TABLE_FIELDS, parseForm } from './parse-form.js';
import { hasBody, readFormBytes, readJsonBytes } from './read-body.js';
import { parseStrictJson } from './parse-strict-json.js';

/**
 * Parses the body after PrincipalGuard, so that only authenticated requests cost parsing. A guard instead of an
 * interceptor, because a single interceptor adds a chain of observables to every request.
 */
@Injectable()
export class BodyParserGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    return hasBody(request) ? this.read(request, http.getResponse<Response>(), context) : true;
  }

  private async read(request: Request, response: Response, context: ExecutionContext): Promise<boolean> {
    const form = this.reflector.get<FormBodyKind | undefined>(FORM_BODY, context.getHandler());
    request.body = form
      ? parseFormBody(form, await readFormBytes(request, response))
      : parseStrictJson(await readJsonBytes(request, response));
    return true;
  }
}

function parseFormBody(kind: FormBodyKind, bytes: Uint8Array): unknown {
  switch (kind) {
    case 'fields':
      return parseForm(bytes);
    case 'table':
      return parseForm(bytes, MAX_TABLE_FIELDS);
    case 'text':
      return decodeFormText(bytes);
  }
}

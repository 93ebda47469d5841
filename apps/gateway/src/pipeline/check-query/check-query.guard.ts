import { Injectable } from '@nestjs/common';
import { type AppError, badRequest } from '@app/common';
import type { Request } from 'express';
import { getMatchedOperation } from '../../request-context.js';
import { checkQuery } from './check-query.js';
import { PipelineGuard } from '../pipeline-guard.js';

const MAX_NAMED_PARAMETERS = 5;
const MAX_NAME_LENGTH = 64;

/**
 * Makes a name printable, at most 64 characters of it: the name comes from the caller, and the message ends up in
 * terminals.
 */
const toPrintable = (name: string): string => name.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MAX_NAME_LENGTH);

function parameterUnknown(names: readonly string[]): AppError {
  const named = names.slice(0, MAX_NAMED_PARAMETERS).map(toPrintable);
  const others = names.length > named.length ? ', and others' : '';
  return badRequest(
    'parameter_unknown',
    `This operation has no query parameter ${named.join(', ')}${others}.`,
    { issues: named.map((path) => ({ path, message: 'is not a query parameter of this operation' })) },
  );
}

/**
 * Rejects query parameters that the operation does not read: a misspelled `limit` would otherwise be ignored in silence. After
 * the authorization, so that strangers learn nothing from it.
 */
@Injectable()
export class CheckQueryGuard extends PipelineGuard {
  check(request: Request): true {
    const { query } = getMatchedOperation(request);
    const begin = request.url.indexOf('?') + 1;
    if (!query || begin === 0) return true;
    const checked = checkQuery(request.url.slice(begin), query);
    if (checked.unknown.length > 0) throw parameterUnknown(checked.unknown);
    const target = request.url.slice(0, begin) + checked.query;
    if (target !== request.url) request.url = target;
    return true;
  }
}

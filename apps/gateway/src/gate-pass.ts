import type { Operation } from '@app/contract';
import type { Request } from 'express';
import type { Caller } from './authenticate/caller.js';

/** What the gateway's steps have found out about a request so far. */
export interface GatePass {
  /** Of the contract; undefined where there is none for this method and path. */
  operation?: Operation;
  caller?: Caller;
}

declare module 'express-serve-static-core' {
  interface Request {
    gatePass?: GatePass;
  }
}

export const passOf = (request: Request): GatePass => (request.gatePass ??= {});

/** The operation of a request that has passed the match step. */
export function matchedOperation(request: Request): Operation {
  const { operation } = passOf(request);
  if (!operation) throw new Error('The match step has not run');
  return operation;
}

import type { Principal } from '@app/auth';
import type { Operation } from '@app/contract';
import type { ClientCredential } from '@app/dto';
import type { Request } from 'express';

/** What the gateway's steps have found out about a request so far. */
export interface GatePass {
  operation?: Operation;
  /** The client application that an API key named. */
  client?: ClientCredential;
  principal?: Principal;
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

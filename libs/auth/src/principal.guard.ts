import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { forbidden, unauthorized } from '@app/common';
import type { Request } from 'express';
import { INTERNAL } from './internal.decorator.js';
import { PAGE, PAGES } from './page.decorator.js';
import type { Principal } from './principal.js';
import { PRINCIPAL_HEADER } from './principal-token.js';
import { PrincipalVerifier, type Verified } from './principal-verifier.js';

declare module 'express-serve-static-core' {
  interface Request {
    principal?: Principal;
    clientId?: string;
  }
}

/** Every request to a service carries a principal token, or it does not pass: there is no other way in. */
@Injectable()
export class PrincipalGuard implements CanActivate {
  private readonly doors = new WeakMap<object, Door>();

  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    if (typeof token !== 'string') throw noPrincipal();
    const known = this.verifier.known(token);
    if (known) return this.admit(known, request, context);
    return this.verifier.verify(token).then((verified) => {
      if (!verified) throw noPrincipal();
      return this.admit(verified, request, context);
    });
  }

  private admit({ principal, operation }: Verified, request: Request, context: ExecutionContext): boolean {
    const door = this.doorOf(context);
    if (door.isInternal !== (principal.kind === 'service')) throw wrongDoor();
    if (!door.isInternal && operation !== door.operation) throw wrongDoor();
    request.principal = principal;
    if (principal.kind === 'caller') request.clientId = principal.client?.id;
    return true;
  }

  /** Found out once per handler. */
  private doorOf(context: ExecutionContext): Door {
    const handler = context.getHandler();
    let door = this.doors.get(handler);
    if (!door) {
      const owner = context.getClass();
      const isMarked = (mark: string): boolean =>
        this.reflector.getAllAndOverride<true | undefined>(mark, [handler, owner]) ?? false;
      const operation = isMarked(PAGE) ? PAGES : `${owner.name}.${handler.name}`;
      door = { isInternal: isMarked(INTERNAL), operation };
      this.doors.set(handler, door);
    }
    return door;
  }
}

interface Door {
  isInternal: boolean;
  /**
   * Its id, as the document has it. What the gateway authorized is what runs here, even if the two should ever read a
   * path differently.
   */
  operation: string;
}

const noPrincipal = () => unauthorized('no_principal', 'This service is reached through the gateway.');

const wrongDoor = () => forbidden('wrong_door', 'This operation is not for this caller.');

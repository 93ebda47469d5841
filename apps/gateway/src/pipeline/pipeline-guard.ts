import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

/**
 * A step of the pipeline. It needs nothing of Nest, so that the pipeline runs before Express and Nest; controllers of the gateway itself
 * use the same steps as Nest's guards.
 */
export abstract class PipelineGuard implements CanActivate {
  /** Rejects or throws with the error for the client. */
  abstract check(request: Request, response: Response): true | Promise<true>;

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    return this.check(http.getRequest<Request>(), http.getResponse<Response>());
  }
}

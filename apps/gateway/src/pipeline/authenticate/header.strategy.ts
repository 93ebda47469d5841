import type { Request } from 'express';
import { Strategy } from 'passport-strategy';

type Done = (error: Error | null, result?: object | false) => void;
type Verify = (value: string, done: Done) => void;

/** A Passport strategy that verifies one credential from the request headers. */
export class HeaderStrategy extends Strategy {
  constructor(
    private readonly read: (request: Request) => string | undefined,
    private readonly verify: Verify,
  ) {
    super();
  }

  override authenticate(request: Request): void {
    const value = this.read(request);
    if (value === undefined) {
      this.fail(401);
      return;
    }
    this.verify(value, (error, result) => {
      if (error) this.error(error);
      else if (result) this.success(result);
      else this.fail(401);
    });
  }
}

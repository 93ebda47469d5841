import { BackendWatch } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';

/** An app that consumes queues is not ready without their backend, and is again when it is back. */
@Injectable()
export class QueueReadiness {
  constructor(watch: BackendWatch, { readiness }: ServiceContext) {
    readiness.require('queue', () => watch.check());
  }
}

import { BackendWatch } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';

/**
 * Without its queue an app does not begin. One that loses it later goes on with all that needs none: checks are answered,
 * accepted as rows and called back, so it stays in the balancer; `queue_backend_usable` says what is the matter.
 */
@Injectable()
export class QueueReadiness {
  constructor(watch: BackendWatch, { readiness }: ServiceContext) {
    readiness.requireAtFirst('queue', () => watch.check());
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { QueueBackendMonitor } from './backend/queue-backend-monitor.js';
import { QUEUES_CONTEXT, type QueuesContext } from './queues-context.js';

/**
 * Makes an app ready only after its queue backend was available once. Afterwards the app stays ready without it, because
 * requests are stored as rows first, but not while the backend answers and refuses writes: that lasts until a connection reaches another
 * server, which it may do at another instance already. An app that only writes to an outbox does not need this provider.
 */
@Injectable()
export class QueueReadinessCheck {
  constructor(monitor: QueueBackendMonitor, @Inject(QUEUES_CONTEXT) { readiness }: QueuesContext) {
    readiness.addStartupCheck('queue', () => monitor.probe());
    readiness.addCheck('queue_writes', () => {
      monitor.checkTakesWrites();
    });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { QueueBackendMonitor } from './backend/queue-backend-monitor.js';
import { QUEUES_CONTEXT, type QueuesContext } from './queues-context.js';

/**
 * A provider of apps that do not begin without their queue. One that loses it later goes on with all that needs none: its
 * requests are answered, and what they promise is rows, so it stays in the balancer; `queue_backend_usable` says what is
 * the matter. An app that only fills an outbox does without: its rows wait.
 */
@Injectable()
export class QueueReadinessCheck {
  constructor(watch: QueueBackendMonitor, @Inject(QUEUES_CONTEXT) { readiness }: QueuesContext) {
    readiness.requireAtFirst('queue', () => watch.probe());
  }
}

import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BackendWatch } from './backend/backend-watch.js';

/** Stops looking at the backend when the app has nothing left to enqueue. */
@Injectable()
export class QueuesShutdown implements OnApplicationShutdown {
  constructor(private readonly watch: BackendWatch) {}

  onApplicationShutdown(): Promise<void> {
    return this.watch.close();
  }
}

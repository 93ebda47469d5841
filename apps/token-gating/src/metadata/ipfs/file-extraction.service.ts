import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { UnansweredWork } from '../workers/worker-lane.js';
import { WorkerLanes } from '../workers/worker-lanes.js';
import type { Extracted, ExtractionRequest } from './extract-file.js';

/** A hundred times what a document needs whose publisher did not make it slow. */
const TIMEOUT_MS = 500;

/**
 * Extracts files from CARs in worker threads: whoever publishes a document chooses how many blocks and links it has, and how
 * the library that reads it fails.
 */
@Injectable()
export class FileExtractionService implements OnApplicationShutdown {
  private readonly lanes: WorkerLanes<ExtractionRequest, Extracted>;

  constructor(workerUrl = new URL('./extract-file.worker.js', import.meta.url)) {
    this.lanes = new WorkerLanes(workerUrl);
  }

  /** Undefined when too much of the tenant waits already. */
  extract(tenantId: string, request: ExtractionRequest): Promise<Extracted | UnansweredWork> | undefined {
    return this.lanes.run(tenantId, request, () => TIMEOUT_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.lanes.close();
  }
}

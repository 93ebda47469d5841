import type { RequestListener } from 'node:http';
import { SafeHttpClient } from '@app/http';
import ipaddr from 'ipaddr.js';
import { MetadataFetchLimiter } from '../../apps/token-gating/src/metadata/metadata-fetch-limiter.js';
import { MetadataService } from '../../apps/token-gating/src/metadata/metadata.service.js';
import { WebMetadataClient } from '../../apps/token-gating/src/metadata/web-metadata.client.js';
import { receiver, type Receiver } from '../support/receiver.js';

/** A metadata service that may reach 127.0.0.1 alone, and what has to be stopped after the test. */
export class MetadataWorld {
  readonly http = new SafeHttpClient({ allowedCidrs: [ipaddr.parseCIDR('127.0.0.1/32')] });
  private readonly servers: Receiver[] = [];

  async start(answer: RequestListener): Promise<string> {
    const server = await receiver(answer);
    this.servers.push(server);
    return `http://127.0.0.1:${server.port}`;
  }

  createService(): MetadataService {
    return new MetadataService(new WebMetadataClient(this.http), new MetadataFetchLimiter());
  }

  async stop(): Promise<void> {
    await this.http.close();
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

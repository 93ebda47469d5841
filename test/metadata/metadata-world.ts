import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SafeHttpClient } from '@app/http';
import ipaddr from 'ipaddr.js';
import {
  ArweaveMetadataClient,
  WebMetadataClient,
} from '../../apps/token-gating/src/metadata/web-metadata.client.js';
import { GatewayHttpClient } from '../../apps/token-gating/src/metadata/gateway.js';
import {
  FileExtractionService,
  IpfsMetadataClient,
} from '../../apps/token-gating/src/metadata/ipfs/ipfs-metadata.client.js';
import { MetadataFetchLimiter } from '../../apps/token-gating/src/metadata/metadata-fetch-limiter.js';
import { MetadataService } from '../../apps/token-gating/src/metadata/metadata.service.js';
import { root } from '../../scripts/build/project.mjs';
import { receiver, type Receiver } from '../support/receiver.js';

type GatewayConfig = Record<'IPFS_GATEWAYS' | 'IPFS_TRUSTED_GATEWAYS' | 'ARWEAVE_GATEWAYS', string[]>;

/** The worker as the bundle of the app finds it. */
const worker = 'dist/bundles/token-gating/assets/apps/token-gating/src/metadata/ipfs/extract-file.worker.js';

/** A metadata service that may reach 127.0.0.1 alone, and what has to be stopped after the test. */
export class MetadataWorld {
  readonly http = new SafeHttpClient({ allowedCidrs: [ipaddr.parseCIDR('127.0.0.1/32')] });
  private readonly gatewayHttp = new GatewayHttpClient();
  private readonly extraction = new FileExtractionService(pathToFileURL(join(root, worker)));
  private readonly servers: Receiver[] = [];

  async start(answer: RequestListener): Promise<string> {
    const server = await receiver(answer);
    this.servers.push(server);
    return `http://127.0.0.1:${server.port}`;
  }

  createService(config: Partial<GatewayConfig> = {}): MetadataService {
    const gateways = { IPFS_GATEWAYS: [], IPFS_TRUSTED_GATEWAYS: [], ARWEAVE_GATEWAYS: [], ...config };
    const web = new WebMetadataClient(this.http);
    return new MetadataService(
      web,
      new IpfsMetadataClient(gateways, this.gatewayHttp, this.extraction),
      new ArweaveMetadataClient(gateways, this.gatewayHttp, web),
      new MetadataFetchLimiter(),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.http.close(), this.gatewayHttp.close(), this.extraction.onApplicationShutdown()]);
    await Promise.all(this.servers.map((server) => server.stop()));
  }
}

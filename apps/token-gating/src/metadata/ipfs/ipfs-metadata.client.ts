import type { BytesResponse } from '@app/http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  askGateways,
  Gateway,
  type GatewayAnswer,
  GatewayFaultError,
  GatewayHttpClient,
} from '../gateway.js';
import { createMetadataFailure, type MetadataFailure, toStatusFailure } from '../metadata-failure.js';
import { METADATA_LIMITS, MetadataConfig } from '../metadata.config.js';
import { type UnansweredWork, WorkerLanes } from '../workers/worker-lane.js';
import type { Extracted, ExtractionRequest } from './extract-file.js';
import { type IpfsTarget, parseIpfsUri } from './parse-ipfs-uri.js';
import { isHashOf } from './verified-blocks.js';

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

const CAR = 'application/vnd.ipld.car';
/** The document, and directories on the path to it. */
const MAX_CAR_BYTES = 4 * METADATA_LIMITS.maxBytes;
const RAW_CODEC = 0x55;

class IpfsGateway extends Gateway {
  constructor(
    origin: string,
    /** Whether the gateway's plain answers are believed, without a proof. */
    readonly isTrusted: boolean,
  ) {
    super(origin);
  }
}

/** Fetches files from IPFS gateways and verifies them against their CIDs. */
@Injectable()
export class IpfsMetadataClient {
  private readonly gateways: readonly IpfsGateway[];

  constructor(
    config: MetadataConfig,
    private readonly http: GatewayHttpClient,
    private readonly extraction: FileExtractionService,
  ) {
    const trusted = config.IPFS_TRUSTED_GATEWAYS;
    const others = config.IPFS_GATEWAYS.filter((origin) => !trusted.includes(origin));
    this.gateways = [
      ...others.map((origin) => new IpfsGateway(origin, false)),
      ...trusted.map((origin) => new IpfsGateway(origin, true)),
    ];
  }

  async get(uri: string, deadline: number, tenantId: string): Promise<Buffer | MetadataFailure> {
    const target = parseIpfsUri(uri);
    if ('ok' in target) return target;
    return askGateways(this.gateways, deadline, async (gateway, ownDeadline) => {
      const response = await this.request(gateway, target, ownDeadline);
      const { status, contentType, bytes } = response;
      if (status !== 200) return { failure: toStatusFailure(status), isFinal: false };
      if (gateway.isTrusted) return bytes;
      return contentType.startsWith(CAR)
        ? this.extract({ uri, car: bytes }, tenantId)
        : verifyPlain(target, bytes);
    });
  }

  private request(gateway: IpfsGateway, target: IpfsTarget, deadline: number): Promise<BytesResponse> {
    const path = [target.cid.toString(), ...target.path.map(encodeURIComponent)].join('/');
    const query = gateway.isTrusted ? '' : '?format=car&dag-scope=entity';
    return this.http.getBytes(`${gateway.origin}/ipfs/${path}${query}`, gateway.isTrusted ? '*/*' : CAR, {
      maxBytes: gateway.isTrusted ? METADATA_LIMITS.maxBytes : MAX_CAR_BYTES,
      timeoutMs: Math.max(1, Math.round(deadline - performance.now())),
    });
  }

  private async extract(request: ExtractionRequest, tenantId: string): Promise<GatewayAnswer> {
    const extracted = await this.extraction.extract(tenantId, request);
    switch (extracted?.outcome) {
      case 'file':
        return Buffer.from(extracted.bytes);
      case 'rejected':
        return { failure: extracted.failure, isFinal: true };
      case 'incomplete':
        return { failure: INCOMPLETE, isFinal: false };
      case 'mismatch':
        throw new GatewayFaultError(extracted.message);
      case 'limit_exceeded':
        return { failure: TOO_SLOW, isFinal: false };
      case 'unavailable':
      case undefined:
        return { failure: BUSY, isFinal: false };
    }
  }
}

/** A plain answer is verifiable only when the CID is the hash of the file itself. */
function verifyPlain({ cid, path }: IpfsTarget, bytes: Buffer): GatewayAnswer {
  if (cid.code !== RAW_CODEC || path.length > 0) return { failure: UNVERIFIABLE, isFinal: false };
  if (!isHashOf(cid, bytes)) throw new GatewayFaultError('the answer has another hash');
  return bytes;
}

const INCOMPLETE = createMetadataFailure('metadata_unavailable', 'is incomplete at the IPFS gateway');
const UNVERIFIABLE = createMetadataFailure(
  'metadata_unavailable',
  'cannot be verified: the IPFS gateway sends no CAR',
);
const TOO_SLOW = createMetadataFailure('metadata_malformed', 'takes too long to verify');
const BUSY = createMetadataFailure(
  'metadata_unavailable',
  'was not verified: too many others are at the moment',
);

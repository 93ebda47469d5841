import type { IncomingMessage, Server, ServerResponse } from 'node:http';

export interface StandInItem {
  chain: string;
  owner: string;
  contract: string;
  identifier: string;
}

export function createOpenSeaServer(options: {
  apiKey: string;
  collections: Record<string, { contracts: { chain: string; address: string }[]; items: StandInItem[] }>;
  maxPageSize?: number;
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}): Server;

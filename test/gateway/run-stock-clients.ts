import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../scripts/build/project.mjs';
import { pathOf } from '../support/needs.js';

interface StockClientCalls {
  /** The URL of the document. */
  url: string;
  /** Credentials by the name of their security scheme. */
  authorizations: Record<string, unknown>;
  /** Positional arguments by operation id. */
  calls: Record<string, unknown[]>;
}

/** The version that a new user gets, which wants Node 22 and runs on 20, and one of which old code is. */
export type StockClient = 'swagger-client' | 'swagger-client-3.18';

/** Calls operations with generic OpenAPI clients. @returns statuses by operation id, of each client */
export async function runStockClients(
  clients: StockClientCalls[],
  packageName: StockClient = 'swagger-client-3.18',
): Promise<Record<string, number>[]> {
  pathOf('openapi-clients');
  const program = spawn(process.execPath, [join(root, 'test/gateway/stock-clients.mjs'), packageName], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  program.stdin.end(JSON.stringify(clients));
  return JSON.parse(await text(program.stdout)) as Record<string, number>[];
}

import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apps } from '../../scripts/suite/apps.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { elsewhereFor } from '../../scripts/postgres/postgres-place.mjs';
import { root } from '../../scripts/build/project.mjs';

const PARTS = [
  'apps',
  'libs',
  'clients',
  'scripts',
  'contracts',
  'docs',
  'examples',
  'k8s',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '.swcrc',
];

/** What `.local/run.json` says about the run that is going on. */
export interface RunRecord {
  pid: number;
  start: string;
  databaseUrl: string;
  children: { name: string; pid: number; start: string }[];
}

export interface Demo {
  gatewayUrl: string;
  apiKey: string;
  clientId: string;
  origin: string;
  chainId: number;
  rpcUrl: string;
  tokens: { erc20: string };
  holder: { address: string; privateKey: string };
  outsider: { address: string };
  receiverUrl: string;
  polledRequestId: string;
  calledBackRequestId: string;
  botAccount: string;
  userOperationHash: string;
  solanaTransaction: string;
  solanaSignature: string;
  credentialId: string;
  credential: string;
  communityId: string;
}

/** A copy of the working tree with a `.local` and ports of its own; the installed packages are shared, and the build unless it is to change. */
export class ProjectCopy {
  private constructor(
    readonly folder: string,
    /** GATEWAY_PORT and so on. */
    readonly ports: Record<string, string>,
  ) {}

  static async make({ hasOwnBuild = false } = {}): Promise<ProjectCopy> {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-start-'));
    chmodSync(folder, 0o755);
    for (const part of PARTS) cpSync(join(root, part), join(folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    // `npm start` finds the build to be that of these sources.
    if (hasOwnBuild) cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
    else symlinkSync(join(root, 'dist'), join(folder, 'dist'));
    const variables = apps.flatMap(({ variable }) =>
      ['PORT', 'MANAGEMENT_PORT', 'INSPECTOR_PORT'].map((suffix) => `${variable}_${suffix}`),
    );
    const ports: Record<string, string> = {};
    for (const variable of [
      ...variables,
      'POSTGRES_PORT',
      'ANVIL_PORT',
      'SOLANA_PORT',
      'RECEIVER_PORT',
      'OPEN_SEA_PORT',
      'PLATFORMS_PORT',
    ])
      ports[variable] = String(await freePort());
    return new ProjectCopy(folder, ports);
  }

  run(): RunRecord {
    return this.read('run.json') as RunRecord;
  }

  demo(): Demo {
    return this.read('demo.json') as Demo;
  }

  /** What a child wrote. */
  log(name: string): string {
    return readFileSync(join(this.folder, '.local/logs', `${name}.log`), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
    rmSync(elsewhereFor(this.folder), { recursive: true, force: true });
  }

  private read(name: string): unknown {
    return JSON.parse(readFileSync(join(this.folder, '.local', name), 'utf8'));
  }
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { appEnvironment } from '../../scripts/suite/app-environment.mjs';
import { type App, apps as allApps } from '../../scripts/suite/apps.mjs';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { migrateCommands } from '../../scripts/postgres/migrations.mjs';
import { freePort } from '../../scripts/processes/ports.mjs';
import { root as thisRoot } from '../../scripts/build/project.mjs';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import { queryDatabase } from '../identity/query-database.js';
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.js';
import { type RunningApp, runningApp } from '../support/running-app.js';

export type Release = 'previous' | 'this';

const run = promisify(execFile);
const COMMAND_MS = 60_000;

/** The apps of two builds, at the same ports, on one database whose queues are in it, too. */
export class TwoReleases {
  private readonly running = new Map<string, { app: RunningApp; release: Release }>();

  private constructor(
    private readonly roots: Record<Release, string>,
    private readonly database: FreshDatabase,
    private readonly apps: App[],
    private readonly environmentOf: (name: string) => NodeJS.ProcessEnv,
  ) {}

  /** @param previousRoot a working tree of the previous release with a finished build */
  static async create(previousRoot: string, env: Record<string, string>): Promise<TwoReleases> {
    const database = await freshDatabase();
    const apps: App[] = [];
    for (const app of allApps)
      apps.push({ ...app, port: await freePort(), managementPort: await freePort() });
    const secrets = makeSecrets(apps.map(({ name }) => name));
    const gateway = find(apps, 'gateway');
    const environmentOf = (name: string): NodeJS.ProcessEnv =>
      appEnvironment({
        app: find(apps, name),
        apps,
        databaseUrl: database.url,
        publicUrl: `http://127.0.0.1:${String(gateway.port)}`,
        secrets,
        env: { NODE_ENV: 'test', ...env },
      });
    return new TwoReleases({ previous: previousRoot, this: thisRoot }, database, apps, environmentOf);
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  get gatewayUrl(): string {
    return `http://127.0.0.1:${String(find(this.apps, 'gateway').port)}`;
  }

  /** The release that an app runs. */
  releaseOf(name: string): Release {
    const running = this.running.get(name);
    if (running === undefined) throw new Error(`${name} does not run`);
    return running.release;
  }

  get names(): string[] {
    return this.apps.map(({ name }) => name);
  }

  query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
    return queryDatabase(this.database.url, sql, parameters);
  }

  /** Runs the migrations of every app of a release. */
  async migrate(release: Release): Promise<void> {
    for (const { app, file } of migrateCommands(this.roots[release]))
      await run(process.execPath, [file], { env: this.environmentOf(app), timeout: COMMAND_MS });
  }

  /** Runs the operator's command for client applications, of the release that identity runs. @returns what it printed */
  async clientCommand(args: string[]): Promise<string> {
    const release = this.running.get('identity')?.release ?? 'previous';
    const file = bundleOf(this.roots[release], 'identity', 'create-client.command.js');
    const options = { env: this.environmentOf('identity'), timeout: COMMAND_MS };
    return (await run(process.execPath, [file, ...args], options)).stdout;
  }

  /** Ends the running instance of each app and starts that of a release, side by side. */
  async replace(names: readonly string[], release: Release): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        await this.end(name);
        const entry = bundleOf(this.roots[release], name);
        this.running.set(name, { app: await runningApp(name, this.environmentOf(name), entry), release });
      }),
    );
  }

  /** @throws Error when it did not end in order */
  private async end(name: string): Promise<void> {
    const running = this.running.get(name);
    if (running === undefined) return;
    this.running.delete(name);
    const code = await running.app.stop();
    if (code !== 0)
      throw new Error(`${name} ended with ${String(code)}: ${running.app.logLines.slice(-10).join('\n')}`);
  }

  async stop(): Promise<Record<string, number | null>> {
    const codes: Record<string, number | null> = {};
    for (const name of ['gateway', ...this.names.filter((one) => one !== 'gateway')])
      codes[name] = (await this.running.get(name)?.app.stop()) ?? null;
    await this.database.drop();
    return codes;
  }
}

function find(apps: App[], name: string): App {
  const found = apps.find((app) => app.name === name);
  if (found === undefined) throw new Error(`There is no app ${name}`);
  return found;
}

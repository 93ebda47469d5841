import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { collectImages } from '../../scripts/images/collect-images.mjs';
import { bundleOf } from '../../scripts/build/bundle.mjs';
import { root } from '../../scripts/build/project.mjs';
import { LocalChain } from '../support/local-chain.js';
import { describeWith } from '../support/needs.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';

const run = promisify(execFile);
const RUN_IN_IMAGE = join(import.meta.dirname, 'run-in-image.mjs');
const MIB = 1024 * 1024;
/** The part of this image in the 180 MB that an image may take; node:24-bookworm-slim takes about 80 of them. */
const MAX_COMPRESSED_BYTES = 60 * MIB;

const inspected = process.env.TEST_IMAGE;
const imageRoot = process.env.TEST_IMAGE_ROOT ?? '';

interface ImageConfig {
  User: string;
  Entrypoint: string[];
  Cmd: string[] | null;
  Env: string[];
  Labels: Record<string, string>;
  Healthcheck: { Test: string[] };
}

/** Runs a command in the image. @returns its standard output @throws Error with its exit code in `code` */
const runInImage = async (...command: string[]): Promise<string> =>
  (await run(process.execPath, [RUN_IN_IMAGE, ...command], { timeout: 30_000 })).stdout;

/** Paths and hashes of all files of a folder. */
const hashFiles = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .toSorted()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  );

describeWith('buildah')('the image of the gateway', () => {
  const { config } = (
    JSON.parse(readFileSync(inspected ?? '/dev/null', 'utf8') || '{"Docker":{}}') as {
      Docker: { config: ImageConfig };
    }
  ).Docker;

  it('image of the gateway: runs one program as user 1000, without a shell, and knows whether it lives', () => {
    expect(config.User).toBe('1000:1000');
    expect(config.Entrypoint).toEqual(['node', '--max-semi-space-size=32', '/app/main.js']);
    expect(config.Cmd ?? []).toEqual([]);
    expect(config.Healthcheck.Test).toEqual(['CMD', 'node', '/app/healthcheck.mjs', 'live']);
  });

  it('image of the gateway: says in labels what it is', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'gatehouse/gateway',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': revision,
      'org.opencontainers.image.base.name': 'localhost/gatehouse-node:24.21.0-stand-in',
    });
  });

  it('image of the gateway: has the files that another build of the same sources has, to the byte', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
    try {
      collectImages(root, folder);
      expect(hashFiles(join(imageRoot, 'app'))).toEqual(hashFiles(join(folder, 'gateway')));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('image of the gateway: lists its packages, in bundles and beside them, with hashes and licences', () => {
    const { components } = JSON.parse(readFileSync(join(imageRoot, 'app/sbom.cdx.json'), 'utf8')) as {
      components: { name: string; hashes?: unknown[]; licenses: unknown[] }[];
    };
    const beside = readdirSync(join(imageRoot, 'app/node_modules')).filter((name) => !name.startsWith('.'));
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['secp256k1', 'swagger-ui-dist', 'zod', ...beside]));
    expect(components.filter(({ hashes, licenses }) => !hashes?.length || licenses.length === 0)).toEqual([]);
  });

  it('image of the gateway: adds few bytes to its base', () => {
    const archive = execFileSync('tar', ['-C', imageRoot, '-cf', '-', 'app'], { maxBuffer: 512 * MIB });
    const size = gzipSync(archive).length;
    process.stderr.write(`  /app is ${(size / MIB).toFixed(1)} MiB compressed\n`);
    expect(size).toBeLessThan(MAX_COMPRESSED_BYTES);
  });

  it('image of the gateway: lets its user write nothing but temporary files', async () => {
    const code = `
      const fs = require('node:fs');
      const attempt = (file) => { try { fs.writeFileSync(file, ''); return 'written'; } catch (error) { return error.code; } };
      console.log(JSON.stringify([process.getuid(), process.pid, process.version, ...['/app/x', '/etc/x', '/tmp/x'].map(attempt)]));`;
    expect(JSON.parse(await runInImage('node', '-e', code))).toEqual([
      1000,
      1,
      'v24.21.0',
      'EROFS',
      'EROFS',
      'written',
    ]);
  });

  describe('as a gateway', () => {
    let chain: LocalChain;
    let suite: RunningSuite;

    beforeAll(async () => {
      chain = await LocalChain.start();
      await chain.installMulticall3();
      suite = await runningSuite({
        rpcUrls: { [chain.chainId]: chain.rpcUrl },
        entryOf: (name) => (name === 'gateway' ? RUN_IN_IMAGE : bundleOf(root, name)),
        env: { TEST_IMAGE: inspected ?? '', TEST_IMAGE_ROOT: imageRoot },
      });
    });

    afterAll(async () => {
      await suite.stop();
      await chain.stop();
    });

    it('image of the gateway, as a gateway: answers a check, with its document and its explorer', async () => {
      const { apiKey } = await suite.createClient();
      const rules = [{ type: 'NATIVE', chainId: chain.chainId, minToken: '1', roleId: 'rich' }];
      const response = await fetch(`${suite.gatewayUrl}/access-control/check-roles`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ account: chain.client.account.address, rules }),
      });
      expect([response.status, await response.json()]).toEqual([
        200,
        { roles: [{ id: 'rich', granted: true }] },
      ]);
      for (const path of ['/openapi.json', '/explorer', '/explorer/swagger-ui-bundle.js'])
        expect([path, (await fetch(suite.gatewayUrl + path)).status]).toEqual([path, 200]);
    });

    it('image of the gateway, as a gateway: passes its HEALTHCHECK while it lives, and ends in order on SIGTERM', async () => {
      const gateway = suite.app('gateway');
      const port = new URL(gateway.managementUrl).port;
      const check = config.Healthcheck.Test.slice(1);
      const runCheck = () =>
        run(process.execPath, [RUN_IN_IMAGE, ...check], { env: { ...process.env, MANAGEMENT_PORT: port } });
      await runCheck();
      expect(await gateway.stop()).toBe(0);
      await expect(runCheck()).rejects.toMatchObject({ code: 1 });
    });
  });
});
